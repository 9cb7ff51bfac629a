// SPDX-License-Identifier: BSD-3-Clause
/// The paper's rule: a test per cut, stopped early; the first in scan order that rejects wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_alone.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/cuts_together.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
class FirstRejectedCut {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    CutChoice choice = node.no_choice();
    test_front(node, plan, choice);
    // Without a number of exceedances that rejects, nothing can.
    if (!choice.found && plan.most_exceedances() >= 0) test_others(node, plan, choice);
    return choice;
  }

 private:
  /// The first cut in scan order alone: it often wins.
  static void test_front(const CutNode<S>& node, const TestPlan& plan, CutChoice& choice) {
    const std::uint32_t cut = node.scan_order[0];
    const auto certified = certify(node, plan, cut);
    choice.test =
        certified ? *certified
                  : draw_alone(node, plan, cut, Rng(derive_key(node.key, Stream::splitter_front)),
                               choice.draws_read);
    if (choice.test.rejected) node.choose(cut, choice);
  }

  struct Running {
    std::uint32_t place;  ///< in scan order
    std::uint32_t cut;
    double limit;  ///< the score that is an exceedance
    TestProgress progress;
  };

  /// All others, read from the same permutations.
  void test_others(const CutNode<S>& node, const TestPlan& plan, CutChoice& choice) {
    std::vector<Running> open;
    for (std::uint32_t place = 1; place < node.n_cuts(); ++place) {
      const std::uint32_t cut = node.scan_order[place];
      open.push_back({place, cut, node.score_limit(cut), TestProgress(plan)});
    }
    together_.begin(node, open);

    Rng rng(derive_key(node.key, Stream::splitter_draws));
    std::uint32_t winner = std::numeric_limits<std::uint32_t>::max();
    while (!open.empty()) {
      ++choice.draws_read;
      together_.draw(rng);
      bool any_decided = false;
      for (std::size_t i = 0; i < open.size(); ++i) {
        TestProgress& progress = open[i].progress;
        if (!progress.record(together_.scores()[i] >= open[i].limit)) continue;
        any_decided = true;
        const bool wins = progress.rejected() && open[i].place < winner;
        if (wins) winner = open[i].place;
        // Without a winner the record is the smallest p-value met.
        if (wins || (winner > node.n_cuts() && progress.p_value() < choice.test.p_value))
          choice.test = progress.outcome();
      }
      if (!any_decided) continue;
      // Only cuts that come before the winner still matter.
      std::erase_if(open, [&](const Running& test) {
        return test.progress.decided() || test.place > winner;
      });
      together_.keep(open);
    }
    if (winner < node.n_cuts()) node.choose(node.scan_order[winner], choice);
  }

  CutsTogether<S> together_;
};

}  // namespace inforest
