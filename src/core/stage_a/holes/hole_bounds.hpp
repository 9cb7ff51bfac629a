// SPDX-License-Identifier: BSD-3-Clause
/// Upper bounds on p-values of numbers with holes that need no draws (inference/tail_bound.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/special.hpp"
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

}  // namespace inforest
