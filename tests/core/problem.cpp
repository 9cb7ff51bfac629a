// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "core/base/rng.hpp"
#include "core/data/feature_pool.hpp"

using namespace inforest;

Problem::Problem(std::int64_t n, std::int64_t p, std::int32_t n_classes, int kind,
                 std::uint64_t seed)
    : x(static_cast<std::size_t>(n * p)), y(static_cast<std::size_t>(n)), code(y.size()) {
  Rng rng(seed);
  for (double& value : x) {
    value = rng.normal();
    if (kind == 1) value = std::floor(value);
    if (kind == 2) value = value > 1.6;  // nearly constant
    if (kind == 3) value = std::ldexp(value, static_cast<int>(rng.below(2000)) - 1000);
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = x[i] + 0.5 * rng.normal();
    if (kind != 0) y[i] = std::floor(2.0 * std::tanh(y[i]));
    if (n_classes > 0)
      code[i] = static_cast<std::int32_t>(rng.below(3) == 0 || !(x[i] > 0.0)
                                              ? rng.below(static_cast<std::uint32_t>(n_classes))
                                              : 0);
  }
  const Target target =
      n_classes > 0 ? Target::of_labels(code.data(), n_classes) : Target::of_scores(y.data());
  data = {.x = x.data(), .n_samples = n, .n_features = p, .tested = target, .kept = target};
  keys = feature_keys(data);
}

Tree grow(const Problem& problem, const TreeRows& rows, const Options& options, std::uint64_t seed,
          Interrupt& interrupt) {
  const RareRows rare_rows(problem.data);
  std::vector<std::int64_t> candidate_counts(problem.keys.size(), 0);
  const FeatureIndex features{problem.keys.data(), rare_rows, candidate_counts.data()};
  Tree tree = make_grower(problem.data, features, options, interrupt)->grow(rows, seed);
  check(std::accumulate(candidate_counts.begin(), candidate_counts.end(), std::int64_t{0}) ==
            std::accumulate(tree.n_tests_feature.begin(), tree.n_tests_feature.end(),
                            std::int64_t{0}),
        "every candidate of every node is counted");
  return tree;
}

Tree grow(const Problem& problem, const Options& options, std::uint64_t seed) {
  Interrupt interrupt;
  const TreeRows rows = make_rows(RowCounts(problem.y.size(), 1),
                                  options.honesty ? options.honesty_fraction : 0.0, seed);
  return grow(problem, rows, options, seed, interrupt);
}

bool is_consistent(const Tree& tree) {
  for (std::size_t i = 0; i < tree.feature.size(); ++i) {
    if (tree.feature[i] < 0) {
      if (tree.stop_reason[i] == 0) return false;
      continue;
    }
    const auto left = static_cast<std::size_t>(tree.left[i]);
    const auto right = static_cast<std::size_t>(tree.right[i]);
    if (left != i + 1 || right <= left || right >= tree.feature.size()) return false;
    if (tree.n_samples[left] + tree.n_samples[right] != tree.n_samples[i]) return false;
    if (tree.n_samples[left] < 1 || tree.n_samples[right] < 1) return false;
    if (tree.p_value_feature[i] <= 0.0 || tree.p_value_feature[i] > 1.0) return false;
  }
  return true;
}

bool is_same(const Tree& a, const Tree& b) {
  return a.feature == b.feature && a.left == b.left && a.value == b.value &&
         a.draws_selector == b.draws_selector;
}

Options paper_like(const std::string& selector, const std::string& splitter) {
  Options options;
  options.stage_a.selectors = {selector};
  options.stage_b.splitter = splitter;
  options.stage_b.max_thresholds = {SizeRule::Kind::count, 16.0};
  options.stage_a.selection.alpha = options.stage_b.splitting.alpha = 0.3;
  return options;
}
