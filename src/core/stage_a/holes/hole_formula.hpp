// SPDX-License-Identifier: BSD-3-Clause
/// From sums over the observed rows to the statistic of a number with holes (data/holes.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/holes/hole_columns.hpp"

namespace inforest {

/// Of rows that weigh the same and are permuted freely.
class HoleFormula {
 public:
  /// The value is divided by `most`.
  HoleFormula(const HoleColumns& columns, const Response& response, double most)
      : columns_(columns), response_(response), most_(most) {}

  /// From the products of both columns with y, and the sums of y and y^2 over the observed rows.
  double of_products(double first, double second, const MaskedSums& y) const {
    double total = columns_.have_value() ? explained(first, second, spread_about_mean(y)) : 0.0;
    if (columns_.have_absence()) total += absence_of_scores(y.sum);
    return total;
  }

  double absence_of_scores(double sum) const {
    if (!columns_.have_absence()) return 0.0;
    const double product = columns_.absence_product(sum);
    return product * product / response_.sum_of_squares();
  }

  double explained(double first, double second, double spread) const {
    if (!(spread > 0.0)) return 0.0;
    return columns_.value_weight() * std::min((first * first + second * second) / spread, 1.0);
  }

  /// Sum of squares of the observed rows' y about their mean; 0 if it is rounding.
  double spread_about_mean(const MaskedSums& y) const {
    const double spread = y.squares - y.sum * y.sum / columns_.holes().n_observed();
    return is_rounding(spread, y.squares) ? 0.0 : spread;
  }
  static bool is_rounding(double spread, double squares) { return !(spread > 1e-13 * squares); }

  struct Parts {
    double value = 0.0, absence = 0.0;
  };

  /// `sums` of class k: both columns, the number of observed rows, the column of the absence.
  void add_class(Parts& parts, const Quadruple& sums, std::uint32_t k) const {
    const auto& [first, second, observed, missing] = sums.of;
    if (observed > 0.0) parts.value += (first * first + second * second) / observed;
    parts.absence += missing * missing / response_.class_size(k);
  }

  double whole(const Parts& parts) const {
    return (columns_.value_weight() * parts.value + parts.absence) / most_;
  }

 private:
  const HoleColumns& columns_;
  const Response& response_;
  double most_;
};

/// The same of two classes, as a function of what the first one has: its number of observed rows
/// and its sums of both columns, which are the negatives of what the other class has. What no draw
/// changes is worked out beforehand: on small nodes divisions are most of a draw.
class TwoClassFormula {
 public:
  TwoClassFormula() = default;
  TwoClassFormula(const HoleColumns& columns, const Response& response, double most)
      : n_observed_(columns.holes().n_observed()), first_class_(response.class_size(0)) {
    const double first = response.class_size(0), second = response.class_size(1);
    expected_ = first * n_observed_ / response.size();
    if (columns.have_value()) value_factor_ = columns.value_weight() * n_observed_ / most;
    absence_factor_ =
        columns.absence_scale() * columns.absence_scale() * (1.0 / first + 1.0 / second) / most;
  }

  double value(std::uint32_t count, const Pair& sums) const {
    const double pairs = static_cast<double>(count) * (n_observed_ - count);
    double value = absence(count);
    if (pairs > 0.0)
      value += value_factor_ * (sums.first * sums.first + sums.second * sums.second) / pairs;
    return value;
  }

  /// The other way round: by the count, what the magnitude of the sum of the only column must be
  /// for the value to reach `limit`.
  std::vector<double> reach_by_count(double limit) const {
    std::vector<double> reach(std::min(n_observed_, first_class_) + std::size_t{1});
    for (std::uint32_t a = 0; a < reach.size(); ++a) {
      const double rest = limit - absence(a);
      const double pairs = static_cast<double>(a) * (n_observed_ - a);
      if (!(rest > 0.0))
        reach[a] = 0.0;
      else if (value_factor_ * pairs > 0.0)
        reach[a] = std::sqrt(rest * pairs / value_factor_);
      else
        reach[a] = std::numeric_limits<double>::infinity();
    }
    return reach;
  }

 private:
  double absence(std::uint32_t count) const {
    const double off = count - expected_;
    return absence_factor_ * off * off;
  }

  std::uint32_t n_observed_ = 0, first_class_ = 0;
  double expected_ = 0.0, value_factor_ = 0.0, absence_factor_ = 0.0;
};

}  // namespace inforest
