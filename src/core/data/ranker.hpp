// SPDX-License-Identifier: BSD-3-Clause
/// Ranks of a node's values, ties at their maximum.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/position_sorter.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// The place of every value among the distinct values of its column, column-major.
std::vector<std::uint32_t> column_ranks(const Dataset& data);

class Ranker {
 public:
  /// Values must not be NaN. Results are valid until the next call.
  void rank(const double* values, std::uint32_t size);

  /// For each position the number of values that are at most its own, minus one.
  const std::vector<std::uint32_t>& ranks() const { return rank_; }
  /// For each distinct value, ascending, the number of values that are at most it.
  const std::vector<std::uint32_t>& ends() const { return end_; }

 private:
  bool count(const double* values, std::uint32_t size);
  void sort(const double* values, std::uint32_t size);

  PositionSorter sorter_;
  std::vector<std::uint32_t> rank_, end_;
  std::vector<std::uint32_t> key_, count_;  ///< of the step and of each step
  std::vector<std::uint64_t> occurs_;
};

}  // namespace inforest
