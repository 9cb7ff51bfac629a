// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/tail_bound.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace inforest {

namespace {

/// Rounding moves bounds by far less than this.
constexpr double kSlack = 1.0 + 1e-6;

/// A bound on 1 / P(N = g) for N binomial with mean g.
double conditioning(double n, double g) { return std::sqrt(8.0 * g * (n - g) / n); }

/// The variance proxy of an indicator of probability pi (Kearns & Saul 1998).
double indicator_proxy(double pi) {
  if (std::fabs(pi - 0.5) < 1e-4) return 0.25;
  return (1.0 - 2.0 * pi) / (2.0 * std::log((1.0 - pi) / pi));
}

/// log of a bound on P(S' >= deviation), minimised over the tilt theta by a few secant steps; every
/// theta > 0 gives a valid bound, so no convergence is needed.
double chernoff_exponent(const double* values, std::uint32_t size, double pi, double sign,
                         double deviation, double variance, double largest, double enough) {
  // A tilt beyond this would overflow exp; cutting the exponential instead would not be a bound.
  const double steepest = 500.0 / largest;
  double best = 0.0;
  double theta = std::min(deviation / variance, steepest);
  for (int step = 0; step < 3; ++step) {
    double cumulant = 0.0, slope = 0.0, product = 1.0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double value = sign * values[i];
      const double tilted = std::exp(theta * value);
      const double mass = 1.0 - pi + pi * tilted;
      // log of a product of several masses costs one logarithm.
      product *= mass;
      if (product > 1e80 || product < 1e-80) {
        cumulant += std::log(product);
        product = 1.0;
      }
      slope += pi * tilted * value / mass;
    }
    cumulant += std::log(product);
    best = std::min(best, cumulant - theta * deviation);
    if (best < enough || !(slope > 0.0) || !std::isfinite(slope)) break;
    theta = std::min(theta * std::clamp(deviation / slope, 0.25, 4.0), steepest);
  }
  return best;
}

}  // namespace

double bernstein_tail(std::uint32_t size, std::uint32_t subset, double deviation,
                      double sum_of_squares, double largest) {
  if (subset == 0 || subset >= size || !(deviation > 0.0) || !(sum_of_squares > 0.0)) return 1.0;
  const double n = size, g = subset, pi = g / n;
  // So few values, or the others, which have the negative sum, cannot add up to that.
  if (deviation > std::min(g, n - g) * largest * kSlack) return 0.0;
  const double variance = pi * (1.0 - pi) * sum_of_squares;
  const double step = std::max(pi, 1.0 - pi) * largest;
  const double exponent = -deviation * deviation / (2.0 * (variance + step * deviation / 3.0));
  return std::min(1.0, 2.0 * conditioning(n, g) * std::exp(exponent) * kSlack);
}

double bernstein_deviation(std::uint32_t size, std::uint32_t subset, double sum_of_squares,
                           double largest, double probability) {
  if (subset == 0 || subset >= size) return 0.0;
  const double n = size, g = subset, pi = g / n;
  const double exponent = std::log(2.0 * conditioning(n, g) * kSlack / probability);
  // d^2 = 2 (variance + step d / 3) exponent.
  const double half = std::max(pi, 1.0 - pi) * largest * exponent / 3.0;
  const double variance = pi * (1.0 - pi) * sum_of_squares;
  return (half + std::sqrt(half * half + 2.0 * variance * exponent)) * kSlack;
}

double subset_sum_tail(const double* values, std::uint32_t size, std::uint32_t subset,
                       double deviation, double sum_of_squares, double largest, double enough) {
  const double simple = bernstein_tail(size, subset, deviation, sum_of_squares, largest);
  if (simple <= enough || subset == 0 || subset >= size) return simple;
  if (!(deviation > 0.0) || !(sum_of_squares > 0.0)) return 1.0;
  const double n = size, g = subset, pi = g / n, price = conditioning(n, g);
  const double variance = pi * (1.0 - pi) * sum_of_squares;

  // Even the Gaussian tail is too heavy: the refined bound cannot succeed either.
  const double log_enough = std::log(enough / (2.0 * price * kSlack));
  if (-deviation * deviation / (2.0 * variance) > log_enough) return simple;
  const double upper =
      chernoff_exponent(values, size, pi, 1.0, deviation, variance, largest, log_enough);
  if (upper > log_enough) return simple;
  const double lower =
      chernoff_exponent(values, size, pi, -1.0, deviation, variance, largest, log_enough);
  return std::min({1.0, simple, price * (std::exp(upper) + std::exp(lower)) * kSlack});
}

double class_count_tail(const std::uint32_t* class_size, std::size_t n_classes, std::uint32_t size,
                        std::uint32_t subset, double squares, double enough) {
  if (subset == 0 || subset >= size || !(squares > 0.0)) return 1.0;
  const double n = size, g = subset, pi = g / n;
  // Counts of a child are at most its size, and their expectations add up to it.
  const double most = 2.0 * std::min(g, n - g) * std::min(g, n - g);
  if (squares > most * kSlack) return 0.0;
  const double proxy = indicator_proxy(pi);
  const double log_conditioning = 0.5 * std::log(8.0 * g * (n - g) / n) + 1e-6;
  const double largest = *std::max_element(class_size, class_size + n_classes);
  const double log_enough = std::log(enough);
  // The determinant is below one, so no lambda can succeed: spare the logarithms.
  if (log_conditioning - 0.5 * squares / (proxy * largest) > log_enough) return 1.0;
  double best = 0.0;
  for (const double share : {0.5, 0.7, 0.85, 0.93, 0.97, 0.99}) {
    const double lambda = share / (proxy * largest);  // C's eigenvalues are below the largest class
    // det(I - lambda s2 C) by the matrix determinant lemma.
    double log_det = 0.0, inner = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double factor = 1.0 - lambda * proxy * class_size[k];
      log_det += std::log(factor);
      inner += static_cast<double>(class_size[k]) * class_size[k] / factor;
    }
    log_det += std::log1p(lambda * proxy * inner / n);
    best = std::min(best, log_conditioning - 0.5 * lambda * squares - 0.5 * log_det);
    if (best <= log_enough) break;
  }
  return std::exp(best);
}

double level_count_tail(std::uint32_t n_levels, std::uint32_t size, std::uint32_t subset,
                        double squares) {
  if (subset == 0 || subset >= size || n_levels < 2) return 1.0;
  const double n = size, g = subset, degrees = n_levels - 1.0;
  const double reach = squares / (indicator_proxy(g / n) * degrees);
  if (!(reach > 1.0)) return 1.0;
  const double exponent = -0.5 * degrees * (reach - 1.0 - std::log(reach));
  return std::min(1.0, conditioning(n, g) * std::exp(exponent) * kSlack);
}

double permutation_sum_tail(const double* sorted_y, std::uint32_t size, double deviation,
                            double x_sum_of_squares, double x_largest, double enough) {
  if (size < 2 || !(deviation > 0.0) || !(x_sum_of_squares > 0.0)) return 1.0;
  constexpr double kKappa = 4.0;  // every term allows tilts below 3 * kappa
  const double n = size, floor = kKappa * x_largest;
  const auto spread = [&](double l) { return std::sqrt(x_sum_of_squares * l * (n - l)) / n; };

  double scale = 0.0;  // sum of d_l s_l: the deviation's unit
  for (std::uint32_t l = 1; l < size; ++l)
    scale += (sorted_y[l] - sorted_y[l - 1]) * std::max(spread(l), floor);
  const double reach = deviation / scale;
  const double log_enough = std::log(enough / (2.0 * std::sqrt(2.0 * n) * kSlack));
  if (-0.5 * reach * reach > log_enough) return 1.0;  // no tilt can succeed

  double best = 1.0;
  for (const auto& [share, cap] :
       {std::pair(0.65, 1.5), std::pair(0.85, 2.2), std::pair(0.45, 1.0)}) {
    const double tilt = std::min(share * reach, cap * kKappa);
    double sum = 0.0;
    for (std::uint32_t l = 1; l < size; ++l) {
      const double gap = sorted_y[l] - sorted_y[l - 1];
      if (gap == 0.0) continue;
      const double sd = spread(l), s = std::max(sd, floor), ratio = sd / s;
      const double exponent =
          0.5 * tilt * tilt * ratio * ratio / (1.0 - tilt * x_largest / (3.0 * s));
      sum += gap * s / scale * std::sqrt(8.0 * l * (n - l) / n) * std::exp(exponent - tilt * reach);
    }
    best = std::min(best, 2.0 * sum * kSlack);
    if (best <= enough) break;
  }
  return best;
}

}  // namespace inforest
