// SPDX-License-Identifier: BSD-3-Clause
/// Stage A with a fixed budget, the reference rule: every candidate gets exactly B draws; the
/// smallest p-value wins.
///
/// A candidate with too many exceedances to reject cannot win, so its other draws are made only if
/// no candidate rejects: then for the record, which is the smallest p-value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"

namespace inforest {

class SmallestPValue {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    const TestPlan& plan = node.plans.plan(static_cast<std::int64_t>(node.candidates.size()));
    node.candidates.observe_all(node.comparison());
    counts_.assign(node.candidates.size(), DrawCount{});
    draw_on(node, std::min(kFew, plan.n_draws()), plan.most_exceedances());
    draw_on(node, plan.n_draws(), plan.most_exceedances());
    const bool any_rejects = std::any_of(
        counts_.begin(), counts_.end(),
        [&](const DrawCount& count) { return count.n_exceedances <= plan.most_exceedances(); });
    if (!any_rejects) draw_on(node, plan.n_draws(), plan.n_draws());
    return fewest_exceedances(node, plan);
  }

 private:
  /// The draws of most candidates that do not reject.
  static constexpr std::int64_t kFew = 16;

  /// Goes on with all candidates until they have `n_draws` draws or more than `most` exceedances.
  template <Selector... S>
  void draw_on(StageANode<S...>& node, std::int64_t n_draws, std::int64_t most) {
    node.candidates.for_each_kind([&](auto& selector, FeatureKind kind) {
      open_.clear();
      for (std::uint32_t i = 0; i < counts_.size(); ++i)
        if (counts_[i].n_draws < n_draws && counts_[i].n_exceedances <= most &&
            node.candidates.kind(i) == kind)
          open_.push_back(i);
      draw_open(node, selector, n_draws, most);
    });
  }

  /// The same for the open candidates of one kind.
  template <Selector... S, Selector Own>
  void draw_open(StageANode<S...>& node, Own& selector, std::int64_t n_draws, std::int64_t most) {
    std::span<const std::uint32_t> open = open_;
    if constexpr (GoesTogether<Own>) {
      if (n_draws > kFew && node.candidates.keeps_columns() && !node.draws.has_masks())
        while (open.size() > 1) {
          const std::size_t count = std::min<std::size_t>(kTogether, open.size());
          draw_together(node, selector, open.first(count), n_draws, most);
          open = open.subspan(count);
        }
    }
    for (const std::uint32_t i : open) {
      const double observed = node.candidates.bind(selector, i);
      inforest::draw_on(counts_[i], selector, node.limit(i, observed), node.draws, n_draws, most,
                        node.interrupt);
    }
  }

  /// The same for a few of them, whose columns are read side by side.
  template <Selector... S, GoesTogether Own>
  void draw_together(StageANode<S...>& node, const Own& selector,
                     std::span<const std::uint32_t> group, std::int64_t n_draws,
                     std::int64_t most) {
    const CentredColumn* columns[kTogether] = {};
    double values[kTogether];
    std::vector<Limit> limits;
    std::int64_t b = n_draws;
    for (std::size_t c = 0; c < group.size(); ++c) {
      const BoundColumn& bound = node.candidates.bound(group[c]);
      columns[c] = &bound.column;
      limits.push_back(node.limit(group[c], bound.observed));
      b = std::min(b, counts_[group[c]].n_draws);
    }
    const typename Own::Together together(node.candidates.response(), {columns, group.size()});
    for (bool is_open = true; is_open && b < n_draws; ++b) {
      together.evaluate(selector, node.draws.order(b), values);
      is_open = false;
      for (std::size_t c = 0; c < group.size(); ++c) {
        DrawCount& count = counts_[group[c]];
        if (count.n_exceedances > most) continue;
        is_open = true;
        if (count.n_draws > b) continue;
        ++count.n_draws;
        count.n_exceedances += limits[c].is_reached(values[c], b);
      }
      node.interrupt.spend(2 * work_of(selector, node.draws.size()));
    }
  }

  template <Selector... S>
  FeatureChoice fewest_exceedances(StageANode<S...>& node, const TestPlan& plan) {
    FeatureChoice choice;
    std::size_t best = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const DrawCount& count = counts_[i];
      choice.draws_read += count.n_draws;
      node.mute_unless_rejected(i, count.outcome(plan));
      if (count.n_exceedances < counts_[best].n_exceedances ||
          (count.n_exceedances == counts_[best].n_exceedances &&
           node.candidates.tie_priority(i) < node.candidates.tie_priority(best)))
        best = i;
    }
    choice.test = counts_[best].outcome(plan);
    if (choice.test.rejected) choice.feature = node.candidates.feature(best);
    return choice;
  }

  std::vector<DrawCount> counts_;    ///< of the candidates
  std::vector<std::uint32_t> open_;  ///< candidates of one kind to go on with
};

}  // namespace inforest
