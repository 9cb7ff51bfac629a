// SPDX-License-Identifier: BSD-3-Clause
/// Stage A as the paper's text says (inference/reference.hpp): a draw permutes the responses among
/// the node's rows, and the selector computes its statistic of them as if they were the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/reference.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"
#include "core/stage_a/scale.hpp"

namespace inforest {

/// The responses of a node, to be permuted among its rows again and again.
class PermutedResponse {
 public:
  PermutedResponse(const Dataset& data, std::span<const std::int32_t> rows, std::uint64_t key)
      : data_(data), rows_(rows.begin(), rows.end()), rng_(key) {}

  const Response& next() {
    rng_.shuffle(rows_.data(), static_cast<std::uint32_t>(rows_.size()));
    response_.gather(data_, rows_);
    return response_;
  }

 private:
  const Dataset& data_;
  std::vector<std::int32_t> rows_;
  Rng rng_;
  Response response_;
};

/// The statistic of candidate i with these responses.
using StatisticOf = std::function<double(std::size_t i, const Response& response)>;

INFOREST_COLD inline reference::Winner plain_feature(const StageAOptions& options,
                                                     std::size_t n_candidates,
                                                     const Response& response,
                                                     PermutedResponse permuted, std::uint64_t key,
                                                     const StatisticOf& statistic) {
  const auto all = [&](const Response& responses) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n_candidates; ++i) values.push_back(statistic(i, responses));
    return values;
  };
  const std::vector<double> observed = all(response);
  const auto best = static_cast<std::size_t>(std::max_element(observed.begin(), observed.end()) -
                                             observed.begin());
  const StageOptions& stage = options.selection;
  if (!stage.tests()) return {.index = best};
  if (stage.adjustment == Adjustment::maxt)
    return reference::test_best(best, stage, [&] {
      const std::vector<double> values = all(permuted.next());
      return *std::max_element(values.begin(), values.end()) >= tie_limit(observed[best]);
    });
  return reference::test_each(
      reference::scan_order(observed, options.feature_scanning), stage,
      [&](std::size_t i) { return statistic(i, permuted.next()) >= tie_limit(observed[i]); },
      Rng(derive_key(key, Stream::selector_ties)));
}

template <Selector... S>
INFOREST_COLD FeatureChoice plain_feature(StageANode<S...>& node) {
  Candidates<S...>& candidates = node.candidates;
  const StatisticOf statistic = [&](std::size_t i, const Response& response) {
    return candidates.visit(i, [&](auto& selector) {
      selector.begin(response);
      return comparable(selector, selector.bind(candidates.values(i).data()));
    });
  };
  const reference::Winner winner =
      plain_feature(node.options, candidates.size(), candidates.response(),
                    PermutedResponse(candidates.data(), candidates.rows(),
                                     derive_key(node.key, Stream::selector_draws)),
                    node.key, statistic);
  for (const std::size_t i : winner.tested_in_vain) node.mute_unless_rejected(i, {});
  return {winner.index ? candidates.feature(*winner.index) : -1, winner.test, winner.n_draws};
}

}  // namespace inforest
