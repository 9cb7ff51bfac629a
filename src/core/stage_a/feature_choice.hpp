// SPDX-License-Identifier: BSD-3-Clause
/// What Stage A answers.
#pragma once

#include <cstdint>
#include <limits>

#include "core/inference/test_plan.hpp"

namespace inforest {

struct FeatureChoice {
  std::int32_t feature = -1;  ///< -1: none rejected
  /// The test of the chosen feature; without a choice, the test with the smallest p-value met.
  TestOutcome test{.p_value = std::numeric_limits<double>::quiet_NaN()};
  std::int64_t draws_read = 0;
  /// Of an asymptotic test.
  double chi_square = std::numeric_limits<double>::quiet_NaN();
  double log_p_value = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace inforest
