// SPDX-License-Identifier: BSD-3-Clause
/// Reading fitted trees: leaves, predictions, permutation importance.
#include <nanobind/stl/tuple.h>

#include "bind/convert.hpp"
#include "core/tree/permutation_importance.hpp"
#include "core/tree/redraw.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

using Offset = Vector<std::int64_t>;
using Feature = Vector<std::int32_t>;
using Threshold = Vector<double>;
using MissingLeft = Vector<std::uint8_t>;
using Right = Vector<std::int32_t>;
/// Where the set of levels of each node begins, all sets, and where those of each tree begin; none
/// if no split is one of levels.
using LevelSets =
    std::optional<std::tuple<Vector<std::int32_t>, Vector<std::uint64_t>, Vector<std::int64_t>>>;

/// Says which array is wrong, and where.
[[noreturn]] void refuse(const char* array, const std::string& what) {
  throw nb::value_error((std::string(array) + " does not fit: " + what).c_str());
}

void check_size(const char* array, std::size_t size, std::size_t n_nodes) {
  if (size != n_nodes)
    refuse(array, std::to_string(size) + " entries for " + std::to_string(n_nodes) + " nodes");
}

void check_offset(const Offset& offset, std::size_t n_nodes) {
  if (offset.size() < 2 || offset.data()[0] != 0) refuse("offset", "trees begin at node 0");
  for (std::size_t tree = 0; tree + 1 < offset.size(); ++tree)
    if (offset.data()[tree] >= offset.data()[tree + 1])
      refuse("offset", "tree " + std::to_string(tree) + " has no node");
  const std::int64_t last = offset.data()[offset.size() - 1];
  if (last != static_cast<std::int64_t>(n_nodes))
    refuse("offset", "it ends at node " + std::to_string(last) + " of " + std::to_string(n_nodes));
}

/// Tells the trees their sets of levels, unless one leads out of its tree's.
void set_levels(ForestView& forest, const LevelSets& levels) {
  if (!levels) return;
  const auto& [place, pool, begin] = *levels;
  check_size("level_set", place.size(), static_cast<std::size_t>(forest.offset[forest.n_trees]));
  bool fits = static_cast<std::int64_t>(begin.size()) == forest.n_trees + 1 &&
              begin.data()[0] == 0 &&
              begin.data()[forest.n_trees] == static_cast<std::int64_t>(pool.size());
  for (std::int64_t tree = 0; fits && tree < forest.n_trees; ++tree) {
    fits = begin.data()[tree] <= begin.data()[tree + 1];
    const auto size = static_cast<std::uint64_t>(begin.data()[tree + 1] - begin.data()[tree]);
    for (std::int64_t node = forest.offset[tree]; fits && node < forest.offset[tree + 1]; ++node) {
      if (place.data()[node] < 0) continue;
      const auto first = static_cast<std::uint64_t>(place.data()[node]);
      fits = first < size;
      if (!fits) break;
      const std::uint64_t n_levels = pool.data()[begin.data()[tree] + place.data()[node]];
      fits = n_levels < std::uint64_t{1} << 31 && LevelSet::n_words(n_levels) <= size - first;
    }
  }
  if (!fits) refuse("level_pool", "a set of levels is not where it should be");
  forest.splits.level_set = place.data();
  forest.splits.level_pool = pool.data();
  forest.pool_offset = begin.data();
}

/// The trees, unless a walk from a root could leave its tree or never end.
ForestView to_forest(const Offset& offset, const Feature& feature, const Threshold& threshold,
                     const MissingLeft& missing_left, const Right& right, const LevelSets& levels,
                     std::size_t n_columns) {
  const std::size_t n_nodes = feature.size();
  check_size("threshold", threshold.size(), n_nodes);
  check_size("missing_left", missing_left.size(), n_nodes);
  check_size("right", right.size(), n_nodes);
  check_offset(offset, n_nodes);
  for (std::size_t tree = 0; tree + 1 < offset.size(); ++tree) {
    const std::int64_t begin = offset.data()[tree], end = offset.data()[tree + 1];
    for (std::int64_t node = begin; node < end; ++node) {
      if (feature.data()[node] < 0) continue;
      if (feature.data()[node] >= static_cast<std::int64_t>(n_columns))
        refuse("feature", "X has no column " + std::to_string(feature.data()[node]));
      // Preorder: the left child follows its parent, the right one comes after that.
      if (right.data()[node] <= node - begin + 1 || right.data()[node] >= end - begin)
        refuse("right", "the child of node " + std::to_string(node) + " is elsewhere");
    }
  }
  ForestView forest{.offset = offset.data(),
                    .splits = {feature.data(), threshold.data(), missing_left.data(), right.data()},
                    .value = nullptr,
                    .n_trees = static_cast<std::int64_t>(offset.size()) - 1,
                    .outputs = 0};
  set_levels(forest, levels);
  return forest;
}

/// The same with the values of their nodes.
ForestView with_value(ForestView forest, const Values& value) {
  check_size("value", value.shape(0), static_cast<std::size_t>(forest.offset[forest.n_trees]));
  if (value.shape(1) < 1) refuse("value", "a node has no number");
  forest.value = value.data();
  forest.outputs = static_cast<std::int64_t>(value.shape(1));
  return forest;
}

void check_seeds(const Seeds& seeds, const ForestView& forest) {
  if (static_cast<std::int64_t>(seeds.size()) != forest.n_trees)
    refuse("seeds", "there must be one per tree");
}

void check_conditioning(const Vector<std::int64_t>& begin, const Vector<std::int32_t>& feature,
                        std::size_t n_features) {
  bool fits = begin.size() == n_features + 1 && begin.data()[0] == 0 &&
              begin.data()[n_features] == static_cast<std::int64_t>(feature.size());
  for (std::size_t j = 0; fits && j < n_features; ++j)
    fits = begin.data()[j] <= begin.data()[j + 1];
  for (std::size_t i = 0; fits && i < feature.size(); ++i)
    fits = feature.data()[i] >= 0 && static_cast<std::size_t>(feature.data()[i]) < n_features;
  if (!fits) throw nb::value_error("the lists of conditioning features do not fit together");
}

Table<std::int32_t> find_leaves(const AnyMatrix& x, const Offset& offset, const Feature& feature,
                                const Threshold& threshold, const MissingLeft& missing_left,
                                const Right& right, const LevelSets& levels) {
  const ForestView forest =
      to_forest(offset, feature, threshold, missing_left, right, levels, x.shape(1));
  const auto n_trees = static_cast<std::size_t>(forest.n_trees);
  std::vector<std::int32_t> leaf(x.shape(0) * n_trees);
  run([&] { return apply(to_view(x), forest, leaf.data()), 0; });
  return to_table(std::move(leaf), n_trees);
}

Table<double> predict_mean(const AnyMatrix& x, const Offset& offset, const Feature& feature,
                           const Threshold& threshold, const MissingLeft& missing_left,
                           const Right& right, const Values& value, const LevelSets& levels) {
  const ForestView forest = with_value(
      to_forest(offset, feature, threshold, missing_left, right, levels, x.shape(1)), value);
  std::vector<double> mean(x.shape(0) * value.shape(1));
  run([&] { return predict(to_view(x), forest, mean.data()), 0; });
  return to_table(std::move(mean), value.shape(1));
}

std::pair<Table<double>, Array<std::int64_t>> predict_oob(
    const AnyMatrix& x, const Offset& offset, const Feature& feature, const Threshold& threshold,
    const MissingLeft& missing_left, const Right& right, const Values& value,
    const Counts& case_counts, const Strata& groups, const Strata& strata, const Counts& quota,
    bool replace, const Seeds& seeds, std::int64_t n_samples, std::int64_t begin,
    const LevelSets& levels) {
  const ForestView forest = with_value(
      to_forest(offset, feature, threshold, missing_left, right, levels, x.shape(1)), value);
  const Sampling sampling = to_sampling(n_samples, case_counts, groups, strata, quota, replace);
  if (begin < 0 || begin + static_cast<std::int64_t>(x.shape(0)) > n_samples)
    throw nb::value_error("X must be some of the samples");
  check_seeds(seeds, forest);
  const MatrixView block = to_view(x);
  std::vector<double> total(static_cast<std::size_t>(block.n_rows) * value.shape(1));
  std::vector<std::int64_t> n_votes(static_cast<std::size_t>(block.n_rows));
  run([&] {
    return predict_out_of_bag(block, begin, forest, sampling, seeds.data(), total.data(),
                              n_votes.data()),
           0;
  });
  return {to_table(std::move(total), value.shape(1)), to_numpy(std::move(n_votes))};
}

Loss to_loss(const std::string& name, const Weights& time,
             const std::optional<Vector<std::uint8_t>>& event, const Dataset& data) {
  if (name == "natural") return {};
  if (name == "ranked" && data.kept.n_labels > 1) return {.kind = Loss::Kind::ranked};
  const auto n = static_cast<std::size_t>(data.n_samples);
  if (name == "concordance" && time && event && time->size() == n && event->size() == n)
    return {Loss::Kind::concordance, time->data(), event->data()};
  throw nb::value_error(
      "loss must be 'natural', 'ranked' with labels, or 'concordance' with time and event");
}

Table<double> permute_features(
    const Columns& x, const AnyTarget& y, std::int32_t n_classes, const Offset& offset,
    const Feature& feature, const Threshold& threshold, const MissingLeft& missing_left,
    const Right& right, const Values& value, const Counts& case_counts, const Strata& groups,
    const Strata& strata, const Counts& quota, bool replace, const Seeds& seeds,
    const StopFlag& stop, std::int64_t n_repeats, const Vector<std::int64_t>& conditioning_begin,
    const Vector<std::int32_t>& conditioning, double tree_level, bool moves_children,
    std::uint64_t random_seed, const Weights& weights, const Weights& class_weight,
    const Levels& n_levels, const LevelSets& levels, const std::string& loss, const Weights& time,
    const std::optional<Vector<std::uint8_t>>& event) {
  const Training training(x, y, n_classes, weights, class_weight, n_levels);
  const auto n_features = static_cast<std::size_t>(training.data.n_features);
  const Loss measured = to_loss(loss, time, event, training.data);
  const ForestView forest = with_value(
      to_forest(offset, feature, threshold, missing_left, right, levels, n_features), value);
  const Sampling sampling =
      to_sampling(training.data.n_samples, case_counts, groups, strata, quota, replace);
  check_seeds(seeds, forest);
  check_conditioning(conditioning_begin, conditioning, n_features);
  if (n_repeats < 1) throw nb::value_error("n_repeats must be positive");
  if (n_classes > 0 && n_classes != forest.outputs)
    refuse("value", "there must be one number per class");
  Interrupt interrupt = make_interrupt(stop);
  auto importance = run([&] {
    return permutation_importance(training.data, forest, sampling, seeds.data(),
                                  {conditioning_begin.data(), conditioning.data(), tree_level},
                                  moves_children ? Moved::children : Moved::values, n_repeats,
                                  random_seed, interrupt, measured);
  });
  return to_table(std::move(importance), n_features);
}

using Drawn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Redraws to_redraws(const Vector<std::int32_t>& features, const Drawn& drawn, const AnyMatrix& x) {
  bool fits = drawn.shape(0) == x.shape(0) && drawn.shape(1) > 0 && features.size() > 0 &&
              drawn.shape(2) == features.size();
  for (std::size_t k = 0; fits && k < features.size(); ++k)
    fits = features.data()[k] >= 0 && static_cast<std::size_t>(features.data()[k]) < x.shape(1);
  if (!fits) throw nb::value_error("drawn must hold values of redrawn features for all rows of X");
  return {.features = {features.data(), features.size()},
          .value = drawn.data(),
          .n_draws = static_cast<std::int64_t>(drawn.shape(1))};
}

Table<double> find_redraw_shift(const AnyMatrix& x, const Vector<std::int32_t>& redrawn,
                                const Drawn& drawn, const Offset& offset, const Feature& feature,
                                const Threshold& threshold, const MissingLeft& missing_left,
                                const Right& right, const Values& value, const LevelSets& levels,
                                const StopFlag& stop) {
  const ForestView forest = with_value(
      to_forest(offset, feature, threshold, missing_left, right, levels, x.shape(1)), value);
  const Redraws redraws = to_redraws(redrawn, drawn, x);
  Interrupt interrupt = make_interrupt(stop);
  std::vector<double> shift(x.shape(0) * value.shape(1));
  run([&] { return redraw_shift(to_view(x), forest, redraws, shift.data(), interrupt), 0; });
  return to_table(std::move(shift), value.shape(1));
}

}  // namespace

void add_trees(nb::module_& m) {
  m.def("apply", &find_leaves, "X"_a, nb::kw_only(), "offset"_a, "feature"_a, "threshold"_a,
        "missing_left"_a, "right"_a, "levels"_a = nb::none(),
        "Leaf of every sample in every tree, as node ids within the tree.");

  m.def("predict", &predict_mean, "X"_a, nb::kw_only(), "offset"_a, "feature"_a, "threshold"_a,
        "missing_left"_a, "right"_a, "value"_a, "levels"_a = nb::none(),
        "Mean over the trees of the values of each sample's leaves.");

  m.def("predict_oob", &predict_oob, "X"_a, nb::kw_only(), "offset"_a, "feature"_a, "threshold"_a,
        "missing_left"_a, "right"_a, "value"_a, "case_counts"_a.none(), "groups"_a = nb::none(),
        "strata"_a.none(), "quota"_a.none(), "replace"_a, "seeds"_a, "n_samples"_a, "begin"_a,
        "levels"_a = nb::none(),
        "Sums of leaf values over the trees that did not see a row, and the number of those "
        "trees.");

  m.def("permutation_importance", &permute_features, "X"_a, "y"_a, "n_classes"_a, nb::kw_only(),
        "offset"_a, "feature"_a, "threshold"_a, "missing_left"_a, "right"_a, "value"_a,
        "case_counts"_a.none(), "groups"_a = nb::none(), "strata"_a.none(), "quota"_a.none(),
        "replace"_a, "seeds"_a, "stop"_a, "n_repeats"_a, "conditioning_begin"_a, "conditioning"_a,
        "tree_level"_a, "moves_children"_a, "random_seed"_a, "weights"_a = nb::none(),
        "class_weight"_a = nb::none(), "n_levels"_a = nb::none(), "levels"_a = nb::none(),
        "loss"_a = "natural", "time"_a = nb::none(), "event"_a = nb::none(),
        "Out-of-bag permutation importance of every feature in every tree.");

  m.def("redraw_shift", &find_redraw_shift, "X"_a, nb::kw_only(), "redrawn"_a, "drawn"_a,
        "offset"_a, "feature"_a, "threshold"_a, "missing_left"_a, "right"_a, "value"_a,
        "levels"_a = nb::none(), "stop"_a,
        "How far the mean prediction moves, on average over the draws, when features of each row "
        "are replaced: drawn[row, draw, k] is a value of the feature redrawn[k].");
}

}  // namespace inforest::bind
