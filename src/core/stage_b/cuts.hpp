// SPDX-License-Identifier: BSD-3-Clause
/// What Stage B must know of the cuts of a feature, whatever the feature is.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace inforest {

/// A node's samples in some order, and places to cut it: what is before a cut goes left. So one
/// pass over the samples serves all cuts, and an impurity, a test or a strategy need not know
/// whether the order is that of numbers between thresholds (thresholds.hpp) or that of levels
/// between sets of them.
///
/// size()                 how many cuts there are.
/// left_sizes()           the samples left of each; rising strictly, no child empty.
/// arrange(item, items)   writes item(position) of the node's samples in their order.
template <class C>
concept Cuts =
    requires(C cuts, const C made, double (*item)(std::uint32_t position), double* items) {
      { made.size() } -> std::same_as<std::size_t>;
      { made.left_sizes() } -> std::same_as<const std::vector<std::uint32_t>&>;
      cuts.arrange(item, items);
    };

}  // namespace inforest
