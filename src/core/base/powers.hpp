// SPDX-License-Identifier: BSD-3-Clause
/// Sums over a column and its powers, in one pass each. Accumulators are fixed, so the result is
/// the same on every instruction set.
#pragma once

#include <cstdint>

#include "core/base/column.hpp"

namespace inforest {

struct PowerSums {
  double third = 0.0, fourth = 0.0;
};
/// Of v factor over all values v, the sums of its third and fourth powers.
PowerSums power_sums(const double* values, std::uint32_t size, double factor);

/// Sums of values[index[i]] and of its square over i < size.
Pair gathered_powers(const double* values, const std::uint32_t* index, std::uint32_t size);

/// Sums of v y and of v^2 y.
Pair dot_with_powers(const double* values, const double* y, std::uint32_t size);

/// z = square u^2 + line u + constant, u a value times `factor`.
struct Parabola {
  double factor, square, line, constant;
};
/// Sum of (u^2 + z^2)^2.
double fourth_powers(const double* values, std::uint32_t size, const Parabola& parabola);

}  // namespace inforest
