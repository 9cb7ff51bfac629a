// SPDX-License-Identifier: BSD-3-Clause
/// Sends samples down fitted trees given as flat arrays.
#pragma once

#include <cstdint>

namespace inforest {

/// The arrays of a fitted forest, trees one after the other; node ids count from each tree's root.
struct ForestView {
  const std::int64_t* offset;  ///< n_trees + 1
  const std::int32_t* feature;
  const double* threshold;
  const std::int32_t* left;
  const std::int32_t* right;
  std::int64_t n_trees;
};

/// A matrix with any strides, in elements.
struct MatrixView {
  const double* data;
  std::int64_t n_rows, row_stride, column_stride;
};

/// leaf[row * n_trees + tree] = leaf of the row in the tree.
void apply(const MatrixView& x, const ForestView& forest, std::int32_t* leaf);

}  // namespace inforest
