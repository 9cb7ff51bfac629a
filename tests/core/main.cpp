// SPDX-License-Identifier: BSD-3-Clause
/// The core's own tests: every combination of parts on small, nasty data, meant to be run under
/// sanitizers (`make sanitize`). The statistics themselves are checked from Python, by an oracle.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/random_subset.hpp"
#include "core/base/rng.hpp"
#include "core/data/feature_pool.hpp"
#include "core/independence/independence.hpp"
#include "core/independence/inspect.hpp"
#include "core/independence/root.hpp"
#include "core/tree/apply.hpp"
#include "core/tree/grow_forest.hpp"
#include "core/tree/grow_tree.hpp"
#include "core/tree/partition.hpp"
#include "core/tree/permutation_importance.hpp"
#include "core/tree/validate_splits.hpp"

using namespace inforest;

namespace {

std::atomic<int> n_passed = 0, n_failed = 0;  // threads check, too

void check(bool holds, const std::string& what) {
  holds ? ++n_passed : ++n_failed;
  if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

/// A small data set; `kind` chooses continuous, tied, two-valued or extreme columns.
struct Problem {
  std::vector<double> x, y;
  std::vector<std::int32_t> code;
  std::vector<std::uint64_t> keys;
  Dataset data;

  Problem(std::int64_t n, std::int64_t p, std::int32_t n_classes, int kind, std::uint64_t seed)
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
    data = {x.data(), n, p, target, target};
    keys = feature_keys(data);
  }
  Problem(const Problem&) = delete;
};

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
  const TreeRows rows = make_rows(RowCounts(problem.y.size(), 1), options, seed);
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
  options.selectors = {selector};
  options.splitter = splitter;
  options.max_thresholds = {SizeRule::Kind::count, 16.0};
  options.selection.alpha = options.splitting.alpha = 0.3;
  return options;
}

void test_all_combinations() {
  const std::vector<std::pair<std::int32_t, std::vector<std::string>>> selectors = {
      {0, {"pc", "dc", "rdc", "quad"}},
      {2, {"mc", "mi", "rdc", "quad"}},
      {4, {"mc", "mi", "rdc", "quad"}}};
  for (const auto& [n_classes, names] : selectors)
    for (const auto& selector : names)
      for (const std::string splitter : {n_classes ? "gini" : "mse", n_classes ? "entropy" : "mae"})
        for (int kind = 0; kind < 4; ++kind)
          for (const auto test : {SplitterTest::none, SplitterTest::threshold, SplitterTest::max})
            for (const auto stopping :
                 {EarlyStopping::none, EarlyStopping::curtailed, EarlyStopping::adaptive})
              for (const auto method : {ThresholdMethod::exact, ThresholdMethod::random,
                                        ThresholdMethod::percentile, ThresholdMethod::histogram}) {
                const Problem problem(60, 4, n_classes, kind, 7);
                Options options = paper_like(selector, splitter);
                options.splitter_test = test;
                options.threshold_method = method;
                options.selection.early_stopping = options.splitting.early_stopping = stopping;
                options.selection.budget.kind = Budget::Kind::automatic;
                options.honesty = kind == 1;
                const Tree tree = grow(problem, options, 3);
                check(is_consistent(tree), selector + " " + splitter + " is consistent");
              }
}

void test_tiny_inputs() {
  for (std::int64_t n = 1; n <= 5; ++n)
    for (std::int64_t p = 1; p <= 2; ++p)
      for (const std::int32_t n_classes : {0, 2, 3})
        for (int kind = 0; kind < 4; ++kind)
          for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const Problem problem(n, p, n_classes, kind, seed);
            Options options = paper_like(n_classes ? "mc" : "pc", n_classes ? "gini" : "mse");
            options.splitter_test = SplitterTest::max;
            options.selection.alpha = 1.0;
            check(is_consistent(grow(problem, options, seed)), "tiny input");
          }
}

void test_maxt() {
  for (const std::int32_t n_classes : {0, 2, 4})
    for (int kind = 0; kind < 4; ++kind)
      for (const auto stopping :
           {EarlyStopping::none, EarlyStopping::curtailed, EarlyStopping::adaptive}) {
        const Problem problem(80, 6, n_classes, kind, 13);
        Options options = paper_like("quad", n_classes ? "gini" : "mse");
        options.selection.adjustment = Adjustment::maxt;
        options.selection.early_stopping = stopping;
        check(is_consistent(grow(problem, options, 3)), "maxT is consistent");
      }
}

void test_lists_of_selectors() {
  const Problem classes(50, 3, 3, 1, 1), values(50, 3, 0, 1, 1);
  Options options = paper_like("mc", "gini");
  options.selectors = {"mc", "mi", "rdc", "quad"};
  check(is_consistent(grow(classes, options, 1)), "list of classification selectors");
  options.selectors = {"pc", "dc", "rdc", "quad"};
  options.splitter = "mse";
  check(is_consistent(grow(values, options, 1)), "list of regression selectors");
}

/// Trees are grown from one data set by many threads, as a forest does.
void test_threads() {
  const Problem problem(300, 20, 3, 0, 5);
  const Options options = paper_like("mc", "gini");
  std::vector<Tree> alone(8), together(8);
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = grow(problem, options, i);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < together.size(); i += 4) together[i] = grow(problem, options, i);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < alone.size(); ++i)
    check(is_same(alone[i], together[i]), "threads do not change a tree");
}

/// Many threads grow parts of one forest: they share the lists of rare rows and count together.
void test_parts_of_a_forest() {
  const Problem problem(300, 20, 2, 2, 5);
  const Options options = paper_like("mc", "gini");
  const RareRows rare_rows(problem.data);
  const std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5, 6, 7, 8};
  const auto grow_part = [&](std::size_t begin, std::size_t size, std::int64_t* done) {
    Interrupt interrupt;
    std::vector<std::int64_t> candidate_counts(problem.keys.size(), 0);
    const FeatureIndex features{problem.keys.data(), rare_rows, candidate_counts.data()};
    const Sampling sampling{.n_samples = 300, .quota = {200}};
    return grow_forest(problem.data, features, options, sampling, {seeds.data() + begin, size},
                       done, interrupt);
  };
  check(RareRowsView(rare_rows).exist(), "nearly constant columns are listed");
  std::int64_t n_done = 0;
  std::vector<Forest> parts(4, Forest(2));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < parts.size(); ++t)
    threads.emplace_back([&, t] { parts[t] = grow_part(2 * t, 2, &n_done); });
  for (std::thread& thread : threads) thread.join();
  check(n_done == 8, "all trees are counted");
  Forest whole = grow_part(0, 8, nullptr);
  std::vector<double> value;
  for (Forest& part : parts) value.insert(value.end(), part.value().begin(), part.value().end());
  check(whole.value() == value, "parts are the whole");
  std::size_t n_nodes = 0, n_arrays = 0;
  whole.for_each_array([&](const std::string& name, const auto& array) {
    if (name == "feature") n_nodes = array.size();
    if (name == "offset") check(array.size() == 9, "offset has a border per tree and one more");
    if (name == "draws_selector") check(array.size() == 8, "one number per tree");
    if (name == "validated") check(array.size() == n_nodes, "one entry per node");
    ++n_arrays;
  });
  check(value.size() == 2 * n_nodes && n_nodes > 8 && n_arrays > 10, "every node is collected");
}

/// Rows keep their order on both sides, with the values' memory as room and with another's.
void test_partition() {
  for (const std::size_t n : {0, 1, 2, 7, 100}) {
    Rng rng(n);
    std::vector<double> value(n);
    std::vector<std::int32_t> rows(n), expected, waiting(n);
    for (std::size_t i = 0; i < n; ++i) {
      value[i] = static_cast<double>(rng.below(5));
      rows[i] = static_cast<std::int32_t>(rng.below(1u << 31));
    }
    for (const bool is_left : {true, false})
      for (std::size_t i = 0; i < n; ++i)
        if ((value[i] <= 2.0) == is_left) expected.push_back(rows[i]);
    const auto n_left = static_cast<std::size_t>(
        std::count_if(value.begin(), value.end(), [](double x) { return x <= 2.0; }));
    std::vector<std::int32_t> again = rows;
    check(partition<std::int32_t>(again, value.data(), waiting.data(), Route::at(2.0)) == n_left &&
              again == expected,
          "rows are parted");
    check(partition<double>(rows, value.data(), value.data(), Route::at(2.0)) == n_left &&
              rows == expected,
          "rows are parted in the memory of the values");
  }
}

/// Values share a cell exactly if they go the same way at every split.
void test_route_cells() {
  const std::vector<double> thresholds{1.5, -2.0, 1.5, 0.0, 7.0};
  const std::vector<double> values{-3.0, -2.0, -1.0, -0.0, 0.0, 0.5, 1.5, 1.6, 7.0, 8.0};
  RouteCells cells;
  for (const double threshold : thresholds) cells.add(Route::at(threshold));
  cells.finish();
  for (const double a : values)
    for (const double b : values) {
      const bool go_together =
          std::all_of(thresholds.begin(), thresholds.end(), [&](double threshold) {
            return Route::at(threshold).goes_left(a) == Route::at(threshold).goes_left(b);
          });
      check((cells.cell(a) == cells.cell(b)) == go_together, "cells are where values go");
    }
}

/// Samples are sent down one forest by many threads, each with its own rows.
void test_threaded_prediction() {
  const Problem problem(400, 8, 3, 0, 11);
  const Options options = paper_like("mc", "gini");
  Sampling sampling;
  sampling.n_samples = 400;
  sampling.quota = {400};
  Tree all;
  std::vector<std::int64_t> offset{0};
  const std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5, 6};
  for (const std::uint64_t seed : seeds) {
    Interrupt interrupt;
    const TreeRows rows = make_rows(sample_counts(sampling, seed), options, seed);
    Tree tree = grow(problem, rows, options, seed, interrupt);
    validate_splits(problem.data, in_bag(sample_counts(sampling, seed)), nullptr, tree);
    check(tree.validated[0] == 1, "the first split holds on unseen rows");
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.feature, tree.feature);
    append(all.threshold, tree.threshold);
    append(all.right, tree.right);
    append(all.value, tree.value);
    offset.push_back(all.size());
  }
  const ForestView forest{offset.data(),
                          all.feature.data(),
                          all.threshold.data(),
                          all.right.data(),
                          all.value.data(),
                          6,
                          3};
  std::vector<double> alone(400 * 3), together(400 * 3), oob(400 * 3);
  std::vector<std::int64_t> n_votes(400);
  predict({problem.x.data(), 400, 8, 1, 400}, forest, alone.data());
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const MatrixView block{problem.x.data() + 100 * t, 100, 8, 1, 400};
      predict(block, forest, together.data() + 300 * t);
      predict_out_of_bag(block, 100 * t, forest, sampling, seeds.data(), oob.data() + 300 * t,
                         n_votes.data() + 100 * t);
    });
  for (std::thread& thread : threads) thread.join();
  check(alone == together, "blocks of rows do not change a prediction");
  check(std::accumulate(n_votes.begin(), n_votes.end(), std::int64_t{0}) > 600,
        "rows are left out");

  Interrupt interrupt;
  const std::vector<std::int64_t> conditioning_begin{0, 2, 2, 2, 2, 2, 2, 2, 2};
  const std::vector<std::int32_t> conditioning{1, 2};
  const auto importance =
      permutation_importance(problem.data, forest, sampling, seeds.data(),
                             {conditioning_begin.data(), conditioning.data()}, 2, 1, interrupt);
  double first = 0.0;
  for (std::size_t tree = 0; tree < 6; ++tree) first += importance[8 * tree];
  check(importance.size() == 48 && first > 0.0, "the first feature matters");
}

void test_interrupt() {
  const Problem problem(2000, 50, 2, 0, 5);
  Options options = paper_like("mi", "gini");
  options.selection.budget.kind = Budget::Kind::maximum;
  options.selection.early_stopping = EarlyStopping::none;
  Interrupt interrupt([] { return true; });
  bool stopped = false;
  try {
    const TreeRows rows = make_rows(RowCounts(problem.y.size(), 1), options, 1);
    grow(problem, rows, options, 1, interrupt);
  } catch (const Interrupted&) {
    stopped = true;
  }
  check(stopped, "a long fit can be interrupted");
}

void test_apply() {
  const Problem problem(200, 5, 2, 0, 9);
  const Tree tree = grow(problem, paper_like("mc", "gini"), 2);
  const std::int64_t offset[2] = {0, tree.size()};
  const ForestView forest{
      offset, tree.feature.data(), tree.threshold.data(), tree.right.data(), tree.value.data(), 1,
      2};
  std::vector<std::int32_t> leaf(200);
  apply({problem.x.data(), 200, 5, 1, 200}, forest, leaf.data());
  std::vector<std::int32_t> count(tree.feature.size(), 0);
  for (const std::int32_t node : leaf) ++count[static_cast<std::size_t>(node)];
  for (std::size_t i = 0; i < count.size(); ++i)
    if (tree.feature[i] < 0) check(count[i] == tree.n_samples[i], "rows fall where they grew");
}

/// Scores whose squared products with a unit column add up to the squared statistic.
std::vector<float> scores(const Problem& problem, std::int64_t& depth) {
  const auto n = static_cast<std::int64_t>(problem.y.size());
  const std::int32_t n_classes = problem.data.tested.n_labels;
  depth = n_classes > 0 ? n_classes : 1;
  std::vector<float> score;
  if (n_classes == 0) {
    const double mean = std::accumulate(problem.y.begin(), problem.y.end(), 0.0) / n;
    double squares = 0.0;
    for (const double y : problem.y) squares += (y - mean) * (y - mean);
    for (const double y : problem.y)
      score.push_back(static_cast<float>(squares > 0.0 ? (y - mean) / std::sqrt(squares) : 0.0));
    return score;
  }
  std::vector<int> count(static_cast<std::size_t>(n_classes), 0);
  for (const std::int32_t code : problem.code) ++count[static_cast<std::size_t>(code)];
  for (std::size_t k = 0; k < count.size(); ++k)
    for (std::size_t d = 0; d < count.size(); ++d)
      score.push_back(k == d && count[k] > 0 ? 1.0f / std::sqrt(static_cast<float>(count[k]))
                                             : 0.0f);
  return score;
}

/// Single precision gives the counts of double precision, and so do two halves of the draws.
void test_independence() {
  constexpr std::int64_t p = 4, n_draws = 30;
  const std::vector<std::int64_t> features = {2, 0, 3, 1};
  Interrupt interrupt;
  for (const std::int64_t n : {1, 2, 3, 6, 60})
    for (const std::int32_t n_classes : {0, 2, 4})
      for (int kind = 0; kind < 4; ++kind) {
        const Problem problem(n, p, n_classes, kind, 11);
        const std::vector<std::string> selector = {n_classes ? "mc" : "pc"};
        std::vector<double> maxima(n_draws, 0.0), first(n_draws / 2, 0.0), second(first);
        const DrawRange all{0, n_draws}, low{0, n_draws / 2}, high{n_draws / 2, n_draws};
        const Tally plain =
            tally_draws(problem.data, selector, features, all, 5, maxima.data(), interrupt);
        const Tally a =
            tally_draws(problem.data, selector, features, low, 5, first.data(), interrupt);
        const Tally b =
            tally_draws(problem.data, selector, features, high, 5, second.data(), interrupt);
        for (std::size_t i = 0; i < features.size(); ++i)
          check(a.exceedances[i] + b.exceedances[i] == plain.exceedances[i] &&
                    a.step_down[i] + b.step_down[i] == plain.step_down[i],
                "halves add up");

        std::int64_t depth = 0;
        const std::vector<float> score = scores(problem, depth);
        std::vector<float> unit(static_cast<std::size_t>(p * n));
        std::vector<float> permuted(static_cast<std::size_t>(depth * n_draws * n));
        unit_columns(problem.data, features, unit.data());
        permuted_scores(problem.data, score.data(), depth, all, 5, permuted.data());
        std::vector<float> value;
        for (std::int64_t i = 0; i < p; ++i)
          for (std::int64_t row = 0; row < depth * n_draws; ++row)
            value.push_back(std::inner_product(unit.data() + i * n, unit.data() + (i + 1) * n,
                                               permuted.data() + row * n, 0.0f));
        const std::vector<double> natural = statistics(problem.data, selector, 5, interrupt);
        std::vector<double> observed;
        for (const std::int64_t feature : features)
          observed.push_back(natural[static_cast<std::size_t>(feature)]);
        std::fill(maxima.begin(), maxima.end(), 0.0);
        const Tally screened =
            tally_screened(problem.data, selector, features, all, 5,
                           {value.data(), depth, observed.data(), 1e-5}, maxima.data(), interrupt);
        check(screened.exceedances == plain.exceedances, "single precision counts");
        check(screened.step_down == plain.step_down, "single precision steps down");
        for (const std::string name : {n_classes ? "mi" : "dc", "rdc"}) {
          const TestPlan plan(0.1, n_draws, EarlyStopping::curtailed, 0.95);
          check(test_features(problem.data, {name}, features, plan, 5, interrupt).size() == 4,
                "one outcome per feature");
          if (n <= 6)
            for (const std::int64_t hits :
                 count_arrangements(problem.data, {name}, features, 5, interrupt))
              check(hits >= 1, "the observed arrangement is one of all");
        }
      }
}

/// No level of the value is reached by more draws than the certificate allows.
void test_certificate_of_quad() {
  constexpr std::int64_t n_draws = 4000;
  for (const std::int64_t n : {8, 40, 200})
    for (const std::int32_t n_classes : {0, 2, 4})
      for (int kind = 0; kind < 3; ++kind) {
        const Problem problem(n, 1, n_classes, kind, 21);
        Response response;
        response.gather(problem.data, all_rows(problem.data));
        if (response.is_constant()) continue;
        Quadratic selector;
        selector.begin(response);
        selector.bind(problem.x.data());
        Draws draws;
        draws.begin(response, 5);
        std::vector<double> values;
        for (std::int64_t b = 0; b < n_draws; ++b) values.push_back(selector.evaluate(draws, b));
        std::sort(values.begin(), values.end(), std::greater<>());
        for (const int rank : {40, 400, 2000}) {
          const double share = (rank - 5.0 * std::sqrt(rank)) / n_draws;  // five standard errors
          check(selector.certificate(values[static_cast<std::size_t>(rank - 1)], 1e-9) >= share,
                "the certificate of quad is a bound");
        }
      }
}

/// Whether all cells are equally likely, by chi square at about 1e-6 (Wilson & Hilferty 1931).
bool is_uniform(const std::vector<std::int64_t>& count, std::int64_t n_draws) {
  const double expected = static_cast<double>(n_draws) / static_cast<double>(count.size());
  double chi_square = 0.0;
  for (const std::int64_t n : count)
    chi_square += std::pow(static_cast<double>(n) - expected, 2) / expected;
  const double freedom = static_cast<double>(count.size()) - 1.0, spread = 2.0 / (9.0 * freedom);
  return chi_square < freedom * std::pow(1.0 - spread + 4.75 * std::sqrt(spread), 3);
}

/// Every set of the asked size is drawn equally often, within a word and beyond it.
void test_random_subset() {
  constexpr std::int64_t n_draws = 100'000;
  struct Shape {
    std::uint32_t size, members;
  };
  for (const Shape shape :
       {Shape{1, 1}, {5, 0}, {6, 1}, {6, 5}, {7, 3}, {8, 4}, {66, 2}, {66, 64}}) {
    Rng rng(7);
    std::vector<std::uint64_t> mask(mask_words(shape.size));
    std::vector<std::uint32_t> positions(shape.members);
    std::map<std::vector<std::uint32_t>, std::size_t> cell_of;
    std::vector<std::int64_t> count;
    for (std::int64_t b = 0; b < n_draws; ++b) {
      random_subset(rng, shape.size, shape.members, mask.data());
      list_members(mask.data(), shape.size, positions.data());
      const auto [found, is_new] = cell_of.try_emplace(positions, count.size());
      if (is_new) count.push_back(0);
      ++count[found->second];
    }
    const double sets =
        std::round(std::exp(std::lgamma(shape.size + 1.0) - std::lgamma(shape.members + 1.0) -
                            std::lgamma(shape.size - shape.members + 1.0)));
    check(static_cast<double>(count.size()) == sets, "a random subset may be any set");
    check(count.size() == 1 || is_uniform(count, n_draws), "all random subsets are equally likely");
  }
}

/// Draws of every kind place exactly the classes' members, wherever they are kept.
void test_draws() {
  for (const std::int64_t n : {2, 3, 40, 47, 48, 63, 64, 65, 200})
    for (const std::int32_t n_classes : {2, 3})
      for (const std::size_t cache : {std::size_t{0}, Draws::kSmallCache}) {
        const Problem problem(n, 1, n_classes, 0, 3);
        Response response;
        response.gather(problem.data, all_rows(problem.data));
        if (response.is_constant()) continue;
        Draws draws;
        draws.begin(response, 11, cache);
        for (std::int64_t b = 0; b < 300; ++b) {
          const std::uint32_t* order = draws.order(b);
          std::vector<std::uint32_t> placed(order, order + response.n_placed());
          std::sort(placed.begin(), placed.end());
          check(std::adjacent_find(placed.begin(), placed.end()) == placed.end() &&
                    placed.back() < response.size(),
                "a draw places every member somewhere else");
          if (!draws.has_masks()) continue;
          double sum = 0.0;
          for (const std::uint32_t position : placed) sum += problem.x[position];
          check(
              std::fabs(masked_sum(problem.x.data(), draws.mask(b), response.size()) - sum) < 1e-9,
              "a mask's sum is that of its members");
        }
      }
}

/// Shuffled draws are those of Fisher and Yates from the identity, in whatever order they are read;
/// with rare members, too, where only what a draw has changed is put back.
void test_shuffled_draws() {
  Draws draws;  // of one node after the other, as a tree uses it
  for (const std::int64_t n : {9, 400, 50, 1000})
    for (const std::int64_t gap : {2, 3, 4, 9, 40}) {
      Problem problem(n, 1, 2, 0, 3);
      for (std::int64_t i = 0; i < n; ++i) problem.code[static_cast<std::size_t>(i)] = i % gap == 0;
      Response response;
      response.gather(problem.data, all_rows(problem.data));
      draws.begin(response, 11, std::size_t{1} << 12);
      if (draws.has_masks()) continue;
      const std::uint32_t size = response.size(), n_placed = response.n_placed();
      for (const std::int64_t b : {0, 7, 60, 3, 61, 60, 0}) {
        std::vector<std::uint32_t> expected(size);
        std::iota(expected.begin(), expected.end(), 0u);
        Rng(11, static_cast<std::uint64_t>(b))
            .partial_shuffle(expected.data(), size, std::min(n_placed, size - 1));
        check(std::equal(expected.begin(), expected.begin() + n_placed, draws.order(b)),
              "a draw is a shuffle of the identity");
      }
    }
}

}  // namespace

int main() {
  test_random_subset();
  test_draws();
  test_shuffled_draws();
  test_all_combinations();
  test_tiny_inputs();
  test_maxt();
  test_lists_of_selectors();
  test_threads();
  test_parts_of_a_forest();
  test_partition();
  test_route_cells();
  test_threaded_prediction();
  test_interrupt();
  test_apply();
  test_independence();
  test_certificate_of_quad();
  std::printf("%d passed, %d failed\n", n_passed.load(), n_failed.load());
  return n_failed == 0 ? 0 : 1;
}
