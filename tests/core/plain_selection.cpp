// SPDX-License-Identifier: BSD-3-Clause
#include "plain_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/rng.hpp"
#include "core/data/feature_pool.hpp"
#include "core/inference/permutation_test.hpp"

using namespace inforest;

double mean(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Numbers observed_response(const Response& response) {
  if (!response.has_labels()) return response.centred();
  return Numbers(response.labels().begin(), response.labels().end());
}

Numbers permuted_response(const Response& response, Draws& draws, std::int64_t b) {
  const std::uint32_t* order = draws.order(b);
  Numbers y(response.size());
  if (!response.has_labels()) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = response.centred()[order[i]];
    return y;
  }
  const std::uint32_t last = response.n_classes() - 1;
  std::fill(y.begin(), y.end(), last);
  for (std::uint32_t i = 0; i < response.n_placed(); ++i) {
    std::uint32_t k = 0;
    while (k + 1 < last && i >= response.class_begin(k + 1)) ++k;
    y[order[i]] = k;
  }
  return y;
}

Node::Node(std::int32_t n_labels, double strength, bool mixed, std::uint64_t seed)
    : n_features(7), key(seed) {
  constexpr std::int64_t n = 45;
  Rng rng(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    scores.push_back(rng.normal());
    labels.push_back(static_cast<std::int32_t>(rng.below(std::max(n_labels, 1))));
  }
  for (std::int64_t feature = 0; feature < n_features; ++feature) {
    n_levels.push_back(mixed && feature % 2 == 1 ? 5 : 0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double y = n_labels > 0 ? labels[i] : scores[i];
      const double value = strength * static_cast<double>(feature % 4) * y + rng.normal();
      // Neighbouring groups have far codes, so that a category's codes are no numbers.
      const double code = std::fmod(3.0 * std::floor(std::clamp(value + 2.0, 0.0, 4.0)), 5.0);
      x.push_back(n_levels.back() > 0 ? code : value);
    }
  }
  const Target target =
      n_labels > 0 ? Target::of_labels(labels.data(), n_labels) : Target::of_scores(scores.data());
  data = {
      .x = x.data(), .n_samples = n, .n_features = n_features, .tested = target, .kept = target};
  data.n_levels = mixed ? n_levels.data() : nullptr;
  for (std::int32_t row = 0; row < n; ++row)
    if (row % 9 != 4) rows.push_back(row);
  for (std::int32_t i = 0; i < n_features; ++i) candidates.push_back((5 * i + 2) % 7);
  response.gather(data, rows);
}

Numbers Node::column(std::int32_t feature) const {
  Numbers values;
  for (const std::int32_t row : rows) values.push_back(data.column(feature)[row]);
  return values;
}

PlainSelection::PlainSelection(const Node& node, const StageAOptions& options,
                               const Plain& statistic, const Moments& moments)
    : node_(node), options_(options) {
  const std::int64_t n_tests = is_maxt() ? 1 : static_cast<std::int64_t>(node.candidates.size());
  tau_ = options.selection.alpha / static_cast<double>(n_tests);
  n_draws_ = TestPlan(options.selection, n_tests).n_draws();
  Draws draws;
  draws.begin(node.response, derive_key(node.key, Stream::selector_draws));
  for (const std::int32_t feature : node.candidates) {
    const Numbers x = node.column(feature);
    observed_.push_back(statistic(feature, x, observed_response(node.response)));
    scale_.push_back(scale_of(feature, statistic, moments));
    score_.push_back(scale_.back().comparable(observed_.back()));
    drawn_.emplace_back();
    for (std::int64_t b = 0; options.selection.tests() && b < n_draws_; ++b)
      drawn_.back().push_back(statistic(feature, x, permuted_response(node.response, draws, b)));
  }
}

TailScale PlainSelection::scale_of(std::int32_t feature, const Plain& statistic,
                                   const Moments& moments) const {
  const Numbers x = node_.column(feature);
  if (moments) return TailScale(*moments(feature, x));
  if (!is_maxt()) return TailScale();
  Draws pilots;
  pilots.begin(node_.response, derive_key(node_.key, Stream::selector_pilots));
  MomentsOfDraws drawn;
  for (std::int64_t b = 0; b < kPilotDraws; ++b)
    drawn.add(statistic(feature, x, permuted_response(node_.response, pilots, b)));
  return TailScale(drawn.moments());
}

Answer PlainSelection::answer() const {
  Answer answer;
  answer.muted.assign(static_cast<std::size_t>(node_.n_features), 0);
  if (!options_.selection.tests())
    answer.choice.feature = node_.candidates[largest()];
  else if (is_maxt())
    maximum(answer);
  else if (options_.selection.sequential())
    first_rejection(answer);
  else
    smallest_p_value(answer);
  return answer;
}

bool PlainSelection::is_maxt() const { return options_.selection.adjustment == Adjustment::maxt; }

std::size_t PlainSelection::largest() const {
  return static_cast<std::size_t>(std::max_element(score_.begin(), score_.end()) - score_.begin());
}

bool PlainSelection::rejects(std::int64_t exceedances) const {
  return static_cast<double>(1 + exceedances) / static_cast<double>(1 + n_draws_) < tau_;
}

TestOutcome PlainSelection::test(double limit, const Numbers& drawn) const {
  TestOutcome test;
  while (test.n_draws < n_draws_) {
    test.n_exceedances += drawn[static_cast<std::size_t>(test.n_draws++)] >= limit;
    const std::int64_t left = n_draws_ - test.n_draws;
    if (options_.selection.sequential() &&
        (!rejects(test.n_exceedances) || rejects(test.n_exceedances + left)))
      break;
  }
  test.rejected = rejects(test.n_exceedances);
  test.p_value =
      static_cast<double>(1 + test.n_exceedances) / static_cast<double>(1 + test.n_draws);
  return test;
}

void PlainSelection::first_rejection(Answer& answer) const {
  std::vector<std::size_t> order(node_.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options_.feature_scanning != FeatureScanning::none)
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return score_[a] > score_[b]; });
  for (const std::size_t i : order) {
    const TestOutcome outcome = test(tie_limit(observed_[i]), drawn_[i]);
    if (outcome.rejected || !(answer.choice.test.p_value <= outcome.p_value))
      answer.choice.test = outcome;
    if (outcome.rejected) {
      answer.choice.feature = node_.candidates[i];
      return;
    }
    answer.muted[static_cast<std::size_t>(node_.candidates[i])] = 1;
  }
}

void PlainSelection::smallest_p_value(Answer& answer) const {
  std::vector<TestOutcome> tests;
  for (std::size_t i = 0; i < node_.candidates.size(); ++i) {
    tests.push_back(test(tie_limit(observed_[i]), drawn_[i]));
    if (!tests[i].rejected) answer.muted[static_cast<std::size_t>(node_.candidates[i])] = 1;
  }
  const std::vector<std::uint64_t> keys = feature_keys(node_.data);
  const std::uint64_t tie_key = derive_key(node_.key, Stream::selector_ties);
  const auto rank = [&](std::size_t i) {
    const auto feature = static_cast<std::size_t>(node_.candidates[i]);
    return std::pair(tests[i].n_exceedances, derive_key(tie_key, keys[feature]));
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < node_.candidates.size(); ++i)
    if (rank(i) < rank(best)) best = i;
  answer.choice.test = tests[best];
  if (tests[best].rejected) answer.choice.feature = node_.candidates[best];
}

void PlainSelection::maximum(Answer& answer) const {
  Numbers maxima(drawn_[0].size(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < drawn_.size(); ++i)
    for (std::size_t b = 0; b < maxima.size(); ++b)
      maxima[b] = std::max(maxima[b], scale_[i].comparable(drawn_[i][b]));
  const std::size_t best = largest();
  answer.choice.test = test(scale_[best].comparable(tie_limit(observed_[best])), maxima);
  if (answer.choice.test.rejected) answer.choice.feature = node_.candidates[largest()];
}
