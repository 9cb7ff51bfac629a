// SPDX-License-Identifier: BSD-3-Clause
/// A Monte Carlo test whose permutation p-value is known exactly needs no permutations.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Plays the test of `plan` when every draw exceeds with probability `p`: exceedances are then
/// i.i.d. Bernoulli(p), and only the gaps between them need a random number.
///
/// The same `rng` makes the outcome monotone in p: a smaller p has its exceedances later. So one
/// stream serves all thresholds of a node, each with exactly the distribution of its own test.
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

/// The p-value below which that test rejects, for this stream.
inline double critical_p_value(const TestPlan& plan, const Rng& rng) {
  if (plan.most_exceedances() < 0) return 0.0;
  if (plan.most_exceedances() == 0) {
    // Rejection means no exceedance in the b draws it takes: uniform < (1 - p)^b.
    Rng stream = rng;
    const auto draws = static_cast<double>(plan.bounds(0).rejects_from);
    return -std::expm1(std::log(stream.uniform()) / draws);
  }
  const auto rejects = [&](double p) { return bernoulli_test(plan, p, rng).rejected; };
  // The answer is near tau: bracket it by doubling, then halve the bracket.
  double low = plan.tau(), high = plan.tau();
  while (low > 1e-300 && !rejects(low)) high = low, low /= 2.0;
  while (high < 1.0 && rejects(high)) low = high, high = std::fmin(1.0, 2.0 * high);
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (rejects(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace inforest
