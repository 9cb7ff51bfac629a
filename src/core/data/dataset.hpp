// SPDX-License-Identifier: BSD-3-Clause
/// A non-owning, column-major view of the training data.
#pragma once

#include <cstdint>

namespace inforest {

enum class Task { classification, regression };

struct Dataset {
  const double* x;           ///< column-major, n_samples x n_features
  const double* y;           ///< regression: values; classification: unused
  const std::int32_t* code;  ///< classification: class codes 0 .. n_classes - 1; else null
  std::int64_t n_samples;
  std::int64_t n_features;
  std::int32_t n_classes;  ///< 0 in regression
  /// Laid out like x: each value's place among the distinct ones of its column; may be null. For
  /// selectors that look at nothing else.
  const std::uint32_t* ranks = nullptr;

  Task task() const { return n_classes > 0 ? Task::classification : Task::regression; }
  const double* column(std::int64_t feature) const { return x + feature * n_samples; }
};

}  // namespace inforest
