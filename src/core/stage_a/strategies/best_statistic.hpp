// SPDX-License-Identifier: BSD-3-Clause
/// Stage A without tests: the candidate with the largest statistic wins.
#pragma once

#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"

namespace inforest {

class BestStatistic {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    if (node.candidates.response().has_weights())
      node.candidates.describe_all();
    else
      node.candidates.observe_all();
    FeatureChoice choice;
    choice.feature = node.candidates.feature(node.candidates.best());
    return choice;
  }
};

}  // namespace inforest
