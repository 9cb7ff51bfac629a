// SPDX-License-Identifier: BSD-3-Clause
/// Stage B's candidate thresholds on one feature, and the samples sorted between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/size_rule.hpp"
#include "core/stage_b/cuts.hpp"
#include "core/stage_b/distinct_values.hpp"
#include "core/stage_b/options.hpp"

namespace inforest {

struct ThresholdOptions {
  ThresholdMethod method;
  SizeRule max_thresholds;
  std::uint32_t min_samples_leaf;
};

/// Thresholds are made from the midpoints of the sorted distinct values. Those that leave a child
/// too small are dropped, and of several that make the same partition only the lowest is kept: a
/// test counts once.
class Thresholds {
 public:
  void build(const double* x, std::uint32_t size, const ThresholdOptions& options,
             std::uint64_t key);
  /// Uses the given ascending thresholds, unfiltered but for empty children.
  void use(const double* x, std::uint32_t size, const std::vector<double>& thresholds);

  std::size_t size() const { return value_.size(); }
  /// Ascending; x <= value goes left.
  const std::vector<double>& values() const { return value_; }
  /// Number of samples left of each.
  const std::vector<std::uint32_t>& left_sizes() const { return left_size_; }
  Turn turn() const { return {size(), 0}; }
  /// Fills `items` with item(position) of all positions, such that the first left_sizes()[c] are
  /// those left of threshold c.
  template <class Item, class ItemOf>
  void arrange(ItemOf item, Item* items) {
    next_ = bin_begin_;
    for (std::uint32_t i = 0; i < bin_.size(); ++i) items[next_[bin_[i]]++] = item(i);
  }

 private:
  void equal_width_edges(const double* x, std::uint32_t size, std::size_t n_bins);
  void choose_midpoints(const ThresholdOptions& options, std::uint64_t key);
  void bin_distinct();
  void keep_admissible(std::uint32_t min_leaf);

  std::vector<double> value_;
  std::vector<std::uint32_t> left_size_;
  /// Of each position: how many thresholds lie below its value; before they are chosen, which of
  /// the distinct values it has.
  std::vector<std::uint32_t> bin_;
  std::vector<std::uint32_t> bin_begin_, next_;
  DistinctValues distinct_;
  std::vector<double> midpoint_;
};

}  // namespace inforest
