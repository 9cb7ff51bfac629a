// SPDX-License-Identifier: BSD-3-Clause
/// Stage B where rows, or classes, have weights (see weighted.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/workspace.hpp"
#include "core/data/response.hpp"
#include "core/inference/plan_book.hpp"
#include "core/stage_b/arranged_blocks.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/cuts.hpp"
#include "core/stage_b/level_cuts.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/strategies/best_cut_test.hpp"
#include "core/stage_b/strategies/best_impurity.hpp"
#include "core/stage_b/strategies/plain_rule.hpp"
#include "core/stage_b/strategies/resorted_test.hpp"
#include "core/stage_b/weighted/weighted.hpp"

namespace inforest {

/// Of a splitter that does not know weights.
template <Splitter S>
class WeightedSearch {
 public:
  double begin(const Response&) {
    throw std::invalid_argument(std::string("the splitter '") + S::name + "' takes no weights");
  }
  template <Cuts C>
  CutChoice choose_among(C&, const StageBOptions&, PlanBook&, Interrupt&, const Response&,
                         Workspace&, std::uint64_t) {
    return {};
  }
};

template <Splitter S>
  requires HasWeighted<S>
class WeightedSearch<S> {
 public:
  /// Begins a node; returns its impurity.
  double begin(const Response& response) {
    splitter_.begin(response);
    return splitter_.node_impurity();
  }

  template <Cuts C>
  CutChoice choose_among(C& cuts, const StageBOptions& options, PlanBook& plans,
                         Interrupt& interrupt, const Response& response, Workspace& workspace,
                         std::uint64_t node_key) {
    using Item = typename S::Item;
    auto* items = workspace.items<Item>().template room<Item>(response.size());
    cuts.arrange([&](std::uint32_t position) { return splitter_.item(position); }, items);
    place_weights(cuts, response);
    observed_.resize(cuts.size());
    if (cuts.turn().n_items > 0) turned_.resize(response.size());
    const CutNode<Weighted> node{
        .options = options,
        .interrupt = interrupt,
        .response = response,
        .splitter = splitter_,
        .key = node_key,
        .size = response.size(),
        .left = cuts.left_sizes(),
        .items = items,
        .observed = observed_,
        .blocks = blocks_.of(cuts, response),
        .turn = cuts.turn(),
        .turned = turned_.data(),
        .weights = weights_.empty() ? nullptr : weights_.data(),
        .turned_weights = turned_weights_.empty() ? nullptr : turned_weights_.data()};
    node.scan(observed_.data());
    if (options.splitter_test == SplitterTest::none || !options.splitting.tests())
      return best_impurity(node);
    if constexpr (std::same_as<C, LevelCuts>)
      return resorted_test_.choose(node, cuts, plans.plan(1));
    if (options.splitter_test == SplitterTest::max && options.shortcuts)
      return best_cut_test_.choose(node, plans.plan(1));
    return plain_cut(node);
  }

 private:
  using Weighted = typename S::Weighted;

  template <Cuts C>
  void place_weights(C& cuts, const Response& response) {
    const double* weights = response.weights();
    weights_.clear();
    turned_weights_.clear();
    if (weights == nullptr) return splitter_.place(nullptr);
    weights_.resize(response.size());
    cuts.arrange([&](std::uint32_t position) { return weights[position]; }, weights_.data());
    splitter_.place(weights_.data());
    const std::uint32_t n_turned = cuts.turn().n_items;
    if (n_turned == 0) return;
    turned_weights_.assign(weights_.end() - n_turned, weights_.end());
    turned_weights_.insert(turned_weights_.end(), weights_.begin(), weights_.end() - n_turned);
  }

  Weighted splitter_;
  BestCutTest<Weighted> best_cut_test_;
  ResortedCutTest<Weighted> resorted_test_;
  std::vector<double> weights_;  ///< in the order of the cuts
  std::vector<double> turned_weights_;
  std::vector<typename S::Item> turned_;
  std::vector<double> observed_;  ///< impurity at each cut
  ArrangedBlocks blocks_;
};

}  // namespace inforest
