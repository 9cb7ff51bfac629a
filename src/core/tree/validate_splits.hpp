// SPDX-License-Identifier: BSD-3-Clause
/// Which splits of a tree hold on rows that it has not seen.
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
void validate_splits(const Dataset& data, const std::vector<bool>& in_bag,
                     const std::int64_t* case_counts, Tree& tree);

}  // namespace inforest
