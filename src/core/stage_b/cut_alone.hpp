// SPDX-License-Identifier: BSD-3-Clause
/// The test of one cut by itself, in the quickest of four ways that have the same distribution.
///
/// By the exact p-value (two classes), by a proven bound, by draws of the smaller child, by draws
/// of only those that may exceed. Every cut has random numbers of its own, addressed by the node
/// and the cut: given the data, the tests of different cuts are independent, as they are in the
/// plain rule (inference/reference.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/rng.hpp"
#include "core/inference/bernoulli_test.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/inference/two_class.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// The p-value of one cut, or a part of it that is `enough`.
template <Splitter S>
  requires HasTwoClassTable<S>
double exact_p_value(const CutNode<S>& node, std::uint32_t cut, double enough = 2.0) {
  const std::uint32_t left = node.left[cut];
  const auto impurity = [&](std::int64_t count) {
    return node.splitter.of_table(left, static_cast<std::uint32_t>(count));
  };
  const Hypergeometric counts{node.size, node.response.class_size(0), left};
  if (node.counts_ties()) return two_class_tail(counts, impurity, node.limit(cut), enough);
  const Limit limit = node.test_limit(cut);
  const double with_ties = two_class_tail(counts, impurity, -limit.low());
  const double beyond = two_class_tail(counts, impurity, std::nextafter(-limit.high(), -1.0));
  return beyond + (with_ties - beyond) * limit.tie_share();
}

/// The test by the exact p-value: every draw exceeds with this probability.
///
/// Most cuts are far from a rejection, and a part of their p-value shows it: a test that does not
/// reject with a smaller p does not with a larger one (bernoulli_test.hpp). A test that
/// `is_recorded` although it may not reject needs the whole p-value.
template <Splitter S>
  requires HasTwoClassTable<S>
TestOutcome test_exactly(const CutNode<S>& node, const TestPlan& plan, std::uint32_t cut,
                         const Rng& rng, bool is_recorded) {
  const double enough = is_recorded ? 2.0 : 4.0 * plan.tau();
  const double p = exact_p_value(node, cut, enough);
  const TestOutcome test = bernoulli_test(plan, p, rng);
  if (p < enough || !test.rejected) return test;
  return bernoulli_test(plan, exact_p_value(node, cut), rng);
}

/// The test by a proven bound q on the p-value, if there is one.
///
/// With the probability (1 - q)^B it rejects at once. What is left of the probability of a
/// rejection is found by candidates (tilted_test.hpp), if they have a probability q' <= q: with U
/// the first number of `rng`, U < (1 - q)^B <= (1 - q')^B is part of the event that no draw is a
/// candidate, so the test is that by candidates, looked at only if U says that it may matter. Where
/// q' is above q (never seen with sums, seldom with counts of classes of unequal sizes) the test
/// does not reject then: less often than it should, by 1e-3 at most.
template <Splitter S>
std::optional<TestOutcome> certify(const CutNode<S>& node, const TestPlan& plan, std::uint32_t cut,
                                   const Rng& rng) {
  if (plan.most_exceedances() < 0) return std::nullopt;
  const double enough = certificate_limit(plan);
  const double q = hook::certificate(node.splitter, node.left[cut], node.limit(cut), enough);
  if (!(q <= enough)) return std::nullopt;
  const TestOutcome certified = certified_rejection(plan, q, Rng(rng).uniform());
  if (certified.rejected || !node.counts_ties()) return certified;
  TestProgress progress(plan);
  hook::finish_rare(node.splitter, progress, plan, node.left[cut], node.limit(cut), q, rng,
                    node.interrupt);
  return progress.decided() ? progress.outcome() : certified;
}

/// Goes on with a test by draws of the smaller child until it is decided or has so many.
template <Splitter S>
void draw_side(TestProgress& progress, std::int64_t n_draws, const CutNode<S>& node,
               std::uint32_t cut, Rng& rng) {
  const Limit limit = node.test_limit(cut);
  const std::uint32_t side = node.side(cut);
  while (!progress.decided() && progress.n_draws() < n_draws) {
    rng.partial_shuffle(node.items, node.size, side);
    progress.record(limit.is_reached(-hook::of_side(node.splitter, node.items, side), rng));
    node.interrupt.spend(2 * side);
  }
}

/// The test by draws, after the first ones without those that cannot exceed where that is quicker.
template <Splitter S>
TestOutcome draw_alone(const CutNode<S>& node, const TestPlan& plan, std::uint32_t cut, Rng rng,
                       std::int64_t& draws_read) {
  // Most tests are decided soon.
  constexpr std::int64_t kFew = 16;
  TestProgress progress(plan);
  draw_side(progress, kFew, node, cut, rng);
  const std::int64_t before = progress.n_draws();
  if (!progress.decided() && node.counts_ties())
    hook::finish_rare(node.splitter, progress, plan, node.left[cut], node.limit(cut), 1.0, rng,
                      node.interrupt);
  draws_read += progress.decided() ? before : 0;
  if (progress.decided()) return progress.outcome();
  draw_side(progress, plan.n_draws(), node, cut, rng);
  draws_read += progress.n_draws();
  return progress.outcome();
}

/// The test of `plan` by what is quickest.
template <Splitter S>
TestOutcome test_alone(const CutNode<S>& node, const TestPlan& plan, std::uint32_t cut,
                       const Rng& rng, std::int64_t& draws_read, bool is_recorded) {
  if constexpr (HasTwoClassTable<S>) {
    if (node.response.n_classes() == 2) return test_exactly(node, plan, cut, rng, is_recorded);
  }
  if (const auto certified = certify(node, plan, cut, rng)) return *certified;
  return draw_alone(node, plan, cut, rng, draws_read);
}

}  // namespace inforest
