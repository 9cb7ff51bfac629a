// SPDX-License-Identifier: BSD-3-Clause
#include "apply.hpp"

#include <algorithm>

namespace inforest {

PackedForest::PackedForest(const ForestView& forest)
    : nodes_(static_cast<std::size_t>(forest.offset[forest.n_trees])),
      offset_(forest.offset, forest.offset + forest.n_trees + 1) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i] = {forest.threshold[i], forest.feature[i], forest.right[i]};
}

namespace {

/// Calls visit(row, tree, leaf), for each row trees in ascending order. A block of rows stays in
/// the cache while every tree is walked.
template <class Visit>
void for_each_leaf(const MatrixView& x, const ForestView& forest, Visit visit) {
  constexpr std::int64_t kBlock = 64;
  // Columns of a column-major matrix are far apart: copy a block unless it is very wide.
  const bool copies = x.column_stride != 1 && x.n_columns <= 4096;
  std::vector<double> block(copies ? static_cast<std::size_t>(kBlock * x.n_columns) : 0);
  const PackedForest packed(forest);
  for (std::int64_t begin = 0; begin < x.n_rows; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, x.n_rows - begin);
    const double* rows = x.data + begin * x.row_stride;
    std::int64_t row_stride = x.row_stride, column_stride = x.column_stride;
    if (copies) {
      for (std::int64_t column = 0; column < x.n_columns; ++column)
        for (std::int64_t row = 0; row < size; ++row)
          block[static_cast<std::size_t>(row * x.n_columns + column)] =
              rows[row * row_stride + column * column_stride];
      rows = block.data(), row_stride = x.n_columns, column_stride = 1;
    }
    for (std::int64_t tree = 0; tree < forest.n_trees; ++tree)
      for (std::int64_t row = 0; row < size; ++row)
        visit(begin + row, tree, packed.leaf(tree, rows + row * row_stride, column_stride));
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
    const std::vector<std::int64_t> counts = sample_counts(sampling, seeds[tree]);
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
