// SPDX-License-Identifier: BSD-3-Clause
/// The class counts of a random subset, drawn only where they may become an exceedance.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"

namespace inforest {

/// The event that the sum of score_k(c_k) over the classes reaches a limit t, where c_k of the g
/// samples in a uniform random subset of all n belong to class k, of size n_k.
///
/// The counts c are distributed as independent Binomial(n_k, g / n) variables given that their sum
/// is g. Up to a factor that cancels, weigh them by w_k(c) = C(n_k, c) (g / (n - g))^c
/// exp(lambda score_k(c)), and let L be the last class. Then for every lambda >= 0
///
///   P(score >= t) = q E[ 1{score >= t} exp(-lambda (score - t)) w_L(c_L) / max w_L ],
///   q = exp(-lambda t) ((n - g) / g)^g / C(n, g) max w_L product over k < L of sum_c w_k(c),
///
/// with c_k drawn in proportion to w_k for k < L, independently, and c_L what they leave of g. In
/// words: with probability q a draw is a candidate, and a candidate is an exceedance if it reaches
/// t and a uniform number lies below the other factors. This is exact for every lambda. Minimising
/// q, Chernoff's bound, makes candidates rare.
class TiltedCounts {
 public:
  /// `score` holds score_k(c) for c = 0 .. min(n_k, subset), class by class; the classes' sizes
  /// ascend.
  TiltedCounts(const std::vector<std::uint32_t>& class_size, std::uint32_t size,
               std::uint32_t subset, std::vector<double> score, double limit);
  /// If scores `are_heavy`, some of them large and rare, a step of the search for lambda that would
  /// leave the positive side goes half the way; else the search ends there.
  TiltedCounts(const std::vector<std::uint32_t>& class_size, std::uint32_t size,
               std::uint32_t subset, std::vector<double> score, double limit, bool are_heavy);

  /// q; may be above 1 where the event is common.
  double candidate_probability() const { return probability_; }
  /// Draws a candidate: how far it is beyond the limit if it is an exceedance, else a negative
  /// number.
  double excess(Rng& rng) const;
  bool is_exceedance(Rng& rng) const { return excess(rng) >= 0.0; }

 private:
  struct Moments {
    double mean = 0.0, variance = 0.0;  ///< of the score, the classes being independent
    double log_q = 0.0;
  };
  Moments weigh(double lambda);
  /// A count of class k in proportion to its weights.
  std::size_t draw_count(std::size_t k, Rng& rng) const;

  std::uint32_t subset_;
  std::vector<std::size_t> begin_;  ///< where each class's counts begin, and the end
  std::vector<double> score_, log_base_, cumulative_;
  double limit_, log_scale_;
  double lambda_ = 0.0, largest_last_ = 1.0;
  double probability_ = 1.0;
};

}  // namespace inforest
