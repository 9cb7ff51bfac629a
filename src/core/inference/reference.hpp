// SPDX-License-Identifier: BSD-3-Clause
/// The plain rule: the paper's two stages as its text says, without any shortcut.
///
/// Every test makes permutations of its own, one after the other, and computes the statistic of
/// each from the beginning. "The plain rule" means this file; whatever is quicker elsewhere is
/// compared with it. What the paper does not have, the single test of the largest statistic, is
/// written down in the same way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/base/special.hpp"
#include "core/data/response.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest::reference {

/// One test among `n_tests` that share the alpha of a stage.
struct Rule {
  StageOptions stage;
  double tau;            ///< the level of the test
  std::int64_t n_draws;  ///< B

  Rule(const StageOptions& options, std::int64_t n_tests) : stage(options) {
    const std::int64_t sharing = stage.adjustment == Adjustment::bonferroni ? n_tests : 1;
    tau = stage.alpha / static_cast<double>(sharing);
    n_draws = stage.budget.resolve(tau, sharing);
  }

  bool rejects(std::int64_t exceedances) const {
    return static_cast<double>(1 + exceedances) / static_cast<double>(1 + n_draws) < tau;
  }

  /// What k exceedances among b draws decide, if they do.
  std::optional<bool> decision(std::int64_t k, std::int64_t b) const {
    if (b == n_draws) return rejects(k);
    if (stage.early_stopping == EarlyStopping::none) return std::nullopt;
    if (!rejects(k)) return false;              // even if no other draw exceeds
    if (rejects(k + n_draws - b)) return true;  // even if all others do
    if (stage.early_stopping == EarlyStopping::curtailed) return std::nullopt;
    if (b < std::ceil(1.0 / tau * (1.0 - 1e-12))) return std::nullopt;
    const double below =
        incomplete_beta(static_cast<double>(1 + k), static_cast<double>(1 + b - k), tau);
    if (below >= stage.confidence) return true;
    if (below <= 1.0 - stage.confidence) return false;
    return std::nullopt;
  }

  /// `exceeds()` makes one more permutation and says whether its statistic is at least as extreme
  /// as the observed one.
  template <class Exceeds>
  TestOutcome test(Exceeds exceeds) const {
    std::int64_t k = 0, b = 0;
    std::optional<bool> rejected = decision(k, b);
    for (; !rejected; rejected = decision(k, b)) k += exceeds(), ++b;
    return {*rejected, static_cast<double>(1 + k) / static_cast<double>(1 + b), k, b};
  }
};

struct Winner {
  std::optional<std::size_t> index;  ///< none: nothing rejects
  /// Its test; without a winner, that with the smallest p-value.
  TestOutcome test{.p_value = std::numeric_limits<double>::quiet_NaN()};
  std::int64_t n_draws = 0;                 ///< of all tests
  std::vector<std::size_t> tested_in_vain;  ///< those that did not reject
};

/// The responses of a node, to be permuted among its rows again and again.
class Permutable {
 public:
  Permutable(const Dataset& data, std::span<const std::int32_t> rows, std::uint64_t key)
      : data_(data), rows_(rows.begin(), rows.end()), rng_(key) {
    response_.gather(data_, rows_);
  }
  const Response& response() const { return response_; }
  const Response& permute() {
    rng_.shuffle(rows_.data(), static_cast<std::uint32_t>(rows_.size()));
    response_.gather(data_, rows_);
    return response_;
  }

 private:
  const Dataset& data_;
  std::vector<std::int32_t> rows_;
  Rng rng_;
  Response response_;
};

/// Stage A's statistics: one per candidate feature.
template <class Selector>
class Features {
 public:
  Features(const Dataset& data, std::span<const std::int32_t> rows,
           std::span<const std::int32_t> candidates, Selector& selector, std::uint64_t key)
      : node_(data, rows, key), selector_(selector) {
    for (const std::int32_t feature : candidates) {
      columns_.emplace_back(rows.size());
      gather_column(data.column(feature), rows, columns_.back().data());
    }
    observed = values(node_.response());
    for (const double value : observed) limit.push_back(tie_limit(value));
  }

  std::vector<double> observed;  ///< large is extreme
  std::vector<double> limit;     ///< what counts as at least as extreme: ties do
  std::vector<double> permuted() { return values(node_.permute()); }
  double permuted(std::size_t i) {
    selector_.begin(node_.permute());
    return selector_.bind(columns_[i].data());
  }

 private:
  std::vector<double> values(const Response& response) {
    selector_.begin(response);
    std::vector<double> result;
    for (const auto& column : columns_) result.push_back(selector_.bind(column.data()));
    return result;
  }

  Permutable node_;
  Selector& selector_;
  std::vector<std::vector<double>> columns_;
};

/// Stage B's statistics: the weighted impurity of the children at each threshold, negative.
template <class Splitter, class Cuts>
class Thresholds {
 public:
  Thresholds(const Dataset& data, std::span<const std::int32_t> rows, Cuts& cuts,
             Splitter& splitter, std::uint64_t key)
      : node_(data, rows, key), splitter_(splitter), cuts_(cuts) {
    observed = values(node_.response());
    for (const double value : observed)
      limit.push_back(-impurity_limit(splitter.node_impurity(), -value));
  }

  std::vector<double> observed, limit;
  std::vector<double> permuted() { return values(node_.permute()); }
  double permuted(std::size_t i) { return permuted()[i]; }

 private:
  std::vector<double> values(const Response& response) {
    splitter_.begin(response);
    cuts_.arrange([&](std::uint32_t position) { return splitter_.item(position); }, items_);
    std::vector<double> impurity(cuts_.size());
    splitter_.scan(items_.data(), cuts_.cuts().data(), cuts_.size(), impurity.data());
    for (double& value : impurity) value = -value;
    return impurity;
  }

  Permutable node_;
  Splitter& splitter_;
  Cuts& cuts_;
  std::vector<typename Splitter::Item> items_;
};

/// In which order to test: the most extreme first, or as they come.
inline std::vector<std::size_t> scan_order(const std::vector<double>& observed, bool scans) {
  std::vector<std::size_t> order(observed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (scans)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return observed[a] > observed[b]; });
  return order;
}

/// A test of each statistic. Early stopping: in the order given, the first that rejects wins.
/// Else all are tested, and the smallest p-value wins; of equal ones each with the same chance.
template <class Statistics>
Winner test_each(Statistics& statistics, const std::vector<std::size_t>& order,
                 const StageOptions& stage, Rng ties) {
  const Rule rule(stage, static_cast<std::int64_t>(order.size()));
  Winner best;
  std::uint32_t n_equal = 0;
  for (const std::size_t i : order) {
    const TestOutcome test =
        rule.test([&] { return statistics.permuted(i) >= statistics.limit[i]; });
    best.n_draws += test.n_draws;
    const bool ends = stage.sequential() && test.rejected;
    if (!test.rejected) best.tested_in_vain.push_back(i);
    if (test.p_value > best.test.p_value && !ends) continue;
    n_equal = test.p_value == best.test.p_value ? n_equal + 1 : 1;
    if (!ends && ties.below(n_equal) != 0) continue;
    best.test = test;
    best.index = test.rejected ? std::optional(i) : std::nullopt;
    if (ends) break;
  }
  return best;
}

/// One test of the largest statistic: it wins if hardly any permutation has one as large.
template <class Statistics>
Winner test_largest(Statistics& statistics, const StageOptions& stage) {
  const auto largest = [](const std::vector<double>& values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
  };
  const std::size_t best = largest(statistics.observed);
  Winner winner;
  winner.test = Rule(stage, 1).test([&] {
    const std::vector<double> values = statistics.permuted();
    return values[largest(values)] >= statistics.limit[best];
  });
  winner.n_draws = winner.test.n_draws;
  if (winner.test.rejected) winner.index = best;
  return winner;
}

}  // namespace inforest::reference
