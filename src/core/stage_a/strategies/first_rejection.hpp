// SPDX-License-Identifier: BSD-3-Clause
/// Stage A with early stopping: one candidate is tested after the other, the first to reject wins.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"

namespace inforest {

class FirstRejectedFeature {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    const TestPlan& plan = node.plans.plan(static_cast<std::int64_t>(node.candidates.size()));
    node.candidates.observe_all(node.comparison());
    // Candidates come in random order; scanning puts the most extreme observed statistic first.
    if (node.options.feature_scanning != FeatureScanning::none)
      node.candidates.order_by_score(order_);
    else
      node.candidates.order_by_index(order_);
    FeatureChoice choice;
    for (const std::uint32_t i : order_) {
      const TestOutcome test = run(node, i, plan);
      node.mute_unless_rejected(i, test);
      choice.draws_read += test.n_draws;
      if (test.rejected || !(choice.test.p_value <= test.p_value)) choice.test = test;
      if (!test.rejected) continue;
      choice.feature = node.candidates.feature(i);
      break;
    }
    return choice;
  }

 private:
  template <Selector... S>
  static TestOutcome run(StageANode<S...>& node, std::size_t i, const TestPlan& plan) {
    return node.candidates.with_bound(i, [&](auto& selector, double observed) {
      return certified_test(selector, node.limit(i, observed), node.draws, plan,
                            derive_key(node.key, Stream::selector_certificate), node.interrupt);
    });
  }

  std::vector<std::uint32_t> order_;
};

}  // namespace inforest
