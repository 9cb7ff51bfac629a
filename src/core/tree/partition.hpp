// SPDX-License-Identifier: BSD-3-Clause
/// Parts a node's rows between its children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tree/route.hpp"

namespace inforest {

/// rows = [ left | right ], both in their old order; returns how many go left. `value` holds the
/// rows' values of the split's feature. `waiting` is room for as many row numbers and may be the
/// memory of the values, which are read before they are overwritten: a double holds a row number.
template <class Room>
std::size_t partition(std::span<std::int32_t> rows, const double* value, Room* waiting,
                      const Route route) {
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
  for (std::size_t i = 0; i < n_right; ++i)
    rows[n_left + i] = static_cast<std::int32_t>(waiting[i]);
  return n_left;
}

}  // namespace inforest
