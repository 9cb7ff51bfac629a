// SPDX-License-Identifier: BSD-3-Clause
/// Honesty: which of a tree's rows decide its splits, and which the values of its leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/sampling.hpp"
#include "core/tree/options.hpp"

namespace inforest {

/// The rows a tree is grown from. Repeated rows are allowed.
struct TreeRows {
  std::vector<std::int32_t> structure;   ///< decide the splits
  std::vector<std::int32_t> estimation;  ///< honest leaf values; empty: the structure rows'
};

/// Each row repeated `counts` times, split in two when honesty is asked for. The split comes before
/// the repetition, so no row is on both sides.
TreeRows make_rows(const RowCounts& counts, const Options& options, std::uint64_t tree_key);

}  // namespace inforest
