// SPDX-License-Identifier: BSD-3-Clause
/// What the strategies of Stage A share at one node, and whose it is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/plan_book.hpp"
#include "core/stage_a/candidates.hpp"
#include "core/stage_a/options.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// A strategy owns whatever else it needs.
template <Selector... S>
struct StageANode {
  const StageAOptions& options;      ///< the tree's
  Interrupt& interrupt;              ///< the caller's
  PlanBook& plans;                   ///< FeatureSelection's, for all nodes
  Candidates<S...>& candidates;      ///< FeatureSelection's, begun with this node
  Draws& draws;                      ///< the same
  std::uint64_t key;                 ///< the node's
  std::vector<std::uint8_t>& muted;  ///< the grower's, by feature

  void mute_unless_rejected(std::size_t i, const TestOutcome& test) {
    if (!test.rejected) muted[static_cast<std::size_t>(candidates.feature(i))] = 1;
  }
};

}  // namespace inforest
