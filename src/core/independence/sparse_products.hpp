// SPDX-License-Identifier: BSD-3-Clause
/// The matrix product of a screen (screen.hpp) for sparse columns: only what is stored is read.
#pragma once

#include <cstdint>
#include <span>

#include "core/data/dataset.hpp"

namespace inforest {

/// Scalar products of each feature's centred column of unit length (0 for a constant feature) with
/// `n_responses` rows of permuted scores, all without weights: out[i * n_responses + r].
///
/// Scores add up to zero, so the mean of x falls out of the product, and with it all zeros:
///
///   sum over rows of (x - mean) s / |x - mean| = sum over entries of x s / |x - mean|.
///
/// What single precision errs by grows with |x| instead of |x - mean|: `growth[i]` is their ratio,
/// at most 1 / sqrt(1 - share of rows with an entry).
void sparse_products(const Dataset& data, std::span<const std::int64_t> features,
                     const float* responses, std::int64_t n_responses, float* out, double* growth);

}  // namespace inforest
