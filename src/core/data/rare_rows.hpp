// SPDX-License-Identifier: BSD-3-Clause
/// Nearly constant columns (one-hot, counts): the few rows that differ from the common value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"

namespace inforest {

/// Whether such a column varies on a node is answered by its few rare rows, instead of by reading
/// the common value again and again.
class RareRows {
 public:
  explicit RareRows(const Dataset& data);

  /// Whether any column is listed at all.
  bool exist() const { return !row_.empty(); }
  bool lists(std::int32_t feature) const { return listed_[static_cast<std::size_t>(feature)]; }
  std::span<const std::int32_t> rows(std::int32_t feature) const {
    const auto f = static_cast<std::size_t>(feature);
    return {row_.data() + begin_[f], static_cast<std::size_t>(begin_[f + 1] - begin_[f])};
  }

 private:
  std::vector<std::uint8_t> listed_;
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> row_;
};

/// Where each row of the data stands in a tree's index array; a node holds the positions of an
/// interval, so this tells in one look whether it holds a row. -1: not in the tree.
using RowPositions = std::vector<std::int32_t>;

}  // namespace inforest
