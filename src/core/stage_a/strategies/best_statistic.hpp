// SPDX-License-Identifier: BSD-3-Clause
/// Stage A without tests: the candidate that comes first on the scale of comparison wins.
#pragma once

#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"

namespace inforest {

class BestStatistic {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    node.candidates.observe_all(node.comparison());
    FeatureChoice choice;
    choice.feature = node.candidates.feature(node.candidates.best());
    return choice;
  }
};

}  // namespace inforest
