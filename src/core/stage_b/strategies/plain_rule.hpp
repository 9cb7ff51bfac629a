// SPDX-License-Identifier: BSD-3-Clause
/// Stage B as the paper's text says (inference/reference.hpp): a draw permutes the responses among
/// the node's rows, and the impurity of the children is computed of them as if they were the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/reference.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
CutChoice plain_cut_rule(const CutNode<S>& node) {
  const StageOptions& stage = node.options.splitting;
  Rng rng(derive_key(node.key, Stream::splitter_draws));
  const auto permute = [&] { rng.shuffle(node.items, node.size); };
  const auto impurity = [&](std::uint32_t cut) {
    double result = 0.0;
    node.splitter.scan(node.items, &node.left[cut], 1, &result);
    return result;
  };
  const std::uint32_t best = node.best_cut();
  reference::Winner winner;
  if (node.options.splitter_test == SplitterTest::none || !stage.tests()) {
    winner.index = best;
  } else if (node.options.splitter_test == SplitterTest::max) {
    winner = reference::test_best(best, stage, [&] {
      permute();
      double smallest = impurity(0);
      for (std::uint32_t cut = 1; cut < node.n_cuts(); ++cut)
        smallest = std::min(smallest, impurity(cut));
      return smallest <= node.limit(best);
    });
  } else {
    std::vector<double> extremeness;
    for (const double value : node.observed) extremeness.push_back(-value);
    auto order = reference::scan_order(extremeness, node.options.threshold_scanning);
    if (!node.options.threshold_scanning)
      Rng(derive_key(node.key, Stream::threshold_order))
          .shuffle(order.data(), static_cast<std::uint32_t>(order.size()));
    const auto exceeds = [&](std::size_t i) {
      const auto cut = static_cast<std::uint32_t>(i);
      permute();
      return impurity(cut) <= node.limit(cut);
    };
    winner = reference::test_each(order, stage, exceeds,
                                  Rng(derive_key(node.key, Stream::splitter_ties)));
  }
  CutChoice choice = node.no_choice();
  if (node.options.splitter_test == SplitterTest::max) choice.n_tests = 1;
  choice.test = winner.test;
  choice.draws_read = winner.n_draws;
  if (winner.index) node.choose(static_cast<std::uint32_t>(*winner.index), choice);
  return choice;
}

}  // namespace inforest
