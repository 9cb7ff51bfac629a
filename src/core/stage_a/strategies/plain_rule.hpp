// SPDX-License-Identifier: BSD-3-Clause
/// Stage A as the paper's text says (inference/reference.hpp): a draw permutes the responses among
/// the node's rows, and the selector computes its statistic of them as if they were the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/reference.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"
#include "core/stage_a/scale.hpp"

namespace inforest {

class PlainFeatureRule {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    const StageOptions& stage = node.options.selection;
    auto& candidates = node.candidates;
    rows_.assign(candidates.rows().begin(), candidates.rows().end());
    rng_ = Rng(derive_key(node.key, Stream::selector_draws));
    columns_.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) columns_.push_back(candidates.values(i));
    observed_ = values(candidates, candidates.response());
    const std::size_t best = largest(observed_);
    reference::Winner winner;
    if (!stage.tests()) {
      winner.index = best;
    } else if (stage.adjustment == Adjustment::maxt) {
      winner = reference::test_best(best, stage, [&] {
        const std::vector<double> drawn = values(candidates, permute(candidates));
        return drawn[largest(drawn)] >= tie_limit(observed_[best]);
      });
    } else {
      const auto order = reference::scan_order(observed_, node.options.feature_scanning);
      const auto exceeds = [&](std::size_t i) {
        return value(candidates, i, permute(candidates)) >= tie_limit(observed_[i]);
      };
      winner = reference::test_each(order, stage, exceeds,
                                    Rng(derive_key(node.key, Stream::selector_ties)));
    }
    for (const std::size_t i : winner.tested_in_vain) node.mute_unless_rejected(i, {});
    return {winner.index ? candidates.feature(*winner.index) : -1, winner.test, winner.n_draws};
  }

 private:
  template <Selector... S>
  const Response& permute(const Candidates<S...>& candidates) {
    rng_.shuffle(rows_.data(), static_cast<std::uint32_t>(rows_.size()));
    permuted_.gather(candidates.data(), rows_);
    return permuted_;
  }

  template <Selector... S>
  double value(Candidates<S...>& candidates, std::size_t i, const Response& response) {
    return candidates.visit(i, [&](auto& selector) {
      selector.begin(response);
      return comparable(selector, selector.bind(columns_[i].data()));
    });
  }

  template <Selector... S>
  std::vector<double> values(Candidates<S...>& candidates, const Response& response) {
    std::vector<double> all;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      all.push_back(value(candidates, i, response));
    return all;
  }

  static std::size_t largest(const std::vector<double>& values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
  }

  std::vector<std::vector<double>> columns_;
  std::vector<double> observed_;
  std::vector<std::int32_t> rows_;
  Rng rng_{0};
  Response permuted_;
};

}  // namespace inforest
