// SPDX-License-Identifier: BSD-3-Clause
/// Trees of tables with holes, categories, weights and blocks, and of responses of any kind.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/base/concordance.hpp"
#include "core/base/rng.hpp"
#include "core/data/feature_pool.hpp"
#include "core/stage_a/factory.hpp"
#include "core/tree/forest_weights.hpp"
#include "core/tree/grow_forest.hpp"
#include "core/tree/leaf_curves.hpp"
#include "core/tree/permutation_importance.hpp"
#include "core/tree/redraw.hpp"
#include "problem.hpp"

using namespace inforest;

namespace {

constexpr std::int64_t kRows = 70;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A number, one with holes, a category, one of more levels than a word has bits with holes, a
/// number of which hardly anything is there, and one of which nothing is.
struct AnyTable {
  std::vector<double> x, y, weights, label_weights;
  std::vector<std::int32_t> code, n_levels{0, 0, 4, 100, 0, 0}, blocks;
  std::vector<std::uint8_t> holes{0, 1, 0, 1, 1, 1};
  std::vector<std::uint64_t> keys;
  Dataset data;

  /// Labels, or else `n_scores` scores.
  AnyTable(std::int32_t n_labels, std::int64_t n_scores, std::uint64_t seed) {
    Rng rng(seed);
    for (std::size_t f = 0; f < n_levels.size(); ++f)
      for (std::int64_t i = 0; i < kRows; ++i) {
        const auto levels = static_cast<std::uint32_t>(n_levels[f]);
        double value = levels > 0 ? rng.below(levels) : rng.normal();
        if (f == 5 || (f == 4 && i > 3) || (holes[f] && rng.below(4) == 0)) value = kMissing;
        x.push_back(value);
      }
    const auto at = [&](std::size_t f, std::int64_t i) {
      return x[f * kRows + static_cast<std::size_t>(i)];
    };
    for (std::int64_t q = 0; q < std::max<std::int64_t>(n_scores, 1); ++q)
      for (std::int64_t i = 0; i < kRows; ++i)
        y.push_back(at(0, i) + (std::isnan(at(1, i)) ? 2.0 : at(1, i)) +
                    static_cast<double>(q) * (at(2, i) > 1.0 ? 3.0 : 0.0) + 0.3 * rng.normal());
    for (std::int64_t i = 0; i < kRows; ++i) {
      const bool first = y[static_cast<std::size_t>(i)] > 0.0;
      code.push_back(first || n_labels == 0 ? 0
                                            : 1 + static_cast<std::int32_t>(rng.below(
                                                      static_cast<std::uint32_t>(n_labels - 1))));
      weights.push_back(i % 7 == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(rng.below(5)) - 2));
      blocks.push_back(static_cast<std::int32_t>(i) / 9);
    }
    for (std::int32_t k = 0; k < n_labels; ++k) label_weights.push_back(1.0 / (1 + k));
    const Target target = n_labels > 0 ? Target::of_labels(code.data(), n_labels)
                                       : Target::of_scores(y.data(), n_scores);
    data = {.x = x.data(), .n_samples = kRows, .n_features = 6, .tested = target, .kept = target};
    data.n_levels = n_levels.data();
    data.holes = holes.data();
    keys = feature_keys(data);
  }
  AnyTable(const AnyTable&) = delete;

  void weigh() {
    data.weights = weights.data();
    if (data.tested.has_labels()) data.label_weights = label_weights.data();
  }
  void part_in_blocks() {
    data.blocks = blocks.data();
    data.n_blocks = blocks.back() + 1;
  }
  /// Rows of weight 0 are not there.
  RowCounts rows() const {
    RowCounts counts(kRows, 1);
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (data.weights != nullptr && weights[i] == 0.0) counts[i] = 0;
    return counts;
  }
};

Tree grow(const AnyTable& table, const Options& options) {
  const RareRows rare_rows(table.data);
  std::vector<std::int64_t> candidate_counts(table.keys.size(), 0);
  Interrupt interrupt;
  const double honesty = options.honesty ? options.honesty_fraction : 0.0;
  return make_grower(table.data, {table.keys.data(), rare_rows, candidate_counts.data()}, options,
                     interrupt)
      ->grow(make_rows(table.rows(), honesty, 3), 3);
}

/// Whether the rows that it was grown from reach, sent down the tree, the leaves they were in.
bool rows_fall_where_they_grew(const AnyTable& table, const Tree& tree) {
  const std::int64_t offset[2] = {0, tree.size()}, pool_offset[2] = {0, 0};
  ForestView forest{offset, tree.splits(), tree.value.data(), 1, table.data.kept.n_outputs()};
  forest.pool_offset = pool_offset;
  std::vector<std::int32_t> leaf(kRows);
  apply({table.x.data(), kRows, 6, 1, kRows}, forest, leaf.data());
  std::vector<std::int32_t> count(tree.feature.size(), 0);
  const RowCounts rows = table.rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    count[static_cast<std::size_t>(leaf[i])] += static_cast<std::int32_t>(rows[i]);
  for (std::size_t node = 0; node < count.size(); ++node)
    if (tree.feature[node] < 0 && count[node] != tree.n_samples[node]) return false;
  return true;
}

/// A response and the names of all that can be done with it.
struct Kind {
  std::int32_t n_labels;
  std::int64_t n_scores;
  std::vector<std::string> selectors, splitters;
};

const std::vector<Kind> kKinds = {{0, 1, {"pc", "dc", "rdc", "quad"}, {"mse", "mae"}},
                                  {0, 3, {"pc", "quad"}, {"mse"}},
                                  {2, 0, {"mc", "mi", "rdc", "quad"}, {"gini", "entropy", "chi2"}},
                                  {4, 0, {"mc", "mi", "rdc", "quad"}, {"gini", "entropy", "chi2"}}};

/// What a table may come with.
struct Circumstances {
  bool weighted, in_blocks, shortcuts;
  MissingRule rule;
  bool follow;
};

std::vector<Circumstances> all_circumstances() {
  std::vector<Circumstances> all;
  for (const bool weighted : {false, true})
    for (const bool in_blocks : {false, true})
      for (const bool shortcuts : {true, false}) {
        for (const auto rule : {MissingRule::incorporate, MissingRule::ignore, MissingRule::alone})
          all.push_back({weighted, in_blocks, shortcuts, rule, false});
        all.push_back({weighted, in_blocks, shortcuts, MissingRule::ignore, true});
      }
  return all;
}

bool has_no_weights(const std::string& selector) { return selector == "mi" || selector == "dc"; }

}  // namespace

TEST(any_table) {
  int n_split = 0, n_of_levels = 0;
  for (const Kind& kind : kKinds)
    for (const std::string& selector : kind.selectors)
      for (const std::string& splitter : kind.splitters)
        for (const auto test : {SplitterTest::none, SplitterTest::threshold, SplitterTest::max})
          for (const Circumstances& how : all_circumstances()) {
            if (how.weighted && has_no_weights(selector)) continue;
            AnyTable table(kind.n_labels, kind.n_scores, 5);
            if (how.weighted) table.weigh();
            if (how.in_blocks) table.part_in_blocks();
            table.data.missing = how.rule;
            table.data.missing_follow = how.follow;
            Options options = paper_like(selector, splitter);
            options.stage_a.selection.alpha = options.stage_b.splitting.alpha = 0.9;
            options.stage_b.splitter_test = test;
            options.stage_a.shortcuts = options.stage_b.shortcuts = how.shortcuts;
            const Tree tree = grow(table, options);
            const std::string what = selector + " " + splitter;
            check(is_consistent(tree), what + " is consistent");
            check(rows_fall_where_they_grew(table, tree), what + ": rows fall where they grew");
            n_split += tree.size() > 1;
            n_of_levels += !tree.level_pool.empty();
            if (how.shortcuts) {
              options.honesty = true;
              for (const double value : grow(table, options).value)
                check(std::isfinite(value), what + ": honest values are finite");
            }
          }
  check(n_split > 1000 && n_of_levels > 500, "there are splits, of levels too");
}

TEST(any_table_without_permutations) {
  for (const Kind& kind : kKinds)
    for (const bool weighted : {false, true})
      for (const auto budget : {Budget::Kind::off, Budget::Kind::asymptotic})
        for (const auto rule : {MissingRule::incorporate, MissingRule::ignore})
          for (const bool follow : {false, true}) {
            if (follow && rule != MissingRule::ignore) continue;
            AnyTable table(kind.n_labels, kind.n_scores, 6);
            if (weighted) table.weigh();
            table.data.missing = rule;
            table.data.missing_follow = follow;
            Options options =
                paper_like(kind.n_labels > 0 ? "mc" : "pc", kind.n_labels > 0 ? "gini" : "mse");
            options.stage_a.selection.budget.kind = budget;
            options.stage_a.split_tries = budget == Budget::Kind::asymptotic ? 2 : 1;
            options.stage_b.splitter_test = SplitterTest::none;
            options.stage_b.threshold_method = ThresholdMethod::exact;
            const Tree tree = grow(table, options);
            check(tree.size() > 1, "the tree is split");
            check(rows_fall_where_they_grew(table, tree), "rows fall where they grew");
          }
}

namespace {

/// A forest as prediction reads it, and all that is asked of it, by one thread or by many.
struct AnyForest {
  Tree nodes;
  std::vector<std::int64_t> offset, pool_offset;
  const AnyTable& table;
  Sampling sampling;
  std::vector<std::uint64_t> seeds{1, 2, 3, 4};

  explicit AnyForest(const AnyTable& of) : table(of) {
    sampling.n_samples = kRows;
    sampling.quota = {50};
    const bool labels = table.data.tested.has_labels();
    Options options = paper_like(labels ? "mc" : "pc", labels ? "gini" : "mse");
    options.stage_a.selection.alpha = options.stage_b.splitting.alpha = 0.9;
    const RareRows rare_rows(table.data);
    std::vector<std::int64_t> candidate_counts(table.keys.size(), 0);
    Interrupt interrupt;
    Forest grown = grow_forest(table.data, {table.keys.data(), rare_rows, candidate_counts.data()},
                               options, sampling, seeds, nullptr, interrupt);
    grown.for_each_array([&]<class Array>(const std::string& name, Array& array) {
      if constexpr (std::is_same_v<Array, std::vector<std::int64_t>>) {
        if (name == "offset") offset = array;
        if (name == "pool_offset") pool_offset = array;
      }
      if constexpr (std::is_same_v<Array, std::vector<std::uint64_t>>) nodes.level_pool = array;
      if constexpr (std::is_same_v<Array, std::vector<std::int32_t>>) {
        if (name == "feature") nodes.feature = array;
        if (name == "right") nodes.right = array;
        if (name == "level_set") nodes.level_set = array;
      }
      if constexpr (std::is_same_v<Array, std::vector<std::uint8_t>>)
        if (name == "missing_left") nodes.missing_left = array;
      if constexpr (std::is_same_v<Array, std::vector<double>>)
        if (name == "threshold") nodes.threshold = array;
    });
    nodes.value = grown.value();
  }

  ForestView view() const {
    return {offset.data(),     nodes.splits(), nodes.value.data(), 4, table.data.kept.n_outputs(),
            pool_offset.data()};
  }

  /// Everything that walks the trees, as one list of numbers.
  std::vector<double> answers() const {
    const ForestView forest = view();
    const MatrixView x{table.x.data(), kRows, 6, 1, kRows};
    const auto outputs = static_cast<std::size_t>(forest.outputs);
    std::vector<double> result(kRows * outputs), oob(result.size(), 0.0);
    std::vector<std::int64_t> n_votes(kRows);
    predict(x, forest, result.data());
    predict_out_of_bag(x, 0, forest, sampling, seeds.data(), oob.data(), n_votes.data());
    const auto append = [&](const auto& more) {
      for (const auto value : more) result.push_back(static_cast<double>(value));
    };
    append(oob);
    append(n_votes);
    Interrupt interrupt;
    for (const Moved moved : {Moved::values, Moved::children}) {
      const std::vector<std::int64_t> begin(7, 0);
      append(permutation_importance(table.data, forest, sampling, seeds.data(),
                                    {begin.data(), nullptr, moved == Moved::values ? 0.5 : -1.0},
                                    moved, 2, 1, interrupt));
    }
    append(shifts(forest, x, outputs));
    append(of_training_rows(forest, x));
    return result;
  }

 private:
  /// Of a number and a category that are drawn anew.
  std::vector<double> shifts(const ForestView& forest, const MatrixView& x,
                             std::size_t outputs) const {
    const std::vector<std::int32_t> features{1, 3};
    std::vector<double> drawn, shift(kRows * outputs);
    for (std::int64_t i = 0; i < kRows; ++i)
      for (int draw = 0; draw < 2; ++draw) {
        drawn.push_back(draw == 0 ? kMissing : 0.1 * static_cast<double>(i));
        drawn.push_back(draw == 0 ? kMissing : static_cast<double>(i));
      }
    Interrupt interrupt;
    redraw_shift(x, forest, {features, drawn.data(), 2}, shift.data(), interrupt);
    return shift;
  }

  /// Weights, quantiles and curves of the rows behind the leaves.
  std::vector<double> of_training_rows(const ForestView& forest, const MatrixView& x) const {
    Interrupt interrupt;
    std::vector<std::int32_t> by_row(4 * kRows), by_tree(4 * kRows), place(kRows);
    apply(x, forest, by_row.data());
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t tree = 0; tree < 4; ++tree) by_tree[tree * kRows + i] = by_row[4 * i + tree];
    const TrainingLeaves training{by_tree.data(), sampling, seeds.data(), 0.0, table.data.weights};
    const LeafRows rows = leaf_rows(forest, training, RowsOf::values, interrupt);
    const LeafRowsView rows_view{offset.data(),      4,
                                 rows.begin.data(),  rows.end.data(),
                                 rows.total.data(),  rows.row.data(),
                                 rows.weight.data(), kRows};
    std::vector<double> result = forest_weights(rows_view, {by_row.data(), kRows}, interrupt).value;
    std::vector<double> value(kRows);
    std::iota(value.begin(), value.end(), 0.0);
    const std::vector<double> levels{0.1, 0.5, 1.0};
    for (const double q :
         forest_quantiles(rows_view, value.data(), levels, {by_row.data(), kRows}, interrupt))
      result.push_back(q);
    std::vector<std::uint8_t> event(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      event[i] = i % 3 != 0;
      place[i] = static_cast<std::int32_t>(i / 2 + 1);
    }
    const LeafCurves curves = leaf_curves(forest, rows, {place.data(), event.data()});
    const std::vector<double> jump = jumps(curves.begin.data(), offset.back(), curves.events.data(),
                                           curves.at_risk.data(), Curve::survival);
    std::vector<double> curve(kRows * 36);
    predict_curves({by_row.data(), kRows, 4, offset.data()},
                   {curves.begin.data(), curves.time.data(), jump.data()}, Curve::survival, 36,
                   curve.data());
    for (const double share : curve) check(share > -1e-12 && share < 1 + 1e-12, "a share survives");
    result.insert(result.end(), curve.begin(), curve.end());
    const std::vector<double> weight(kRows, 2.0);
    result.push_back(ConcordanceCounter()(value, event, value, weight).index());
    check(result.back() == 0.0, "a higher risk means a later time");
    return result;
  }
};

}  // namespace

/// Forests of any table are grown and asked by many threads at once; all give the same answers.
TEST(any_forest) {
  for (const Kind& kind : kKinds)
    for (const bool weighted : {false, true}) {
      AnyTable table(kind.n_labels, kind.n_scores, 7);
      if (weighted) table.weigh();
      for (double& weight : table.weights) weight += 1.0;  // all may be drawn
      const AnyForest forest(table);
      check(!forest.nodes.level_pool.empty(), "levels are parted");
      const std::vector<double> alone = forest.answers();
      std::vector<std::vector<double>> together(3);
      std::vector<std::thread> threads;
      for (auto& answers : together)
        threads.emplace_back([&] { answers = AnyForest(table).answers(); });
      for (std::thread& thread : threads) thread.join();
      const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
      for (const auto& answers : together)
        check(std::equal(answers.begin(), answers.end(), alone.begin(), alone.end(), same),
              "threads change nothing");
    }
}
