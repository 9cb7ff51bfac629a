// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/powers.hpp"

#include <cstddef>

#include "core/base/multiversion.hpp"

namespace inforest {

namespace {
constexpr std::size_t kLanes = 8;

double total(const double (&lane)[kLanes]) {
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
}  // namespace

// Numbers of the machine's size and a loop per sum, or the compiler makes no vectors (column.cpp).

INFOREST_MULTIVERSION
PowerSums power_sums(const double* values, std::uint32_t n, double factor) {
  const std::size_t size = n, whole = size - size % kLanes;
  double third[kLanes] = {}, fourth[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double u = values[i + k] * factor;
      third[k] += u * u * u;
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double square = values[i + k] * factor * (values[i + k] * factor);
      fourth[k] += square * square;
    }
  }
  PowerSums sums{total(third), total(fourth)};
  for (std::size_t i = whole; i < size; ++i) {
    const double u = values[i] * factor, square = u * u;
    sums.third += square * u;
    sums.fourth += square * square;
  }
  return sums;
}

Pair gathered_powers(const double* values, const std::uint32_t* index, std::uint32_t size) {
  // Independent chains hide the latency of the addition.
  double sum[4] = {}, square[4] = {};
  const auto add = [&](std::uint32_t k, std::uint32_t i) {
    const double value = values[index[i]];
    sum[k] += value;
    square[k] += value * value;
  };
  std::uint32_t i = 0;
  for (; i + 4 <= size; i += 4) add(0, i), add(1, i + 1), add(2, i + 2), add(3, i + 3);
  for (; i < size; ++i) add(0, i);
  return {(sum[0] + sum[1]) + (sum[2] + sum[3]), (square[0] + square[1]) + (square[2] + square[3])};
}

INFOREST_MULTIVERSION
Pair dot_with_powers(const double* values, const double* y, std::uint32_t n) {
  const std::size_t size = n, whole = size - size % kLanes;
  double first[kLanes] = {}, second[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) first[k] += values[i + k] * y[i + k];
    for (std::size_t k = 0; k < kLanes; ++k) second[k] += values[i + k] * values[i + k] * y[i + k];
  }
  Pair sums{total(first), total(second)};
  for (std::size_t i = whole; i < size; ++i) {
    sums.first += values[i] * y[i];
    sums.second += values[i] * values[i] * y[i];
  }
  return sums;
}

INFOREST_MULTIVERSION
double fourth_powers(const double* values, std::uint32_t n, const Parabola& parabola) {
  const std::size_t size = n, whole = size - size % kLanes;
  const auto [factor, by_square, by_line, constant] = parabola;
  double lane[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double u = values[i + k] * factor, z = (by_square * u + by_line) * u + constant;
      const double both = u * u + z * z;
      lane[k] += both * both;
    }
  double sum = total(lane);
  for (std::size_t i = whole; i < size; ++i) {
    const double u = values[i] * factor, z = (by_square * u + by_line) * u + constant;
    const double both = u * u + z * z;
    sum += both * both;
  }
  return sum;
}

}  // namespace inforest
