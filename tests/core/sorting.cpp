// SPDX-License-Identifier: BSD-3-Clause
/// Positions by their values, in every way that the number of values leads to.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/base/position_sorter.hpp"
#include "core/base/rng.hpp"

using namespace inforest;

namespace {

/// Values that agree in many of their bits, or in few.
double value(Rng& rng, int kind) {
  const double u = rng.uniform();
  if (kind == 0) return 13.0 + u;
  if (kind == 1) return std::floor(8.0 * u) / 4.0 - 1.0;  // ties
  if (kind == 2) return (u < 0.5 ? -1.0 : 1.0) * std::exp(1400.0 * (rng.uniform() - 0.5));
  if (kind == 3) return u < 0.9 ? 0.0 * (u - 0.5) : 1.0 + 1e-15 * std::floor(4.0 * rng.uniform());
  return u < 0.1   ? -std::numeric_limits<double>::infinity()
         : u < 0.2 ? std::numeric_limits<double>::infinity()
                   : u - 0.5;
}

}  // namespace

TEST(sorted_positions) {
  PositionSorter sorter;
  Rng rng(1);
  for (int kind = 0; kind < 5; ++kind)
    for (const std::uint32_t size :
         {1u, 2u, 23u, 24u, 60u, 127u, 128u, 1000u, 4095u, 4096u, 9000u}) {
      std::vector<double> values(size);
      for (double& one : values) one = value(rng, kind);
      std::vector<std::uint32_t> expected(size);
      for (std::uint32_t i = 0; i < size; ++i) expected[i] = i;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
      const auto& sorted = sorter.sort(values.data(), size);
      bool same = sorted.size() == size;
      for (std::uint32_t i = 0; same && i < size; ++i)
        same = sorted[i].position == expected[i] && sorted[i].value == values[expected[i]];
      check(same, std::to_string(size) + " values of kind " + std::to_string(kind));
    }
}
