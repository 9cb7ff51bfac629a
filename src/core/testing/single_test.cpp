// SPDX-License-Identifier: BSD-3-Clause
#include "core/testing/single_test.hpp"

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"

namespace inforest {

SingleTest test_feature(const Dataset& data, const std::vector<std::string>& selectors,
                        const TestPlan& plan, bool certify, Draws::Shared shared,
                        std::uint64_t seed, Interrupt& interrupt) {
  const std::vector<std::int32_t> rows = all_rows(data);
  Response response;
  response.gather(data, rows);
  std::vector<double> column(rows.size());
  // Where nothing varies every permutation ties.
  SingleTest result{0.0, {false, 1.0, plan.n_draws(), plan.n_draws()}};
  if (!gather_tested(data, 0, rows, response, column)) return result;
  with_root_selectors(data, selectors, seed, response, [&](auto& by_kind) {
    by_kind.visit(kind_of(data, 0, column), [&](auto& selector) {
      const double observed = selector.bind(column.data());
      result.statistic = natural_of(selector, observed);
      Draws draws;
      draws.begin(response, derive_key(seed, Stream::selector_draws), Draws::kSmallCache, shared);
      result.outcome =
          certify ? certified_test(selector, Limit(observed), draws, plan,
                                   derive_key(seed, Stream::selector_certificate), interrupt)
                  : permutation_test(selector, Limit(observed), draws, plan, interrupt);
    });
  });
  return result;
}

std::vector<double> rdc_weights(std::uint64_t seed) {
  const RdcProjections projections(derive_key(seed, Stream::projections));
  std::vector<double> weights;
  for (const Projections* side : {&projections.x, &projections.y}) {
    weights.insert(weights.end(), side->slope.begin(), side->slope.end());
    weights.insert(weights.end(), side->offset.begin(), side->offset.end());
  }
  return weights;
}

}  // namespace inforest
