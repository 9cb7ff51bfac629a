// SPDX-License-Identifier: BSD-3-Clause
/// Where rows go: parting a node's rows, and cells of values that go the same way.
#include <algorithm>
#include <cstdint>
#include <limits>
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

/// Missing values, however they are coded, go where the bit says.
TEST(missing_values) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {missing, -missing}) {
    check(!Route::at(2.0).goes_left(value), "missing values go right");
    check(Route::at(2.0, true).goes_left(value), "missing values go left");
    check(!Route::missing_apart().goes_left(value), "missing values go right");
    check(!Route::never_left().goes_left(value), "a leaf has no child");
  }
  for (const bool missing_left : {false, true})
    for (const double value : {-1e300, 1.0, 2.0, 2.1, 1e300})
      check(Route::at(2.0, missing_left).goes_left(value) == (value <= 2.0), "numbers as before");
  check(Route::missing_apart().goes_left(1e300), "numbers go left");
}

/// Values share a cell exactly if they go the same way at every split, missing ones as well.
TEST(route_cells) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{-3.0, -2.0, -1.0, -0.0, 0.0, 0.5, 1.5, 1.6, 7.0, 8.0, missing};
  const std::vector<double> thresholds{1.5, -2.0, 1.5, 0.0, 7.0};
  for (unsigned bits = 0; bits < 32; ++bits)
    for (const bool apart : {false, true}) {
      std::vector<Route> routes;
      for (std::size_t i = 0; i < thresholds.size(); ++i)
        routes.push_back(Route::at(thresholds[i], (bits >> i & 1) != 0));
      if (apart) routes.push_back(Route::missing_apart());
      RouteCells cells;
      for (const Route& route : routes) cells.add(route);
      cells.finish();
      for (const double a : values)
        for (const double b : values) {
          const bool go_together = std::all_of(routes.begin(), routes.end(), [&](Route route) {
            return route.goes_left(a) == route.goes_left(b);
          });
          check((cells.cell(a) == cells.cell(b)) == go_together, "cells are where values go");
        }
    }
}
