// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/tilted_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/column.hpp"
#include "core/base/special.hpp"

namespace inforest {

std::uint64_t taken_below(const Tilt& tilt, double value) {
  const double share = 1.0 / (1.0 + std::exp(-(tilt.mu + tilt.theta * value)));
  return share < 1.0 ? static_cast<std::uint64_t>(std::ldexp(share, 64)) : ~std::uint64_t{0};
}

TiltedTail::TiltedTail(const double* values, std::uint32_t size, std::uint32_t subset,
                       double deviation, double sign)
    : values_(values, values + size), subset_(subset), deviation_(deviation) {
  for (double& value : values_) value *= sign;
  const double n = size, g = subset;
  const double log_choose = log_factorial(size) - log_factorial(subset) -
                            log_factorial(static_cast<std::int64_t>(size) - subset);
  const double variance = g / n * (1.0 - g / n) * dot(values, values, size);
  const double steepest = 500.0 / largest_magnitude(values_);
  Tilt next{std::min(deviation / variance, steepest), std::log(g / (n - g))};
  double best = std::numeric_limits<double>::infinity();
  // Every tilt is valid, so the search may stop anywhere; Newton's steps need a handful.
  for (int step = 0; step < 8; ++step) {
    const Tilt here = next;
    const double log_q = improve(next, log_choose);
    if (!(log_q < best)) break;
    const bool has_settled = best - log_q < 0.05;
    best = log_q, tilt_ = here;
    next.theta = std::min(next.theta, steepest);
    if (has_settled || !(next.theta > 0.0) || !std::isfinite(next.mu)) break;
  }
  probability_ = std::exp(best);
  if (!(probability_ < 1.0)) return;
  taken_below_.reserve(size);
  for (const double value : values_) taken_below_.push_back(taken_below(tilt_, value));
}

double TiltedTail::improve(Tilt& tilt, double log_choose) const {
  double log_sum = 0.0, product = 1.0;
  double taken = 0.0, sum = 0.0;                        // expectations of N and S
  double spread = 0.0, covariance = 0.0, square = 0.0;  // their second moments
  std::uint32_t in_product = 0;
  for (const double value : values_) {
    const double exponent = tilt.mu + tilt.theta * value;
    const double small = std::exp(-std::fabs(exponent)), whole = 1.0 + small;
    const double share = (exponent > 0.0 ? 1.0 : small) / whole;
    log_sum += std::max(exponent, 0.0);
    // The logarithm of a product of many factors, each at most 2, costs one logarithm.
    product *= whole;
    if (++in_product == 512) log_sum += std::log(product), product = 1.0, in_product = 0;
    const double weight = share * (1.0 - share);
    taken += share;
    sum += share * value;
    spread += weight;
    covariance += weight * value;
    square += weight * value * value;
  }
  log_sum += std::log(product);
  const double log_q = log_sum - tilt.theta * deviation_ - tilt.mu * subset_ - log_choose;
  const double determinant = spread * square - covariance * covariance;
  if (determinant > 0.0) {
    const double miss_n = subset_ - taken, miss_s = deviation_ - sum;
    tilt.theta += (spread * miss_s - covariance * miss_n) / determinant;
    tilt.mu += (square * miss_n - covariance * miss_s) / determinant;
  }
  return log_q;
}

double TiltedTail::exceeding_sum(Rng& rng) const {
  // Most candidates have the wrong size, so the sum waits.
  Rng again = rng;
  std::uint32_t taken = 0;
  for (const std::uint64_t below : taken_below_) taken += rng() < below;
  if (taken != subset_) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < values_.size(); ++i)
    sum += again() < taken_below_[i] ? values_[i] : 0.0;
  const bool exceeds =
      sum >= deviation_ && rng.uniform() < std::exp(-tilt_.theta * (sum - deviation_));
  return exceeds ? sum : 0.0;
}

TiltedTails::TiltedTails(TiltedTail upper, TiltedTail lower)
    : upper_(std::move(upper)), lower_(std::move(lower)) {}

TiltedTails::TiltedTails(const double* values, std::uint32_t size, std::uint32_t subset,
                         double deviation)
    : upper_(values, size, subset, deviation, 1.0), lower_(values, size, subset, deviation, -1.0) {}

std::optional<TiltedTails> TiltedTails::if_rare(const double* values, std::uint32_t size,
                                                std::uint32_t subset, double deviation,
                                                double variance, double affordable) {
  const double normal_tail = std::exp(-deviation * deviation / (2.0 * variance));
  if (!(deviation > 0.0) || normal_tail * std::sqrt(subset) > affordable) return std::nullopt;
  TiltedTail upper(values, size, subset, deviation, 1.0);
  if (upper.candidate_probability() > affordable) return std::nullopt;
  TiltedTail lower(values, size, subset, deviation, -1.0);
  if (lower.candidate_probability() > affordable) return std::nullopt;
  return TiltedTails(std::move(upper), std::move(lower));
}

double TiltedTails::exceeding_sum(Rng& rng) const {
  const bool is_upper = rng.uniform() * candidate_probability() < upper_.candidate_probability();
  return (is_upper ? upper_ : lower_).exceeding_sum(rng);
}

}  // namespace inforest
