// SPDX-License-Identifier: BSD-3-Clause
/// The Monte Carlo permutation test: one loop for every statistic.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/limit.hpp"
#include "core/inference/statistic.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Ties in Stage B, where small impurities are extreme: the largest that ties with `observed`.
inline double impurity_limit(double node_impurity, double observed) {
  return observed + 1e-9 * (node_impurity - observed) + 1e-12 * node_impurity;
}

/// The share of certified rejections that is given back (see `certified_rejection`).
inline constexpr double kCertificateLoss = 1e-3;

/// The bound below which a certificate may replace the draws of `plan`.
inline double certificate_limit(const TestPlan& plan) {
  return kCertificateLoss / static_cast<double>(plan.n_draws());
}

/// Decides a test from a proven bound `q` on its permutation p-value, without draws.
///
/// The Monte Carlo test rejects with probability P(Binomial(B, p) <= most) >= (1 - p)^B
/// >= (1 - q)^B. Rejecting with probability exactly (1 - q)^B, by one uniform, therefore rejects
/// never more often than the Monte Carlo test does, and the theorem still covers it.
inline TestOutcome certified_rejection(const TestPlan& plan, double q, double uniform) {
  const auto n = static_cast<double>(plan.n_draws());
  TestOutcome outcome;
  outcome.rejected = uniform < std::exp(n * std::log1p(-q));
  const auto exceedances = outcome.rejected ? 0 : plan.most_exceedances() + 1;
  outcome.p_value = static_cast<double>(1 + exceedances) / (n + 1.0);
  return outcome;
}

/// The draws of one test so far.
struct DrawCount {
  std::int64_t n_draws = 0;
  std::int64_t n_exceedances = 0;

  void add(const TestOutcome& test) {
    n_draws += test.n_draws;
    n_exceedances += test.n_exceedances;
  }

  TestOutcome outcome(const TestPlan& plan) const {
    return {n_exceedances <= plan.most_exceedances(),
            static_cast<double>(1 + n_exceedances) / static_cast<double>(1 + n_draws),
            n_exceedances, n_draws};
  }
};

/// Goes on with a test until it has so many draws, or more than `most` of them exceed.
template <Statistic S>
void draw_on(DrawCount& count, S& statistic, const Limit& limit, Draws& draws, std::int64_t n_draws,
             std::int64_t most, Interrupt& interrupt) {
  while (count.n_draws < n_draws && count.n_exceedances <= most) {
    count.n_exceedances += exceeds(statistic, draws, count.n_draws++, limit);
    interrupt.spend(work_of(statistic, draws.size()));
  }
}

/// Goes on with a test until it is decided or has so many draws.
template <Statistic S>
void record_until(TestProgress& progress, std::int64_t n_draws, S& statistic, const Limit& limit,
                  Draws& draws, Interrupt& interrupt) {
  while (!progress.decided() && progress.n_draws() < n_draws) {
    progress.record(exceeds(statistic, draws, progress.n_draws(), limit));
    interrupt.spend(work_of(statistic, draws.size()));
  }
}

/// Tests the feature `statistic` is bound to by draws.
template <Statistic S>
TestOutcome permutation_test(S& statistic, const Limit& limit, Draws& draws, const TestPlan& plan,
                             Interrupt& interrupt) {
  if (plan.is_exhaustive()) {
    DrawCount count;
    draw_on(count, statistic, limit, draws, plan.n_draws(), plan.n_draws(), interrupt);
    return count.outcome(plan);
  }
  TestProgress progress(plan);
  record_until(progress, plan.n_draws(), statistic, limit, draws, interrupt);
  return progress.outcome();
}

/// The same in any way that is quicker and has the same distribution.
template <Statistic S>
TestOutcome quick_test(S& statistic, const Limit& limit, Draws& draws, const TestPlan& plan,
                       Interrupt& interrupt) {
  if constexpr (FinishesRare<S>) {
    // Draws after which a test is long, and those to come that are worth another way to draw.
    constexpr std::int64_t kLong = 32, kMany = 256;
    if (!plan.is_exhaustive() && plan.n_draws() >= kLong + kMany && !draws.are_restricted()) {
      TestProgress progress(plan);
      record_until(progress, kLong, statistic, limit, draws, interrupt);
      if (!progress.decided())
        statistic.finish_rare(progress, plan, limit, draws.stream(kLong), interrupt);
      record_until(progress, plan.n_draws(), statistic, limit, draws, interrupt);
      return progress.outcome();
    }
  }
  return permutation_test(statistic, limit, draws, plan, interrupt);
}

/// The same by a certificate where there is one, which may spare all draws.
template <Statistic S>
TestOutcome certified_test(S& statistic, const Limit& limit, Draws& draws, const TestPlan& plan,
                           std::uint64_t certificate_key, Interrupt& interrupt) {
  const double enough = certificate_limit(plan);
  if (plan.most_exceedances() >= 0 && !draws.are_restricted()) {
    // The bound must cover the ties.
    const double q = certificate_of(statistic, std::fmax(limit.low(), 0.0), enough);
    if (q <= enough) return certified_rejection(plan, q, Rng(certificate_key).uniform());
  }
  return quick_test(statistic, limit, draws, plan, interrupt);
}

}  // namespace inforest
