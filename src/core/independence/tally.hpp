// SPDX-License-Identifier: BSD-3-Clause
/// Exceedances of many features among draws that all of them read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// Draw b of `seed` is the same whatever is tested, so a feature's counts do not depend on what
/// else is. Counts of disjoint ranges of draws add up.
struct DrawRange {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// Counts per feature, in the order in which the features were given.
struct Tally {
  std::vector<std::int64_t> exceedances;
  /// Draws whose maximum over this feature and all before it reaches the feature's observed value:
  /// with the features in ascending order of that value, step-down maxT of Westfall & Young.
  std::vector<std::int64_t> step_down;

  /// Where nothing varies every draw ties.
  void add_constant(DrawRange draws, bool steps_down);
  /// Counts the draws whose running maximum reaches the limit.
  void add_step_down(std::span<const double> maxima, double limit);
};

/// Counts with every draw evaluated in double precision. `maxima` (one per draw, or null) are the
/// running maxima of step-down maxT; they start at 0, and no statistic is smaller.
Tally tally_draws(const Dataset& data, const std::vector<std::string>& selectors,
                  std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                  double* maxima, Interrupt& interrupt);

}  // namespace inforest
