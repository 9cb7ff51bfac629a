// SPDX-License-Identifier: BSD-3-Clause
/// Stage A: which candidate feature is associated with the response, if any.
///
/// Two kinds of test. Bonferroni: one per candidate, at alpha divided by their number. maxT
/// (Westfall & Young 1993, single step): one for the node, whose statistic is the largest over the
/// candidates. A draw permutes y for all of them at once, so that maximum is a statistic of the
/// permutation like any other. If y is independent of the candidates together, the observed one and
/// those of the B draws are exchangeable, and (1 + exceedances) / (1 + B) < alpha has probability
/// at most alpha: whatever the dependence between the candidates, without a factor for their
/// number. The level needs nothing else. Power needs statistics of one scale, so that no candidate
/// is large merely by its kind; a selector's values are that wherever its null distribution does
/// not depend on x, nearly so for mc, pc, quad and rdc, less so for mi on tied columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/plan_book.hpp"
#include "core/stage_a/options.hpp"
#include "core/stage_a/selector.hpp"

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
  FeatureSelection(const Dataset& data, const StageAOptions& options, Selector selector,
                   Interrupt& interrupt)
      : data_(data),
        options_(options),
        selector_(std::move(selector)),
        plans_(options.selection),
        interrupt_(interrupt) {}

  /// Draws the selector's random projections, if it has any.
  void project(std::uint64_t key) { inforest::project(selector_, key); }

  /// Memory for a number per row of the last node selected for, free until the next one.
  double* spare_column() { return columns_.data(); }
  /// The same for numbers or positions in any count.
  template <class T>
  std::vector<T>& spare_draw() {
    return draws_.spare<T>();
  }

  /// Marks in `muted` (indexed by feature) every candidate that was tested by itself and did not
  /// reject; maxT tests none by itself.
  FeatureChoice select(const Response& response, std::span<const std::int32_t> rows,
                       const std::vector<std::int32_t>& candidates, const FeaturePool& pool,
                       std::uint64_t node_key, std::vector<std::uint8_t>& muted) {
    response_ = &response;
    rows_ = rows;
    candidates_ = &candidates;
    pool_ = &pool;
    key_ = node_key;
    muted_ = &muted;
    keeps_columns_ = candidates.size() * rows.size() <= kColumnCache;
    selector_.begin(response);
    const bool maxt = options_.selection.adjustment == Adjustment::maxt;
    const bool reads_few = options_.selection.sequential() && !maxt;
    draws_.begin(response, derive_key(node_key, Stream::selector_draws),
                 reads_few ? Draws::kSmallCache : Draws::kLargeCache,
                 reads_few && options_.shortcuts && may_shorten(rows.size()) ? Draws::Shared::first
                                                                             : Draws::Shared::all);
    if (!options_.selection.tests()) return best_statistic();
    if (maxt) return largest_statistic();
    if (!options_.selection.sequential()) return smallest_p_value();
    return first_rejection();
  }

 private:
  /// The draws of most candidates that do not reject.
  static constexpr std::int64_t kFew = 16;
  /// Values of gathered candidate columns kept between scanning and testing.
  static constexpr std::size_t kColumnCache = std::size_t{1} << 19;
  /// Small nodes gain nothing by short draws (measured), large ones would need memory for them.
  static constexpr bool may_shorten(std::size_t size) { return 32 <= size && size <= 1u << 16; }

  std::size_t n_candidates() const { return candidates_->size(); }

  /// Gathers every candidate's column (kept if they fit) and computes its observed value.
  void observe_all() {
    observed_.resize(n_candidates());
    taken_.resize(n_candidates());
    columns_.resize(keeps_columns_ ? n_candidates() * rows_.size() : rows_.size());
    for (std::size_t i = 0; i < n_candidates(); ++i) {
      observed_[i] = gather_and_bind(i);
      interrupt_.spend(4 * static_cast<std::int64_t>(rows_.size()));
    }
  }

  double bind(std::size_t i) {
    if (!keeps_columns_) return gather_and_bind(i);
    if constexpr (TakesColumns<Selector>) {
      selector_.use(taken_[i].column);
      return taken_[i].observed;
    } else {
      return selector_.bind(column(i));
    }
  }

  double gather_and_bind(std::size_t i) {
    gather(i, column(i));
    taken_[i] = bind_in_place(selector_, column(i));
    return taken_[i].observed;
  }

  double* column(std::size_t i) {
    return columns_.data() + (keeps_columns_ ? i * rows_.size() : 0);
  }

  void gather(std::size_t i, double* out) const {
    const std::int32_t feature = (*candidates_)[i];
    if constexpr (ReadsRanks<Selector>) {
      if (data_.ranks != nullptr) {
        const std::uint32_t* ranks = data_.ranks + feature * data_.n_samples;
        std::transform(rows_.begin(), rows_.end(), out,
                       [&](std::int32_t row) { return static_cast<double>(ranks[row]); });
        return;
      }
    }
    gather_column(data_.column(feature), rows_, out);
  }

  /// Chooses uniformly among tied candidates, whatever the order of the columns.
  std::uint64_t tie_priority(std::size_t i) const {
    return derive_key(derive_key(key_, Stream::selector_ties), pool_->key((*candidates_)[i]));
  }

  /// The candidate with the largest observed value.
  std::size_t best_observed() const {
    // Rounding must not decide between features of equal statistic.
    const double tie = *std::max_element(observed_.begin(), observed_.end()) * (1.0 - 1e-12);
    std::size_t best = 0;
    for (std::size_t i = 1; i < n_candidates(); ++i)
      if (observed_[i] >= tie && (observed_[best] < tie || tie_priority(i) < tie_priority(best)))
        best = i;
    return best;
  }

  /// All candidates, the largest observed value first.
  void order_by_observed() {
    order_by_index();
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return observed_[a] > observed_[b]; });
  }

  void order_by_index() {
    order_.resize(n_candidates());
    std::iota(order_.begin(), order_.end(), 0u);
  }

  FeatureChoice best_statistic() {
    observe_all();
    FeatureChoice choice;
    choice.feature = (*candidates_)[best_observed()];
    return choice;
  }

  /// maxT: the largest statistic wins if the node's one test rejects.
  FeatureChoice largest_statistic() {
    const TestPlan& plan = plans_.plan(1);
    observe_all();
    order_by_observed();
    const std::size_t best = best_observed();
    const double limit = tie_limit(observed_[best]);
    FeatureChoice choice;
    const double q = may_certify(plan) ? bound(limit, plan) : 1.0;
    if (q <= certificate_limit(plan)) {
      Rng certificate(derive_key(key_, Stream::selector_certificate));
      choice.test = certified_rejection(plan, q, certificate.uniform());
    } else {
      choice.test = test_maximum(limit, plan);
    }
    choice.draws_read = choice.test.n_draws;
    if (choice.test.rejected) choice.feature = (*candidates_)[best];
    return choice;
  }

  /// Whether a bound may replace the draws, and costs less than they do.
  bool may_certify(const TestPlan& plan) const {
    constexpr std::int64_t kCheapDraws = 16;
    return options_.shortcuts && options_.selection.sequential() && plan.most_exceedances() >= 0 &&
           plan.n_draws() > kCheapDraws;
  }

  /// Bounds the probability that any candidate reaches `limit` by the sum over all of them.
  double bound(double limit, const TestPlan& plan) {
    const double enough = certificate_limit(plan);
    const double share = enough / static_cast<double>(n_candidates());
    double sum = 0.0;
    for (const std::uint32_t i : order_) {
      bind(i);
      sum += certificate_of(selector_, std::fmax(limit, 0.0), share);
      interrupt_.spend(4 * static_cast<std::int64_t>(rows_.size()));
      if (sum > enough) break;
    }
    return sum;
  }

  /// The candidates are bound one after the other, each for a block of draws; a draw that one of
  /// them has brought over the limit needs no other, and large observed values come first because
  /// they are the likeliest to do so.
  TestOutcome test_maximum(double limit, const TestPlan& plan) {
    TestProgress progress(plan);
    for (std::int64_t begin = 0, size = 8; !progress.decided(); begin += size, size *= 2) {
      const auto drawn = std::min(size, plan.n_draws() - begin);
      exceeds_.assign(static_cast<std::size_t>(drawn), 0);
      for (const std::uint32_t i : order_) {
        drop_after_decision(progress, plan);
        if (std::find(exceeds_.begin(), exceeds_.end(), 0) == exceeds_.end()) break;
        bind(i);
        for (std::size_t b = 0; b < exceeds_.size(); ++b) {
          if (exceeds_[b]) continue;
          exceeds_[b] = exceeds(selector_, draws_, begin + static_cast<std::int64_t>(b), limit);
          interrupt_.spend(work_of(selector_, draws_.size()));
        }
      }
      for (std::size_t b = 0; b < exceeds_.size() && !progress.decided(); ++b)
        progress.record(exceeds_[b] != 0);
    }
    return progress.outcome();
  }

  /// Once the exceedances rule out a rejection, later draws of the block are not needed.
  void drop_after_decision(const TestProgress& progress, const TestPlan& plan) {
    if (!options_.selection.sequential()) return;
    std::int64_t left = plan.most_exceedances() - progress.n_exceedances();
    for (std::size_t b = 0; b < exceeds_.size(); ++b)
      if (exceeds_[b] && left-- == 0) return exceeds_.resize(b + 1);
  }

  /// The reference rule: every candidate gets exactly B draws; the smallest p-value wins.
  ///
  /// A candidate with too many exceedances to reject cannot win, so its other draws are made only
  /// if no candidate rejects: then for the record, which is the smallest p-value.
  FeatureChoice smallest_p_value() {
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(n_candidates()));
    observe_all();
    counts_.assign(n_candidates(), DrawCount{});
    bool any_rejects = false;
    if (options_.shortcuts) {
      draw_on(std::min(kFew, plan.n_draws()), plan.most_exceedances());
      draw_on(plan.n_draws(), plan.most_exceedances());
      any_rejects = std::any_of(counts_.begin(), counts_.end(), [&](const DrawCount& count) {
        return count.n_exceedances <= plan.most_exceedances();
      });
    }
    if (!any_rejects) draw_on(plan.n_draws(), plan.n_draws());
    return fewest_exceedances(plan);
  }

  /// Goes on with all candidates until they have `n_draws` draws or more than `most` exceedances.
  void draw_on(std::int64_t n_draws, std::int64_t most) {
    order_.clear();
    for (std::uint32_t i = 0; i < n_candidates(); ++i)
      if (counts_[i].n_draws < n_draws && counts_[i].n_exceedances <= most) order_.push_back(i);
    std::span<const std::uint32_t> open = order_;
    if constexpr (GoesTogether<Selector>) {
      if (n_draws > kFew && options_.shortcuts && keeps_columns_ && !draws_.has_masks())
        while (open.size() > 1) {
          const std::size_t count = std::min<std::size_t>(kTogether, open.size());
          draw_together(open.first(count), n_draws, most);
          open = open.subspan(count);
        }
    }
    for (const std::uint32_t i : open) {
      const double observed = bind(i);
      inforest::draw_on(counts_[i], selector_, observed, draws_, n_draws, most, interrupt_);
    }
  }

  /// The same for a few of them, whose columns are read side by side.
  void draw_together(std::span<const std::uint32_t> group, std::int64_t n_draws,
                     std::int64_t most) {
    const CentredColumn* columns[kTogether] = {};
    std::int64_t b = n_draws;
    for (std::size_t c = 0; c < group.size(); ++c) {
      columns[c] = &taken_[group[c]].column;
      b = std::min(b, counts_[group[c]].n_draws);
    }
    const typename Selector::Together together(*response_, {columns, group.size()});
    double values[kTogether], limits[kTogether];
    for (std::size_t c = 0; c < group.size(); ++c) limits[c] = tie_limit(observed_[group[c]]);
    for (bool is_open = true; is_open && b < n_draws; ++b) {
      together.evaluate(selector_, draws_.order(b), values);
      is_open = false;
      for (std::size_t c = 0; c < group.size(); ++c) {
        DrawCount& count = counts_[group[c]];
        if (count.n_exceedances > most) continue;
        is_open = true;
        if (count.n_draws > b) continue;
        ++count.n_draws;
        count.n_exceedances += values[c] >= limits[c];
      }
      interrupt_.spend(2 * work_of(selector_, draws_.size()));
    }
  }

  FeatureChoice fewest_exceedances(const TestPlan& plan) {
    FeatureChoice choice;
    std::size_t best = 0;
    for (std::size_t i = 0; i < n_candidates(); ++i) {
      const DrawCount& count = counts_[i];
      choice.draws_read += count.n_draws;
      muted_unless_rejected(i, count.outcome(plan));
      if (count.n_exceedances < counts_[best].n_exceedances ||
          (count.n_exceedances == counts_[best].n_exceedances &&
           tie_priority(i) < tie_priority(best)))
        best = i;
    }
    choice.test = counts_[best].outcome(plan);
    if (choice.test.rejected) choice.feature = (*candidates_)[best];
    return choice;
  }

  /// Candidates in scan order; the first that rejects wins.
  FeatureChoice first_rejection() {
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(n_candidates()));
    observe_all();
    // Candidates come in random order; scanning puts the largest observed statistic first.
    if (options_.feature_scanning)
      order_by_observed();
    else
      order_by_index();
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
    if (!options_.shortcuts) return run(i, plan);
    const double observed = bind(i);
    return muted_unless_rejected(
        i, certified_test(selector_, observed, draws_, plan,
                          derive_key(key_, Stream::selector_certificate), interrupt_));
  }

  TestOutcome run(std::size_t i, const TestPlan& plan) {
    const double observed = bind(i);
    return muted_unless_rejected(i,
                                 permutation_test(selector_, observed, draws_, plan, interrupt_));
  }

  TestOutcome muted_unless_rejected(std::size_t i, const TestOutcome& test) {
    if (!test.rejected) (*muted_)[static_cast<std::size_t>((*candidates_)[i])] = 1;
    return test;
  }

  const Dataset& data_;
  const StageAOptions& options_;
  Selector selector_;
  PlanBook plans_;
  Interrupt& interrupt_;
  Draws draws_;

  const Response* response_ = nullptr;
  std::span<const std::int32_t> rows_;
  const std::vector<std::int32_t>* candidates_ = nullptr;
  const FeaturePool* pool_ = nullptr;
  std::vector<std::uint8_t>* muted_ = nullptr;
  std::uint64_t key_ = 0;
  bool keeps_columns_ = true;
  std::vector<double> columns_, observed_;
  std::vector<BoundColumn> taken_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> exceeds_;  ///< of the draws of one block
  std::vector<DrawCount> counts_;      ///< of the candidates
};

}  // namespace inforest
