// SPDX-License-Identifier: BSD-3-Clause
/// What the strategies of Stage A share at one node, and whose it is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/limit.hpp"
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

  using Comparison = typename Candidates<S...>::Comparison;

  /// By what candidates are put in order.
  Comparison comparison() const {
    if (options.selection.adjustment == Adjustment::maxt && options.selection.tests())
      return Comparison::tail;
    if (options.feature_scanning != FeatureScanning::tail) return Comparison::value;
    // A tail and a value are not to be compared: if moments of one kind are not known, draws
    // estimate them.
    constexpr bool are_known = (HasMoments<S> && ...);
    return are_known || !candidates.are_mixed() ? Comparison::tail_if_known : Comparison::tail;
  }

  /// Of candidate i's own test.
  Limit limit(std::size_t i, double observed) const {
    return Limit(observed, options.selection.ties,
                 derive_key(derive_key(key, Stream::selector_lots), candidates.key(i)));
  }

  /// Of the one test of the largest value, that of candidate i, on the common scale. Ties are those
  /// of the value itself.
  Limit limit_of_maximum(std::size_t i) const {
    const TailScale& scale = candidates.scale(i);
    const double value = scale.value_at(candidates.score(i));
    return Limit(scale.comparable(tie_limit(value)), scale.comparable(value + tie_slack(value)),
                 options.selection.ties, derive_key(key, Stream::selector_lots));
  }

  void mute_unless_rejected(std::size_t i, const TestOutcome& test) {
    if (!test.rejected) muted[static_cast<std::size_t>(candidates.feature(i))] = 1;
  }
};

}  // namespace inforest
