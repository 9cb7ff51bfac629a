// SPDX-License-Identifier: BSD-3-Clause
/// Tests of many features against one response; all features read the same permutations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/inference/permutation_test.hpp"

namespace inforest {

/// Draw b of `seed` is that of `test_feature` (inspect.hpp), so a feature's counts do not depend on
/// what else is tested. Counts of disjoint ranges of draws add up.
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
};

/// Counts with every draw evaluated in double precision. `maxima` (one per draw, or null) are the
/// running maxima of step-down maxT; they start at 0, and no statistic is smaller.
Tally tally_draws(const Dataset& data, const std::vector<std::string>& selectors,
                  std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                  double* maxima, Interrupt& interrupt);

/// Scores that a matrix product has computed in single precision: the squared statistic of feature
/// i under draw b is the sum over d of value[(i * depth + d) * draws + b]^2.
struct Screen {
  const float* value;
  std::int64_t depth;
  const double* observed;  ///< per feature, on the scale of the root of that sum
  double slack;            ///< bound on the error of the root
};

/// The same counts as `tally_draws`, exactly: what single precision cannot decide is evaluated
/// again in double precision.
Tally tally_screened(const Dataset& data, const std::vector<std::string>& selectors,
                     std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                     const Screen& screen, double* maxima, Interrupt& interrupt);

/// Centred columns of unit length (0 for a constant feature), one row of `out` per feature.
void unit_columns(const Dataset& data, std::span<const std::int64_t> features, float* out);

/// The responses' scores under each draw: out[(d * draws + b) * n + i]. `score` has one row of
/// `depth` numbers per class in classification, per sample in regression.
void permuted_scores(const Dataset& data, const float* score, std::int64_t depth, DrawRange draws,
                     std::uint64_t seed, float* out);

/// Tests one feature after the other, each by itself under `plan`.
std::vector<TestOutcome> test_features(const Dataset& data,
                                       const std::vector<std::string>& selectors,
                                       std::span<const std::int64_t> features, const TestPlan& plan,
                                       std::uint64_t seed, Interrupt& interrupt);

/// How many of all distinct arrangements of the response reach each feature's observed value. The
/// number of arrangements is the caller's concern.
std::vector<std::int64_t> count_arrangements(const Dataset& data,
                                             const std::vector<std::string>& selectors,
                                             std::span<const std::int64_t> features,
                                             std::uint64_t seed, Interrupt& interrupt);

}  // namespace inforest
