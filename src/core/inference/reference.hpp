// SPDX-License-Identifier: BSD-3-Clause
/// The plain rule: the paper's two stages as its text says, without any shortcut.
///
/// Every test makes permutations of its own, one after the other, and computes the statistic of
/// each from the beginning: how, say the two files plain_rule.hpp of the stages' strategies. "The
/// plain rule" means these three; whatever is quicker is compared with them, and nothing else runs
/// where shortcuts are off. What the paper does not have, the single test of the most extreme
/// statistic, is written down in the same way.
///
/// What "equal in distribution" rests on. Given the data, let p be the share of all permutations
/// that exceed. The draws of a test are i.i.d., so its exceedances are an i.i.d. Bernoulli(p)
/// sequence X_1, X_2, ..., and `Rule::test` is a function of this sequence alone.
///
/// One test. Whatever makes such a sequence makes a test of the same distribution: other
/// permutations than the plain rule's, an exact p (bernoulli_test.hpp), or draws that are skipped
/// because they cannot exceed (tilted_test.hpp). Curtailed: the decision of the exhaustive test is
/// a function of X_1 ... X_B, and the test ends at the first b at which all continuations agree on
/// it, so with the same sequence both decide the same, and with another one in distribution.
/// That, with each p-value's validity, is what the theorem and Bonferroni's inequality need.
///
/// A node in Stage B. The cuts' sequences are independent given the data, here and in
/// stage_b/cut_alone.hpp, so all tests together have the same distribution, and so has every
/// function of them: the first that rejects, the smallest p-value, whether there is a rejection.
/// In particular curtailed and exhaustive split equally often: both do if any test rejects.
///
/// A node in Stage A. Candidates share permutations (inference/draws.hpp), so their sequences are
/// dependent: each test is as above, P(any rejects) is at most the sum of theirs, but it is not
/// that of this file. Where a candidate goes on with draws of its own, curtailed and exhaustive
/// need not agree on a node either; both keep its level.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/special.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest::reference {

/// One test among `n_tests` that share the alpha of a stage.
struct Rule {
  StageOptions stage;
  double tau;            ///< the level of the test
  std::int64_t n_draws;  ///< B

  Rule(const StageOptions& options, std::int64_t n_tests) : stage(options) {
    const bool shares =
        stage.adjustment == Adjustment::bonferroni || stage.adjustment == Adjustment::sidak;
    const std::int64_t sharing = shares ? n_tests : 1;
    tau = stage.level(n_tests);
    n_draws = stage.budget.resolve(tau, sharing, stage.stays_below);
  }

  bool rejects(std::int64_t exceedances) const {
    const double p_value = static_cast<double>(1 + exceedances) / static_cast<double>(1 + n_draws);
    return stage.stays_below ? p_value < tau : p_value <= tau * (1.0 + 1e-12);
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
  TestOutcome test(const std::function<bool()>& exceeds) const {
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

/// A test of each candidate, or of each threshold; `exceeds(i)` as above. Early stopping: in the
/// order given, the first that rejects wins. Else all are tested, and the smallest p-value wins; of
/// equal ones each with the same chance.
inline Winner test_each(const std::vector<std::size_t>& order, const StageOptions& stage,
                        const std::function<bool(std::size_t)>& exceeds, Rng ties) {
  const Rule rule(stage, static_cast<std::int64_t>(order.size()));
  Winner best;
  std::uint32_t n_equal = 0;
  for (const std::size_t i : order) {
    const TestOutcome test = rule.test([&] { return exceeds(i); });
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

/// One test of the most extreme of all statistics, that with the index `best`; `exceeds()` looks at
/// all of them in the same permutation.
inline Winner test_best(std::size_t best, const StageOptions& stage,
                        const std::function<bool()>& exceeds) {
  Winner winner;
  winner.test = Rule(stage, 1).test(exceeds);
  winner.n_draws = winner.test.n_draws;
  if (winner.test.rejected) winner.index = best;
  return winner;
}

/// In which order to test: the most extreme first if one scans, else as they come.
inline std::vector<std::size_t> scan_order(const std::vector<double>& extremeness, bool scans) {
  std::vector<std::size_t> order(extremeness.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (scans)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return extremeness[a] > extremeness[b]; });
  return order;
}

}  // namespace inforest::reference
