// SPDX-License-Identifier: BSD-3-Clause
/// What a permutation test asks of a statistic, and what more it can make use of.
///
/// `Statistic` is all that is needed. Every other concept here is a hook: a member that a statistic
/// may have, what it promises with it, and what is done without. The function below a hook is the
/// only place that looks for it.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/limit.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// A statistic that has been bound to a feature: `evaluate(draws, b)` is its value under draw b.
/// Large values are extreme, and values live on a [0, 1]-like scale (see `tie_slack`).
template <class S>
concept Statistic = requires(S statistic, Draws& draws, std::int64_t b) {
  { statistic.evaluate(draws, b) } -> std::same_as<double>;
};

/// `exceeds(draws, b, limit)` promises to be `limit.is_reached(evaluate(draws, b), b)` or, where
/// `draws.is_own(b)`, the same of another uniform permutation made from `draws.stream(b)`.
/// Without it the value is compared with the limit.
template <class S>
concept TellsExceedances = requires(S statistic, Draws& draws, std::int64_t b, const Limit& limit) {
  { statistic.exceeds(draws, b, limit) } -> std::same_as<bool>;
};

/// Whether draw b is an exceedance.
template <Statistic S>
bool exceeds(S& statistic, Draws& draws, std::int64_t b, const Limit& limit) {
  if constexpr (TellsExceedances<S>)
    return statistic.exceeds(draws, b, limit);
  else
    return limit.is_reached(statistic.evaluate(draws, b), b);
}

/// `certificate(limit, enough)` promises that the share of all permutations whose value is at least
/// `limit` (never negative) is at most what it returns. A bound above `enough` helps nobody, so it
/// may give up and return 1. Without it nothing is certified: draws decide.
template <class S>
concept Certifies = requires(S statistic, double limit, double enough) {
  { statistic.certificate(limit, enough) } -> std::same_as<double>;
};

template <class S>
double certificate_of(S& statistic, double limit, double enough) {
  if constexpr (Certifies<S>)
    return statistic.certificate(limit, enough);
  else
    return 1.0;
}

/// `finish_rare(progress, plan, limit, rng, interrupt)` promises to go on with a long test as
/// i.i.d. draws would, reading `rng` only; it need not come to the end, nor begin, and does so
/// where exceedances are so rare that most draws can be skipped. Without it every draw is made.
template <class S>
concept FinishesRare = requires(S statistic, TestProgress& progress, const TestPlan& plan,
                                const Limit& limit, Rng rng, Interrupt& interrupt) {
  statistic.finish_rare(progress, plan, limit, rng, interrupt);
};

/// `work()` is what one draw takes, in elementary steps of about a nanosecond, so that long tests
/// can be interrupted. Without it a draw counts as some steps for each row.
template <class S>
concept KnowsWork = requires(const S statistic) {
  { statistic.work() } -> std::same_as<std::int64_t>;
};

template <class S>
std::int64_t work_of(const S& statistic, [[maybe_unused]] std::int64_t n_rows) {
  constexpr std::int64_t kStepsOfRow = 16;
  if constexpr (KnowsWork<S>)
    return statistic.work();
  else
    return kStepsOfRow * n_rows;
}

}  // namespace inforest
