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

/// The responses of a node, to be permuted among its rows again and again; weights stay.
class PermutedResponse {
 public:
  PermutedResponse(const Dataset& data, std::span<const std::int32_t> rows, const Blocks& blocks,
                   std::uint64_t key)
      : data_(data), rows_(rows.begin(), rows.end()), blocks_(blocks), rng_(key) {
    if (data.weights != nullptr)
      for (const std::int32_t row : rows) weights_.push_back(data.weights[row]);
  }

  const Response& next() {
    if (blocks_.exist())
      blocks_.shuffle(rng_, rows_.data());
    else
      rng_.shuffle(rows_.data(), static_cast<std::uint32_t>(rows_.size()));
    response_.gather(data_, rows_);
    response_.weigh_like(weights_);
    return response_;
  }

 private:
  const Dataset& data_;
  std::vector<std::int32_t> rows_;
  std::vector<double> weights_;
  const Blocks& blocks_;
  Rng rng_;
  Response response_;
};

/// Of candidate i: its statistic with these responses, a value of it on the common scale, and the
/// limits of its own test and of that of the largest, if it is that.
struct PlainStatistics {
  std::size_t n_candidates;
  std::function<double(std::size_t i, const Response& response)> value;
  std::function<double(std::size_t i, double value)> comparable;
  std::function<Limit(std::size_t i, double value)> limit;
  std::function<Limit(std::size_t i)> limit_of_maximum;
};

INFOREST_COLD inline reference::Winner test_plainly(const StageAOptions& options,
                                                    const PlainStatistics& statistics,
                                                    const Response& response,
                                                    PermutedResponse& permuted, std::uint64_t key) {
  const auto scores = [&](const Response& responses) {
    std::vector<double> all;
    for (std::size_t i = 0; i < statistics.n_candidates; ++i)
      all.push_back(statistics.comparable(i, statistics.value(i, responses)));
    return all;
  };
  const std::vector<double> observed = scores(response);
  const StageOptions& stage = options.selection;
  if (stage.adjustment == Adjustment::maxt) {
    const auto best = static_cast<std::size_t>(std::max_element(observed.begin(), observed.end()) -
                                               observed.begin());
    const Limit limit = statistics.limit_of_maximum(best);
    std::int64_t b = 0;
    return reference::test_best(best, stage, [&] {
      const std::vector<double> drawn = scores(permuted.next());
      return limit.is_reached(*std::max_element(drawn.begin(), drawn.end()), b++);
    });
  }
  std::vector<Limit> limit;
  std::vector<std::int64_t> n_draws(statistics.n_candidates, 0);
  for (std::size_t i = 0; i < statistics.n_candidates; ++i)
    limit.push_back(statistics.limit(i, statistics.value(i, response)));
  return reference::test_each(
      reference::scan_order(observed, options.feature_scanning != FeatureScanning::none), stage,
      [&](std::size_t i) {
        return limit[i].is_reached(statistics.value(i, permuted.next()), n_draws[i]++);
      },
      Rng(derive_key(key, Stream::selector_ties)));
}

template <Selector... S>
INFOREST_COLD FeatureChoice plain_feature(StageANode<S...>& node) {
  Candidates<S...>& candidates = node.candidates;
  candidates.observe_all(node.comparison());
  const PlainStatistics statistics{
      candidates.size(),
      [&](std::size_t i, const Response& response) {
        node.interrupt.spend(20 * static_cast<std::int64_t>(response.size()));
        return candidates.visit(i, [&](auto& selector) {
          selector.begin(response);
          return selector.bind(candidates.values(i).data());
        });
      },
      [&](std::size_t i, double value) { return candidates.scale(i).comparable(value); },
      [&](std::size_t i, double value) { return node.limit(i, value); },
      [&](std::size_t i) { return node.limit_of_maximum(i); }};
  PermutedResponse permuted(candidates.data(), candidates.rows(), candidates.response().blocks(),
                            derive_key(node.key, Stream::selector_draws));
  const reference::Winner winner =
      test_plainly(node.options, statistics, candidates.response(), permuted, node.key);
  // The permuted responses end here; the selectors shall not remember them.
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates.visit(i, [&](auto& selector) { selector.begin(candidates.response()); });
  for (const std::size_t i : winner.tested_in_vain) node.mute_unless_rejected(i, {});
  return {winner.index ? candidates.feature(*winner.index) : -1, winner.test, winner.n_draws};
}

}  // namespace inforest
