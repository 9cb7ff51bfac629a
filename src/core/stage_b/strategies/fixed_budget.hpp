// SPDX-License-Identifier: BSD-3-Clause
/// Every cut has exactly B draws of its own; the smallest p-value wins, ties at random.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_alone.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// Without the draws that cannot change the winner. A random order of the cuts decides ties
/// beforehand: in this order a cut wins against those before it if it has fewer exceedances than
/// each of them. So its test is over with as many as the fewest so far, and all tests are over once
/// a cut has none. What is left out of a test is independent of the other cuts' draws, so winner
/// and p-value are distributed as if every draw had been made.
template <Splitter S>
class FixedBudget {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    CutChoice choice = node.no_choice();
    Rng(derive_key(node.key, Stream::splitter_ties))
        .shuffle(node.scan_order.data(), static_cast<std::uint32_t>(node.n_cuts()));
    const std::uint32_t best = node.best_cut();
    DrawCount of_best;
    std::optional<std::uint32_t> winner;
    DrawCount fewest{plan.n_draws(), plan.most_exceedances() + 1};
    TestPlan fewer;
    for (const std::uint32_t cut : node.scan_order) {
      if (fewest.n_exceedances == 0) break;
      if (fewer.most_exceedances() != fewest.n_exceedances - 1)
        fewer = TestPlan::at_most(fewest.n_exceedances - 1, plan.n_draws());
      const DrawCount count = count_fewer(node, fewer, cut, cut == best, choice.draws_read);
      if (cut == best) of_best = count;
      if (count.n_exceedances < fewest.n_exceedances) fewest = count, winner = cut;
    }
    if (winner) {
      choice.test = fewest.outcome(plan);
      node.choose(*winner, choice);
    } else {
      complete(node, best, plan.n_draws(), of_best, choice.draws_read);
      choice.test = of_best.outcome(plan);
    }
    return choice;
  }

 private:
  /// The draws of a test up to the exceedance that `fewer` does not allow; all of them if there is
  /// none.
  static DrawCount count_fewer(const CutNode<S>& node, const TestPlan& fewer, std::uint32_t cut,
                               bool is_recorded, std::int64_t& draws_read) {
    const Rng rng(derive_key(node.key, Stream::splitter_draws), cut);
    const TestOutcome test = test_alone(node, fewer, cut, rng, draws_read, is_recorded);
    // By a proven bound: without draws, and without exceedances.
    if (test.rejected && test.n_draws == 0) return {fewer.n_draws(), 0};
    DrawCount count{test.n_draws, test.n_exceedances};
    if (test.rejected) complete(node, cut, fewer.n_draws(), count, draws_read);
    return count;
  }

  /// Makes the draws that are left of a test.
  static void complete(const CutNode<S>& node, std::uint32_t cut, std::int64_t n_draws,
                       DrawCount& count, std::int64_t& draws_read) {
    if (count.n_draws >= n_draws) return;
    const Rng rng(derive_key(node.key, Stream::splitter_completion), cut);
    count.add(
        test_alone(node, TestPlan::all_of(n_draws - count.n_draws), cut, rng, draws_read, true));
  }
};

}  // namespace inforest
