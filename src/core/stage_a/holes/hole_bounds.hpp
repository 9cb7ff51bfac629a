// SPDX-License-Identifier: BSD-3-Clause
/// Upper bounds on p-values of numbers with holes that need no draws (inference/tail_bound.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/special.hpp"
#include "core/data/response.hpp"
#include "core/inference/tail_bound.hpp"

namespace inforest {

/// A bound on sum over a of P(a) bound(a), where a is the number of marked rows among `subset` of
/// `size` drawn without replacement, `marked` of which are marked; 1 as soon as it is above
/// `enough`. P falls on both sides of its mode, so what is left out there, at most `size` terms
/// below a thousandth of `enough` / `size`, is at most a thousandth of `enough`.
template <class Bound>
double expected_over_counts(std::uint32_t size, std::uint32_t marked, std::uint32_t subset,
                            double enough, Bound bound) {
  const double n = size, g = marked, s = subset;
  const auto log_choose = [](double from, double of) {
    const auto count = [](double rows) { return log_factorial(static_cast<std::int64_t>(rows)); };
    return count(from) - count(of) - count(from - of);
  };
  const double mode = std::floor((g + 1.0) * (s + 1.0) / (n + 2.0));
  const double at_mode =
      std::exp(log_choose(g, mode) + log_choose(n - g, s - mode) - log_choose(n, s));
  const double smallest = 1e-3 * enough / n;
  double sum = 1e-3 * enough;
  double a = mode;
  for (double mass = at_mode; mass > smallest; a += 1.0) {
    sum += mass * bound(a);
    if (sum > enough) return 1.0;
    mass *= (g - a) * (s - a) / ((a + 1.0) * (n - g - s + a + 1.0));
  }
  a = mode;
  for (double mass = at_mode; a > 0.0;) {
    mass *= a * (n - g - s + a) / ((g - a + 1.0) * (s - a + 1.0));
    a -= 1.0;
    if (!(mass > smallest)) break;
    sum += mass * bound(a);
    if (sum > enough) return 1.0;
  }
  return std::min(1.0, sum * (1.0 + 1e-6));
}

/// What a bound for two classes reads.
struct TwoClassHoles {
  std::uint32_t size, first_class, n_observed;
  double value_weight;      ///< of the value part, 0 if there is none
  double absence_weight;    ///< of the other part, 0 if there is none
  std::uint32_t n_columns;  ///< of unit length and sum zero on the observed rows
  double largest_entry[2];  ///< the largest magnitude in each
};

/// Bounds P(value part + absence part >= limit) for two classes.
///
/// Proof. Let a be the number of observed rows that a permutation gives the first class; it is
/// hypergeometric. The absence part is a function of a alone. Given a, the rows of that class among
/// the observed ones are a uniform random subset of a of them, and the value part is
/// T^2 n_S / (a (n_S - a)) per column, T the column's sum over the subset: Bernstein's bound for
/// that (`bernstein_tail`), averaged over a. Of two columns one must reach half.
inline double two_class_holes_tail(const TwoClassHoles& holes, double limit, double enough) {
  const double n = holes.size, g = holes.first_class, s = holes.n_observed;
  const double by_deviation = holes.absence_weight * (1.0 / g + 1.0 / (n - g)) * n / (s * (n - s));
  return expected_over_counts(
      holes.size, holes.first_class, holes.n_observed, enough, [&](double a) {
        const double deviation = a - g * s / n;
        const double rest = limit * (1.0 - 1e-9) - by_deviation * deviation * deviation;
        if (!(rest > 0.0)) return 1.0;
        if (!(holes.value_weight > 0.0) || a == 0.0 || a == s) return 0.0;
        const double squared = rest / (holes.value_weight * holes.n_columns) * a * (s - a) / s;
        double bound = 0.0;
        for (std::uint32_t c = 0; c < holes.n_columns; ++c)
          bound += bernstein_tail(holes.n_observed, static_cast<std::uint32_t>(a),
                                  std::sqrt(squared), 1.0, holes.largest_entry[c]);
        return std::min(bound, 1.0);
      });
}

/// What a bound for scores or many classes reads.
struct HolesToBound {
  std::uint32_t n_observed;
  double value_weight;       ///< of the value part
  double absence_scale;      ///< of the other part (`HoleColumns::absence_product`), 0 without
  std::uint32_t n_columns;   ///< of unit length and sum zero, 0 at the holes
  const double* columns[2];  ///< theirs of all positions

  std::uint32_t n_missing(const Response& response) const { return response.size() - n_observed; }
};

/// Of a node's scores, what a bound reads of them for any column.
class ScoresToBound {
 public:
  void forget() { sorted_.clear(); }

  /// Bounds P(value part + absence part >= limit).
  ///
  /// Proof. The responses of the missing rows are a random subset. But for a probability of
  /// `enough` / 2, by Bernstein's inequality for their sum A and for that of their squares, A^2 is
  /// at most a^2 and the spread of the observed ones at least s. Then the absence part is at most
  /// that of a, and the value part, the sum of T^2 / spread over the columns, can only reach the
  /// rest of the limit if a column's T^2, T its product with all responses, reaches s times its
  /// share of the rest: `permutation_sum_tail`.
  double tail(const Response& response, const HolesToBound& holes, double limit, double enough) {
    if (sorted_.empty()) describe(response);
    const std::uint32_t n = response.size(), n_missing = holes.n_missing(response);
    const double total = response.sum_of_squares(), share = enough / 4.0;
    const double sum = bernstein_deviation(n, n_missing, total, largest_, share);
    const double squares =
        total * bernstein_deviation(n, n_missing, square_spread_, largest_square_, share);
    const double spread = total * holes.n_observed / n - squares - sum * sum / holes.n_observed;
    const double absence = holes.absence_scale * sum;
    const double rest = limit * (1.0 - 1e-9) - absence * absence / total;
    if (!(spread > 0.0 && rest > 0.0)) return 1.0;
    const double reached = rest * spread / (holes.value_weight * holes.n_columns);
    // Not even a normal tail would do: look at no column.
    if (n * reached / total < -2.0 * std::log(enough)) return 1.0;
    double bound = enough / 2.0;
    for (std::uint32_t c = 0; c < holes.n_columns; ++c)
      bound += permutation_sum_tail(sorted_.data(), n, std::sqrt(reached), 1.0,
                                    largest_magnitude({holes.columns[c], n}),
                                    enough / (2.0 * holes.n_columns));
    return std::min(bound, 1.0);
  }

 private:
  void describe(const Response& response) {
    sorted_ = response.centred();
    std::sort(sorted_.begin(), sorted_.end());
    largest_ = largest_magnitude(sorted_);
    squares_.resize(sorted_.size());
    for (std::size_t i = 0; i < sorted_.size(); ++i)
      squares_[i] = sorted_[i] * sorted_[i] / response.sum_of_squares();
    square_spread_ = centre(squares_.data(), response.size()).sum_of_squares;
    largest_square_ = largest_magnitude(squares_);
  }

  std::vector<double> sorted_, squares_;
  double largest_ = 0.0;
  /// Of the squares, which add up to 1 here, about their mean.
  double square_spread_ = 0.0, largest_square_ = 0.0;
};

/// The same for classes: but for a probability of `enough` / 2, the observed rows have at least so
/// many of every class. Then a class's sum must reach its share (`correlation_ratio_tail`).
inline double class_holes_tail(const Response& response, const HolesToBound& holes, double limit,
                               double enough) {
  const double n = response.size();
  const std::uint32_t n_classes = response.n_classes();
  std::vector<double> fewest(n_classes);
  double absence = 0.0;
  for (std::uint32_t k = 0; k < n_classes; ++k) {
    const double size = response.class_size(k), share = size / n;
    const double off =
        bernstein_deviation(response.size(), holes.n_missing(response), size * (1.0 - share),
                            std::max(share, 1.0 - share), 0.5 * enough / n_classes);
    fewest[k] = share * holes.n_observed - off;
    absence += std::pow(holes.absence_scale * off, 2) / size;
  }
  const double rest = limit * (1.0 - 1e-9) - absence;
  if (!(rest > 0.0)) return 1.0;
  const double reached = rest / (holes.value_weight * holes.n_columns);
  // Not even normal tails would do: look at no column.
  if (holes.n_observed * reached < -2.0 * std::log(enough) * (n_classes - 1.0)) return 1.0;
  double bound = enough / 2.0;
  for (std::uint32_t c = 0; c < holes.n_columns; ++c) {
    const double largest = largest_magnitude({holes.columns[c], response.size()});
    for (std::uint32_t k = 0; k < n_classes && bound <= enough; ++k) {
      const double share = (1.0 - response.class_size(k) / n) / (n_classes - 1.0);
      if (!(fewest[k] > 0.0)) return 1.0;
      bound += subset_sum_tail(holes.columns[c], response.size(), response.class_size(k),
                               std::sqrt(share * fewest[k] * reached), 1.0, largest,
                               0.5 * enough / (holes.n_columns * n_classes));
    }
  }
  return std::min(bound, 1.0);
}

}  // namespace inforest
