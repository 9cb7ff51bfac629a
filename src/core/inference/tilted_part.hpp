// SPDX-License-Identifier: BSD-3-Clause
/// A Monte Carlo test of what a random subset of rows has in a part of them, that draws only what
/// may become an exceedance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/tilted_test.hpp"

namespace inforest {

/// What a subset has in the part: how many members, and the sum of their values.
struct ShareOfPart {
  std::uint32_t count = 0;
  double sum = 0.0;
};

/// The event |S| >= reach(a): a uniform random subset of g of all n rows has a of the m rows of the
/// part, whose values, which have the sum 0, add up to S over these.
///
/// A set A of a rows of the part is what the subset has there with probability
/// C(n - m, g - a) / C(n, g), and with exp(theta S_A + mu a - L) if every row of the part is taken
/// independently with probability logistic(mu + theta v_i), as in `TiltedTail`. So, for any set of
/// numbers a, here called an arc, and the tail S >= reach(a) > 0,
///
///   P(a in arc, S >= reach(a)) = q E[ 1{a in arc, S >= reach(a)} exp(G - max G) ],
///   G = log C(n - m, g - a) - log C(n, g) - mu a - theta S,   q = exp(L + max G),
///
/// where the maximum is over the arc, with S = reach(a). In words: with probability q a draw is a
/// candidate; it takes rows of the part by the tilt, and is an exceedance if they are so many as
/// the arc says, reach, and a uniform number lies below the exponential. This is exact for every
/// theta > 0 and mu, and few candidates are lost: no single number of rows is the right one.
///
/// Where the event is that a and S together are far from what is expected, in units of their
/// standard deviations, it is nearly the outside of a circle. Arcs of 30 degrees in both tails are
/// nearly straight, and the tilt at an arc's likeliest point, as if all were normal, is near the
/// best one.
///
/// Where reach(a) is 0 or less, which |S| always reaches, a draw is a candidate with the
/// probability of such an a, and then an exceedance; where it is infinite, never.
class TiltedPart {
 public:
  /// `reach` is that of a = 0, 1, ..., min(m, g). None where candidates are more frequent than
  /// `affordable`.
  static std::optional<TiltedPart> if_rare(std::span<const double> values, std::uint32_t size,
                                           std::uint32_t subset, std::vector<double> reach,
                                           double affordable);

  double candidate_probability() const { return probability_; }
  /// Draws a candidate: what it has in the part, if it is an exceedance.
  std::optional<ShareOfPart> exceeding(Rng& rng);

 private:
  static constexpr std::uint8_t kArcs = 6, kNoArc = kArcs;

  /// Of the values times `sign`.
  struct Arc {
    double sign;
    std::uint8_t number;
    Tilt tilt;
    double largest, q;                       ///< max G, q
    std::vector<std::uint64_t> taken_below;  ///< inclusion probabilities times 2^64, if asked for
  };

  TiltedPart(std::span<const double> values, std::uint32_t size, std::uint32_t subset,
             std::vector<double> reach);
  void assign_arcs(std::uint32_t size, std::uint32_t subset);
  /// Adds an arc, if there is such an a.
  void add_arc(double sign, std::uint8_t number);
  double log_sum(double sign, const Tilt& tilt) const;
  std::optional<ShareOfPart> exceeding(Arc& arc, Rng& rng) const;
  ShareOfPart uniform_share(Rng& rng) const;

  std::span<const double> values_;
  double sum_of_squares_ = 0.0;
  std::vector<double> reach_;            ///< by a
  std::vector<double> log_mass_;         ///< by a: of one set of a rows of the part
  std::vector<double> log_probability_;  ///< by a: of all of them
  std::vector<std::uint8_t> arc_of_;     ///< by a; kNoArc where it always or never reaches
  std::vector<double> always_;           ///< by a: its probability, where it always reaches
  double p_always_ = 0.0, probability_ = 0.0;
  std::vector<Arc> arcs_;
};

}  // namespace inforest
