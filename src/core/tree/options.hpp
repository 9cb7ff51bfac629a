// SPDX-License-Identifier: BSD-3-Clause
/// The growing options: one plain struct, filled once at the border.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/size_rule.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_a/options.hpp"
#include "core/stage_b/options.hpp"

namespace inforest {

struct Options {
  StageAOptions stage_a;
  StageBOptions stage_b;
  std::int64_t max_depth = -1;  ///< negative: no limit
  std::int64_t min_samples_split = 2;
  double min_impurity_decrease = 0.0;
  bool honesty = false;
  double honesty_fraction = 0.5;
};

}  // namespace inforest
