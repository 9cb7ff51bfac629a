// SPDX-License-Identifier: BSD-3-Clause
/// Upper bounds on permutation p-values that need no draws: they certify clear rejections.
#pragma once

#include <cstdint>

namespace inforest {

/// Bounds P(|S| >= deviation) for S the sum over a uniform random subset of `subset` of the `size`
/// values, which must be centred (sum zero).
///
/// Proof. Take every value independently with probability pi = subset / size; given that exactly
/// `subset` were taken, the set is uniform. So P(|S| >= t) <= P(|S'| >= t) / P(N = subset) with S'
/// the independent sum, whose mean is 0 and whose variance pi (1 - pi) sum v^2 is the right one (the
/// bound through sampling with replacement loses the factor 1 - pi). P(|S'| >= t) is bounded by
/// Bernstein's inequality or, tighter and dearer, by Chernoff's with the values' own cumulants;
/// P(N = g) >= sqrt(n / (8 g (n - g))) (MacWilliams & Sloane 1977, ch. 10, lemma 7).
///
/// `enough`: stop refining once the bound is below it. The result is at most 1.
double subset_sum_tail(const double* values, std::uint32_t size, std::uint32_t subset,
                       double deviation, double sum_of_squares, double largest, double enough);

}  // namespace inforest
