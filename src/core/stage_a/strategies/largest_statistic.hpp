// SPDX-License-Identifier: BSD-3-Clause
/// Stage A by maxT: the largest statistic wins if the node's one test rejects.
///
/// maxT (Westfall & Young 1993, single step) is one test for the node, whose statistic is the
/// largest over the candidates. A draw permutes y for all of them at once, so that maximum is a
/// statistic of the permutation like any other. If y is independent of the candidates together, the
/// observed one and those of the B draws are exchangeable, and (1 + exceedances) / (1 + B) < alpha
/// has probability at most alpha: whatever the dependence between the candidates, without a factor
/// for their number. The level needs nothing else. Power needs statistics of one scale (scale.hpp),
/// or rare columns, whose statistics have heavy tails, would drown all others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/rng.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/node.hpp"
#include "core/stage_a/scale.hpp"

namespace inforest {

class LargestStatistic {
 public:
  template <Selector... S>
  FeatureChoice choose(StageANode<S...>& node) {
    const TestPlan& plan = node.plans.plan(1);
    node.candidates.observe_all(node.comparison());
    node.candidates.order_by_score(order_);
    const std::size_t best = node.candidates.best();
    const Limit limit = node.limit_of_maximum(best);
    limits_.assign(node.candidates.size(), std::nullopt);
    FeatureChoice choice;
    const double q = !node.draws.are_restricted() && may_certify(node.options, plan)
                         ? bound(node, limit, plan)
                         : 1.0;
    if (q <= certificate_limit(plan)) {
      Rng certificate(derive_key(node.key, Stream::selector_certificate));
      choice.test = certified_rejection(plan, q, certificate.uniform());
    } else {
      choice.test = test_maximum(node, limit, plan);
    }
    choice.draws_read = choice.test.n_draws;
    if (choice.test.rejected) choice.feature = node.candidates.feature(best);
    return choice;
  }

 private:
  /// Whether a bound may replace the draws, and costs less than they do.
  static bool may_certify(const StageAOptions& options, const TestPlan& plan) {
    constexpr std::int64_t kCheapDraws = 16;
    return options.selection.sequential() && plan.most_exceedances() >= 0 &&
           plan.n_draws() > kCheapDraws;
  }

  /// The limit as values of candidate i. A scale is costly to read backwards, so that is done once,
  /// and for candidates only that are looked at.
  template <Selector... S>
  const Limit& limit_of(StageANode<S...>& node, std::size_t i, const Limit& maximum) {
    if (!limits_[i]) {
      const TailScale& scale = node.candidates.scale(i);
      const double low = scale.value_at(maximum.low());
      const double high = maximum.high() > maximum.low() ? scale.value_at(maximum.high()) : low;
      limits_[i].emplace(low, high, node.options.selection.ties,
                         derive_key(node.key, Stream::selector_lots));
    }
    return *limits_[i];
  }

  /// Bounds the probability that any candidate reaches `limit` by the sum over all of them.
  template <Selector... S>
  double bound(StageANode<S...>& node, const Limit& limit, const TestPlan& plan) {
    const double enough = certificate_limit(plan);
    const double share = enough / static_cast<double>(order_.size());
    double sum = 0.0;
    for (const std::uint32_t i : order_) {
      sum += node.candidates.with_bound(i, [&](auto& selector, double) {
        return certificate_of(selector, std::fmax(limit_of(node, i, limit).low(), 0.0), share);
      });
      node.interrupt.spend(4 * static_cast<std::int64_t>(node.draws.size()));
      if (sum > enough) break;
    }
    return sum;
  }

  /// The candidates are bound one after the other, each for a block of draws; a draw that one of
  /// them has brought over the limit needs no other, and large observed values come first because
  /// they are the likeliest to do so.
  template <Selector... S>
  TestOutcome test_maximum(StageANode<S...>& node, const Limit& limit, const TestPlan& plan) {
    TestProgress progress(plan);
    for (std::int64_t begin = 0, size = 8; !progress.decided(); begin += size, size *= 2) {
      const auto drawn = std::min(size, plan.n_draws() - begin);
      exceeds_.assign(static_cast<std::size_t>(drawn), 0);
      for (const std::uint32_t i : order_) {
        if (node.options.selection.sequential()) drop_after_decision(progress, plan);
        if (std::find(exceeds_.begin(), exceeds_.end(), 0) == exceeds_.end()) break;
        node.candidates.with_bound(i, [&](auto& selector, double) {
          draw_block(node, selector, begin, limit_of(node, i, limit));
        });
      }
      for (std::size_t b = 0; b < exceeds_.size() && !progress.decided(); ++b)
        progress.record(exceeds_[b] != 0);
    }
    return progress.outcome();
  }

  /// Which draws of the block from `begin` on does the bound candidate bring over the limit?
  template <Selector... S, Selector Own>
  void draw_block(StageANode<S...>& node, Own& selector, std::int64_t begin, const Limit& limit) {
    for (std::size_t b = 0; b < exceeds_.size(); ++b) {
      if (exceeds_[b]) continue;
      exceeds_[b] = exceeds(selector, node.draws, begin + static_cast<std::int64_t>(b), limit);
      node.interrupt.spend(work_of(selector, node.draws.size()));
    }
  }

  /// Once the exceedances rule out a rejection, later draws of the block are not needed.
  void drop_after_decision(const TestProgress& progress, const TestPlan& plan) {
    std::int64_t left = plan.most_exceedances() - progress.n_exceedances();
    for (std::size_t b = 0; b < exceeds_.size(); ++b)
      if (exceeds_[b] && left-- == 0) return exceeds_.resize(b + 1);
  }

  std::vector<std::uint32_t> order_;          ///< candidates, the largest score first
  std::vector<std::uint8_t> exceeds_;         ///< of the draws of one block
  std::vector<std::optional<Limit>> limits_;  ///< of each candidate, once it was asked for
};

}  // namespace inforest
