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
/// the independent sum, whose mean is 0 and whose variance pi (1 - pi) sum v^2 is the right one
/// (the bound through sampling with replacement loses the factor 1 - pi). P(|S'| >= t) is bounded
/// by Bernstein's inequality or, tighter and dearer, by Chernoff's with the values' own cumulants;
/// P(N = g) >= sqrt(n / (8 g (n - g))) (MacWilliams & Sloane 1977, ch. 10, lemma 7).
///
/// `enough`: stop refining once the bound is below it. The result is at most 1.
double subset_sum_tail(const double* values, std::uint32_t size, std::uint32_t subset,
                       double deviation, double sum_of_squares, double largest, double enough);

/// The first part of it: Bernstein's inequality alone, in constant time.
double bernstein_tail(std::uint32_t size, std::uint32_t subset, double deviation,
                      double sum_of_squares, double largest);

/// The other way round: a deviation d > 0 with P(|S| >= d) <= `probability` by that inequality.
double bernstein_deviation(std::uint32_t size, std::uint32_t subset, double sum_of_squares,
                           double largest, double probability);

/// Bounds P(sum over k of (count_k - expected_k)^2 >= squares), where count_k is the number of
/// samples of class k among `subset` drawn without replacement, and `class_size` adds up to n.
///
/// Proof. With g standard normal, exp(lambda |d|^2 / 2) = E_g exp(sqrt(lambda) g.d), and g.d is the
/// centred sum, over the subset, of the values g_y. As in `subset_sum_tail` the subset is made
/// independent at the price of 1 / P(N = subset); an indicator of probability pi is sub-Gaussian
/// with variance proxy s2 = (1 - 2 pi) / (2 log((1 - pi) / pi)) (Kearns & Saul 1998). What is left
/// is a Gaussian integral: E exp(lambda |d|^2 / 2) <= det(I - lambda s2 C)^(-1/2) / P(N = subset)
/// with C = diag(n_k) - n_k n_l / n. Chernoff, for any lambda that keeps the matrix positive.
double class_count_tail(const std::uint32_t* class_size, std::size_t n_classes, std::uint32_t size,
                        std::uint32_t subset, double squares, double enough);

/// Bounds P(sum over k of (count_k - expected_k)^2 / size_k >= squares), where count_k is the
/// number of members of level k, of `size_k` samples, among `subset` drawn without replacement.
///
/// Proof. As in `class_count_tail`, with g.d the sum of the values g_y / sqrt(size_y): centred,
/// their squares add up to |P g|^2, P a projection of rank n_levels - 1. So E exp(lambda |d|^2 / 2)
/// <= (1 - lambda s2)^(-(n_levels - 1) / 2) / P(N = subset), and the best lambda is known: it is
/// Chernoff's bound of chi-square at squares / s2.
double level_count_tail(std::uint32_t n_levels, std::uint32_t size, std::uint32_t subset,
                        double squares);

/// Bounds P(|S| >= deviation) for S = sum of x_i y_pi(i) over a uniform random permutation pi, x
/// and y centred; `sorted_y` ascending.
///
/// Proof. Write y as a sum of its n - 1 steps: S = sum over l of d_l T_l, where d_l is the l-th gap
/// of the sorted y and T_l the sum of x over a uniform random set of n - l samples. For any weights
/// w_l that add up to one, convexity gives E exp(theta S) <= sum w_l E exp(theta d_l T_l / w_l),
/// and each T_l is bounded as in `subset_sum_tail`: E exp(s T_l) <= exp(s^2 v_l / (2 (1 - s M /
/// 3))) / P(N = l) with v_l = l (n - l) / n^2 sum x^2 and M = max |x|. Weights proportional to d_l
/// max(sqrt(v_l), kappa M) make the terms alike. For normal y this loses a factor of about 1.6 on
/// the deviation against the normal tail, so it certifies what is beyond doubt on large nodes.
double permutation_sum_tail(const double* sorted_y, std::uint32_t size, double deviation,
                            double x_sum_of_squares, double x_largest, double enough);

}  // namespace inforest
