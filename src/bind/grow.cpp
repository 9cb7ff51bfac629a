// SPDX-License-Identifier: BSD-3-Clause
/// Growing trees, and what is prepared once for all of them.
#include <algorithm>

#include "bind/convert.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/holes.hpp"
#include "core/data/ranker.hpp"
#include "core/data/rare_rows.hpp"
#include "core/tree/grow_forest.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

Arrays to_python(Forest&& forest, std::size_t outputs) {
  Arrays arrays;
  forest.for_each_array(
      [&](const char* name, auto& array) { arrays[name] = to_numpy(std::move(array)); });
  arrays["value"] = to_table(std::move(forest.value()), outputs);
  return arrays;
}

using Ranks = std::optional<Vector<std::uint32_t>>;
/// Where each column's list begins, and the lists; as `rare_rows` returns them.
using RareRowLists = std::pair<Vector<std::int64_t>, Vector<std::int32_t>>;
using Counter = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Refuses lists that lead out of the data.
RareRowsView to_rare_rows(const RareRowLists& lists, const Dataset& data) {
  const auto& [begin, row] = lists;
  const auto n_features = static_cast<std::size_t>(data.n_features);
  bool fits = begin.size() == n_features + 1 && begin.data()[0] == 0 &&
              begin.data()[n_features] == static_cast<std::int64_t>(row.size());
  for (std::size_t f = 0; fits && f < n_features; ++f)
    fits = begin.data()[f] <= begin.data()[f + 1];
  for (std::size_t i = 0; fits && i < row.size(); ++i)
    fits = row.data()[i] >= 0 && row.data()[i] < data.n_samples;
  if (!fits) throw nb::value_error("rare_rows must be what rare_rows(X) returns");
  return {begin.data(), row.data(), data.n_features};
}

const std::uint32_t* to_ranks(const Ranks& ranks, const Dataset& data) {
  if (!ranks) return nullptr;
  if (static_cast<std::int64_t>(ranks->size()) != data.n_samples * data.n_features)
    throw nb::value_error("one rank per value of X");
  return ranks->data();
}

bool any_missing(const double* column, const Dataset& data) {
  return std::any_of(column, column + data.n_samples, is_missing);
}

/// Grows the trees without the GIL; rare rows that were not handed over are found here.
Arrays grown(const Dataset& data, const Vector<std::uint64_t>& feature_keys,
             const std::optional<RareRowLists>& rare_rows, const Options& options,
             const Sampling& sampling, const Seeds& seeds, std::int64_t* done,
             Interrupt& interrupt) {
  RareRowsView listed{};
  if (rare_rows) listed = to_rare_rows(*rare_rows, data);
  std::vector<std::int64_t> candidate_counts(static_cast<std::size_t>(data.n_features), 0);
  Forest forest = run([&] {
    std::optional<RareRows> own;
    if (!rare_rows) own.emplace(data);
    const FeatureIndex features{feature_keys.data(), own ? RareRowsView(*own) : listed,
                                candidate_counts.data()};
    return grow_forest(data, features, options, sampling, {seeds.data(), seeds.size()}, done,
                       interrupt);
  });
  Arrays arrays = to_python(std::move(forest), static_cast<std::size_t>(data.kept.n_outputs()));
  arrays["candidate_counts"] = to_numpy(std::move(candidate_counts));
  return arrays;
}

/// Labels that leaves keep while tests see something else.
Target to_labels(const Vector<std::int32_t>& codes, std::int32_t n_labels, std::int64_t n_samples) {
  const std::int32_t* all = codes.data();
  if (static_cast<std::int64_t>(codes.size()) != n_samples)
    throw nb::value_error("there must be one label to keep per row");
  for (std::int64_t row = 0; row < n_samples; ++row)
    if (all[row] < 0 || all[row] >= n_labels)
      throw nb::value_error("an unknown label is to be kept");
  return Target::of_labels(all, n_labels);
}

Arrays grow_trees(
    const Columns& x, const AnyTarget& y, std::int32_t n_classes, const Counts& case_counts,
    const Vector<std::uint64_t>& feature_keys, const Seeds& seeds, const StopFlag& stop,
    const Ranks& ranks, const HoleFlags& holes, const std::optional<RareRowLists>& rare_rows,
    const std::optional<Counter>& done, const Weights& weights, const Weights& class_weight,
    const BlockCodes& blocks, const Strata& groups, const Strata& strata, const Counts& quota,
    bool replace, const Names& selector, const std::string& splitter, double alpha_selector,
    double alpha_splitter, nb::any adjust_alpha_selector, bool adjust_alpha_splitter,
    nb::any n_resamples_selector, nb::any n_resamples_splitter,
    const std::optional<std::string>& early_stopping_selector,
    const std::optional<std::string>& early_stopping_splitter,
    double early_stopping_confidence_selector, double early_stopping_confidence_splitter,
    bool feature_muting, nb::any feature_scanning, nb::any max_features, std::int64_t split_tries,
    const std::string& threshold_method, const std::string& threshold_at, bool threshold_scanning,
    nb::any max_thresholds, const std::optional<std::string>& splitter_test,
    std::optional<std::int64_t> max_depth, std::int64_t min_samples_split, nb::any min_samples_leaf,
    double min_impurity_decrease, bool honesty, double honesty_fraction, const std::string& ties,
    bool strict_level, const std::string& missing, bool shortcuts, const Levels& n_levels,
    const Kept& kept, const Strata& kept_y, std::int32_t kept_n_classes) {
  Training training(x, y, n_classes, weights, class_weight, n_levels);
  training.keep(kept);
  if (kept_y) training.data.kept = to_labels(*kept_y, kept_n_classes, training.data.n_samples);
  check_selectors(training.data, selector);
  check_splitter(training.data.tested.kind(), splitter);
  if (to_budget(n_resamples_selector).kind == Budget::Kind::asymptotic)
    check_asymptotic(training.data.tested.kind(), selector);
  training.data.ranks = to_ranks(ranks, training.data);
  set_blocks(training.data, blocks);
  set_holes(training.data, holes, missing);
  if (static_cast<std::int64_t>(feature_keys.size()) != training.data.n_features)
    throw nb::value_error("one feature key per column");
  const SmallestChild smallest_child = to_smallest_child(min_samples_leaf);
  const Options options{
      .stage_a = {.selectors = selector,
                  .selection = {checked_level(alpha_selector), to_adjustment(adjust_alpha_selector),
                                to_budget(n_resamples_selector),
                                to_early_stopping(early_stopping_selector),
                                early_stopping_confidence_selector, to_ties(ties), strict_level},
                  .feature_muting = feature_muting,
                  .feature_scanning = to_feature_scanning(feature_scanning),
                  .max_features = to_size_rule(max_features),
                  .split_tries = split_tries,
                  .shortcuts = shortcuts},
      .stage_b = {.splitter = splitter,
                  .splitting = {checked_level(alpha_splitter),
                                adjust_alpha_splitter ? Adjustment::bonferroni : Adjustment::none,
                                to_budget(n_resamples_splitter),
                                to_early_stopping(early_stopping_splitter),
                                early_stopping_confidence_splitter, to_ties(ties), strict_level},
                  .splitter_test = to_splitter_test(splitter_test),
                  .threshold_method = to_threshold_method(threshold_method),
                  .max_thresholds = to_size_rule(max_thresholds),
                  .threshold_scanning = threshold_scanning,
                  .min_samples_leaf = smallest_child.least,
                  .min_leaf_share = smallest_child.share,
                  .threshold_at_value = to_threshold_at_value(threshold_at),
                  .shortcuts = shortcuts},
      .max_depth = max_depth.value_or(-1),
      .min_samples_split = min_samples_split,
      .min_impurity_decrease = min_impurity_decrease,
      .honesty = honesty,
      .honesty_fraction = honesty_fraction,
  };
  Interrupt interrupt = make_interrupt(stop);
  const Sampling sampling =
      to_sampling(training.data.n_samples, case_counts, groups, strata, quota, replace);
  if (done && done->size() != 1) throw nb::value_error("done must have one entry");
  return grown(training.data, feature_keys, rare_rows, options, sampling, seeds,
               done ? done->data() : nullptr, interrupt);
}

}  // namespace

void add_growing(nb::module_& m) {
  m.def(
      "feature_keys",
      [](const Columns& x, const Levels& n_levels) {
        const Dataset data = columns_of(x, n_levels);
        return to_numpy(run([&] { return feature_keys(data); }));
      },
      "X"_a, "n_levels"_a = nb::none(),
      "A key per column that depends on its content, not on its place, nor on the numbers of "
      "levels.");

  m.def(
      "column_ranks",
      [](const Columns& x) { return to_numpy(run([&] { return column_ranks(columns_of(x)); })); },
      "X"_a, "Place of every value among the distinct ones of its column, column by column.");

  m.def(
      "columns_with_holes",
      [](const Columns& x) {
        return to_numpy(run([&] {
          const Dataset data = columns_of(x);
          std::vector<std::uint8_t> holes;
          std::vector<double> room;
          for (std::int64_t feature = 0; feature < data.n_features; ++feature)
            holes.push_back(any_missing(data.column(feature).all(data.n_samples, room), data));
          return holes;
        }));
      },
      "X"_a, "Per column, 1 if any of its values is missing, which is NaN.");

  m.def(
      "rare_rows",
      [](const Columns& x) {
        RareRows rare_rows = run([&] { return RareRows(columns_of(x)); });
        return std::pair(to_numpy(std::move(rare_rows.begin)), to_numpy(std::move(rare_rows.row)));
      },
      "X"_a,
      "Of nearly constant columns, the rows that differ from the common value: where each column's "
      "list begins, and all lists.");

  m.def("grow_trees", &grow_trees, "X"_a, "y"_a, "n_classes"_a, "case_counts"_a.none(),
        "feature_keys"_a, "seeds"_a, "stop"_a, nb::kw_only(), "ranks"_a = nb::none(),
        "holes"_a = nb::none(), "rare_rows"_a = nb::none(), "done"_a.noconvert() = nb::none(),
        "weights"_a = nb::none(), "class_weight"_a = nb::none(), "blocks"_a = nb::none(),
        "groups"_a = nb::none(), "strata"_a = nb::none(), "quota"_a = nb::none(),
        "replace"_a = true, "selector"_a, "splitter"_a, "alpha_selector"_a, "alpha_splitter"_a,
        "adjust_alpha_selector"_a, "adjust_alpha_splitter"_a, "n_resamples_selector"_a.none(),
        "n_resamples_splitter"_a.none(), "early_stopping_selector"_a.none(),
        "early_stopping_splitter"_a.none(), "early_stopping_confidence_selector"_a,
        "early_stopping_confidence_splitter"_a, "feature_muting"_a, "feature_scanning"_a,
        "max_features"_a.none(), "split_tries"_a, "threshold_method"_a, "threshold_at"_a,
        "threshold_scanning"_a, "max_thresholds"_a.none(), "splitter_test"_a.none(),
        "max_depth"_a.none(), "min_samples_split"_a, "min_samples_leaf"_a,
        "min_impurity_decrease"_a, "honesty"_a, "honesty_fraction"_a, "ties"_a, "strict_level"_a,
        "missing"_a = "incorporate", "shortcuts"_a = true, "n_levels"_a = nb::none(),
        "kept"_a = nb::none(), "kept_y"_a = nb::none(), "kept_n_classes"_a = 0,
        "Grows one tree per seed; returns their nodes as flat arrays. done[0] counts the trees.");

  m.def(
      "sample_counts",
      [](std::int64_t n_samples, const Counts& case_counts, const Strata& strata,
         const Counts& quota, bool replace, std::uint64_t seed, const Strata& groups) {
        const RowCounts counts = sample_counts(
            to_sampling(n_samples, case_counts, groups, strata, quota, replace), seed);
        return to_numpy(std::vector<std::int64_t>(counts.begin(), counts.end()));
      },
      "n_samples"_a, "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
      "seed"_a, "groups"_a = nb::none(),
      "How often each row is in the sample of the tree with this seed.");

  m.def(
      "budget",
      [](nb::any n_resamples, double alpha, std::int64_t n_tests, bool adjust, bool strict_level) {
        StageOptions stage;
        stage.alpha = checked_level(alpha);
        stage.adjustment = adjust ? Adjustment::bonferroni : Adjustment::none;
        stage.budget = to_budget(n_resamples);
        stage.stays_below = strict_level;
        return TestPlan(stage, n_tests).n_draws();
      },
      "n_resamples"_a.none(), "alpha"_a, "n_tests"_a, "adjust"_a, "strict_level"_a = true,
      "Number of permutations of one test.");
}

}  // namespace inforest::bind
