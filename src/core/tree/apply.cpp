// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/apply.hpp"

#include <algorithm>

namespace inforest {

PackedForest::PackedForest(const ForestView& forest)
    : nodes_(static_cast<std::size_t>(forest.offset[forest.n_trees])),
      offset_(forest.offset, forest.offset + forest.n_trees + 1) {
  WalkNode* packed = nodes_.data();
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    const Splits splits = forest.tree(tree);
    const auto n_nodes = static_cast<std::int32_t>(forest.offset[tree + 1] - forest.offset[tree]);
    for (std::int32_t node = 0; node < n_nodes; ++node, ++packed)
      if (!splits.is_leaf(node)) {
        packed->missing_left = splits.missing_left[node] != 0;
        packed->feature = static_cast<std::uint32_t>(splits.feature[node]);
        packed->right = splits.right[node] - node;
        packed->parts_levels = splits.parts_levels(node);
        if (splits.parts_levels(node))
          packed->level_set = splits.level_pool + splits.level_set[node], parts_levels_ = true;
        else
          packed->threshold = splits.threshold[node];
      }
  }
}

namespace {

/// `kCount` walks side by side: while one waits for memory, the others go on. With `kLevels` a
/// split may be one of levels.
template <int kCount, bool kLevels>
void walk(const WalkNode* root, const RowBlock& rows, std::int32_t* leaf) {
  std::int32_t at[kCount] = {};
  std::int32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    const double* sample = rows.data;
    for (int i = 0; i < kCount; ++i, sample += rows.stride) {
      const WalkNode& node = root[at[i]];
      const double value = sample[node.feature * rows.column_stride];
      const std::int32_t left =
          kLevels ? node.any_route().goes_left(value) : node.route().goes_left(value);
      // 1 if left, else node.right: without a branch, which half of all steps would mispredict.
      const std::int32_t step = left | (node.right & (left - 1));
      at[i] += step;
      moved |= step;
    }
  }
  std::copy_n(at, kCount, leaf);
}

}  // namespace

template <bool kLevels>
void PackedForest::walk_all(const WalkNode* root, RowBlock rows, std::int32_t* leaf) const {
  constexpr int kTogether = 8;
  for (; rows.n_rows >= kTogether; rows.n_rows -= kTogether, leaf += kTogether) {
    walk<kTogether, kLevels>(root, rows, leaf);
    rows.data += kTogether * rows.stride;
  }
  for (; rows.n_rows > 0; --rows.n_rows, ++leaf) {
    walk<1, kLevels>(root, rows, leaf);
    rows.data += rows.stride;
  }
}

void PackedForest::leaves(std::int64_t tree, RowBlock rows, std::int32_t* leaf) const {
  const WalkNode* root = nodes_.data() + offset_[static_cast<std::size_t>(tree)];
  parts_levels_ ? walk_all<true>(root, rows, leaf) : walk_all<false>(root, rows, leaf);
}

namespace {

/// Calls visit(row, tree, leaf), for each row trees in ascending order. A block of rows stays in
/// the cache while every tree is walked.
template <class Visit>
void for_each_leaf(const MatrixView& x, const ForestView& forest, Visit visit) {
  constexpr std::int64_t kBlock = 256;
  // Columns of a column-major matrix are far apart: copy a block unless it is very wide.
  const bool copies = x.column_stride != 1 && x.n_columns <= 4096;
  std::vector<double> copy(copies ? static_cast<std::size_t>(kBlock * x.n_columns) : 0);
  std::int32_t leaf[kBlock];
  const PackedForest packed(forest);
  for (std::int64_t begin = 0; begin < x.n_rows; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, x.n_rows - begin);
    RowBlock rows{x.data + begin * x.row_stride, x.row_stride, x.column_stride, size};
    if (copies) {
      for (std::int64_t column = 0; column < x.n_columns; ++column)
        for (std::int64_t row = 0; row < size; ++row)
          copy[static_cast<std::size_t>(row * x.n_columns + column)] =
              rows.data[row * rows.stride + column * rows.column_stride];
      rows = {copy.data(), x.n_columns, 1, size};
    }
    for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
      packed.leaves(tree, rows, leaf);
      for (std::int64_t row = 0; row < size; ++row) visit(begin + row, tree, leaf[row]);
    }
  }
}

}  // namespace

void apply(const MatrixView& x, const ForestView& forest, std::int32_t* leaf) {
  for_each_leaf(x, forest, [&](std::int64_t row, std::int64_t tree, std::int32_t node) {
    leaf[row * forest.n_trees + tree] = node;
  });
}

void predict(const MatrixView& x, const ForestView& forest, double* mean) {
  const std::int64_t outputs = forest.outputs;
  std::fill_n(mean, x.n_rows * outputs, 0.0);
  for_each_leaf(x, forest, [&](std::int64_t row, std::int64_t tree, std::int32_t node) {
    const double* value = forest.value + (forest.offset[tree] + node) * outputs;
    for (std::int64_t k = 0; k < outputs; ++k) mean[row * outputs + k] += value[k];
  });
  for (std::int64_t i = 0; i < x.n_rows * outputs; ++i)
    mean[i] /= static_cast<double>(forest.n_trees);
}

void predict_out_of_bag(const MatrixView& x, std::int64_t begin, const ForestView& forest,
                        const Sampling& sampling, const std::uint64_t* seeds, double* total,
                        std::int64_t* n_votes) {
  const PackedForest packed(forest);
  const std::int64_t outputs = forest.outputs;
  std::fill_n(total, x.n_rows * outputs, 0.0);
  std::fill_n(n_votes, x.n_rows, 0);
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    const RowCounts counts = sample_counts(sampling, seeds[tree]);
    for (std::int64_t row = 0; row < x.n_rows; ++row) {
      if (counts[static_cast<std::size_t>(begin + row)] > 0) continue;
      const std::int32_t leaf = packed.leaf(tree, x.data + row * x.row_stride, x.column_stride);
      const double* value = forest.value + (forest.offset[tree] + leaf) * outputs;
      for (std::int64_t k = 0; k < outputs; ++k) total[row * outputs + k] += value[k];
      ++n_votes[row];
    }
  }
}

}  // namespace inforest
