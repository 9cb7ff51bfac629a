// SPDX-License-Identifier: BSD-3-Clause
/// Which rows a tree of a forest is grown from, and which of them decide its splits.
#pragma once

#include <cstdint>
#include <vector>

namespace inforest {

/// Each row is there `case_counts` times to be drawn: once, or never if it weighs nothing; more
/// than once in forests of versions that repeated rows by their weights. `quota[s]` of them are
/// drawn from stratum s, with or without replacement; without strata there is one stratum. No
/// quota: no sampling, all are taken.
///
/// With groups (rows of one subject), whole groups are drawn instead of rows: quotas count groups,
/// the rows of a group have one stratum, and each of them comes as often as its group.
struct Sampling {
  std::int64_t n_samples = 0;
  const std::int32_t* groups = nullptr;  ///< one per row, 0 .. n_samples - 1
  const std::int64_t* case_counts = nullptr;
  const std::int32_t* strata = nullptr;
  std::vector<std::int64_t> quota;
  bool replace = true;
};

/// How often each row is in a sample; 0: out of bag.
using RowCounts = std::vector<std::uint32_t>;

/// Which rows are in it.
std::vector<bool> in_bag(const RowCounts& counts);

/// Those of the tree with this key.
RowCounts sample_counts(const Sampling& sampling, std::uint64_t tree_key);

/// The rows a tree is grown from. Repeated rows are allowed.
struct TreeRows {
  std::vector<std::int32_t> structure;   ///< decide the splits
  std::vector<std::int32_t> estimation;  ///< honest leaf values; empty: the structure rows'
};

/// Each row repeated `counts` times; of the rows, a share of `honesty` (0: none) is kept for the
/// values of the leaves. They are parted before they are repeated, so no row is on both sides; with
/// `groups`, one per row, groups are parted instead of rows, so no group is.
TreeRows make_rows(const RowCounts& counts, double honesty, std::uint64_t tree_key,
                   const std::int32_t* groups = nullptr);

}  // namespace inforest
