// SPDX-License-Identifier: BSD-3-Clause
/// Which child a row goes to: the one place that decides. Growing, walking, honest estimation,
/// validation and permutation all ask here.
///
/// A value that is missing is NaN; every split has a bit that says where those go. A split of what
/// is there from what is missing has the threshold infinity, and missing values go right. What
/// comes later has its room here: a kind of split that sends a set of levels left, a member of
/// `Route` that is read by `Splits::route` from arrays of its own; who asks, asks as before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace inforest {

/// How a split parts values of its feature.
class Route {
 public:
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
    return (value <= threshold_) | (missing_left_ & !(value > threshold_));
  }
  double threshold() const { return threshold_; }
  bool missing_left() const { return missing_left_; }

 private:
  Route(double threshold, bool missing_left) : threshold_(threshold), missing_left_(missing_left) {}

  double threshold_;
  bool missing_left_;
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

  /// Those of the tree whose root is the node `root`.
  Splits from(std::int64_t root) const {
    return {feature + root, threshold + root, missing_left + root, right + root};
  }

  bool is_leaf(std::int32_t node) const { return feature[node] < 0; }
  Route route(std::int32_t node) const {
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
    std::stable_sort(routes_.begin(), routes_.end(), [](const Route& a, const Route& b) {
      return a.threshold() < b.threshold() ||
             (a.threshold() == b.threshold() && a.missing_left() < b.missing_left());
    });
    missing_cell_ = cell_of_missing();
  }

  bool is_empty() const { return routes_.empty(); }
  std::uint64_t cell(double value) const {
    return value != value ? missing_cell_ : first_left(value);
  }

 private:
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
