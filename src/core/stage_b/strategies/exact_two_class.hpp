// SPDX-License-Identifier: BSD-3-Clause
/// Two classes: every cut's permutation p-value is a hypergeometric tail, so no draw is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/bernoulli_test.hpp"
#include "core/inference/test_plan.hpp"
#include "core/inference/two_class.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// The p-value of one cut, or a part of it that is `enough`.
template <Splitter S>
  requires HasTwoClassTable<S>
double exact_p_value(const CutNode<S>& node, std::uint32_t cut, double enough = 2.0) {
  const std::uint32_t left = node.left[cut];
  const auto impurity = [&](std::int64_t count) {
    return node.splitter.of_table(left, static_cast<std::uint32_t>(count));
  };
  return two_class_tail(Hypergeometric{node.size, node.response.class_size(0), left}, impurity,
                        node.limit(cut), enough);
}

/// The first cut in scan order that rejects.
template <Splitter S>
  requires HasTwoClassTable<S>
CutChoice first_exact_rejection(const CutNode<S>& node, const TestPlan& plan) {
  CutChoice choice = node.no_choice();
  const Rng stream(derive_key(node.key, Stream::splitter_draws));
  const double critical = critical_p_value(plan, stream);
  for (const std::uint32_t cut : node.scan_order) {
    // A partial sum at the critical value already settles the test.
    const double p = exact_p_value(node, cut, critical);
    if (p >= critical) continue;
    choice.test = bernoulli_test(plan, p, stream);
    if (!choice.test.rejected) continue;
    node.choose(cut, choice);
    return choice;
  }
  // For the record, the test of the cut that looked best.
  choice.test = bernoulli_test(plan, exact_p_value(node, node.scan_order[0]), stream);
  return choice;
}

/// Fixed budget: the smallest count of exceedances wins, ties at random.
template <Splitter S>
  requires HasTwoClassTable<S>
CutChoice fewest_exact_exceedances(const CutNode<S>& node, const TestPlan& plan) {
  CutChoice choice = node.no_choice();
  const Rng stream(derive_key(node.key, Stream::splitter_draws));
  const auto order = node.scan_order;
  std::vector<double> p(node.n_cuts());
  for (std::uint32_t cut = 0; cut < node.n_cuts(); ++cut) p[cut] = exact_p_value(node, cut);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return p[a] < p[b]; });
  // Counts grow with p under one stream, so the ties come first.
  choice.test = bernoulli_test(plan, p[order[0]], stream);
  std::uint32_t n_ties = 1;
  while (n_ties < node.n_cuts() &&
         bernoulli_test(plan, p[order[n_ties]], stream).n_exceedances == choice.test.n_exceedances)
    ++n_ties;
  const auto pick = Rng(derive_key(node.key, Stream::splitter_ties)).below(n_ties);
  if (choice.test.rejected) node.choose(order[pick], choice);
  return choice;
}

}  // namespace inforest
