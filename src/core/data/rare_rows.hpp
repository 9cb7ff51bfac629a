// SPDX-License-Identifier: BSD-3-Clause
/// Nearly constant columns (one-hot, counts): the few rows that differ from the common value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"

namespace inforest {

/// Whether such a column varies on a node is answered by its few rare rows, instead of by reading
/// the common value again and again. A view: all pieces of a fit share the arrays.
struct RareRowsView {
  const std::int64_t* begin;  ///< n_features + 1
  const std::int32_t* row;
  std::int64_t n_features;

  /// Whether any column is listed at all.
  bool exist() const { return begin[n_features] > 0; }
  /// A column that is constant, or far from it, has no list.
  bool lists(std::int32_t feature) const { return begin[feature] < begin[feature + 1]; }
  std::span<const std::int32_t> rows(std::int32_t feature) const {
    return {row + begin[feature], static_cast<std::size_t>(begin[feature + 1] - begin[feature])};
  }
};

/// The arrays of a data set, one list after the other.
struct RareRows {
  explicit RareRows(const Dataset& data);

  operator RareRowsView() const {
    return {begin.data(), row.data(), static_cast<std::int64_t>(begin.size()) - 1};
  }

  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> row;
};

/// Where each row of the data stands in a tree's index array; a node holds the positions of an
/// interval, so this tells in one look whether it holds a row. -1: not in the tree.
using RowPositions = std::vector<std::int32_t>;

}  // namespace inforest
