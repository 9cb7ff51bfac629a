// SPDX-License-Identifier: BSD-3-Clause
/// One node in Stage B: its cuts, what was observed at them, and what comes of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/data/blocks.hpp"
#include "core/data/response.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/stage_b/cuts.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// What a strategy comes to.
struct CutChoice {
  bool found = false;
  std::uint32_t cut = 0;
  double child_impurity = 0.0;
  /// Of the chosen cut; without a choice, of the one that looked best; NaN without a test.
  TestOutcome test{.p_value = std::numeric_limits<double>::quiet_NaN()};
  std::int32_t n_tests = 0;
  std::int64_t draws_read = 0;
};

/// What all strategies share. It owns nothing: the memory is that of the parts named below, and is
/// valid as long as the search of this node takes.
template <Splitter S>
struct CutNode {
  using Item = typename S::Item;

  const StageBOptions& options;
  Interrupt& interrupt;
  const Response& response;
  S& splitter;                          ///< the grower's; has begun with the response
  std::uint64_t key;                    ///< of the node's random numbers
  std::uint32_t size;                   ///< of the response
  std::span<const std::uint32_t> left;  ///< the cuts': samples left of each
  Item* items;                          ///< the workspace's: in the cuts' order, until shuffled
  std::span<const double> observed;     ///< the search's: impurity at each cut
  /// The search's: in which the cuts are tested; empty if they are not tested one by one.
  std::span<std::uint32_t> scan_order = {};

  /// The search's: of the items' places; none exist if all items may change places.
  const Blocks& blocks;

  /// Which cuts are of the turned order of the items, and the search's room for that.
  Turn turn = {left.size(), 0};
  Item* turned = nullptr;
  /// The search's, of a weighted splitter: of the items' places, in both orders; null: all are 1.
  const double* weights = nullptr;
  const double* turned_weights = nullptr;

  std::size_t n_cuts() const { return left.size(); }

  /// Writes the impurity at each cut.
  void scan(double* impurity) const {
    splitter.scan(items, left.data(), turn.first_cut, impurity);
    if (turn.first_cut < n_cuts())
      scan_turned(turn.first_cut, n_cuts() - turn.first_cut, impurity + turn.first_cut);
  }
  /// The impurity at one cut.
  double impurity(std::size_t cut) const {
    double result = 0.0;
    if (cut < turn.first_cut)
      splitter.scan(items, &left[cut], 1, &result);
    else
      scan_turned(cut, 1, &result);
    return result;
  }

  /// Makes of the items a uniform permutation of them, inside the blocks.
  void permute(Rng& rng) const {
    if (blocks.exist())
      blocks.shuffle(rng, items);
    else
      rng.shuffle(items, size);
  }

  /// Of the smaller child.
  std::uint32_t side(std::uint32_t cut) const { return std::min(left[cut], size - left[cut]); }

  /// The largest impurity that is an exceedance at this cut, or ties.
  double limit(std::uint32_t cut) const {
    return impurity_limit(splitter.node_impurity(), observed[cut]);
  }

  /// Of the cut's test, in terms of the negative impurity.
  Limit test_limit(std::uint32_t cut) const {
    const double ties_up_to = limit(cut), ties_from = 2.0 * observed[cut] - ties_up_to;
    return Limit(-ties_up_to, -ties_from, options.splitting.ties,
                 derive_key(derive_key(key, Stream::splitter_lots), std::uint64_t{cut}));
  }
  /// Whether ties are exceedances. Some shortcuts know nothing else.
  bool counts_ties() const { return options.splitting.ties == Ties::count; }

  /// The lowest cut among those that share the smallest impurity, up to rounding.
  std::uint32_t best_cut() const {
    const double smallest = *std::min_element(observed.begin(), observed.end());
    const double tie = smallest + 1e-12 * splitter.node_impurity();
    return static_cast<std::uint32_t>(
        std::find_if(observed.begin(), observed.end(), [&](double v) { return v <= tie; }) -
        observed.begin());
  }

  /// A choice still to be made, with a test per cut.
  CutChoice no_choice() const { return {.n_tests = static_cast<std::int32_t>(n_cuts())}; }

  void choose(std::uint32_t cut, CutChoice& choice) const {
    choice.found = true;
    choice.cut = cut;
    choice.child_impurity = observed[cut];
  }

 private:
  void scan_turned(std::size_t first, std::size_t count, double* impurity) const {
    std::rotate_copy(items, items + (size - turn.n_items), items + size, turned);
    constexpr bool is_weighted = requires(S s) { s.place(turned_weights); };
    if constexpr (is_weighted) splitter.place(turned_weights);
    splitter.scan(turned, left.data() + first, count, impurity);
    if constexpr (is_weighted) splitter.place(weights);
  }
};

}  // namespace inforest
