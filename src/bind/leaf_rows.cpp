// SPDX-License-Identifier: BSD-3-Clause
/// The training rows behind the leaves of fitted trees, and what they say about samples.
#include "core/tree/leaf_rows.hpp"

#include "bind/convert.hpp"
#include "core/tree/forest_weights.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

using Leaves = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Limits = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Offset = Vector<std::int64_t>;
using Nodes = Vector<std::int32_t>;

/// The trees, unless children are elsewhere.
ForestView to_forest(const Offset& offset, const Nodes& feature, const Nodes& right) {
  const auto n_nodes = static_cast<std::int64_t>(feature.size());
  bool fits = right.size() == feature.size() && offset.size() > 1 && offset.data()[0] == 0 &&
              offset.data()[offset.size() - 1] == n_nodes;
  for (std::size_t tree = 0; fits && tree + 1 < offset.size(); ++tree) {
    const std::int64_t begin = offset.data()[tree], end = offset.data()[tree + 1];
    fits = begin < end && end <= n_nodes;
    for (std::int64_t node = begin; fits && node < end; ++node)
      fits = feature.data()[node] < 0 ||
             (right.data()[node] > node - begin + 1 && right.data()[node] < end - begin);
  }
  if (!fits) throw nb::value_error("the nodes of the trees do not fit together");
  ForestView forest{};  // where rows go is known: only where trees and their nodes are
  forest.offset = offset.data();
  forest.splits.feature = feature.data();
  forest.splits.right = right.data();
  forest.n_trees = static_cast<std::int64_t>(offset.size()) - 1;
  return forest;
}

void check_leaves(const Leaves& leaf, const ForestView& forest) {
  if (static_cast<std::int64_t>(leaf.shape(0)) != forest.n_trees)
    throw nb::value_error("leaf must have a row per tree");
  for (std::size_t tree = 0; tree < leaf.shape(0); ++tree) {
    const std::int64_t n_nodes = forest.offset[tree + 1] - forest.offset[tree];
    const std::int32_t* feature = forest.splits.feature + forest.offset[tree];
    const std::int32_t* of_tree = leaf.data() + tree * leaf.shape(1);
    for (std::size_t row = 0; row < leaf.shape(1); ++row)
      if (of_tree[row] < 0 || of_tree[row] >= n_nodes || feature[of_tree[row]] >= 0)
        throw nb::value_error("leaf holds a node that is no leaf");
  }
}

using RowArrays = nb::typed<nb::tuple, Array<std::int64_t>, Array<std::int64_t>, Array<double>,
                            Array<std::int32_t>, Array<double>>;

RowArrays find_leaf_rows(const Leaves& leaf, const Offset& offset, const Nodes& feature,
                         const Nodes& right, const Counts& case_counts, const Strata& groups,
                         const Strata& strata, const Counts& quota, bool replace,
                         const Seeds& seeds, double honesty, const Weights& weights,
                         bool out_of_bag, const StopFlag& stop) {
  const ForestView forest = to_forest(offset, feature, right);
  check_leaves(leaf, forest);
  const auto n_samples = static_cast<std::int64_t>(leaf.shape(1));
  const Sampling sampling = to_sampling(n_samples, case_counts, groups, strata, quota, replace);
  if (seeds.size() != leaf.shape(0)) throw nb::value_error("there must be one seed per tree");
  if (!(honesty >= 0.0 && honesty < 1.0)) throw nb::value_error("honesty must be in [0, 1)");
  const TrainingLeaves training{leaf.data(), sampling, seeds.data(), honesty,
                                to_weights(weights, n_samples)};
  Interrupt interrupt = make_interrupt(stop);
  LeafRows rows = run([&] {
    return leaf_rows(forest, training, out_of_bag ? RowsOf::out_of_bag : RowsOf::values, interrupt);
  });
  return RowArrays(nb::make_tuple(to_numpy(std::move(rows.begin)), to_numpy(std::move(rows.end)),
                                  to_numpy(std::move(rows.total)), to_numpy(std::move(rows.row)),
                                  to_numpy(std::move(rows.weight))));
}

Table<std::int32_t> find_oob_leaves(const Leaves& leaf, std::int64_t n_samples,
                                    const Counts& case_counts, const Strata& groups,
                                    const Strata& strata, const Counts& quota, bool replace,
                                    const Seeds& seeds, std::int64_t begin, const StopFlag& stop) {
  const Sampling sampling = to_sampling(n_samples, case_counts, groups, strata, quota, replace);
  const auto end = begin + static_cast<std::int64_t>(leaf.shape(1));
  if (begin < 0 || end > n_samples) throw nb::value_error("leaf must hold rows from begin on");
  if (seeds.size() != leaf.shape(0)) throw nb::value_error("there must be one seed per tree");
  const TrainingLeaves training{leaf.data(), sampling, seeds.data(), 0.0, nullptr};
  Interrupt interrupt = make_interrupt(stop);
  auto found = run([&] {
    return out_of_bag_leaves(training, static_cast<std::int64_t>(leaf.shape(0)), begin, end,
                             interrupt);
  });
  return to_table(std::move(found), leaf.shape(0));
}

/// Refuses rows and leaves that do not exist.
LeafRowsView to_rows(const Leaves& leaf, const Offset& offset, const Offset& begin,
                     const Offset& end, const Vector<double>& total, const Nodes& row,
                     const Vector<double>& weight, std::int64_t n_rows) {
  const auto n_nodes = begin.size();
  const auto n_entries = static_cast<std::int64_t>(row.size());
  const auto n_trees = leaf.shape(1);
  bool fits = offset.size() == n_trees + 1 && n_trees > 0 && end.size() == n_nodes &&
              total.size() == n_nodes && weight.size() == row.size() && offset.data()[0] == 0 &&
              offset.data()[n_trees] == static_cast<std::int64_t>(n_nodes);
  for (std::size_t tree = 0; fits && tree < n_trees; ++tree)
    fits = offset.data()[tree] < offset.data()[tree + 1];
  for (std::size_t node = 0; fits && node < n_nodes; ++node)
    fits = begin.data()[node] >= 0 && begin.data()[node] <= end.data()[node] &&
           end.data()[node] <= n_entries;
  for (std::int64_t at = 0; fits && at < n_entries; ++at)
    fits = row.data()[at] >= 0 && row.data()[at] < n_rows;
  for (std::size_t sample = 0; fits && sample < leaf.shape(0); ++sample)
    for (std::size_t tree = 0; fits && tree < n_trees; ++tree) {
      const std::int64_t node = leaf.data()[sample * n_trees + tree];
      fits = node >= -1 && node < offset.data()[tree + 1] - offset.data()[tree];
    }
  if (!fits) throw nb::value_error("the rows of the leaves do not fit together");
  return {.offset = offset.data(),
          .n_trees = static_cast<std::int64_t>(n_trees),
          .begin = begin.data(),
          .end = end.data(),
          .total = total.data(),
          .row = row.data(),
          .weight = weight.data(),
          .n_rows = n_rows};
}

SampleLeaves to_samples(const Leaves& leaf) {
  return {leaf.data(), static_cast<std::int64_t>(leaf.shape(0))};
}

using SparseArrays = nb::typed<nb::tuple, Array<std::int64_t>, Array<std::int32_t>, Array<double>>;

SparseArrays find_weights(const Leaves& leaf, const Offset& offset, const Offset& begin,
                          const Offset& end, const Vector<double>& total, const Nodes& row,
                          const Vector<double>& weight, std::int64_t n_rows, const StopFlag& stop) {
  const LeafRowsView rows = to_rows(leaf, offset, begin, end, total, row, weight, n_rows);
  Interrupt interrupt = make_interrupt(stop);
  SparseRows found = run([&] { return forest_weights(rows, to_samples(leaf), interrupt); });
  return SparseArrays(nb::make_tuple(to_numpy(std::move(found.begin)),
                                     to_numpy(std::move(found.column)),
                                     to_numpy(std::move(found.value))));
}

Table<double> find_quantiles(const Leaves& leaf, const Offset& offset, const Offset& begin,
                             const Offset& end, const Vector<double>& total, const Nodes& row,
                             const Vector<double>& weight, const Vector<double>& value,
                             const Vector<double>& level, const StopFlag& stop) {
  const LeafRowsView rows = to_rows(leaf, offset, begin, end, total, row, weight,
                                    static_cast<std::int64_t>(value.size()));
  Interrupt interrupt = make_interrupt(stop);
  auto found = run([&] {
    return forest_quantiles(rows, value.data(), {level.data(), level.size()}, to_samples(leaf),
                            interrupt);
  });
  return to_table(std::move(found), level.size());
}

Table<double> find_shares(const Leaves& leaf, const Offset& offset, const Offset& begin,
                          const Offset& end, const Vector<double>& total, const Nodes& row,
                          const Vector<double>& weight, std::int64_t n_rows, const Limits& limit,
                          const StopFlag& stop) {
  const LeafRowsView rows = to_rows(leaf, offset, begin, end, total, row, weight, n_rows);
  if (limit.shape(0) != leaf.shape(0)) throw nb::value_error("limits must have a row per sample");
  Interrupt interrupt = make_interrupt(stop);
  auto found = run([&] {
    return forest_shares(rows, limit.data(), static_cast<std::int64_t>(limit.shape(1)),
                         to_samples(leaf), interrupt);
  });
  return to_table(std::move(found), limit.shape(1));
}

}  // namespace

void add_leaf_rows(nb::module_& m) {
  m.def("leaf_rows", &find_leaf_rows, "leaf"_a, nb::kw_only(), "offset"_a, "feature"_a, "right"_a,
        "case_counts"_a.none(), "groups"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
        "seeds"_a, "honesty"_a, "weights"_a.none(), "out_of_bag"_a, "stop"_a,
        "Training rows below each node: begin, end and weight of each node's rows; the rows, and "
        "their weights. leaf[tree, row] is the leaf of a training row.");

  m.def("out_of_bag_leaves", &find_oob_leaves, "leaf"_a, nb::kw_only(), "n_samples"_a,
        "case_counts"_a.none(), "groups"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
        "seeds"_a, "begin"_a, "stop"_a,
        "Leaf of each row in each tree, -1 where the tree has seen it; leaf[tree, i] is that of "
        "row begin + i.");

  m.def("forest_weights", &find_weights, "leaf"_a, nb::kw_only(), "offset"_a, "begin"_a, "end"_a,
        "total"_a, "row"_a, "weight"_a, "n_rows"_a, "stop"_a,
        "How much each training row speaks for each sample: indptr, indices and data of CSR.");

  m.def("forest_quantiles", &find_quantiles, "leaf"_a, nb::kw_only(), "offset"_a, "begin"_a,
        "end"_a, "total"_a, "row"_a, "weight"_a, "value"_a, "level"_a, "stop"_a,
        "Quantiles of `value`, which ascends, under each sample's weights.");

  m.def("forest_shares", &find_shares, "leaf"_a, nb::kw_only(), "offset"_a, "begin"_a, "end"_a,
        "total"_a, "row"_a, "weight"_a, "n_rows"_a, "limit"_a, "stop"_a,
        "The weight of the rows with numbers below each of a sample's limits.");
}

}  // namespace inforest::bind
