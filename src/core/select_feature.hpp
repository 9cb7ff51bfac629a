// SPDX-License-Identifier: BSD-3-Clause
/// Stage A: which candidate feature is associated with the response, if any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "column.hpp"
#include "dataset.hpp"
#include "draws.hpp"
#include "feature_pool.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "permutation_test.hpp"
#include "plan_book.hpp"
#include "response.hpp"
#include "rng.hpp"

namespace inforest {

struct FeatureChoice {
  std::int32_t feature = -1;  ///< -1: none rejected
  /// The test of the chosen feature; without a choice, the test with the smallest p-value met.
  TestOutcome test{.p_value = std::numeric_limits<double>::quiet_NaN()};
  std::int64_t draws_read = 0;
};

template <class Selector>
class FeatureSelection {
 public:
  FeatureSelection(const Dataset& data, const Options& options, Selector selector,
                   Interrupt& interrupt)
      : data_(data),
        options_(options),
        selector_(std::move(selector)),
        plans_(options.selection),
        interrupt_(interrupt) {}

  /// Marks in `muted` (indexed by feature) every candidate that was tested and did not reject.
  FeatureChoice select(const Response& response, std::span<const std::int32_t> rows,
                       const std::vector<std::int32_t>& candidates, const FeaturePool& pool,
                       std::uint64_t node_key, std::vector<std::uint8_t>& muted) {
    rows_ = rows;
    candidates_ = &candidates;
    pool_ = &pool;
    key_ = node_key;
    muted_ = &muted;
    keeps_columns_ = candidates.size() * rows.size() <= kColumnCache;
    selector_.begin(response);
    draws_.begin(response, derive_key(node_key, Stream::selector_draws),
                 options_.selection.sequential() ? Draws::kSmallCache : Draws::kLargeCache);
    if (!options_.selection.tests()) return best_statistic();
    if (!options_.selection.sequential()) return smallest_p_value();
    return first_rejection();
  }

 private:
  /// Values of gathered candidate columns kept between scanning and testing.
  static constexpr std::size_t kColumnCache = std::size_t{1} << 20;

  std::size_t n_candidates() const { return candidates_->size(); }

  /// Gathers every candidate's column (kept if they fit) and computes its observed value.
  void observe_all() {
    observed_.resize(n_candidates());
    columns_.resize(keeps_columns_ ? n_candidates() * rows_.size() : rows_.size());
    for (std::size_t i = 0; i < n_candidates(); ++i) {
      double* column = columns_.data() + (keeps_columns_ ? i * rows_.size() : 0);
      gather_column(data_.column((*candidates_)[i]), rows_, column);
      observed_[i] = selector_.bind(column);
      interrupt_.spend(4 * static_cast<std::int64_t>(rows_.size()));
    }
  }

  double bind(std::size_t i) {
    if (keeps_columns_) return selector_.bind(columns_.data() + i * rows_.size());
    gather_column(data_.column((*candidates_)[i]), rows_, columns_.data());
    return selector_.bind(columns_.data());
  }

  /// Chooses uniformly among tied candidates, whatever the order of the columns.
  std::uint64_t tie_priority(std::size_t i) const {
    return derive_key(derive_key(key_, Stream::selector_ties), pool_->key((*candidates_)[i]));
  }

  FeatureChoice best_statistic() {
    observe_all();
    // Rounding must not decide between features of equal statistic.
    const double tie = *std::max_element(observed_.begin(), observed_.end()) * (1.0 - 1e-12);
    std::size_t best = 0;
    for (std::size_t i = 1; i < n_candidates(); ++i)
      if (observed_[i] >= tie && (observed_[best] < tie || tie_priority(i) < tie_priority(best)))
        best = i;
    FeatureChoice choice;
    choice.feature = (*candidates_)[best];
    return choice;
  }

  /// The reference rule: every candidate gets exactly B draws; the smallest p-value wins.
  FeatureChoice smallest_p_value() {
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(n_candidates()));
    observe_all();
    FeatureChoice choice;
    std::size_t best = 0;
    for (std::size_t i = 0; i < n_candidates(); ++i) {
      const TestOutcome test = run(i, plan);
      choice.draws_read += test.n_draws;
      if (i == 0 || test.n_exceedances < choice.test.n_exceedances ||
          (test.n_exceedances == choice.test.n_exceedances && tie_priority(i) < tie_priority(best)))
        choice.test = test, best = i;
    }
    if (choice.test.rejected) choice.feature = (*candidates_)[best];
    return choice;
  }

  /// Candidates in scan order; the first that rejects wins.
  FeatureChoice first_rejection() {
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(n_candidates()));
    observe_all();
    order_.resize(n_candidates());
    for (std::size_t i = 0; i < n_candidates(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    // Candidates come in random order; scanning puts the largest observed statistic first.
    if (options_.feature_scanning)
      std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return observed_[a] > observed_[b];
      });
    FeatureChoice choice;
    for (const std::uint32_t i : order_) {
      const TestOutcome test = certify_or_run(i, plan);
      choice.draws_read += test.n_draws;
      if (test.rejected || !(choice.test.p_value <= test.p_value)) choice.test = test;
      if (!test.rejected) continue;
      choice.feature = (*candidates_)[i];
      break;
    }
    return choice;
  }

  TestOutcome certify_or_run(std::size_t i, const TestPlan& plan) {
    const double observed = bind(i);
    const double enough = certificate_limit(plan);
    const double q = options_.shortcuts ? selector_.certificate(observed, enough) : 1.0;
    if (q <= enough && plan.most_exceedances() >= 0) {
      Rng rng(derive_key(key_, Stream::selector_certificate));
      const TestOutcome test = certified_rejection(plan, q, rng.uniform());
      mute_unless(test.rejected, i);
      return test;
    }
    return run_bound(i, observed, plan);
  }

  TestOutcome run(std::size_t i, const TestPlan& plan) { return run_bound(i, bind(i), plan); }

  TestOutcome run_bound(std::size_t i, double observed, const TestPlan& plan) {
    const TestOutcome test =
        permutation_test(selector_, observed, draws_, plan, interrupt_, selector_.work());
    mute_unless(test.rejected, i);
    return test;
  }

  void mute_unless(bool rejected, std::size_t i) {
    if (!rejected) (*muted_)[static_cast<std::size_t>((*candidates_)[i])] = 1;
  }

  const Dataset& data_;
  const Options& options_;
  Selector selector_;
  PlanBook plans_;
  Interrupt& interrupt_;
  Draws draws_;

  std::span<const std::int32_t> rows_;
  const std::vector<std::int32_t>* candidates_ = nullptr;
  const FeaturePool* pool_ = nullptr;
  std::vector<std::uint8_t>* muted_ = nullptr;
  std::uint64_t key_ = 0;
  bool keeps_columns_ = true;
  std::vector<double> columns_, observed_;
  std::vector<std::uint32_t> order_;
};

}  // namespace inforest
