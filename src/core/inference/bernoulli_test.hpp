// SPDX-License-Identifier: BSD-3-Clause
/// A Monte Carlo test whose permutation p-value is known exactly needs no permutations.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Plays the test of `plan` when every draw exceeds with probability `p`: exceedances are then
/// i.i.d. Bernoulli(p), and only the gaps between them need a random number.
///
/// The same `rng` makes the outcome monotone in p: a smaller p has its exceedances later, so what
/// does not reject with a smaller p does not with a larger one.
inline TestOutcome bernoulli_test(const TestPlan& plan, double p, Rng rng) {
  TestProgress progress(plan);
  const double log_miss = std::log1p(-std::fmin(p, 1.0));
  while (!progress.decided()) {
    double gap = 0.0;  // draws before the next exceedance
    if (p <= 0.0)
      gap = static_cast<double>(plan.n_draws());
    else if (p < 1.0)
      gap = std::floor(std::log(rng.uniform()) / log_miss);
    const auto remaining = plan.n_draws() - progress.n_draws();
    if (gap >= static_cast<double>(remaining))
      progress.advance(remaining, false);
    else
      progress.advance(static_cast<std::int64_t>(gap) + 1, true);
  }
  return progress.outcome();
}

}  // namespace inforest
