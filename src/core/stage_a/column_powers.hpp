// SPDX-License-Identifier: BSD-3-Clause
/// What SquareColumns makes of a column, by sums of powers: nothing is written down.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/column.hpp"
#include "core/base/powers.hpp"

namespace inforest {

/// With u the column at unit length, its square less its mean and its part along u is
///
///   z = (u^2 - 1 / n - a u) / |z|,  a = sum of u^3,  |z|^2 = sum of u^4 - 1 / n - a^2,
///
/// so that sums of z follow from those of u and u^2. The difference loses digits where little is
/// left of the square; it is not `precise` then.
class ColumnPowers {
 public:
  void make(const CentredColumn& column) {
    column_ = column;
    is_precise_ = column.sum_of_squares > 0.0;
    if (!is_precise_) return;
    factor_ = 1.0 / std::sqrt(column.sum_of_squares);
    mean_ = 1.0 / size();
    const PowerSums powers = power_sums(column.values.data(), size(), factor_);
    along_ = powers.third;
    const double left = powers.fourth - mean_ - along_ * along_;
    is_precise_ = left > kPrecise * powers.fourth;
    if (is_precise_) inverse_length_ = 1.0 / std::sqrt(left);
  }

  void clear() { is_precise_ = false; }

  bool are_precise() const { return is_precise_; }

  /// Sums of u and z over rows, of which there are `count`, from those of the column and its
  /// square.
  Pair unit_sums(const Pair& sums, double count) const {
    const double x = factor_ * sums.first;
    const double square = factor_ * factor_ * sums.second;
    return {x, (square - count * mean_ - along_ * x) * inverse_length_};
  }

  /// The sum of squared leverages, those of u and z together.
  double squared_leverages() const {
    return fourth_powers(
        column_.values.data(), size(),
        {factor_, inverse_length_, -along_ * inverse_length_, -mean_ * inverse_length_});
  }

 private:
  /// Digits are lost, but no more than four.
  static constexpr double kPrecise = 1e-4;

  std::uint32_t size() const { return static_cast<std::uint32_t>(column_.values.size()); }

  CentredColumn column_;
  bool is_precise_ = false;
  double factor_ = 0.0, mean_ = 0.0, along_ = 0.0, inverse_length_ = 0.0;
};

}  // namespace inforest
