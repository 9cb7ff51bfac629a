// SPDX-License-Identifier: BSD-3-Clause
/// The best of all ways to part the levels of a category in two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/levels.hpp"
#include "core/data/response.hpp"
#include "core/data/score_basis.hpp"

namespace inforest {

/// Tries all 2^(K - 1) - 1 partitions, as R's ctree does, by the part of the responses' squares
/// that lies between the sides: chi-square for labels, the decrease of the squared error for a
/// score, the quadratic form for several of them. Of equal ones it takes R's first: the levels in
/// the order of the data, the first of them left, those of the highest numbers left as long as
/// possible.
class AllPartitions {
 public:
  /// More levels take too long: with 15 there are 16,383 partitions.
  static constexpr std::uint32_t kMostLevels = 15;

  /// Which levels go left, or nothing if a side of every partition has too few rows.
  const std::vector<bool>& find(const NodeLevels& levels, const Response& response,
                                std::uint32_t min_samples_leaf);

 private:
  void sum_up(const NodeLevels& levels, const Response& response);
  void part(std::uint32_t level, std::uint32_t left);

  std::uint32_t n_ = 0, min_samples_leaf_ = 1;
  std::size_t n_columns_ = 0;
  ScoreBasis basis_;                  ///< of several scores
  std::vector<std::uint32_t> order_;  ///< levels by their numbers in the data
  std::vector<std::uint32_t> count_;  ///< rows of each, in this order
  std::vector<double> sum_;           ///< of each level and column, centred: all levels have 0
  std::vector<double> scale_;         ///< what the square of a column is divided by
  /// The sums of the levels that go left, one row per level that is still to be parted.
  std::vector<double> left_sum_;
  std::vector<bool> goes_left_, best_;  ///< in `order_`; by the level
  double best_gain_ = 0.0;
};

}  // namespace inforest
