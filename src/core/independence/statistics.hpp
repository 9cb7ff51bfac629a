// SPDX-License-Identifier: BSD-3-Clause
/// Observed statistics of whole columns, without a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// Observed statistic of every feature on all rows, on its natural scale; 0 for a constant one.
std::vector<double> statistics(const Dataset& data, const std::vector<std::string>& selectors,
                               std::uint64_t seed, Interrupt& interrupt);

/// Of each feature's statistic: the quadratic form that it is and its degrees of freedom; 0 and 0
/// where nothing can be tested. For selectors that have a chi-square limit.
struct ChiSquares {
  std::vector<double> statistic, degrees;
};
ChiSquares chi_squares(const Dataset& data, const std::vector<std::string>& selectors,
                       std::uint64_t seed, Interrupt& interrupt);

/// How far out each feature's statistic lies, and what that is measured by.
struct TailScores {
  std::vector<double> score;           ///< on the common scale; minus infinity for a constant one
  std::vector<double> mean, variance;  ///< of the statistic as tests compare it, over permutations
};
TailScores tail_scores(const Dataset& data, const std::vector<std::string>& selectors,
                       std::uint64_t seed, Interrupt& interrupt);

}  // namespace inforest
