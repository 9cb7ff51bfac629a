// SPDX-License-Identifier: BSD-3-Clause
/// "max": one test of the best impurity over all cuts, found anew in every permutation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
class BestCutTest {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    const std::uint32_t best = node.best_cut();
    const Limit limit = node.test_limit(best);
    TestProgress progress(plan);
    Rng rng(derive_key(node.key, Stream::splitter_draws));
    impurity_.resize(node.n_cuts());
    while (!progress.decided()) {
      node.permute(rng);
      node.splitter.scan(node.items, node.left.data(), node.n_cuts(), impurity_.data());
      const double smallest = *std::min_element(impurity_.begin(), impurity_.end());
      progress.record(limit.is_reached(-smallest, rng));
      node.interrupt.spend(3 * static_cast<std::int64_t>(node.size) +
                           static_cast<std::int64_t>(node.n_cuts()));
    }
    CutChoice choice{.test = progress.outcome(), .n_tests = 1, .draws_read = progress.n_draws()};
    if (progress.rejected()) node.choose(best, choice);
    return choice;
  }

 private:
  std::vector<double> impurity_;
};

}  // namespace inforest
