// SPDX-License-Identifier: BSD-3-Clause
/// The blocks (centres, batches, matched pairs) of a node's rows: responses are permuted inside
/// each of them, never between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// If responses are exchangeable inside blocks only, a uniform permutation inside each block is
/// what the null hypothesis makes as likely as the data, whatever the blocks do to x and to y. So
/// the test of any statistic has its exact level. What the statistic sees decides its power.
///
/// What Stage A's statistics see is x minus its mean in the block, `centre`. The part of x between
/// blocks is the same in every permutation: it can only dilute. With x' = x - mean and y = mean +
/// y' in each block,
///
///   x . y = x' . y' + (a number that no permutation changes),
///
/// and x' . y is x' . y' alone: a linear statistic (pc, mc, quad) of x' is that of x without the
/// constant, and for pairs it is the sum of signed differences. The other statistics (mi, dc, rdc)
/// look at x' as aligned tests do (Hodges & Lehmann 1962): a shift of x by blocks would otherwise
/// hide what happens inside. x' depends on x and the blocks only, so the level does not.
///
/// Where rows have weights, the means in the blocks are weighted ones: the sum of w x' is 0 in
/// every block, so what weighs a centred column (base/column.hpp) leaves the products with the
/// responses weighted covariances inside blocks. Weights stay with x, so the level is that of any
/// x'.
///
/// A block moves if it has two rows with different responses; the others are the same in every
/// permutation.
class Blocks {
 public:
  /// Those of the rows of a node. None exist if the data have none, or the node has a single one:
  /// permutations are not restricted then.
  void gather(const Dataset& data, std::span<const std::int32_t> rows);

  bool exist() const { return begin_.size() > 2; }
  std::size_t size() const { return begin_.empty() ? 0 : begin_.size() - 1; }
  /// The positions that belong to block b, ascending.
  std::span<const std::uint32_t> members(std::size_t b) const {
    return {member_.data() + begin_[b], begin_[b + 1] - begin_[b]};
  }
  bool moves(std::size_t b) const { return moves_[b] != 0; }
  bool any_moves() const {
    return std::any_of(moves_.begin(), moves_.end(), [](std::uint8_t moves) { return moves != 0; });
  }

  /// `differ(i, j)` says whether positions i and j have different responses.
  template <class Differ>
  void find_moving(Differ differ) {
    for (std::size_t b = 0; b < size(); ++b) {
      const auto own = members(b);
      moves_[b] = std::any_of(own.begin() + 1, own.end(),
                              [&](std::uint32_t i) { return differ(own.front(), i); });
    }
  }

  /// Permutes items, one per position: i.i.d. uniform over all permutations inside the blocks.
  template <class Item>
  void shuffle(Rng& rng, Item* items) const {
    for (std::size_t b = 0; b < size(); ++b) {
      if (!moves(b)) continue;
      const auto own = members(b);
      for (auto left = static_cast<std::uint32_t>(own.size()); left > 1; --left)
        std::swap(items[own[left - 1]], items[own[rng.below(left)]]);
    }
  }

  /// Subtracts from the values, one per position, the mean of their block, weighted if positions
  /// have weights (null: all are 1). A block whose values are equal becomes exactly zero: rounding
  /// must not look like variation.
  void centre(double* values, const double* weights = nullptr) const;
  /// Whether `value(position)` varies inside a block that moves: else no permutation changes any
  /// statistic of it.
  template <class Value>
  bool vary(Value value) const {
    for (std::size_t b = 0; b < size(); ++b) {
      const auto own = members(b);
      if (moves(b) && std::any_of(own.begin() + 1, own.end(),
                                  [&](std::uint32_t i) { return value(i) != value(own.front()); }))
        return true;
    }
    return false;
  }

  /// Becomes those of some positions of `other`, ascending, which are numbered anew; none exist if
  /// `other` has none. All may move.
  void part_of(const Blocks& other, std::span<const std::uint32_t> positions);
  /// Becomes `other` with its position order[i] at place i.
  void follow(const Blocks& other, std::span<const std::uint32_t> order);

 private:
  std::vector<std::uint32_t> member_;  ///< positions, block by block
  std::vector<std::size_t> begin_;     ///< of each block, and the end
  std::vector<std::uint8_t> moves_;
  std::vector<std::int32_t> slot_;    ///< of each block of the data; -1 between the nodes
  std::vector<std::uint32_t> place_;  ///< of each position
};

}  // namespace inforest
