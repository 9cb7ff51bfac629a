// SPDX-License-Identifier: BSD-3-Clause
/// Which child a row goes to: the one place that decides. Growing, walking, honest estimation,
/// validation and permutation all ask here.
///
/// A value that is missing is NaN; every split has a bit that says where those go. A split of what
/// is there from what is missing has the threshold infinity, and missing values go right. A split
/// of a category sends a set of its levels left; those that had no row at the node go where missing
/// values go.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/rng.hpp"

namespace inforest {

/// A set of a category's levels, as words of a tree's pool: how many levels there are, then a bit
/// for each of them.
class LevelSet {
 public:
  /// Of so many levels.
  static std::size_t n_words(std::size_t n_levels) { return 1 + (n_levels + 63) / 64; }

  explicit LevelSet(const std::uint64_t* words) : words_(words) {}

  std::uint64_t n_levels() const { return words_[0]; }
  bool has(std::size_t level) const { return words_[1 + level / 64] >> level % 64 & 1; }

 private:
  const std::uint64_t* words_;
};

/// How a split parts values of its feature.
class Route {
 public:
  /// Levels of the set go left, and missing values if `missing_left`; so do levels beyond those
  /// that the set knows.
  static Route among(const std::uint64_t* level_set, bool missing_left) {
    Route route = at(std::numeric_limits<double>::quiet_NaN(), missing_left);
    route.level_set_ = level_set;
    return route;
  }
  /// A number goes left if it is at most `threshold`, a missing one if `missing_left`.
  static Route at(double threshold, bool missing_left = false) {
    return Route(threshold, missing_left);
  }
  /// Numbers go left, missing ones right.
  static Route missing_apart() { return at(std::numeric_limits<double>::infinity()); }
  /// No value goes left: what a leaf has that a walk may ask all the same.
  static Route never_left() { return at(-std::numeric_limits<double>::infinity()); }

  /// Walks and partitions ask without branching on the answer; it must stay as simple.
  bool goes_left(double value) const {
    if (level_set_ != nullptr) return has(value);
    return (value <= threshold_) | (missing_left_ & !(value > threshold_));
  }
  double threshold() const { return threshold_; }
  bool missing_left() const { return missing_left_; }
  bool parts_levels() const { return level_set_ != nullptr; }

 private:
  Route(double threshold, bool missing_left) : threshold_(threshold), missing_left_(missing_left) {}

  bool has(double level) const {
    const LevelSet set(level_set_);
    // NaN is not below anything.
    return level < static_cast<double>(set.n_levels()) ? set.has(static_cast<std::size_t>(level))
                                                       : missing_left_;
  }

  double threshold_;
  bool missing_left_;
  const std::uint64_t* level_set_ = nullptr;  ///< null: numbers
};

/// rows = [ left | right ], both in their old order; returns how many go left. `value` holds the
/// rows' values of the split's feature, `waiting` is room for as many row numbers.
inline std::size_t partition(std::span<std::int32_t> rows, const double* value,
                             std::int32_t* waiting, const Route route) {
  std::size_t n_left = 0, n_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t row = rows[i];
    // Both places are behind what was read; a branch would often be mispredicted.
    const bool goes_left = route.goes_left(value[i]);
    rows[n_left] = row;
    waiting[n_right] = row;
    n_left += goes_left;
    n_right += !goes_left;
  }
  std::copy_n(waiting, n_right, rows.data() + n_left);
  return n_left;
}

/// The arrays that say where rows go, one entry per node. Nodes are in preorder, so a left child is
/// the next node and need not be stored; `right` counts from the tree's root.
struct Splits {
  const std::int32_t* feature;  ///< -1 in a leaf
  const double* threshold;
  const std::uint8_t* missing_left;
  const std::int32_t* right;
  /// Where its set of levels begins in the pool; -1: a threshold. Null: there are none.
  const std::int32_t* level_set = nullptr;
  const std::uint64_t* level_pool = nullptr;  ///< the tree's

  /// Those of the tree whose root is the node `root`, and whose level sets begin at `pool`.
  Splits from(std::int64_t root, std::int64_t pool = 0) const {
    Splits own{feature + root, threshold + root, missing_left + root, right + root};
    if (level_set != nullptr) own.level_set = level_set + root, own.level_pool = level_pool + pool;
    return own;
  }

  bool is_leaf(std::int32_t node) const { return feature[node] < 0; }
  bool parts_levels(std::int32_t node) const {
    return level_set != nullptr && level_set[node] >= 0;
  }
  Route route(std::int32_t node) const {
    if (parts_levels(node))
      return Route::among(level_pool + level_set[node], missing_left[node] != 0);
    return Route::at(threshold[node], missing_left[node] != 0);
  }
  /// Where a row with this value of the node's feature goes on.
  std::int32_t child(std::int32_t node, double value) const {
    return route(node).goes_left(value) ? node + 1 : right[node];
  }
};

/// Values that go the same way at each of some splits of one feature are in the same cell.
class RouteCells {
 public:
  void add(const Route& route) { routes_.push_back(route); }
  /// After the last one.
  void finish() {
    if (!routes_.empty() && routes_[0].parts_levels()) return;
    std::stable_sort(routes_.begin(), routes_.end(), [](const Route& a, const Route& b) {
      return a.threshold() < b.threshold() ||
             (a.threshold() == b.threshold() && a.missing_left() < b.missing_left());
    });
    missing_cell_ = cell_of_missing();
  }

  bool is_empty() const { return routes_.empty(); }
  std::uint64_t cell(double value) const {
    if (!routes_.empty() && routes_[0].parts_levels()) return cell_of_level(value);
    return value != value ? missing_cell_ : first_left(value);
  }

 private:
  /// A hash of the ways it goes: there are more cells than integers.
  std::uint64_t cell_of_level(double level) const {
    std::uint64_t key = 0, word = 1;
    for (const Route& route : routes_) {
      word = word << 1 | static_cast<std::uint64_t>(route.goes_left(level));
      if (word >> 63 == 0) continue;
      key = derive_key(key, word);
      word = 1;
    }
    return derive_key(key, word);
  }

  /// The number of splits at which a number goes right.
  std::uint64_t first_left(double value) const {
    const auto left = std::partition_point(routes_.begin(), routes_.end(), [&](const Route& route) {
      return !route.goes_left(value);
    });
    return static_cast<std::uint64_t>(left - routes_.begin());
  }

  /// A cell of numbers, if there is one that goes the same way everywhere, else one of its own.
  std::uint64_t cell_of_missing() const {
    const auto goes_left = [](const Route& route) { return route.missing_left(); };
    const auto left = std::find_if(routes_.begin(), routes_.end(), goes_left);
    const bool is_cell = std::all_of(left, routes_.end(), goes_left) &&
                         (left == routes_.begin() || left == routes_.end() ||
                          (left - 1)->threshold() < left->threshold()) &&
                         (left != routes_.end() || std::isfinite(routes_.back().threshold()));
    return is_cell ? static_cast<std::uint64_t>(left - routes_.begin()) : routes_.size() + 1;
  }

  std::vector<Route> routes_;
  std::uint64_t missing_cell_ = 0;
};

}  // namespace inforest
