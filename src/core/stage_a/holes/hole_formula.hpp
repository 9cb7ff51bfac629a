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

  /// Two classes, the first of which has so many of the observed rows, and these sums of both
  /// columns: what a class has of a column that adds up to zero is the negative of what the other
  /// has.
  double of_two_classes(std::uint32_t count, const Pair& sums) const {
    const double here = count, there = columns_.holes().n_observed() - here;
    Parts parts{.absence = absence_of_two_classes(count)};
    if (here > 0.0 && there > 0.0)
      parts.value =
          (sums.first * sums.first + sums.second * sums.second) * (1.0 / here + 1.0 / there);
    return whole(parts);
  }

  /// The other way round: by the number of observed rows of the first class, what the magnitude of
  /// their sum of the only column must be for the value to reach `limit`.
  std::vector<double> reach_by_count(double limit) const {
    const std::uint32_t n_observed = columns_.holes().n_observed();
    std::vector<double> reach(std::min(n_observed, response_.class_size(0)) + std::size_t{1});
    for (std::uint32_t a = 0; a < reach.size(); ++a) {
      const double rest = limit * most_ - absence_of_two_classes(a);
      const double here = a, there = n_observed - here;
      if (!(rest > 0.0))
        reach[a] = 0.0;
      else if (columns_.have_value() && here > 0.0 && there > 0.0)
        reach[a] = std::sqrt(rest / columns_.value_weight() * here * there / n_observed);
      else
        reach[a] = std::numeric_limits<double>::infinity();
    }
    return reach;
  }

 private:
  /// It is a function of one count.
  double absence_of_two_classes(std::uint32_t count) const {
    if (!columns_.have_absence()) return 0.0;
    const double size = response_.class_size(0), other = response_.class_size(1);
    const double sum = columns_.absence_sum(count, size);
    return sum * sum * (1.0 / size + 1.0 / other);
  }

  const HoleColumns& columns_;
  const Response& response_;
  double most_;
};

}  // namespace inforest
