// SPDX-License-Identifier: BSD-3-Clause
/// The distinct values of a column, ascending, and which of them each position has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/position_sorter.hpp"

namespace inforest {

class DistinctValues {
 public:
  /// By hashing, in one pass; false, and nothing usable, if there are more than `limit`.
  bool collect(const double* x, std::uint32_t size, std::size_t limit,
               std::vector<std::uint32_t>& of_position);
  /// By sorting.
  void sort(const double* x, std::uint32_t size, std::vector<std::uint32_t>& of_position);

  const std::vector<double>& values() const { return value_; }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  std::vector<double> value_;
  std::vector<std::uint32_t> slot_;
  PositionSorter sorter_;
};

}  // namespace inforest
