// SPDX-License-Identifier: BSD-3-Clause
/// A Monte Carlo test of a subset sum that draws only what may become an exceedance.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Rows are taken independently, with probability logistic(mu + theta v) those of the value v.
struct Tilt {
  double theta, mu;
};
/// That probability times 2^64.
std::uint64_t taken_below(const Tilt& tilt, double value);

/// The event S >= t, S the sum over a uniform random subset of g of the n `values`.
///
/// Let every sample be taken independently with probability logistic(mu + theta v_i). A set A of g
/// samples then has probability exp(theta S_A + mu g - L), L = sum of log(1 + exp(mu + theta v_i)),
/// instead of 1 / C(n, g). So, with N the number of samples taken,
///
///   P(S >= t) = q E[ 1{N = g and S >= t} exp(-theta (S - t)) ],
///   q = exp(L - theta t - mu g) / C(n, g).
///
/// In words: with probability q a draw is a candidate; a candidate is an exceedance if its tilted
/// sample has g members and reaches t, and a uniform number lies below exp(-theta (S - t)). This is
/// exact for every theta > 0 and mu. Minimising q, Chernoff's bound, makes candidates rare.
class TiltedTail {
 public:
  /// The tail of `sign` times the values, at `deviation` > 0.
  TiltedTail(const double* values, std::uint32_t size, std::uint32_t subset, double deviation,
             double sign);

  /// q; may be above 1 where the event is common.
  double candidate_probability() const { return probability_; }
  /// Draws a candidate: its sum if it is an exceedance, else 0.
  double exceeding_sum(Rng& rng) const;

 private:
  /// log of q at a tilt; moves the tilt one Newton step towards the minimum.
  double improve(Tilt& tilt, double log_choose) const;

  std::vector<double> values_;
  std::uint32_t subset_;
  double deviation_;
  Tilt tilt_{0.0, 0.0};
  double probability_ = 1.0;
  std::vector<std::uint64_t> taken_below_;  ///< inclusion probabilities times 2^64
};

/// The event |S| >= deviation: both tails.
class TiltedTails {
 public:
  TiltedTails(const double* values, std::uint32_t size, std::uint32_t subset, double deviation);
  /// None where the candidates of a tail are more frequent than `affordable`; most often the normal
  /// tail tells so. `variance` is that of S.
  static std::optional<TiltedTails> if_rare(const double* values, std::uint32_t size,
                                            std::uint32_t subset, double deviation, double variance,
                                            double affordable);

  /// Must be less than 1 for a candidate to be drawn.
  double candidate_probability() const {
    return upper_.candidate_probability() + lower_.candidate_probability();
  }
  /// Draws a candidate: |S| if it is an exceedance, else 0.
  double exceeding_sum(Rng& rng) const;
  bool is_exceedance(Rng& rng) const { return exceeding_sum(rng) > 0.0; }

 private:
  TiltedTails(TiltedTail upper, TiltedTail lower);

  TiltedTail upper_, lower_;
};

/// Goes on with a test to its end when a draw is a candidate with probability q < 1 and
/// `is_exceedance(rng)` draws whether a candidate exceeds: exceedances are i.i.d. with exactly the
/// probability they have among permutations. `work` is the cost of a candidate.
template <class IsExceedance>
void finish_by_candidates(TestProgress& progress, const TestPlan& plan, double q, Rng rng,
                          Interrupt& interrupt, std::int64_t work, IsExceedance is_exceedance) {
  const double log_miss = std::log1p(-q);
  while (!progress.decided()) {
    const auto remaining = plan.n_draws() - progress.n_draws();
    const double gap =
        q > 0.0 ? std::floor(std::log(rng.uniform()) / log_miss) : static_cast<double>(remaining);
    if (gap >= static_cast<double>(remaining))
      progress.advance(remaining, false);
    else
      progress.advance(static_cast<std::int64_t>(gap) + 1, is_exceedance(rng));
    interrupt.spend(work);
  }
}

/// The whole test of `plan` by candidates.
template <class IsExceedance>
TestOutcome candidate_test(const TestPlan& plan, double q, Rng rng, Interrupt& interrupt,
                           std::int64_t work, IsExceedance is_exceedance) {
  TestProgress progress(plan);
  finish_by_candidates(progress, plan, q, rng, interrupt, work, is_exceedance);
  return progress.outcome();
}

}  // namespace inforest
