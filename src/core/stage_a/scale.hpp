// SPDX-License-Identifier: BSD-3-Clause
/// The scale on which the candidates of a node are compared with each other.
///
/// Feature scanning, choices without tests and maxT ask which of two candidates has the more
/// extreme statistic. The larger value is the wrong answer: a feature with a square has two degrees
/// of freedom where a binary one has one, and a rare column's statistic has heavier tails than a
/// number's, most of all where the response has a few large values or a rare class. What can be
/// compared is how far out in its own permutation distribution a value lies. Here that is the tail
/// of the gamma distribution with the mean and the variance that the statistic has over all
/// permutations; where these are those of chi-square, it is chi-square's. It is written as the
/// normal quantile of the same tail.
///
/// The scale rises with the value and depends on the permutations of y as a whole, not on which of
/// them is the data. So it changes no candidate's own test, and a test of the largest value on this
/// scale is a permutation test as any other: its level does not rest on the gamma being right.
#pragma once

#include <cstdint>

#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// From a statistic's values to the common scale and back.
class TailScale {
 public:
  /// The values themselves.
  TailScale() = default;
  explicit TailScale(const PermutationMoments& moments);

  double comparable(double value) const {
    return is_identity() ? value : normal_score(value / mean_);
  }
  /// The value that is worth so much, up to rounding.
  double value_at(double comparable) const {
    return is_identity() ? comparable : mean_ * ratio_at(comparable);
  }

 private:
  bool is_identity() const { return !(root_shape_ > 0.0); }
  double normal_score(double ratio) const;
  double ratio_at(double score) const;

  double mean_ = 1.0;
  double root_shape_ = 0.0;
};

/// Draws that a statistic without known moments is measured by. They are made besides those that
/// are counted, so that the scale does not depend on what is compared on it.
inline constexpr std::int64_t kPilotDraws = 128;

/// Of the candidate that `selector` is bound to: exact, or of pilot draws. The formulas know
/// nothing of blocks.
template <Selector S>
PermutationMoments moments_of(S& selector, Draws& pilots) {
  if constexpr (HasMoments<S>) {
    if (!pilots.are_restricted()) return selector.moments();
  }
  MomentsOfDraws moments;
  for (std::int64_t b = 0; b < kPilotDraws; ++b) moments.add(selector.evaluate(pilots, b));
  return moments.moments();
}

}  // namespace inforest
