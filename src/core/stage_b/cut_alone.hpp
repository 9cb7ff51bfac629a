// SPDX-License-Identifier: BSD-3-Clause
/// The test of one cut by itself: by a proven bound, or by draws of its smaller child only.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// The test by a proven bound, if there is one.
template <Splitter S>
std::optional<TestOutcome> certify(const CutNode<S>& node, const TestPlan& plan,
                                   std::uint32_t cut) {
  if (plan.most_exceedances() < 0) return std::nullopt;
  const double enough = certificate_limit(plan);
  const double q = hook::certificate(node.splitter, node.left[cut], node.limit(cut), enough);
  if (!(q <= enough)) return std::nullopt;
  // One number for all cuts of the node.
  Rng rng(derive_key(node.key, Stream::splitter_certificate));
  return certified_rejection(plan, q, rng.uniform());
}

/// The test by draws of the smaller child, without those that cannot exceed where that is quicker.
///
/// If the last draw exceeds, and `keeps_exceeding`, its smaller child is left as the first items.
template <Splitter S>
TestOutcome draw_alone(const CutNode<S>& node, const TestPlan& plan, std::uint32_t cut, Rng rng,
                       std::int64_t& draws_read, bool keeps_exceeding = false) {
  const double limit = node.limit(cut);
  if (const auto test = hook::test_rare(node.splitter, plan, node.left[cut], limit, rng,
                                        keeps_exceeding ? node.items : nullptr, node.interrupt))
    return *test;
  const std::uint32_t side = node.side(cut);
  TestProgress progress(plan);
  while (!progress.decided()) {
    rng.partial_shuffle(node.items, node.size, side);
    progress.record(hook::of_side(node.splitter, node.items, side) <= limit);
    node.interrupt.spend(2 * side);
  }
  draws_read += progress.n_draws();
  return progress.outcome();
}

}  // namespace inforest
