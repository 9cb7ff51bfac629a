// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/tilted_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/column.hpp"
#include "core/base/special.hpp"

namespace inforest {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_choose(std::uint32_t n, std::uint32_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// The variance of the sum of a random subset of `count` of `size` values, but for a factor near 1.
double variance_of_sum(double count, double size, double sum_of_squares) {
  return count / size * (1.0 - count / size) * sum_of_squares;
}

}  // namespace

TiltedPart::TiltedPart(std::span<const double> values, std::uint32_t size, std::uint32_t subset,
                       std::vector<double> reach)
    : values_(values), reach_(std::move(reach)) {
  const auto m = static_cast<std::uint32_t>(values.size());
  sum_of_squares_ = dot(values.data(), values.data(), m);
  const double log_all = log_choose(size, subset);
  log_mass_.assign(reach_.size(), -kInfinity);
  log_probability_.assign(reach_.size(), -kInfinity);
  always_.assign(reach_.size(), 0.0);
  for (std::uint32_t a = 0; a < reach_.size(); ++a) {
    if (subset - a > size - m) continue;  // the other rows are too few
    log_mass_[a] = log_choose(size - m, subset - a) - log_all;
    log_probability_[a] = log_mass_[a] + log_choose(m, a);
    if (!(reach_[a] > 0.0)) p_always_ += always_[a] = std::exp(log_probability_[a]);
  }
  probability_ = p_always_;
}

std::optional<TiltedPart> TiltedPart::if_rare(std::span<const double> values, std::uint32_t size,
                                              std::uint32_t subset, std::vector<double> reach,
                                              double affordable) {
  TiltedPart part(values, size, subset, std::move(reach));
  part.assign_arcs(size, subset);
  for (std::uint8_t arc = 0; arc < kArcs; ++arc)
    for (const double sign : {1.0, -1.0})
      if (part.probability_ <= affordable) part.add_arc(sign, arc);
  if (!(part.probability_ <= affordable)) return std::nullopt;
  return part;
}

void TiltedPart::assign_arcs(std::uint32_t size, std::uint32_t subset) {
  const double n = size, g = subset, m = static_cast<double>(values_.size());
  const double deviation = std::sqrt(g / n * (1.0 - g / n) * m / n * (n - m));
  arc_of_.assign(reach_.size(), kNoArc);
  for (std::size_t a = 0; a < reach_.size(); ++a) {
    const double count = static_cast<double>(a);
    const double variance = variance_of_sum(count, m, sum_of_squares_);
    if (!(log_mass_[a] > -kInfinity && reach_[a] > 0.0 && reach_[a] < kInfinity && variance > 0.0))
      continue;
    // From -1 to 1: a quarter turn in units of the standard deviations.
    const double turn =
        std::atan2((count - g * m / n) * std::sqrt(variance), reach_[a] * deviation) /
        1.5707963267948966;
    arc_of_[a] =
        static_cast<std::uint8_t>(std::clamp(0.5 * (1.0 + turn) * kArcs, 0.0, kArcs - 1.0));
  }
}

void TiltedPart::add_arc(double sign, std::uint8_t number) {
  const double m = static_cast<double>(values_.size());
  double likeliest = -kInfinity, count = 0.0, reach = 0.0;
  for (std::size_t a = 0; a < reach_.size(); ++a) {
    if (arc_of_[a] != number) continue;
    const double variance = variance_of_sum(static_cast<double>(a), m, sum_of_squares_);
    const double log_tail = log_probability_[a] - 0.5 * reach_[a] * reach_[a] / variance;
    if (log_tail > likeliest)
      likeliest = log_tail, count = static_cast<double>(a), reach = reach_[a];
  }
  if (likeliest == -kInfinity) return;
  // A tilt beyond that would overflow.
  const double steepest = 500.0 / largest_magnitude(values_);
  const Tilt tilt{std::min(reach / variance_of_sum(count, m, sum_of_squares_), steepest),
                  std::log(count / (m - count))};
  double largest = -kInfinity;
  for (std::size_t a = 0; a < reach_.size(); ++a)
    if (arc_of_[a] == number)
      largest = std::max(largest,
                         log_mass_[a] - tilt.mu * static_cast<double>(a) - tilt.theta * reach_[a]);
  const double q = std::exp(log_sum(sign, tilt) + largest);
  arcs_.push_back({sign, number, tilt, largest, q, {}});
  probability_ += q;
}

double TiltedPart::log_sum(double sign, const Tilt& tilt) const {
  double sum = 0.0, product = 1.0;
  std::uint32_t in_product = 0;
  for (const double value : values_) {
    const double exponent = tilt.mu + tilt.theta * sign * value;
    sum += std::max(exponent, 0.0);
    // The logarithm of a product of many factors, each at most 2, costs one logarithm.
    product *= 1.0 + std::exp(-std::fabs(exponent));
    if (++in_product == 512) sum += std::log(product), product = 1.0, in_product = 0;
  }
  return sum + std::log(product);
}

std::optional<ShareOfPart> TiltedPart::exceeding(Rng& rng) {
  double target = rng.uniform() * probability_;
  for (Arc& arc : arcs_) {
    if (target < arc.q) return exceeding(arc, rng);
    target -= arc.q;
  }
  if (!(p_always_ > 0.0)) return std::nullopt;  // rounding
  return uniform_share(rng);
}

std::optional<ShareOfPart> TiltedPart::exceeding(Arc& arc, Rng& rng) const {
  if (arc.taken_below.empty())
    for (const double value : values_)
      arc.taken_below.push_back(taken_below(arc.tilt, arc.sign * value));
  ShareOfPart share;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool is_taken = rng() < arc.taken_below[i];
    share.count += is_taken;
    share.sum += is_taken ? values_[i] : 0.0;
  }
  const double sum = arc.sign * share.sum;
  if (share.count >= reach_.size() || arc_of_[share.count] != arc.number) return std::nullopt;
  if (!(sum >= reach_[share.count])) return std::nullopt;
  const double log_kept =
      log_mass_[share.count] - arc.tilt.mu * share.count - arc.tilt.theta * sum - arc.largest;
  if (!(rng.uniform() < std::exp(log_kept))) return std::nullopt;
  return share;
}

/// Of those that always reach, in proportion to their probabilities.
ShareOfPart TiltedPart::uniform_share(Rng& rng) const {
  double target = rng.uniform() * p_always_;
  ShareOfPart share;
  for (std::uint32_t a = 0; a < always_.size(); ++a) {
    if (!(always_[a] > 0.0)) continue;
    share.count = a;
    if (target < always_[a]) break;
    target -= always_[a];
  }
  std::vector<double> values(values_.begin(), values_.end());
  rng.partial_shuffle(values.data(), static_cast<std::uint32_t>(values.size()), share.count);
  for (std::uint32_t i = 0; i < share.count; ++i) share.sum += values[i];
  return share;
}

}  // namespace inforest
