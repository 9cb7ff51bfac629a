// SPDX-License-Identifier: BSD-3-Clause
/// Trees of every combination of parts.
#include <cmath>

#include "check.hpp"
#include "problem.hpp"

using namespace inforest;

TEST(all_combinations) {
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
                options.stage_b.splitter_test = test;
                options.stage_b.threshold_method = method;
                options.stage_a.selection.early_stopping =
                    options.stage_b.splitting.early_stopping = stopping;
                options.stage_a.selection.budget.kind = Budget::Kind::automatic;
                options.honesty = kind == 1;
                const Tree tree = grow(problem, options, 3);
                check(is_consistent(tree), selector + " " + splitter + " is consistent");
              }
}

/// Both stages inside blocks: pairs, unequal ones, and rows alone, down to the smallest nodes.
TEST(blocks) {
  for (const std::int32_t n_classes : {0, 2, 4})
    for (int kind = 0; kind < 4; ++kind)
      for (const std::int32_t size : {1, 2, 9})
        for (const auto test : {SplitterTest::none, SplitterTest::threshold, SplitterTest::max}) {
          Problem problem(60, 4, n_classes, kind, 5);
          std::vector<std::int32_t> blocks(60);
          for (std::size_t i = 0; i < 60; ++i) blocks[i] = static_cast<std::int32_t>(i) / size;
          problem.data.blocks = blocks.data();
          problem.data.n_blocks = blocks.back() + 1;
          for (const bool shortcuts : {true, false}) {
            Options options = paper_like("quad", n_classes ? "gini" : "mse");
            options.stage_a.selection.alpha = 0.9;
            options.stage_a.shortcuts = options.stage_b.shortcuts = shortcuts;
            options.stage_b.splitter_test = test;
            options.stage_b.splitting.alpha = 0.9;
            const Tree tree = grow(problem, options, 3);
            check(is_consistent(tree), "trees inside blocks are consistent");
            if (size == 1) check(tree.size() == 1, "rows alone cannot be permuted");
          }
        }
}

TEST(tiny_inputs) {
  for (std::int64_t n = 1; n <= 5; ++n)
    for (std::int64_t p = 1; p <= 2; ++p)
      for (const std::int32_t n_classes : {0, 2, 3})
        for (int kind = 0; kind < 4; ++kind)
          for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const Problem problem(n, p, n_classes, kind, seed);
            Options options = paper_like(n_classes ? "mc" : "pc", n_classes ? "gini" : "mse");
            options.stage_b.splitter_test = SplitterTest::max;
            options.stage_a.selection.alpha = 1.0;
            check(is_consistent(grow(problem, options, seed)), "tiny input");
          }
}

TEST(maxt) {
  for (const std::int32_t n_classes : {0, 2, 4})
    for (int kind = 0; kind < 4; ++kind)
      for (const auto stopping :
           {EarlyStopping::none, EarlyStopping::curtailed, EarlyStopping::adaptive}) {
        const Problem problem(80, 6, n_classes, kind, 13);
        Options options = paper_like("quad", n_classes ? "gini" : "mse");
        options.stage_a.selection.adjustment = Adjustment::maxt;
        options.stage_a.selection.early_stopping = stopping;
        check(is_consistent(grow(problem, options, 3)), "maxT is consistent");
      }
}

TEST(lists_of_selectors) {
  const Problem classes(50, 3, 3, 1, 1), values(50, 3, 0, 1, 1);
  Options options = paper_like("mc", "gini");
  options.stage_a.selectors = {"mc", "mi", "rdc", "quad"};
  check(is_consistent(grow(classes, options, 1)), "list of classification selectors");
  options.stage_a.selectors = {"pc", "dc", "rdc", "quad"};
  options.stage_b.splitter = "mse";
  check(is_consistent(grow(values, options, 1)), "list of regression selectors");
}

TEST(interrupt) {
  const Problem problem(2000, 50, 2, 0, 5);
  Options options = paper_like("mi", "gini");
  options.stage_a.selection.budget.kind = Budget::Kind::maximum;
  options.stage_a.selection.early_stopping = EarlyStopping::none;
  Interrupt interrupt([] { return true; });
  bool stopped = false;
  try {
    const TreeRows rows = make_rows(RowCounts(problem.y.size(), 1),
                                    options.honesty ? options.honesty_fraction : 0.0, 1);
    grow(problem, rows, options, 1, interrupt);
  } catch (const Interrupted&) {
    stopped = true;
  }
  check(stopped, "a long fit can be interrupted");
}

/// What leaves keep is apart from what the tests see: scores are tested, labels are kept, and the
/// other way round; two scores are kept side by side.
TEST(leaves_keep_another_thing_than_is_tested) {
  Problem classes(120, 3, 3, 0, 4), values(120, 3, 0, 0, 4);
  std::vector<double> two = values.y;
  for (const double y : values.y) two.push_back(-2.0 * y);
  const Target labels = classes.data.tested, score = values.data.tested;
  const auto check_kept = [&](Problem& problem, const Target& kept, const Options& options) {
    problem.data.kept = kept;
    const Tree tree = grow(problem, options, 1);
    check(tree.size() > 1, "the tree is split");
    const auto outputs = static_cast<std::size_t>(kept.n_outputs());
    check(tree.value.size() == outputs * tree.feature.size(), "a value per output and node");
    double sum = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) sum += tree.value[k];
    if (kept.has_labels()) check(std::fabs(sum - 1.0) < 1e-12, "shares add up to one");
    if (kept.n_scores == 2)
      for (std::size_t i = 0; i < tree.feature.size(); ++i)
        check(std::fabs(2.0 * tree.value[2 * i] + tree.value[2 * i + 1]) < 1e-9, "two means");
    return tree;
  };
  Options options = paper_like("pc", "mse");
  const Tree plain = grow(values, options, 1);
  check(check_kept(values, labels, options).feature == plain.feature, "the same splits");
  check(check_kept(values, Target::of_scores(two.data(), 2), options).feature == plain.feature,
        "the same splits");
  options.honesty = true;
  check_kept(values, Target::of_scores(two.data(), 2), options);
  check_kept(classes, score, paper_like("mc", "gini"));
}
