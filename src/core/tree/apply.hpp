// SPDX-License-Identifier: BSD-3-Clause
/// Sends samples down fitted trees given as flat arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/sampling.hpp"
#include "core/tree/route.hpp"

namespace inforest {

/// The arrays of a fitted forest, trees one after the other; node ids count from each tree's root.
struct ForestView {
  const std::int64_t* offset;  ///< n_trees + 1
  Splits splits;               ///< of all trees; `tree` are those of one
  const double* value;         ///< `outputs` numbers per node; unused by `apply`
  std::int64_t n_trees;
  std::int64_t outputs;
  const std::int64_t* pool_offset = nullptr;  ///< where the level sets of each tree begin, if any

  Splits tree(std::int64_t index) const {
    return splits.from(offset[index], pool_offset == nullptr ? 0 : pool_offset[index]);
  }
};

/// A matrix with any strides, in elements.
struct MatrixView {
  const double* data;
  std::int64_t n_rows, n_columns, row_stride, column_stride;
};

/// What a walk from the root reads, side by side; a leaf unless told otherwise. A leaf leads to
/// itself, so a walk may take extra steps.
struct WalkNode {
  union {
    double threshold = Route::never_left().threshold();
    const std::uint64_t* level_set;
  };
  std::uint32_t missing_left : 1 = 0;
  std::uint32_t parts_levels : 1 = 0;
  std::uint32_t feature : 30 = 0;
  std::int32_t right = 0;  ///< how many nodes ahead the right child is; 0 in a leaf

  Route route() const { return Route::at(threshold, missing_left != 0); }
  Route any_route() const {
    return parts_levels ? Route::among(level_set, missing_left != 0) : route();
  }
};
static_assert(sizeof(WalkNode) == 16, "four to a cache line");

/// Row-major samples, `stride` apart.
struct RowBlock {
  const double* data;
  std::int64_t stride, column_stride;
  std::int64_t n_rows;
};

class PackedForest {
 public:
  explicit PackedForest(const ForestView& forest);

  /// The leaves of all rows of the block, counted from the root of `tree`.
  void leaves(std::int64_t tree, RowBlock rows, std::int32_t* leaf) const;
  std::int32_t leaf(std::int64_t tree, const double* sample, std::int64_t column_stride) const {
    std::int32_t result = 0;
    leaves(tree, {sample, 0, column_stride, 1}, &result);
    return result;
  }

 private:
  template <bool kLevels>
  void walk_all(const WalkNode* root, RowBlock rows, std::int32_t* leaf) const;

  std::vector<WalkNode> nodes_;
  bool parts_levels_ = false;  ///< anywhere
  std::vector<std::int64_t> offset_;
};

/// leaf[row * n_trees + tree] = leaf of the row in the tree.
void apply(const MatrixView& x, const ForestView& forest, std::int32_t* leaf);

/// mean[row * outputs + k]: the average over the trees of the values of the row's leaves. Sums go
/// in tree order, so the result does not depend on how the rows were divided.
void predict(const MatrixView& x, const ForestView& forest, double* mean);

/// The same over the trees whose sample misses the row: sums, and how many trees there were. `x`
/// holds the rows from `begin` on; the seeds are the trees' own.
void predict_out_of_bag(const MatrixView& x, std::int64_t begin, const ForestView& forest,
                        const Sampling& sampling, const std::uint64_t* seeds, double* total,
                        std::int64_t* n_votes);

}  // namespace inforest
