// SPDX-License-Identifier: BSD-3-Clause
/// Splitters where rows, or classes, have weights.
///
/// A row's weight stays at its place while responses are permuted, so what a child weighs follows
/// from the cut, and which responses are heavy from the draw. Neither child's impurity follows from
/// the other's, nor the node's own from what was observed: all responses must be permuted and read.
/// The quick ways of cut_alone.hpp and two_class.hpp know nothing of that; a weighted splitter goes
/// by the plain rule, by "max" without certificates or without a test. In blocks, too, weights stay
/// at their places.
///
/// Permutations are compared by how much the cut takes off the impurity of the node as they leave
/// it. The children's impurity alone would also fall when heavy rows get equal responses, which
/// says nothing about the cut. `scan` writes the node's observed impurity minus that decrease,
/// which for the data themselves is the children's impurity.
#pragma once

#include <concepts>

#include "core/stage_b/splitter.hpp"

namespace inforest {

/// `S::Weighted` is the splitter `S` with weights: a splitter with the same items and with
/// place(weights)   before `scan`: what the place of each item weighs, in the order of the cuts, as
///                  far as rows have weights; null: all weigh 1. It may read all items.
/// Without it weights are refused.
template <class S>
concept HasWeighted = requires(typename S::Weighted weighted, const double* weights) {
  requires Splitter<typename S::Weighted>;
  requires std::same_as<typename S::Weighted::Item, typename S::Item>;
  weighted.place(weights);
};

}  // namespace inforest
