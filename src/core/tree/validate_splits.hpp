// SPDX-License-Identifier: BSD-3-Clause
/// What rows that a tree has not seen say about its splits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/tree/tree.hpp"

namespace inforest {

/// Fills `tree.validated`: 1 for a split whose children predict the rows that are out of the
/// tree's bag and reach it better than the node itself does, by the sum of squared errors (in
/// classification of the class proportions, the Brier score). `in_bag`: which rows are in the
/// tree's sample; `case_counts` (may be null): 0 for rows that do not count at all. The others
/// count as much as they weigh.
///
/// The impurity of these rows would not do: it never rises by a split, whatever the split.
///
/// And `tree.unseen_effect`: what the same rows say about the size of the split's effect,
/// sqrt(l r / (l + r)) d.c / (|c| s) with the weights l and r of those that go left and right, the
/// difference d of their mean responses, the difference c of the children's values, and s^2 the
/// squared deviations of the responses of all rows out of the bag. With one output and c > 0 that
/// is the correlation of the sides with y, as large as at the root, and negative where the rows
/// contradict the split. The mean over all permutations of unseen responses is 0 for any split, and
/// with one output or two classes and equal weights their variance is the same for all splits with
/// rows on both sides: no kind of feature is preferred.
void validate_splits(const Dataset& data, const std::vector<bool>& in_bag,
                     const std::int64_t* case_counts, Tree& tree);

}  // namespace inforest
