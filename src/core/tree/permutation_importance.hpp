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

/// The features each feature is conditioned on.
struct Conditioning {
  /// One list after the other, for all trees.
  const std::int64_t* begin;  ///< n_features + 1
  const std::int32_t* feature;
  /// If it is not negative, instead of the lists: every tree conditions a feature on those others
  /// of its own whose intervals between cuts have a chi-square p-value below this with the
  /// feature's, among the rows it has not seen (Debeer & Strobl 2020).
  double tree_level = -1.0;
};

/// What a permutation moves between rows of a cell.
enum class Moved {
  values,    ///< the feature's values, among the out-of-bag rows
  children,  ///< at each split on the feature, the sides to which all rows there go
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
                                           const Conditioning& conditioning, Moved moved,
                                           std::int64_t n_repeats, std::uint64_t key,
                                           Interrupt& interrupt, const Loss& loss = {});

}  // namespace inforest
