// SPDX-License-Identifier: BSD-3-Clause
/// The special functions the tests need.
#pragma once

#include <cstdint>

namespace inforest {

/// z with Phi(z) = probability.
double normal_quantile(double probability);

/// log(n!), from a shared table for small n.
double log_factorial(std::int64_t n);

/// Regularised incomplete beta function I_x(a, b): P(Beta(a, b) <= x).
double incomplete_beta(double a, double b, double x);

/// log P(X >= statistic) of chi-square with so many degrees of freedom. It never underflows: the
/// tail of 1e6 is -5e5.
double log_chi_square_tail(double statistic, double degrees);

/// psi(n) for a positive integer.
double digamma(std::int64_t n);

}  // namespace inforest
