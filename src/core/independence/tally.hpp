// SPDX-License-Identifier: BSD-3-Clause
/// Exceedances of many features among draws that all of them read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/stage_a/scale.hpp"

namespace inforest {

/// Draw b of `seed` is the same whatever is tested, so a feature's counts do not depend on what
/// else is. Counts of disjoint ranges of draws add up.
struct DrawRange {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// The running maxima of step-down maxT, one per draw, on the scale on which features are compared
/// (stage_a/scale.hpp). They start at minus infinity.
class RunningMaxima {
 public:
  /// Nobody asks for them.
  RunningMaxima() = default;
  /// `mean` and `variance`: of each feature's statistic, in the order in which they are given.
  RunningMaxima(std::span<double> maxima, const double* mean, const double* variance)
      : maxima_(maxima), mean_(mean), variance_(variance) {}

  bool are_wanted() const { return mean_ != nullptr; }
  /// Goes on to feature i.
  void begin(std::size_t i);
  /// Of the feature: no smaller value raises any maximum.
  double bar() const { return bar_; }
  /// Whether this value of the feature would raise the maximum of draw b.
  bool would_raise(std::int64_t b, double value) const {
    return scale_.comparable(value) > maxima_[static_cast<std::size_t>(b)];
  }
  void raise(std::int64_t b, double value) {
    double& maximum = maxima_[static_cast<std::size_t>(b)];
    maximum = std::max(maximum, scale_.comparable(value));
  }
  /// How many reach this value of the feature.
  std::int64_t count_at_least(double value) const;

 private:
  std::span<double> maxima_;
  const double* mean_ = nullptr;
  const double* variance_ = nullptr;
  TailScale scale_;
  double bar_ = 0.0;
};

/// Counts per feature, in the order in which the features were given.
struct Tally {
  std::vector<std::int64_t> exceedances;
  /// Draws whose maximum over this feature and all before it reaches the feature's observed value,
  /// on the common scale: with the features in ascending order there, step-down maxT of Westfall &
  /// Young.
  std::vector<std::int64_t> step_down;

  /// Where nothing varies every draw ties.
  void add_constant(DrawRange draws, bool steps_down);
};

/// Counts with every draw evaluated in double precision.
Tally tally_draws(const Dataset& data, const std::vector<std::string>& selectors,
                  std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                  RunningMaxima& maxima, Interrupt& interrupt);

}  // namespace inforest
