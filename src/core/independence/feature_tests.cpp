// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/feature_tests.hpp"

#include "core/base/rng.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

std::vector<TestOutcome> test_features(const Dataset& data,
                                       const std::vector<std::string>& selectors,
                                       std::span<const std::int64_t> features, const TestPlan& plan,
                                       std::uint64_t seed, Interrupt& interrupt) {
  Root root(data);
  std::vector<TestOutcome> outcomes;
  with_root_selectors(data, selectors, seed, root.response(), [&](auto& by_kind) {
    Draws draws;
    draws.begin(root.response(), derive_key(seed, Stream::selector_draws));
    for (const std::int64_t feature : features) {
      outcomes.push_back({false, 1.0, plan.n_draws(), plan.n_draws()});
      if (!root.gather(feature)) continue;
      outcomes.back() = by_kind.visit(root.kind(), [&](auto& selector) {
        const double observed = selector.bind(root.column().data());
        return permutation_test(selector, Limit(observed), draws, plan, interrupt);
      });
    }
  });
  return outcomes;
}

}  // namespace inforest
