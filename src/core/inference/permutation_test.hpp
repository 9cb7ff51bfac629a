// SPDX-License-Identifier: BSD-3-Clause
/// The Monte Carlo permutation test: one loop for every statistic.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/statistic.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Ties count as exceedances. Floating point misses mathematical ties, which would make the test
/// anti-conservative, so near-ties count too: that can only raise the p-value. Statistics live on
/// a [0, 1]-like scale, hence the absolute part.
inline double tie_limit(double observed) { return observed - (1e-9 * std::fabs(observed) + 1e-12); }

/// The same for Stage B, where small impurities are extreme: the largest that ties with `observed`.
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
void draw_on(DrawCount& count, S& statistic, double observed, Draws& draws, std::int64_t n_draws,
             std::int64_t most, Interrupt& interrupt) {
  const double limit = tie_limit(observed);
  while (count.n_draws < n_draws && count.n_exceedances <= most) {
    count.n_exceedances += exceeds(statistic, draws, count.n_draws++, limit);
    interrupt.spend(work_of(statistic, draws.size()));
  }
}

/// Goes on with a test until it is decided or has so many draws.
template <Statistic S>
void record_until(TestProgress& progress, std::int64_t n_draws, S& statistic, double observed,
                  Draws& draws, Interrupt& interrupt) {
  const double limit = tie_limit(observed);
  while (!progress.decided() && progress.n_draws() < n_draws) {
    progress.record(exceeds(statistic, draws, progress.n_draws(), limit));
    interrupt.spend(work_of(statistic, draws.size()));
  }
}

/// Tests the feature `statistic` is bound to, whose observed value is `observed`, by draws.
template <Statistic S>
TestOutcome permutation_test(S& statistic, double observed, Draws& draws, const TestPlan& plan,
                             Interrupt& interrupt) {
  if (plan.is_exhaustive()) {
    DrawCount count;
    draw_on(count, statistic, observed, draws, plan.n_draws(), plan.n_draws(), interrupt);
    return count.outcome(plan);
  }
  TestProgress progress(plan);
  record_until(progress, plan.n_draws(), statistic, observed, draws, interrupt);
  return progress.outcome();
}

/// The same in any way that is quicker and has the same distribution.
template <Statistic S>
TestOutcome quick_test(S& statistic, double observed, Draws& draws, const TestPlan& plan,
                       Interrupt& interrupt) {
  if constexpr (FinishesRare<S>) {
    // Draws after which a test is long, and those to come that are worth another way to draw.
    constexpr std::int64_t kLong = 32, kMany = 256;
    if (!plan.is_exhaustive() && plan.n_draws() >= kLong + kMany && !draws.are_restricted()) {
      TestProgress progress(plan);
      record_until(progress, kLong, statistic, observed, draws, interrupt);
      if (!progress.decided())
        statistic.finish_rare(progress, plan, tie_limit(observed), draws.stream(kLong), interrupt);
      record_until(progress, plan.n_draws(), statistic, observed, draws, interrupt);
      return progress.outcome();
    }
  }
  return permutation_test(statistic, observed, draws, plan, interrupt);
}

/// The same by a certificate where there is one, which may spare all draws.
template <Statistic S>
TestOutcome certified_test(S& statistic, double observed, Draws& draws, const TestPlan& plan,
                           std::uint64_t certificate_key, Interrupt& interrupt) {
  const double enough = certificate_limit(plan);
  if (plan.most_exceedances() >= 0 && !draws.are_restricted()) {
    // The bound must cover the near-ties that count as exceedances.
    const double q = certificate_of(statistic, std::fmax(tie_limit(observed), 0.0), enough);
    if (q <= enough) return certified_rejection(plan, q, Rng(certificate_key).uniform());
  }
  return quick_test(statistic, observed, draws, plan, interrupt);
}

}  // namespace inforest
