// SPDX-License-Identifier: BSD-3-Clause
/// The growing options: one plain struct, filled once at the border.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/size_rule.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_a/options.hpp"

namespace inforest {

enum class SplitterTest { none, threshold, max };
enum class ThresholdMethod { exact, random, percentile, histogram };

struct Options {
  StageAOptions stage_a;
  std::string splitter;
  StageOptions splitting;  ///< Stage B: alpha, adjustment, budget, early stopping
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
  /// Stage B's certificates, exact two-class tests and skipped draws; off only to compare with
  /// plain draws.
  bool shortcuts = true;
};

}  // namespace inforest
