// SPDX-License-Identifier: BSD-3-Clause
/// What Stage B is told: how to make cuts, how to judge them and how to test them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/size_rule.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

enum class SplitterTest {
  none,       ///< the smallest impurity wins
  threshold,  ///< a test per cut
  max,        ///< one test of the best cut
};
enum class ThresholdMethod { exact, random, percentile, histogram };

struct StageBOptions {
  std::string splitter;
  StageOptions splitting;  ///< alpha, adjustment, budget, early stopping
  SplitterTest splitter_test = SplitterTest::threshold;
  ThresholdMethod threshold_method = ThresholdMethod::histogram;
  SizeRule max_thresholds;
  bool threshold_scanning = true;  ///< cuts are tested by rising impurity, not in random order
  std::int64_t min_samples_leaf = 1;
  double min_leaf_share = 0.0;  ///< of the node's samples that a child must have at least
  /// Whether a threshold is the largest value that goes left, instead of a number above it.
  bool threshold_at_value = false;

  std::int64_t smallest_child(std::uint32_t node_size) const {
    return std::max(min_samples_leaf,
                    static_cast<std::int64_t>(std::ceil(min_leaf_share * node_size)));
  }
  /// Off: the plain rule (inference/reference.hpp) instead of all that is quicker.
  bool shortcuts = true;
};

}  // namespace inforest
