// SPDX-License-Identifier: BSD-3-Clause
/// Stage A: which candidate feature is associated with the response, if any.
///
/// Two kinds of test. Bonferroni: one per candidate, at alpha divided by their number. maxT: one
/// for the node (see strategies/largest_statistic.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/dataset.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/plan_book.hpp"
#include "core/stage_a/candidates.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"
#include "core/stage_a/options.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/selectors_by_kind.hpp"
#include "core/stage_a/strategies/best_statistic.hpp"
#include "core/stage_a/strategies/first_rejection.hpp"
#include "core/stage_a/strategies/largest_statistic.hpp"
#include "core/stage_a/strategies/plain_rule.hpp"
#include "core/stage_a/strategies/smallest_p_value.hpp"
#include "core/stage_a/strategies/smallest_tail.hpp"

namespace inforest {

/// `S`: the selector of each kind of feature.
template <Selector... S>
class FeatureSelection {
 public:
  FeatureSelection(const Dataset& data, const StageAOptions& options,
                   SelectorsByKind<S...> selectors, Interrupt& interrupt, Workspace& workspace)
      : options_(options),
        interrupt_(interrupt),
        plans_(options.selection),
        candidates_(data, std::move(selectors), interrupt, workspace),
        draws_(workspace) {}

  /// Draws the selectors' random projections, if they have any.
  void project(std::uint64_t key) { candidates_.project(key); }

  /// Marks in `muted` (indexed by feature) every candidate that was tested by itself and did not
  /// reject; maxT tests none by itself.
  FeatureChoice select(const Response& response, std::span<const std::int32_t> rows,
                       const std::vector<std::int32_t>& candidates, const FeaturePool& pool,
                       std::uint64_t node_key, std::vector<std::uint8_t>& muted) {
    candidates_.begin(response, rows, candidates, pool, node_key);
    StageANode<S...> node{options_, interrupt_, plans_, candidates_, draws_, node_key, muted};
    if (!options_.selection.tests()) return best_statistic_.choose(node);
    if (options_.selection.is_asymptotic()) return smallest_tail_.choose(node);
    if (!options_.shortcuts) return plain_feature(node);
    begin_draws(response, node_key);
    if (is_maxt()) return largest_statistic_.choose(node);
    if (!options_.selection.sequential()) return smallest_p_value_.choose(node);
    return first_rejection_.choose(node);
  }

  /// What else the node might be cut by, best first, if the feature selected has no admissible cut.
  std::span<const FeatureChoice> runners_up() const { return smallest_tail_.runners_up(); }

 private:
  bool is_maxt() const { return options_.selection.adjustment == Adjustment::maxt; }

  void begin_draws(const Response& response, std::uint64_t node_key) {
    const bool reads_few = options_.selection.sequential() && !is_maxt();
    const bool shortens = reads_few && may_shorten(response.size());
    draws_.begin(response, derive_key(node_key, Stream::selector_draws),
                 reads_few ? Draws::kSmallCache : Draws::kLargeCache,
                 shortens ? Draws::Shared::first : Draws::Shared::all);
  }

  /// Small nodes gain nothing by short draws (measured), large ones would need memory for them.
  static constexpr bool may_shorten(std::size_t size) { return 32 <= size && size <= 1u << 16; }

  const StageAOptions& options_;
  Interrupt& interrupt_;
  PlanBook plans_;
  Candidates<S...> candidates_;
  Draws draws_;
  BestStatistic best_statistic_;
  FirstRejectedFeature first_rejection_;
  SmallestPValue smallest_p_value_;
  LargestStatistic largest_statistic_;
  SmallestTail smallest_tail_;
};

}  // namespace inforest
