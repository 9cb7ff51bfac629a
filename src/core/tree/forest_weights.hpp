// SPDX-License-Identifier: BSD-3-Clause
/// How much each training row speaks for a sample: the mean over the trees of the row's share of
/// the sample's leaf; and what follows from these weights. Sums go in tree order, sample by sample,
/// so results do not depend on how samples were divided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"

namespace inforest {

/// The rows of the nodes of a forest, as `LeafRows` has them; what numbers the rows have is up to
/// who asks.
struct LeafRowsView {
  const std::int64_t* offset;  ///< n_trees + 1: the first node of each tree
  std::int64_t n_trees;
  const std::int64_t *begin, *end;
  const double* total;
  const std::int32_t* row;  ///< 0 .. n_rows - 1
  const double* weight;
  std::int64_t n_rows;
};

/// leaf[sample * n_trees + tree]; -1 where the tree does not count for the sample.
struct SampleLeaves {
  const std::int32_t* leaf;
  std::int64_t n_samples;
};

/// A sparse matrix, a row per sample and a column per training row, columns ascending.
struct SparseRows {
  std::vector<std::int64_t> begin;  ///< n_samples + 1
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

/// Each row sums to 1, or is empty if no tree counts for the sample.
SparseRows forest_weights(const LeafRowsView& rows, const SampleLeaves& samples,
                          Interrupt& interrupt);

/// quantile[sample * level.size() + k]: the smallest value at which the weights of the values up to
/// it reach the level. Rows are numbered by their values, which `value` has in ascending order. NaN
/// if no tree counts for the sample.
std::vector<double> forest_quantiles(const LeafRowsView& rows, const double* value,
                                     std::span<const double> level, const SampleLeaves& samples,
                                     Interrupt& interrupt);

/// share[sample * n_limits + k]: the weight of the rows with numbers below limit[sample * n_limits
/// + k]. NaN if no tree counts for the sample.
std::vector<double> forest_shares(const LeafRowsView& rows, const std::int64_t* limit,
                                  std::int64_t n_limits, const SampleLeaves& samples,
                                  Interrupt& interrupt);

}  // namespace inforest
