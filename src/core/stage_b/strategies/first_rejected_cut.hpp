// SPDX-License-Identifier: BSD-3-Clause
/// The paper's rule: a test per cut, stopped early; the first in scan order that rejects wins.
#pragma once

#include <cstdint>

#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_alone.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
class FirstRejectedCut {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    CutChoice choice = node.no_choice();
    for (const std::uint32_t cut : node.scan_order) {
      const Rng rng(derive_key(node.key, Stream::splitter_draws), cut);
      // Without a winner the record is the test of the cut that looked best.
      const bool is_first = cut == node.scan_order[0];
      const TestOutcome test = test_alone(node, plan, cut, rng, choice.draws_read, is_first);
      if (is_first || test.rejected) choice.test = test;
      if (!test.rejected) continue;
      node.choose(cut, choice);
      break;
    }
    return choice;
  }
};

}  // namespace inforest
