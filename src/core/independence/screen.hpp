// SPDX-License-Identifier: BSD-3-Clause
/// Tallies helped by a matrix product in single precision, and the two matrices it multiplies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/independence/tally.hpp"

namespace inforest {

/// Scores that a matrix product has computed in single precision: the squared statistic of feature
/// i under draw b is the sum over d of value[(i * depth + d) * draws + b]^2.
struct Screen {
  const float* value;
  std::int64_t depth;
  const double* observed;  ///< per feature, on the scale of the root of that sum
  const double* slack;     ///< per feature, a bound on the error of the root
};

/// The same counts as `tally_draws`, exactly: what single precision cannot decide is evaluated
/// again in double precision.
Tally tally_screened(const Dataset& data, const std::vector<std::string>& selectors,
                     std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                     const Screen& screen, RunningMaxima& maxima, Interrupt& interrupt);

/// Centred columns of unit length (0 for a constant feature), one row of `out` per feature.
void unit_columns(const Dataset& data, std::span<const std::int64_t> features, float* out);

/// The responses' scores under each draw: out[(d * draws + b) * n + i]. `score` has one row of
/// `depth` numbers per class in classification, per sample in regression.
void permuted_scores(const Dataset& data, const float* score, std::int64_t depth, DrawRange draws,
                     std::uint64_t seed, float* out);

}  // namespace inforest
