// SPDX-License-Identifier: BSD-3-Clause
/// Stage A without permutations: every candidate's statistic against chi-square, which is its limit
/// over all permutations (Strasser and Weber 1999); the smallest p-value wins. These are the tests
/// of R's ctree.
///
/// P-values are compared by their logarithms, so that the strongest of many features is known far
/// beyond 1e-300, and a feature with more degrees of freedom has no advantage from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/special.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"

namespace inforest {

class SmallestTail {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    tested_.clear();
    node.candidates.observe_each([&](std::size_t i, auto& selector, double observed) {
      tested_.push_back(test(node.candidates.feature(i), selector, observed));
    });
    const double level =
        node.options.selection.level(static_cast<std::int64_t>(node.candidates.size()));
    for (Tested& one : tested_) {
      one.rejects = node.options.selection.stays_below ? one.log_p_value < std::log(level)
                                                       : one.log_p_value <= std::log(level);
      if (!one.rejects) node.muted[static_cast<std::size_t>(one.feature)] = 1;
    }
    choices_.clear();
    for (std::int64_t t = 0; t < node.options.split_tries && !tested_.empty(); ++t) {
      const auto best = best_left();
      if (t > 0 && !best->rejects) break;
      choices_.push_back(choice_of(*best));
      tested_.erase(best);
    }
    return choices_.front();
  }

  /// The next best features after the one chosen, best first, all of which reject.
  std::span<const FeatureChoice> runners_up() const {
    return std::span(choices_).subspan(choices_.empty() ? 0 : 1);
  }

 private:
  struct Tested {
    std::int32_t feature;
    double chi_square, log_p_value;
    bool rejects = false;
  };

  template <Selector S>
  static Tested test(std::int32_t feature, const S& selector, double observed) {
    if constexpr (HasChiSquare<S>) {
      const ChiSquare form = selector.chi_square(observed);
      return {feature, form.statistic, log_chi_square_tail(form.statistic, form.degrees)};
    } else {
      return {feature, observed, 0.0};  // never asked for: the border refuses
    }
  }

  /// The smallest p-value; of several that differ by rounding only, that of the last column.
  std::vector<Tested>::iterator best_left() {
    double smallest = 0.0;
    for (const Tested& one : tested_) smallest = std::min(smallest, one.log_p_value);
    const double tie = smallest * (1.0 - 1e-12);
    return std::max_element(tested_.begin(), tested_.end(), [&](const Tested& a, const Tested& b) {
      const bool a_ties = a.log_p_value <= tie, b_ties = b.log_p_value <= tie;
      return a_ties == b_ties ? a.feature < b.feature : b_ties;
    });
  }

  static FeatureChoice choice_of(const Tested& one) {
    return {.feature = one.rejects ? one.feature : -1,
            .test = {.rejected = one.rejects, .p_value = std::exp(one.log_p_value)},
            .chi_square = one.chi_square,
            .log_p_value = one.log_p_value};
  }

  std::vector<Tested> tested_;
  std::vector<FeatureChoice> choices_;  ///< best first
};

}  // namespace inforest
