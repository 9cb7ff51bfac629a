// SPDX-License-Identifier: BSD-3-Clause
/// Out-of-bag permutation importance, plain or conditional on correlated features.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/apply.hpp"

namespace inforest {

/// The features each feature is conditioned on, one list after the other.
struct Conditioning {
  const std::int64_t* begin;  ///< n_features + 1
  const std::int32_t* feature;
};

/// How the error of a tree is measured, where that is not what leaves keep that says it.
struct Loss {
  enum class Kind {
    natural,      ///< misclassification rate, or mean squared error
    ranked,       ///< labels with an order: mean ranked probability score
    concordance,  ///< 1 less Harrell's concordance of the values, which are risks, with times
  };
  Kind kind = Kind::natural;
  const double* time = nullptr;         ///< of concordance, one per row
  const std::uint8_t* event = nullptr;  ///< the same
};

/// importance[tree * n_features + j]: how much the tree's error on its out-of-bag rows grows when
/// feature j is permuted among them, averaged over `n_repeats`. The error is what `loss` says, and
/// rows count as much as they weigh in it. 0 where the tree does not use j or has no out-of-bag
/// row.
///
/// With conditioning features, values are permuted only inside the cells of the grid that the
/// tree's own split points on those features make (Strobl et al. 2008; per tree and on its
/// out-of-bag rows only, as in Debeer & Strobl 2020).
std::vector<double> permutation_importance(const Dataset& data, const ForestView& forest,
                                           const Sampling& sampling, const std::uint64_t* seeds,
                                           const Conditioning& conditioning, std::int64_t n_repeats,
                                           std::uint64_t key, Interrupt& interrupt,
                                           const Loss& loss = {});

}  // namespace inforest
