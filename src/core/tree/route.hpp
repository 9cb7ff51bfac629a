// SPDX-License-Identifier: BSD-3-Clause
/// Which child a row goes to: the one place that decides. Growing, walking, honest estimation,
/// validation and permutation all ask here.
///
/// Values are numbers and none is missing. What comes later has its room here: a bit that says
/// where missing values go, and a kind of split that sends a set of levels left (64 of them fit
/// into the bytes of the threshold). Both are members of `Route`, read by `Splits::route` from
/// arrays of their own; who asks, asks as before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace inforest {

/// How a split parts values of its feature.
class Route {
 public:
  /// A number goes left if it is at most `threshold`.
  static Route at(double threshold) { return Route(threshold); }
  /// No value goes left: what a leaf has that a walk may ask all the same.
  static Route never_left() { return Route(-std::numeric_limits<double>::infinity()); }

  /// Walks and partitions ask without branching on the answer; it must stay as simple.
  bool goes_left(double value) const { return value <= threshold_; }
  double threshold() const { return threshold_; }

 private:
  explicit Route(double threshold) : threshold_(threshold) {}

  double threshold_;
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
  const std::int32_t* right;

  /// Those of the tree whose root is the node `root`.
  Splits from(std::int64_t root) const { return {feature + root, threshold + root, right + root}; }

  bool is_leaf(std::int32_t node) const { return feature[node] < 0; }
  Route route(std::int32_t node) const { return Route::at(threshold[node]); }
  /// Where a row with this value of the node's feature goes on.
  std::int32_t child(std::int32_t node, double value) const {
    return route(node).goes_left(value) ? node + 1 : right[node];
  }
};

/// Values that go the same way at each of some splits of one feature are in the same cell.
class RouteCells {
 public:
  void add(const Route& route) { threshold_.push_back(route.threshold()); }
  /// After the last one.
  void finish() { std::sort(threshold_.begin(), threshold_.end()); }

  bool is_empty() const { return threshold_.empty(); }
  std::uint64_t cell(double value) const {
    // The number of splits at which the value goes right.
    const auto first_left = std::partition_point(
        threshold_.begin(), threshold_.end(),
        [&](double threshold) { return !Route::at(threshold).goes_left(value); });
    return static_cast<std::uint64_t>(first_left - threshold_.begin());
  }

 private:
  std::vector<double> threshold_;
};

}  // namespace inforest
