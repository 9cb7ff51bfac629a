// SPDX-License-Identifier: BSD-3-Clause
/// The training rows behind the leaves of fitted trees. Nothing of this is kept in a tree: samples
/// are drawn again from the trees' seeds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/apply.hpp"

namespace inforest {

/// Of each node of a forest, the rows below it: `row[begin[node] .. end[node])`. Nodes are in
/// preorder, so the rows of a subtree lie side by side.
struct LeafRows {
  std::vector<std::int64_t> begin, end;  ///< one per node
  std::vector<double> total;             ///< one per node: the weight of its rows together
  std::vector<std::int32_t> row;         ///< once in each tree that has it
  std::vector<double> weight;            ///< how often it is there, times what it weighs
};

/// Which of its rows a tree is asked for.
enum class RowsOf {
  values,     ///< those its leaf values come from: the sample, or the honest part of it
  out_of_bag  ///< those outside its sample
};

/// What a tree has to be asked with: `leaf[tree * n_samples + row]` is the leaf of a training row.
struct TrainingLeaves {
  const std::int32_t* leaf;
  const Sampling& sampling;
  const std::uint64_t* seeds;
  double honesty;         ///< share of the rows that were kept for the values; 0: none
  const double* weights;  ///< of the rows; null: all weigh 1
};

/// With `RowsOf::values`, the weighted mean of the responses of a leaf's rows is its value: a leaf
/// that no honest row has reached has those of the nearest node above it that some have. With
/// `RowsOf::out_of_bag`, a node may have none.
LeafRows leaf_rows(const ForestView& forest, const TrainingLeaves& training, RowsOf which,
                   Interrupt& interrupt);

/// leaf[row * n_trees + tree] for the rows from `begin` to `end`: -1 in a tree whose sample has the
/// row. `training.leaf` holds these rows only.
std::vector<std::int32_t> out_of_bag_leaves(const TrainingLeaves& training, std::int64_t n_trees,
                                            std::int64_t begin, std::int64_t end,
                                            Interrupt& interrupt);

}  // namespace inforest
