// SPDX-License-Identifier: BSD-3-Clause
/// Sorts positions by their values; keeps its buffers between calls.
#pragma once

#include <cstdint>
#include <vector>

namespace inforest {

class PositionSorter {
 public:
  struct Entry {
    double value;
    std::uint32_t position;
  };

  /// The values in ascending order with their positions; equal values by position. Valid until the
  /// next call. Values must not be NaN.
  const std::vector<Entry>& sort(const double* values, std::uint32_t size);

 private:
  template <int kBits, int kPasses>
  void radix_sort(const double* values, std::uint32_t size);

  std::vector<Entry> sorted_;
  std::vector<std::uint64_t> from_, to_;  ///< a 32-bit key and the position under it
};

}  // namespace inforest
