// SPDX-License-Identifier: BSD-3-Clause
/// The plain rule, which everything else is compared with: against formulas, and the running test.
#include "core/inference/reference.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"

using namespace inforest;

namespace {

StageOptions stage(double alpha, Budget budget, EarlyStopping stopping) {
  return {.alpha = alpha, .budget = budget, .early_stopping = stopping};
}

bool is_same(const TestOutcome& a, const TestOutcome& b) {
  return a.rejected == b.rejected && a.n_draws == b.n_draws && a.n_exceedances == b.n_exceedances &&
         a.p_value == b.p_value;
}

}  // namespace

/// Draw by draw: the rule as it is written down, and the one with bounds worked out beforehand.
TEST(a_running_test_follows_the_plain_rule) {
  for (const EarlyStopping stopping :
       {EarlyStopping::none, EarlyStopping::curtailed, EarlyStopping::adaptive})
    for (const Budget budget :
         {Budget{Budget::Kind::minimum, 0}, Budget{Budget::Kind::automatic, 0},
          Budget{Budget::Kind::maximum, 0}, Budget{Budget::Kind::count, 30}})
      for (const double alpha : {0.05, 0.3, 1.0})
        for (const std::int64_t n_tests : {1, 4})
          for (const double p : {0.0, 0.01, 0.05, 0.2, 0.9}) {
            const StageOptions options = stage(alpha, budget, stopping);
            const TestPlan plan(options, n_tests);
            for (std::uint64_t seed = 0; seed < 40; ++seed) {
              Rng one(seed), other(seed);
              const TestOutcome plain =
                  reference::Rule(options, n_tests).test([&] { return one.uniform() < p; });
              TestProgress progress(plan);
              while (!progress.decided()) progress.record(other.uniform() < p);
              check(is_same(plain, progress.outcome()), "a test of " + std::to_string(p));
            }
          }
}

TEST(all_tests_with_all_draws_and_the_smallest_p_value_wins) {
  const StageOptions options = stage(0.5, {Budget::Kind::count, 10}, EarlyStopping::none);
  std::vector<std::int64_t> chosen(4, 0);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::vector<std::int64_t> left = {3, 1, 1, 9};  // exceedances
    const auto exceeds = [&](std::size_t i) { return left[i]-- > 0; };
    const auto winner = reference::test_each({3, 0, 2, 1}, options, exceeds, Rng(seed));
    check(winner.index && winner.test.n_exceedances == 1 && winner.n_draws == 4 * 40, "smallest");
    check(winner.tested_in_vain == std::vector<std::size_t>{3}, "9 of 40 are too many at 0.125");
    ++chosen[*winner.index];
  }
  // 3000 fair coins: beyond 1500 +- 135 with probability 1e-6.
  check(chosen[0] == 0 && chosen[3] == 0 && chosen[1] > 1365 && chosen[1] < 1635, "ties are fair");
}

TEST(with_early_stopping_the_first_rejection_wins) {
  const StageOptions options = stage(0.4, {Budget::Kind::minimum, 0}, EarlyStopping::curtailed);
  const auto exceeds = [](std::size_t i) { return i < 2; };
  const auto winner = reference::test_each({1, 3, 0, 2}, options, exceeds, Rng(1));
  check(winner.index == 3u && winner.tested_in_vain == std::vector<std::size_t>{1}, "the first");
  check(winner.n_draws == 1 + 10, "a draw that exceeds, then a whole test");
}

TEST(what_scans_looks_at_the_most_extreme_first) {
  check(reference::scan_order({1, 3, 3, 0}, true) == std::vector<std::size_t>{1, 2, 0, 3}, "scan");
  check(reference::scan_order({1, 3, 3, 0}, false) == std::vector<std::size_t>{0, 1, 2, 3}, "none");
}
