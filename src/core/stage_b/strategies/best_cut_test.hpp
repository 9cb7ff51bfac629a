// SPDX-License-Identifier: BSD-3-Clause
/// "max": one test of the best impurity over all cuts, found anew in every permutation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

template <Splitter S>
class BestCutTest {
 public:
  CutChoice choose(const CutNode<S>& node, const TestPlan& plan) {
    const std::uint32_t best = node.best_cut();
    if (const auto certified = certify(node, best, plan)) {
      CutChoice choice{.test = *certified, .n_tests = 1};
      if (certified->rejected) node.choose(best, choice);
      return choice;
    }
    const Limit limit = node.test_limit(best);
    TestProgress progress(plan);
    Rng rng(derive_key(node.key, Stream::splitter_draws));
    impurity_.resize(node.n_cuts());
    while (!progress.decided()) {
      node.permute(rng);
      node.scan(impurity_.data());
      const double smallest = *std::min_element(impurity_.begin(), impurity_.end());
      progress.record(limit.is_reached(-smallest, rng));
      node.interrupt.spend(3 * static_cast<std::int64_t>(node.size) +
                           static_cast<std::int64_t>(node.n_cuts()));
    }
    CutChoice choice{.test = progress.outcome(), .n_tests = 1, .draws_read = progress.n_draws()};
    if (progress.rejected()) node.choose(best, choice);
    return choice;
  }

 private:
  /// The test by a proven bound, if there is one: what the best cut has reached, no cut reaches in
  /// a permutation with more than the sum of their probabilities.
  static std::optional<TestOutcome> certify(const CutNode<S>& node, std::uint32_t best,
                                            const TestPlan& plan) {
    if (plan.is_exhaustive() || plan.most_exceedances() < 0 || node.blocks.exist())
      return std::nullopt;
    const double enough = certificate_limit(plan), limit = node.limit(best);
    const double share = enough / static_cast<double>(node.n_cuts());
    // The best cut is the likeliest to be too likely.
    double sum = hook::certificate(node.splitter, node.left[best], limit, share);
    for (std::uint32_t cut = 0; cut < node.n_cuts() && sum <= enough; ++cut)
      if (cut != best) sum += hook::certificate(node.splitter, node.left[cut], limit, share);
    if (!(sum <= enough)) return std::nullopt;
    Rng rng(derive_key(node.key, Stream::splitter_bound));
    return certified_rejection(plan, sum, rng.uniform());
  }

  std::vector<double> impurity_;
};

}  // namespace inforest
