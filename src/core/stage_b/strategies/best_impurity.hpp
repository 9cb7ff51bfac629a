// SPDX-License-Identifier: BSD-3-Clause
/// Without tests: the cut of the smallest impurity.
#pragma once

#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
CutChoice best_impurity(const CutNode<S>& node) {
  CutChoice choice = node.no_choice();
  node.choose(node.best_cut(), choice);
  return choice;
}

}  // namespace inforest
