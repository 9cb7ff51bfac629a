// SPDX-License-Identifier: BSD-3-Clause
/// What Stage B must know of the cuts of a feature, whatever the feature is.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace inforest {

/// The cuts from `first_cut` on are of the order in which the last `n_items` come first.
struct Turn {
  std::size_t first_cut;
  std::uint32_t n_items;
};

/// A node's samples in some order, and places to cut it: what is before a cut goes left. So one
/// pass over the samples serves all cuts, and an impurity, a test or a strategy need not know
/// whether the order is that of numbers between thresholds (thresholds.hpp) or that of levels
/// between sets of them.
///
/// size()                 how many cuts there are.
/// left_sizes()           the samples left of each; rising strictly, no child empty.
/// turn()                 the first of the cuts, if any, that are not of this order but of that in
///                        which some samples of its end come first; their sizes rise for
///                        themselves.
/// arrange(item, items)   writes item(position) of the node's samples in their order.
template <class C>
concept Cuts =
    requires(C cuts, const C made, double (*item)(std::uint32_t position), double* items) {
      { made.size() } -> std::same_as<std::size_t>;
      { made.left_sizes() } -> std::same_as<const std::vector<std::uint32_t>&>;
      { made.turn() } -> std::same_as<Turn>;
      cuts.arrange(item, items);
    };

}  // namespace inforest
