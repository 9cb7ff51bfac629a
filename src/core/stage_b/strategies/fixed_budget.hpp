// SPDX-License-Identifier: BSD-3-Clause
/// Every cut gets exactly B draws, the same for all; the smallest p-value wins, ties at random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_alone.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/cuts_together.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// A random order of the cuts decides ties beforehand. No p-value is smaller than that of a cut
/// without exceedances, so the first such cut in this order wins whatever the others are, and they
/// need no more draws.
template <Splitter S>
class FixedBudget {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    begin(node, plan);
    Rng rng(derive_key(node.key, Stream::splitter_draws));
    if (plan.most_exceedances() < 0) {
      draw_until(plan.n_draws(), plan.n_draws(), rng);
      choose_fewest_exceedances();
    } else {
      choose_quickly(rng);
    }
    return choice_;
  }

 private:
  using Item = typename S::Item;

  void begin(const CutNode<S>& node, const TestPlan& plan) {
    node_ = &node;
    plan_ = &plan;
    choice_ = node.no_choice();
    Rng(derive_key(node.key, Stream::splitter_ties))
        .shuffle(node.scan_order.data(), static_cast<std::uint32_t>(node.n_cuts()));
    counts_.assign(node.n_cuts(), DrawCount{});
    open_.clear();
    for (std::uint32_t cut = 0; cut < node.n_cuts(); ++cut)
      open_.push_back({cut, node.score_limit(cut)});
    together_.begin(node, open_);
  }

  /// Without the draws that cannot change the winner.
  void choose_quickly(Rng& rng) {
    const std::int64_t n_draws = plan_->n_draws(), most = plan_->most_exceedances();
    // A few draws show an exceedance at most cuts that have many.
    constexpr std::int64_t kFew = 16;
    draw_until(std::min(kFew, n_draws), most, rng);
    for (const std::uint32_t cut : node_->scan_order)
      if (counts_[cut].n_exceedances == 0 && stays_without_exceedance(cut, rng)) return settle(cut);
    draw_until(n_draws, most, rng);
    if (open_.empty())
      record_best_cut();
    else
      choose_fewest_exceedances();
  }

  /// Tests a cut without exceedances so far for all draws to come, alone, by what is quickest.
  ///
  /// If the first exceedance is at draw t, the draws before t are made for all open cuts as draws
  /// that do not exceed at this cut, and draw t is the one that does. So the draws of all cuts are
  /// the same i.i.d. permutations as if they had been made without looking ahead. (A certified
  /// rejection that is given back leaves no such trace; it closes the cut, one time in a thousand.)
  bool stays_without_exceedance(std::uint32_t cut, Rng& rng) {
    const std::int64_t made = counts_[cut].n_draws, n_left = plan_->n_draws() - made;
    const std::int64_t most = plan_->most_exceedances();
    if (n_left == 0) return true;
    const TestPlan rest = TestPlan::without_exceedance(n_left);
    if (const auto certified = certify(*node_, rest, cut)) {
      counts_[cut] = {plan_->n_draws(), certified->rejected ? 0 : most + 1};
      close_beyond(most);
      return certified->rejected;
    }
    const TestOutcome test =
        draw_alone(*node_, rest, cut, Rng(derive_key(node_->key, Stream::splitter_front), cut),
                   choice_.draws_read, true);
    if (test.rejected) {
      counts_[cut].n_draws = plan_->n_draws();
      return true;
    }
    complete_permutation(cut);
    exceeding_.assign(node_->items, node_->items + node_->size);
    draw_until(made + test.n_draws - 1, most, rng, cut);
    std::copy(exceeding_.begin(), exceeding_.end(), node_->items);
    together_.read();
    // Whatever rounding says.
    together_.scores()[place_of(cut)] = std::numeric_limits<double>::infinity();
    count_exceedances(most);
    return false;
  }

  /// Given the smaller child of a cut as the first items, a permutation with this child.
  void complete_permutation(std::uint32_t cut) {
    Item* const items = node_->items;
    const std::uint32_t side = node_->side(cut), other = node_->size - side;
    Rng rng(derive_key(node_->key, Stream::splitter_completion), cut);
    rng.shuffle(items, side);
    rng.shuffle(items + side, other);
    if (!node_->left_is_smaller(cut)) std::rotate(items, items + side, items + node_->size);
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Makes draws for the open cuts until they have `n_draws`; those that come to more exceedances
  /// than `most` are closed. Draws that exceed at the cut `barred` are made again.
  void draw_until(std::int64_t n_draws, std::int64_t most, Rng& rng, std::uint32_t barred = kNone) {
    while (!open_.empty() && counts_[open_[0].cut].n_draws < n_draws) {
      ++choice_.draws_read;
      together_.draw(rng);
      if (barred == kNone || !exceeds(place_of(barred))) count_exceedances(most);
    }
  }

  /// Where an open cut stands among them.
  std::size_t place_of(std::uint32_t cut) const {
    return static_cast<std::size_t>(
        std::find_if(open_.begin(), open_.end(),
                     [&](const Open& test) { return test.cut == cut; }) -
        open_.begin());
  }

  /// Whether the last draw exceeds at this open cut.
  bool exceeds(std::size_t place) { return together_.scores()[place] >= open_[place].limit; }

  void count_exceedances(std::int64_t most) {
    bool closes = false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      DrawCount& count = counts_[open_[i].cut];
      ++count.n_draws;
      count.n_exceedances += exceeds(i);
      closes |= count.n_exceedances > most;
    }
    if (closes) close_beyond(most);
  }

  void close_beyond(std::int64_t most) {
    std::erase_if(open_, [&](const Open& test) { return counts_[test.cut].n_exceedances > most; });
    together_.keep(open_);
  }

  /// Nothing can reject any more: the record is the test of the cut that looked best, whose p-value
  /// is about the smallest. To know that, all cuts would have to be drawn to the end.
  void record_best_cut() {
    const std::uint32_t cut = node_->best_cut();
    const std::int64_t n_left = plan_->n_draws() - counts_[cut].n_draws;
    if (n_left > 0)
      counts_[cut].add(draw_alone(*node_, TestPlan::all_of(n_left), cut,
                                  Rng(derive_key(node_->key, Stream::splitter_completion)),
                                  choice_.draws_read));
    settle(cut);
  }

  /// Of the open cuts, which have all draws.
  void choose_fewest_exceedances() {
    std::int64_t fewest = plan_->n_draws();
    for (const Open& test : open_) fewest = std::min(fewest, counts_[test.cut].n_exceedances);
    for (const std::uint32_t cut : node_->scan_order)
      if (counts_[cut].n_exceedances == fewest && place_of(cut) < open_.size()) return settle(cut);
  }

  void settle(std::uint32_t cut) {
    choice_.test = counts_[cut].outcome(*plan_);
    if (choice_.test.rejected) node_->choose(cut, choice_);
  }

  struct Open {
    std::uint32_t cut;
    double limit;  ///< the score that is an exceedance
  };

  const CutNode<S>* node_ = nullptr;
  const TestPlan* plan_ = nullptr;
  CutChoice choice_;
  std::vector<Open> open_;  ///< cuts that are still read
  std::vector<DrawCount> counts_;
  CutsTogether<S> together_;
  std::vector<Item> exceeding_;  ///< a permutation
};

}  // namespace inforest
