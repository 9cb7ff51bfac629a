// SPDX-License-Identifier: BSD-3-Clause
#include "tail_bound.hpp"

#include <algorithm>
#include <cmath>

namespace inforest {

namespace {

/// log of a bound on P(S' >= deviation), minimised over the tilt theta by a few secant steps; every
/// theta > 0 gives a valid bound, so no convergence is needed.
double chernoff_exponent(const double* values, std::uint32_t size, double pi, double sign,
                         double deviation, double variance, double enough) {
  double best = 0.0;
  double theta = deviation / variance;
  for (int step = 0; step < 3; ++step) {
    double cumulant = 0.0, slope = 0.0, product = 1.0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double value = sign * values[i];
      const double tilted = std::exp(std::min(theta * value, 600.0));
      const double mass = 1.0 - pi + pi * tilted;
      // log of a product of several masses costs one logarithm.
      product *= mass;
      if (product > 1e250 || product < 1e-250 || mass > 1e50) {
        cumulant += std::log(product);
        product = 1.0;
      }
      slope += pi * tilted * value / mass;
    }
    cumulant += std::log(product);
    best = std::min(best, cumulant - theta * deviation);
    if (best < enough || !(slope > 0.0) || !std::isfinite(slope)) break;
    theta *= std::clamp(deviation / slope, 0.25, 4.0);
  }
  return best;
}

}  // namespace

double subset_sum_tail(const double* values, std::uint32_t size, std::uint32_t subset,
                       double deviation, double sum_of_squares, double largest, double enough) {
  if (subset == 0 || subset >= size || !(deviation > 0.0) || !(sum_of_squares > 0.0)) return 1.0;
  const double n = size, g = subset, pi = g / n;
  const double conditioning = std::sqrt(8.0 * g * (n - g) / n);
  const double variance = pi * (1.0 - pi) * sum_of_squares;
  const double step = std::max(pi, 1.0 - pi) * largest;
  // Rounding moves the exponents by far less than this.
  constexpr double kSlack = 1.0 + 1e-6;

  const double bernstein = -deviation * deviation / (2.0 * (variance + step * deviation / 3.0));
  const double simple = 2.0 * conditioning * std::exp(bernstein) * kSlack;
  if (simple <= enough) return simple;

  // Even the Gaussian tail is too heavy: the refined bound cannot succeed either.
  const double log_enough = std::log(enough / (2.0 * conditioning * kSlack));
  if (-deviation * deviation / (2.0 * variance) > log_enough) return std::min(simple, 1.0);
  const double upper =
      chernoff_exponent(values, size, pi, 1.0, deviation, variance, log_enough);
  if (upper > log_enough) return std::min(simple, 1.0);
  const double lower =
      chernoff_exponent(values, size, pi, -1.0, deviation, variance, log_enough);
  return std::min({1.0, simple, conditioning * (std::exp(upper) + std::exp(lower)) * kSlack});
}

}  // namespace inforest
