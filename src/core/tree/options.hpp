// SPDX-License-Identifier: BSD-3-Clause
/// The growing options: one plain struct, filled once at the border.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/size_rule.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

enum class SplitterTest { none, threshold, max };
enum class ThresholdMethod { exact, random, percentile, histogram };

struct Options {
  std::vector<std::string> selectors;
  std::string splitter;
  StageOptions selection;  ///< Stage A: alpha, adjustment, budget, early stopping
  StageOptions splitting;  ///< Stage B: the same
  bool feature_muting = true;
  bool feature_scanning = true;
  SizeRule max_features;
  ThresholdMethod threshold_method = ThresholdMethod::histogram;
  bool threshold_scanning = true;
  SizeRule max_thresholds;
  SplitterTest splitter_test = SplitterTest::threshold;
  std::int64_t max_depth = -1;  ///< negative: no limit
  std::int64_t min_samples_split = 2;
  std::int64_t min_samples_leaf = 1;
  double min_impurity_decrease = 0.0;
  bool honesty = false;
  double honesty_fraction = 0.5;
  /// Certificates, exact two-class tests, short and skipped draws; off only to compare with plain
  /// draws.
  bool shortcuts = true;
};

}  // namespace inforest
