// SPDX-License-Identifier: BSD-3-Clause
/// What Stage A is told: which candidates there are, how to compare and how to test them.
#pragma once

#include <string>
#include <vector>

#include "core/base/size_rule.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Which candidate comes first.
enum class FeatureScanning {
  none,       ///< they come in random order
  statistic,  ///< the largest value, as in the paper
  tail,       ///< the value that is furthest out in its own distribution (scale.hpp)
};

struct StageAOptions {
  std::vector<std::string> selectors;  ///< of several, the largest value on the common scale
  StageOptions selection;              ///< alpha, adjustment, budget, early stopping
  bool feature_muting = true;          ///< candidates that do not reject leave the subtree
  FeatureScanning feature_scanning = FeatureScanning::statistic;
  SizeRule max_features;
  /// How many features a node may try to cut, best first, until one has an admissible cut; more
  /// than one with asymptotic tests only.
  std::int64_t split_tries = 1;
  /// Off: the plain rule (inference/reference.hpp) instead of all that is quicker.
  bool shortcuts = true;
};

}  // namespace inforest
