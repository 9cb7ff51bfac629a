// SPDX-License-Identifier: BSD-3-Clause
/// Stage B as the paper's text says (inference/reference.hpp): a draw permutes the responses among
/// the node's rows, and the impurity of the children is computed of them as if they were the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/rng.hpp"
#include "core/inference/reference.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// `impurity(cut)` is that of the responses as `permute` has left them, its negative an exceedance
/// if it reaches `limit`; `observed` are the negative impurities of the data.
INFOREST_COLD inline reference::Winner test_plainly(
    const StageBOptions& options, std::size_t best, const std::vector<double>& observed,
    const std::function<void()>& permute, const std::function<double(std::size_t)>& impurity,
    const std::vector<Limit>& limit, Rng& lots, std::uint64_t key) {
  const StageOptions& stage = options.splitting;
  if (options.splitter_test == SplitterTest::max)
    return reference::test_best(best, stage, [&] {
      permute();
      double smallest = impurity(0);
      for (std::size_t cut = 1; cut < limit.size(); ++cut)
        smallest = std::min(smallest, impurity(cut));
      return limit[best].is_reached(-smallest, lots);
    });
  std::vector<std::size_t> order = reference::scan_order(observed, options.threshold_scanning);
  if (!options.threshold_scanning)
    Rng(derive_key(key, Stream::threshold_order))
        .shuffle(order.data(), static_cast<std::uint32_t>(order.size()));
  const auto exceeds = [&](std::size_t cut) {
    permute();
    return limit[cut].is_reached(-impurity(cut), lots);
  };
  return reference::test_each(order, stage, exceeds, Rng(derive_key(key, Stream::splitter_ties)));
}

template <Splitter S>
INFOREST_COLD CutChoice plain_cut(const CutNode<S>& node) {
  std::vector<double> observed;
  std::vector<Limit> limit;
  for (std::uint32_t cut = 0; cut < node.n_cuts(); ++cut) {
    observed.push_back(-node.observed[cut]);
    limit.push_back(node.test_limit(cut));
  }
  Rng rng(derive_key(node.key, Stream::splitter_draws));
  const auto permute = [&] {
    node.permute(rng);
    node.interrupt.spend(4 * static_cast<std::int64_t>(node.size));
  };
  const auto impurity = [&](std::size_t cut) { return node.impurity(cut); };
  const reference::Winner winner = test_plainly(node.options, node.best_cut(), observed, permute,
                                                impurity, limit, rng, node.key);
  CutChoice choice = node.no_choice();
  if (node.options.splitter_test == SplitterTest::max) choice.n_tests = 1;
  choice.test = winner.test;
  choice.draws_read = winner.n_draws;
  if (winner.index) node.choose(static_cast<std::uint32_t>(*winner.index), choice);
  return choice;
}

}  // namespace inforest
