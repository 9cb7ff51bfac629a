// SPDX-License-Identifier: BSD-3-Clause
/// Parts a node's rows between its children.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tree/route.hpp"

namespace inforest {

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

}  // namespace inforest
