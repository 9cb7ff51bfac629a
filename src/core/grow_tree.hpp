// SPDX-License-Identifier: BSD-3-Clause
/// Grows one conditional inference tree.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "rare_rows.hpp"
#include "tree.hpp"

namespace inforest {

/// The rows a tree is grown from. Repeated rows are allowed.
struct TreeRows {
  std::vector<std::int32_t> structure;   ///< decide the splits
  std::vector<std::int32_t> estimation;  ///< honest leaf values; empty: the structure rows'
};

/// Each row repeated `counts` times, split in two when honesty is asked for. The split comes before
/// the repetition, so no row is on both sides.
TreeRows make_rows(const std::vector<std::int64_t>& counts, const Options& options,
                   std::uint64_t tree_key);

/// What all trees of a call share about the features.
struct FeatureIndex {
  const std::uint64_t* keys;  ///< one per feature (see feature_pool.hpp)
  const RareRows& rare_rows;
  std::int64_t* candidate_counts;  ///< one per feature, raised wherever it is a node's candidate
};

/// Throws Interrupted.
Tree grow_tree(const Dataset& data, const FeatureIndex& features, const TreeRows& rows,
               const Options& options, std::uint64_t tree_key, Interrupt& interrupt);

}  // namespace inforest
