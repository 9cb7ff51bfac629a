// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/special.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace inforest {

double normal_quantile(double probability) {
  if (probability <= 0.0) return -std::numeric_limits<double>::infinity();
  if (probability >= 1.0) return std::numeric_limits<double>::infinity();
  if (probability > 0.5) return -normal_quantile(1.0 - probability);
  // A rough start from the tail expansion, then Newton steps on log Phi, which is concave.
  double z = -std::sqrt(std::fmax(0.0, -2.0 * std::log(2.0 * probability)));
  for (int step = 0; step < 60; ++step) {
    const double cdf = 0.5 * std::erfc(-z / std::sqrt(2.0));
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * 3.141592653589793);
    const double change = (std::log(cdf) - std::log(probability)) * cdf / density;
    z -= change;
    if (std::fabs(change) <= 1e-15 * (1.0 + std::fabs(z))) break;
  }
  return z;
}

namespace {

constexpr std::int64_t kFactorialTable = 1 << 16;

std::vector<double> make_log_factorials() {
  std::vector<double> table(kFactorialTable);
  // Summed in extended precision: the tail probabilities take differences of these.
  long double sum = 0.0L;
  for (std::int64_t n = 1; n < kFactorialTable; ++n) {
    sum += std::log(static_cast<long double>(n));
    table[static_cast<std::size_t>(n)] = static_cast<double>(sum);
  }
  return table;
}

/// Continued fraction of the incomplete beta function (Lentz); converges for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto safe = [](double v) { return std::fabs(v) < tiny ? tiny : v; };
  double c = 1.0, d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / safe(1.0 + even * d);
    c = safe(1.0 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / safe(1.0 + odd * d);
    c = safe(1.0 + odd / c);
    fraction *= c * d;
    if (std::fabs(c * d - 1.0) < 1e-15) break;
  }
  return fraction;
}

/// lgamma without the global `signgam` that std::lgamma writes (a data race between threads).
double log_gamma(double x) {
  // Stirling's series after shifting x above 10.
  double shift = 0.0;
  while (x < 10.0) shift += std::log(x), x += 1.0;
  const double i = 1.0 / x, i2 = i * i;
  const double series =
      i * (1.0 / 12 - i2 * (1.0 / 360 - i2 * (1.0 / 1260 - i2 * (1.0 / 1680 - i2 / 1188))));
  return (x - 0.5) * std::log(x) - x + 0.9189385332046727 + series - shift;
}

/// Of half a number of degrees of freedom; a table for those of most tests.
double log_gamma_of_half(double degrees) {
  static const std::vector<double> table = [] {
    std::vector<double> values(64);
    for (std::size_t i = 1; i < values.size(); ++i)
      values[i] = log_gamma(0.5 * static_cast<double>(i));
    return values;
  }();
  const auto place = static_cast<std::size_t>(std::fmin(degrees, 64.0));
  const bool is_there = place < table.size() && static_cast<double>(place) == degrees;
  return is_there ? table[place] : log_gamma(0.5 * degrees);
}

/// The lower incomplete gamma function P(a, x) without x^a exp(-x) / Gamma(a + 1), by its series.
double gamma_series(double a, double x) {
  double term = 1.0, sum = 1.0;
  for (double k = 1.0; term > 1e-17 * sum; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum;
}

/// The upper one, Q(a, x), without x^a exp(-x) / Gamma(a): a continued fraction (Lentz), for x > a.
double gamma_fraction(double a, double x) {
  double b = x + 1.0 - a, d = 1.0 / b, c = 1e300, fraction = d;
  for (int k = 1; k < 100000; ++k) {
    const double numerator = -k * (k - a);
    b += 2.0;
    d = 1.0 / (b + numerator * d);
    c = b + numerator / c;
    fraction *= c * d;
    if (std::fabs(c * d - 1.0) < 1e-16) break;
  }
  return fraction;
}

}  // namespace

double log_chi_square_tail(double statistic, double degrees) {
  if (!(statistic > 0.0) || !(degrees > 0.0)) return 0.0;
  const double a = 0.5 * degrees, x = 0.5 * statistic;
  const double log_front = a * std::log(x) - x - log_gamma_of_half(degrees);
  if (x < a + 1.0) return std::log1p(-std::exp(log_front) / a * gamma_series(a, x));
  return log_front + std::log(gamma_fraction(a, x));
}

double log_factorial(std::int64_t n) {
  static const std::vector<double> table = make_log_factorials();
  if (n < kFactorialTable) return table[static_cast<std::size_t>(n)];
  return log_gamma(static_cast<double>(n) + 1.0);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double digamma(std::int64_t n) {
  static const std::vector<double> table = [] {
    std::vector<double> values(4096);
    double harmonic = -0.5772156649015329;
    for (std::size_t i = 1; i < values.size(); ++i) {
      values[i] = harmonic;
      harmonic += 1.0 / static_cast<double>(i);
    }
    return values;
  }();
  if (n < static_cast<std::int64_t>(table.size())) return table[static_cast<std::size_t>(n)];
  const double x = static_cast<double>(n), i2 = 1.0 / (x * x);
  return std::log(x) - 0.5 / x - i2 * (1.0 / 12 - i2 * (1.0 / 120 - i2 / 252));
}

}  // namespace inforest
