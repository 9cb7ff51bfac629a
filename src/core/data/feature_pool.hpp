// SPDX-License-Identifier: BSD-3-Clause
/// The features a node may use: constants and muted ones leave, for the whole subtree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/rng.hpp"
#include "core/data/blocks.hpp"
#include "core/data/dataset.hpp"
#include "core/data/holes.hpp"
#include "core/data/rare_rows.hpp"

namespace inforest {

/// One array for all nodes of a tree: a node's features are the first `available` of it.
///
///   features = [ kept by this node | dropped by this node | dropped by its ancestors ]
///
/// A node only reorders its own prefix, so after a subtree is grown (depth first) its siblings
/// still find their own set in front.
class FeaturePool {
 public:
  FeaturePool(const Dataset& data, const std::uint64_t* keys, const RareRowsView& rare_rows,
              const RowPositions& positions)
      : data_(data),
        keys_(keys),
        rare_rows_(rare_rows),
        positions_(positions),
        features_(static_cast<std::size_t>(data.n_features)) {
    refill();
  }

  /// All features again, for the next tree.
  void refill() { std::iota(features_.begin(), features_.end(), 0); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(features_.size()); }
  std::uint64_t key(std::int32_t feature) const { return keys_[feature]; }

  /// Moves the features that are constant on `rows`, which begin at `begin` of the tree's index
  /// array, behind; returns how many are left. With blocks, those that are constant in every block
  /// that moves: a subtree has parts of the same blocks, so there they are constant, too.
  std::uint32_t drop_constant(std::span<const std::int32_t> rows, std::size_t begin,
                              std::uint32_t available, const Blocks& blocks) {
    if (blocks.exist()) return drop_constant_in_blocks(rows, available, blocks);
    return keep(available, [&](std::int32_t feature) {
      // Of a listed column the list is quicker where the node has more rows than that.
      return rare_rows_.lists(feature) && rare_rows_.rows(feature).size() < rows.size()
                 ? has_rare_row(feature, rows, begin)
                 : varies(feature, rows);
    });
  }

  /// Moves muted features behind, but never the last one; `is_muted` is indexed by feature.
  std::uint32_t drop_muted(const std::vector<std::uint8_t>& is_muted, std::uint32_t available) {
    const std::uint32_t left = keep(available, [&](std::int32_t feature) {
      return !is_muted[static_cast<std::size_t>(feature)];
    });
    return std::max(left, std::min(available, 1u));
  }

  /// Draws `count` of the first `available` features without replacement, in random order.
  ///
  /// A feature's priority is a hash of the node's key and of the column's content, so the draw does
  /// not depend on the order of the columns nor on columns that are not available.
  void draw_candidates(std::uint32_t available, std::uint32_t count, std::uint64_t node_key,
                       std::vector<std::int32_t>& candidates) {
    priority_.clear();
    for (std::uint32_t i = 0; i < available; ++i)
      priority_.emplace_back(derive_key(node_key, key(features_[i])), features_[i]);
    if (count < available)
      std::nth_element(priority_.begin(), priority_.begin() + count, priority_.end());
    std::sort(priority_.begin(), priority_.begin() + count);
    candidates.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) candidates[i] = priority_[i].second;
  }

 private:
  INFOREST_COLD std::uint32_t drop_constant_in_blocks(std::span<const std::int32_t> rows,
                                                      std::uint32_t available,
                                                      const Blocks& blocks) {
    return keep(available, [&](std::int32_t feature) {
      const StoredColumn column = data_.column(feature);
      const auto value = [&](std::uint32_t position) { return column[rows[position]]; };
      return data_.has_holes(feature) ? informs(data_, feature, rows, &blocks) : blocks.vary(value);
    });
  }

  bool varies(std::int32_t feature, std::span<const std::int32_t> rows) const {
    if (data_.has_holes(feature)) return informs(data_, feature, rows, nullptr);
    const StoredColumn column = data_.column(feature);
    const double first = column[rows[0]];
    return std::any_of(rows.begin() + 1, rows.end(),
                       [&](std::int32_t row) { return column[row] != first; });
  }

  /// `varies` for a nearly constant column: without a rare row the node has the common value only.
  bool has_rare_row(std::int32_t feature, std::span<const std::int32_t> rows,
                    std::size_t begin) const {
    const StoredColumn column = data_.column(feature);
    for (const std::int32_t row : rare_rows_.rows(feature)) {
      const auto place = static_cast<std::size_t>(positions_[static_cast<std::size_t>(row)]);
      if (place - begin >= rows.size()) continue;  // also for -1, which wraps around
      return (column[row] != column[rows[0]] && !data_.has_holes(feature)) || varies(feature, rows);
    }
    return false;
  }

  template <class Predicate>
  std::uint32_t keep(std::uint32_t available, Predicate wanted) {
    return static_cast<std::uint32_t>(
        std::partition(features_.begin(), features_.begin() + available, wanted) -
        features_.begin());
  }

  const Dataset& data_;
  const std::uint64_t* keys_;
  RareRowsView rare_rows_;
  const RowPositions& positions_;
  std::vector<std::int32_t> features_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> priority_;
};

/// A key per column that depends on its values only; equal columns are told apart by their number.
std::vector<std::uint64_t> feature_keys(const Dataset& data);

}  // namespace inforest
