// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_a/scale.hpp"

#include <algorithm>
#include <cmath>

namespace inforest {

namespace {

/// A statistic that hardly varies tells nothing; its scale is as steep as any.
constexpr double kLargestShape = 1e6;
/// Of its mean: smaller values are alike.
constexpr double kSmallestRatio = 1e-30;

/// 2 (d - log(1 + d)) / d^2 - 1 with 1 + d = ratio, accurate for small d, too.
double excess_of_deviance(double ratio) {
  const double d = ratio - 1.0;
  if (std::fabs(d) > 0.1) return 2.0 * (d - std::log(ratio)) / (d * d) - 1.0;
  double sum = 0.0;  // of 2 (-d)^k / (k + 2) for k > 0
  for (int k = 14; k > 0; --k) sum = -d * (2.0 / (k + 2) + sum);
  return sum;
}

}  // namespace

TailScale::TailScale(const PermutationMoments& moments) : mean_(moments.mean) {
  if (!(mean_ > 0.0)) {
    mean_ = 1.0;
    return;
  }
  const double shape = mean_ * mean_ / moments.variance;
  root_shape_ = std::sqrt(std::isfinite(shape) ? std::min(shape, kLargestShape) : kLargestShape);
}

/// Barndorff-Nielsen's r* = r + log(u / r) / r, r the signed root of the gamma's deviance: its
/// normal tail is the gamma's to within a few hundredths from the middle to tails of 1e-20 and
/// beyond, for shapes from 0.1 on; for smaller ones only it rises. No tail underflows.
double TailScale::normal_score(double ratio) const {
  ratio = std::max(ratio, kSmallestRatio);
  if (ratio == 1.0) return 1.0 / (3.0 * root_shape_);
  const double excess = excess_of_deviance(ratio);
  const double r = root_shape_ * (ratio - 1.0) * std::sqrt(1.0 + excess);
  return r - 0.5 * std::log1p(excess) / r;
}

/// Newton's steps with the derivative of r, which is nearly that of r*, inside a bracket.
double TailScale::ratio_at(double score) const {
  double low = kSmallestRatio, high = 1.0;
  while (normal_score(high) < score && high < 1e100) low = high, high *= 4.0;
  if (normal_score(low) >= score) return low;
  double ratio = 0.5 * (low + high);
  for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
    const double miss = normal_score(ratio) - score;
    (miss < 0.0 ? low : high) = ratio;
    const double slope = root_shape_ / (ratio * std::sqrt(1.0 + excess_of_deviance(ratio)));
    double next = ratio - miss / slope;
    if (!(next > low && next < high))
      next = low < 0.1 * high ? std::sqrt(low * high) : 0.5 * (low + high);
    if (std::fabs(next - ratio) <= 1e-15 * ratio) return next;
    ratio = next;
  }
  return ratio;
}

}  // namespace inforest
