// SPDX-License-Identifier: BSD-3-Clause
/// Reading fitted trees: leaves, predictions, permutation importance.
#include "bind/convert.hpp"
#include "core/tree/permutation_importance.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

/// Refuses arrays that a walk from the roots could leave or never end in.
void check_trees(const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
                 const Vector<double>& threshold, const Vector<std::int32_t>& right,
                 std::size_t n_columns) {
  const auto n_nodes = static_cast<std::int64_t>(feature.size());
  bool fits = offset.size() > 1 && threshold.size() == feature.size() &&
              right.size() == feature.size() && offset.data()[0] == 0 &&
              offset.data()[offset.size() - 1] == n_nodes;
  for (std::size_t tree = 0; fits && tree + 1 < offset.size(); ++tree) {
    const std::int64_t begin = offset.data()[tree], end = offset.data()[tree + 1];
    fits = begin < end && end <= n_nodes;
    // Preorder: the left child follows its parent, the right one comes after that.
    for (std::int64_t i = begin; fits && i < end; ++i)
      if (feature.data()[i] >= 0)
        fits = feature.data()[i] < static_cast<std::int64_t>(n_columns) &&
               right.data()[i] > i - begin + 1 && right.data()[i] < end - begin;
  }
  if (!fits) throw nb::value_error("the arrays of the trees do not fit together, or X");
}

ForestView to_forest(const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
                     const Vector<double>& threshold, const Vector<std::int32_t>& right,
                     const Values& value, std::size_t n_columns) {
  check_trees(offset, feature, threshold, right, n_columns);
  if (value.shape(0) != feature.size() || value.shape(1) < 1)
    throw nb::value_error("one row of values per node");
  return {offset.data(),
          {feature.data(), threshold.data(), right.data()},
          value.data(),
          static_cast<std::int64_t>(offset.size()) - 1,
          static_cast<std::int64_t>(value.shape(1))};
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

}  // namespace

void add_trees(nb::module_& m) {
  m.def(
      "apply",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right) {
        check_trees(offset, feature, threshold, right, x.shape(1));
        const auto n_trees = static_cast<std::int64_t>(offset.size()) - 1;
        const ForestView forest{
            offset.data(), {feature.data(), threshold.data(), right.data()}, nullptr, n_trees, 0};
        std::vector<std::int32_t> leaf(x.shape(0) * static_cast<std::size_t>(n_trees));
        run([&] { return apply(to_view(x), forest, leaf.data()), 0; });
        return to_table(std::move(leaf), static_cast<std::size_t>(n_trees));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a,
      "Leaf of every sample in every tree, as node ids within the tree.");

  m.def(
      "predict",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right, const Values& value) {
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        std::vector<double> mean(x.shape(0) * value.shape(1));
        run([&] { return predict(to_view(x), forest, mean.data()), 0; });
        return to_table(std::move(mean), value.shape(1));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "value"_a,
      "Mean over the trees of the values of each sample's leaves.");

  m.def(
      "predict_oob",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right, const Values& value,
         const Counts& case_counts, const Strata& strata, const Counts& quota, bool replace,
         const Seeds& seeds, std::int64_t begin, std::int64_t end) {
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        const Sampling sampling =
            to_sampling(static_cast<std::int64_t>(x.shape(0)), case_counts, strata, quota, replace);
        if (begin < 0 || end < begin || end > sampling.n_samples)
          throw nb::value_error("begin and end must bound rows of X");
        if (static_cast<std::int64_t>(seeds.size()) != forest.n_trees)
          throw nb::value_error("one seed per tree");
        MatrixView block = to_view(x);
        block.data += begin * block.row_stride;
        block.n_rows = end - begin;
        std::vector<double> total(static_cast<std::size_t>(block.n_rows) * value.shape(1));
        std::vector<std::int64_t> n_votes(static_cast<std::size_t>(block.n_rows));
        run([&] {
          return predict_out_of_bag(block, begin, forest, sampling, seeds.data(), total.data(),
                                    n_votes.data()),
                 0;
        });
        return std::pair(to_table(std::move(total), value.shape(1)), to_numpy(std::move(n_votes)));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "value"_a,
      "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a, "seeds"_a,
      "begin"_a, "end"_a,
      "Sums of leaf values over the trees that did not see a row, and the number of those trees.");

  m.def(
      "permutation_importance",
      [](const Matrix& x, const AnyTarget& y, std::int32_t n_classes,
         const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
         const Vector<double>& threshold, const Vector<std::int32_t>&,
         const Vector<std::int32_t>& right, const Values& value, const Counts& case_counts,
         const Strata& strata, const Counts& quota, bool replace, const Seeds& seeds,
         const StopFlag& stop, std::int64_t n_repeats,
         const Vector<std::int64_t>& conditioning_begin, const Vector<std::int32_t>& conditioning,
         std::uint64_t random_seed) {
        const Training training(x, y, n_classes);
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        const Sampling sampling =
            to_sampling(training.data.n_samples, case_counts, strata, quota, replace);
        if (static_cast<std::int64_t>(seeds.size()) != forest.n_trees)
          throw nb::value_error("one seed per tree");
        check_conditioning(conditioning_begin, conditioning, x.shape(1));
        if (n_repeats < 1) throw nb::value_error("n_repeats must be positive");
        if (n_classes > 0 && static_cast<std::size_t>(n_classes) != value.shape(1))
          throw nb::value_error("one value per class");
        Interrupt interrupt = make_interrupt(stop);
        return to_table(run([&] {
                          return permutation_importance(
                              training.data, forest, sampling, seeds.data(),
                              {conditioning_begin.data(), conditioning.data()}, n_repeats,
                              random_seed, interrupt);
                        }),
                        x.shape(1));
      },
      "X"_a, "y"_a, "n_classes"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a,
      "value"_a, "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
      "seeds"_a, "stop"_a, nb::kw_only(), "n_repeats"_a, "conditioning_begin"_a, "conditioning"_a,
      "random_seed"_a, "Out-of-bag permutation importance of every feature in every tree.");
}

}  // namespace inforest::bind
