// SPDX-License-Identifier: BSD-3-Clause
/// The test of a category's best cut: in every permutation the levels are sorted anew.
///
/// It is what "max" means for levels, and "threshold", too. One test per cut would not do: the cuts
/// are made from the responses, so with the data's own cuts a permutation is not to be compared
/// with the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/reference.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/level_cuts.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
class ResortedCutTest {
 public:
  /// The cuts are the node's, and are so again afterwards.
  CutChoice choose(const CutNode<S>& node, LevelCuts& cuts, const TestPlan& plan) {
    const std::uint32_t best = node.best_cut();
    const Limit limit = node.test_limit(best);
    Rng rng(derive_key(node.key, Stream::splitter_draws));
    const auto exceeds = [&] {
      cuts.permute(node.response, rng);
      return limit.is_reached(-smallest_impurity(node, cuts), rng);
    };
    CutChoice choice{.n_tests = 1};
    if (node.options.shortcuts) {
      TestProgress progress(plan);
      while (!progress.decided()) progress.record(exceeds());
      choice.test = progress.outcome();
      choice.draws_read = progress.n_draws();
    } else {
      const reference::Winner winner = reference::test_best(best, node.options.splitting, exceeds);
      choice.test = winner.test;
      choice.draws_read = winner.n_draws;
    }
    cuts.restore(node.response);
    if (choice.test.rejected) node.choose(best, choice);
    return choice;
  }

 private:
  double smallest_impurity(const CutNode<S>& node, LevelCuts& cuts) {
    node.interrupt.spend(8 * static_cast<std::int64_t>(node.size));
    // A permutation may leave no cut between large enough children.
    if (cuts.size() == 0) return node.splitter.node_impurity();
    cuts.arrange([&](std::uint32_t position) { return node.splitter.item(position); }, node.items);
    place_weights(node, cuts);
    impurity_.resize(cuts.size());
    node.splitter.scan(node.items, cuts.left_sizes().data(), cuts.size(), impurity_.data());
    return *std::min_element(impurity_.begin(), impurity_.end());
  }

  /// Weights stay where they are; which places come first does not.
  void place_weights(const CutNode<S>& node, LevelCuts& cuts) {
    if constexpr (requires(const double* weights) { node.splitter.place(weights); }) {
      const double* own = node.response.weights();
      if (own == nullptr) return;
      weights_.resize(node.size);
      cuts.arrange_places([&](std::uint32_t place) { return own[place]; }, weights_.data());
      node.splitter.place(weights_.data());
    }
  }

  std::vector<double> impurity_, weights_;
};

}  // namespace inforest
