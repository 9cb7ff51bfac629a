// SPDX-License-Identifier: BSD-3-Clause
/// Where rows go: parting a node's rows, and cells of values that go the same way.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "core/base/rng.hpp"
#include "core/tree/route.hpp"

using namespace inforest;

/// Rows keep their order on both sides.
TEST(partition) {
  for (const std::size_t n : {0, 1, 2, 7, 100}) {
    Rng rng(n);
    std::vector<double> value(n);
    std::vector<std::int32_t> rows(n), expected, waiting(n);
    for (std::size_t i = 0; i < n; ++i) {
      value[i] = static_cast<double>(rng.below(5));
      rows[i] = static_cast<std::int32_t>(rng.below(1u << 31));
    }
    for (const bool is_left : {true, false})
      for (std::size_t i = 0; i < n; ++i)
        if ((value[i] <= 2.0) == is_left) expected.push_back(rows[i]);
    const auto n_left = static_cast<std::size_t>(
        std::count_if(value.begin(), value.end(), [](double x) { return x <= 2.0; }));
    check(
        partition(rows, value.data(), waiting.data(), Route::at(2.0)) == n_left && rows == expected,
        "rows are parted");
  }
}

/// Values share a cell exactly if they go the same way at every split.
TEST(route_cells) {
  const std::vector<double> thresholds{1.5, -2.0, 1.5, 0.0, 7.0};
  const std::vector<double> values{-3.0, -2.0, -1.0, -0.0, 0.0, 0.5, 1.5, 1.6, 7.0, 8.0};
  RouteCells cells;
  for (const double threshold : thresholds) cells.add(Route::at(threshold));
  cells.finish();
  for (const double a : values)
    for (const double b : values) {
      const bool go_together =
          std::all_of(thresholds.begin(), thresholds.end(), [&](double threshold) {
            return Route::at(threshold).goes_left(a) == Route::at(threshold).goes_left(b);
          });
      check((cells.cell(a) == cells.cell(b)) == go_together, "cells are where values go");
    }
}
