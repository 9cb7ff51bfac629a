// SPDX-License-Identifier: BSD-3-Clause
/// Stage B: where to cut the chosen feature, and whether the cut is worth it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/plan_book.hpp"
#include "core/stage_b/all_partitions.hpp"
#include "core/stage_b/arranged_blocks.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/cuts.hpp"
#include "core/stage_b/level_cuts.hpp"
#include "core/stage_b/missing_cuts.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/splitter.hpp"
#include "core/stage_b/strategies/best_cut_test.hpp"
#include "core/stage_b/strategies/best_impurity.hpp"
#include "core/stage_b/strategies/first_rejected_cut.hpp"
#include "core/stage_b/strategies/fixed_budget.hpp"
#include "core/stage_b/strategies/plain_rule.hpp"
#include "core/stage_b/strategies/resorted_test.hpp"
#include "core/stage_b/thresholds.hpp"
#include "core/stage_b/weighted/search.hpp"

namespace inforest {

struct ThresholdChoice : CutChoice {
  double threshold = 0.0;
  bool missing_left = false;
  bool any_missing = false;  ///< else nothing was learned about where they go
};

/// Makes the cuts, observes the impurity at each and leaves the choice to the strategy that the
/// options ask for. It keeps its memory, and that of the strategies, from node to node.
template <Splitter S>
class ThresholdSearch {
 public:
  ThresholdSearch(const StageBOptions& options, Interrupt& interrupt)
      : options_(options), plans_(options.splitting), interrupt_(interrupt) {}

  /// Begins the node; returns its impurity.
  double begin(S& splitter, const Response& response) {
    return begin(splitter, response, response.size());
  }
  /// The same of some of its rows; a share that a child must have is one of all `node_size`.
  double begin(S& splitter, const Response& response, std::uint32_t node_size) {
    node_size_ = node_size;
    if (response.has_weights()) return weighted_.begin(response);
    splitter.begin(response);
    return splitter.node_impurity();
  }

  /// `begin` has begun the node; the workspace holds the feature's values at the node's
  /// positions, some of which may be missing if it `may_miss`, and gets the items.
  ThresholdChoice find(S& splitter, const Response& response, Workspace& workspace,
                       std::uint64_t node_key, bool may_miss = false) {
    const double* x = workspace.values.held<double>();
    const ThresholdOptions options{options_.threshold_method, options_.max_thresholds,
                                   smallest_child(response)};
    const std::uint64_t key = derive_key(node_key, Stream::thresholds);
    if (may_miss && std::any_of(x, x + response.size(), is_missing)) {
      missing_cuts_.build(x, response.size(), options, key);
      ThresholdChoice choice{choose_among(missing_cuts_, splitter, response, workspace, node_key)};
      choice.any_missing = true;
      if (!choice.found) return choice;
      choice.threshold = missing_cuts_.threshold(choice.cut);
      choice.missing_left = missing_cuts_.missing_left(choice.cut);
      if (options_.threshold_at_value && std::isfinite(choice.threshold))
        choice.threshold = largest_up_to(choice.threshold, missing_cuts_.values());
      return choice;
    }
    thresholds_.build(x, response.size(), options, key);
    ThresholdChoice choice{choose_among(thresholds_, splitter, response, workspace, node_key)};
    if (choice.found) choice.threshold = thresholds_.values()[choice.cut];
    if (choice.found && options_.threshold_at_value)
      choice.threshold = largest_up_to(
          choice.threshold, {workspace.values.held<double>(), std::size_t{response.size()}});
    return choice;
  }

  /// The same for a category; `level_cuts` says which levels go left at the cut.
  CutChoice find_levels(S& splitter, const Response& response, Workspace& workspace,
                        std::uint64_t node_key) {
    level_cuts_.build(workspace.values.held<double>(), response, smallest_child(response));
    if constexpr (TriesAllPartitions<S>) take_best_partition(response);
    return choose_among(level_cuts_, splitter, response, workspace, node_key);
  }
  const LevelCuts& level_cuts() const { return level_cuts_; }

 private:
  std::uint32_t smallest_child(const Response& response) const {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(options_.smallest_child(node_size_),
                                                             response.size() + std::int64_t{1}));
  }

  static double largest_up_to(double threshold, std::span<const double> values) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double value : values)
      if (value <= threshold) largest = std::max(largest, value);
    return largest;
  }

  /// Without a test, which would have to try them all in every permutation.
  void take_best_partition(const Response& response) {
    if (options_.splitter_test != SplitterTest::none && options_.splitting.tests()) return;
    const NodeLevels& levels = level_cuts_.levels();
    if (response.has_weights() || levels.size() > AllPartitions::kMostLevels) return;
    if (level_cuts_.is_best_order(response)) return;
    const auto& goes_left = all_partitions_.find(levels, response, smallest_child(response));
    if (!goes_left.empty()) level_cuts_.divide(goes_left);
  }

  template <Cuts C>
  CutChoice choose_among(C& cuts, S& splitter, const Response& response, Workspace& workspace,
                         std::uint64_t node_key) {
    if (cuts.size() == 0) return {};
    if (response.has_weights())
      return weighted_.choose_among(cuts, options_, plans_, interrupt_, response, workspace,
                                    node_key);
    auto* items =
        workspace.items<typename S::Item>().template room<typename S::Item>(response.size());
    cuts.arrange([&](std::uint32_t position) { return splitter.item(position); }, items);
    observed_.resize(cuts.size());
    if (cuts.turn().n_items > 0) turned_.resize(response.size());
    CutNode<S> node{.options = options_,
                    .interrupt = interrupt_,
                    .response = response,
                    .splitter = splitter,
                    .key = node_key,
                    .size = response.size(),
                    .left = cuts.left_sizes(),
                    .items = items,
                    .observed = observed_,
                    .blocks = blocks_.of(cuts, response),
                    .turn = cuts.turn(),
                    .turned = turned_.data()};
    node.scan(observed_.data());
    return run_strategy(node, cuts);
  }

  CutChoice run_strategy(CutNode<S>& node, LevelCuts& cuts) {
    if (options_.splitter_test == SplitterTest::none || !options_.splitting.tests())
      return best_impurity(node);
    return resorted_test_.choose(node, cuts, plans_.plan(1));
  }

  CutChoice run_strategy(CutNode<S>& node, const MissingCuts&) {
    return run_strategy(node, thresholds_);
  }

  CutChoice run_strategy(CutNode<S>& node, const Thresholds&) {
    if (options_.splitter_test == SplitterTest::none || !options_.splitting.tests())
      return best_impurity(node);
    if (!options_.shortcuts) return plain_cut(node);
    if (options_.splitter_test == SplitterTest::max)
      return best_cut_test_.choose(node, plans_.plan(1));
    // The quicker ways below count on permutations of all items.
    if (node.blocks.exist()) return plain_cut(node);
    // The paper's rule: a test per cut, at a level divided by their number.
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(node.n_cuts()));
    node.scan_order = scan_order(node);
    return options_.splitting.sequential() ? first_rejection_.choose(node, plan)
                                           : fixed_budget_.choose(node, plan);
  }

  /// By observed impurity, or at random; natural order when every cut gets all draws.
  std::span<std::uint32_t> scan_order(const CutNode<S>& node) {
    scan_order_.resize(node.n_cuts());
    std::iota(scan_order_.begin(), scan_order_.end(), 0u);
    if (!options_.splitting.sequential()) return scan_order_;
    if (options_.threshold_scanning)
      std::stable_sort(
          scan_order_.begin(), scan_order_.end(),
          [&](std::uint32_t a, std::uint32_t b) { return observed_[a] < observed_[b]; });
    else
      Rng(derive_key(node.key, Stream::threshold_order))
          .shuffle(scan_order_.data(), static_cast<std::uint32_t>(node.n_cuts()));
    return scan_order_;
  }

  const StageBOptions& options_;
  PlanBook plans_;
  Interrupt& interrupt_;
  std::uint32_t node_size_ = 0;
  Thresholds thresholds_;
  MissingCuts missing_cuts_;
  LevelCuts level_cuts_;
  AllPartitions all_partitions_;
  std::vector<typename S::Item> turned_;  ///< the items of turned cuts
  std::vector<double> observed_;          ///< impurity at each cut
  std::vector<std::uint32_t> scan_order_;
  ArrangedBlocks blocks_;
  BestCutTest<S> best_cut_test_;
  FirstRejectedCut<S> first_rejection_;
  FixedBudget<S> fixed_budget_;
  ResortedCutTest<S> resorted_test_;
  WeightedSearch<S> weighted_;
};

}  // namespace inforest
