// SPDX-License-Identifier: BSD-3-Clause
/// Censored times: what leaves keep of them, curves, concordance.
#include "bind/convert.hpp"
#include "core/base/concordance.hpp"
#include "core/tree/leaf_curves.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

using Flags = Vector<std::uint8_t>;
using Leaves = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* otherwise) {
  if (!condition) throw nb::value_error(otherwise);
}

/// Nodes in preorder that stay in their trees, and the leaves of all rows in them.
void check_trees(const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
                 const Vector<std::int32_t>& right) {
  const std::size_t n_nodes = feature.size();
  require(right.size() == n_nodes && offset.size() > 1 && offset.data()[0] == 0 &&
              offset.data()[offset.size() - 1] == static_cast<std::int64_t>(n_nodes),
          "offset, feature and right do not fit together");
  for (std::size_t tree = 0; tree + 1 < offset.size(); ++tree) {
    const std::int64_t begin = offset.data()[tree], end = offset.data()[tree + 1];
    require(begin < end, "a tree has no node");
    for (std::int64_t node = begin; node < end; ++node)
      require(feature.data()[node] < 0 ||
                  (right.data()[node] > node - begin + 1 && right.data()[node] < end - begin),
              "a child is not where it should be");
  }
}

void check_leaf(std::int32_t leaf, std::size_t tree, const Vector<std::int64_t>& offset) {
  require(leaf >= 0 && leaf < offset.data()[tree + 1] - offset.data()[tree],
          "a leaf is not in its tree");
}

/// Entries begin[node] .. begin[node + 1] of each node.
void check_entries(const Vector<std::int64_t>& begin, std::size_t n_nodes, std::size_t n_entries) {
  bool fits = begin.size() == n_nodes + 1 && begin.data()[0] == 0 &&
              begin.data()[n_nodes] == static_cast<std::int64_t>(n_entries);
  for (std::size_t node = 0; fits && node < n_nodes; ++node)
    fits = begin.data()[node] <= begin.data()[node + 1];
  require(fits, "begin does not divide the entries among the nodes");
}

Arrays find_curves(const Leaves& leaf, const Vector<std::int64_t>& offset,
                   const Vector<std::int32_t>& feature, const Vector<std::int32_t>& right,
                   const Counts& case_counts, const Strata& groups, const Strata& strata,
                   const Counts& quota, bool replace, const Seeds& seeds, double honesty,
                   const Weights& weights, const Vector<std::int32_t>& place, const Flags& event,
                   const StopFlag& stop) {
  check_trees(offset, feature, right);
  const auto n_trees = static_cast<std::int64_t>(offset.size()) - 1;
  const auto n = static_cast<std::int64_t>(leaf.shape(1));
  require(static_cast<std::int64_t>(leaf.shape(0)) == n_trees &&
              static_cast<std::int64_t>(seeds.size()) == n_trees,
          "there must be leaves and a seed for each tree");
  for (std::size_t tree = 0; tree < leaf.shape(0); ++tree)
    for (std::size_t row = 0; row < leaf.shape(1); ++row)
      check_leaf(leaf.data()[tree * leaf.shape(1) + row], tree, offset);
  require(
      static_cast<std::int64_t>(place.size()) == n && static_cast<std::int64_t>(event.size()) == n,
      "there must be a place and an event for each row");
  for (std::int64_t row = 0; row < n; ++row)
    require(place.data()[row] >= (event.data()[row] != 0 ? 1 : 0), "an event has no place");
  ForestView forest{};  // where rows go is known: only where trees and their nodes are
  forest.offset = offset.data();
  forest.splits.feature = feature.data();
  forest.splits.right = right.data();
  forest.n_trees = n_trees;
  const Sampling sampling = to_sampling(n, case_counts, groups, strata, quota, replace);
  const TrainingLeaves training{leaf.data(), sampling, seeds.data(), honesty,
                                to_weights(weights, n)};
  Interrupt interrupt = make_interrupt(stop);
  LeafCurves curves = run([&] {
    return leaf_curves(forest, leaf_rows(forest, training, RowsOf::values, interrupt),
                       {place.data(), event.data()});
  });
  Arrays arrays;
  arrays["begin"] = to_numpy(std::move(curves.begin));
  arrays["time"] = to_numpy(std::move(curves.time));
  arrays["events"] = to_numpy(std::move(curves.events));
  arrays["at_risk"] = to_numpy(std::move(curves.at_risk));
  return arrays;
}

Curve to_curve(bool survival) { return survival ? Curve::survival : Curve::cumulative_hazard; }

Array<double> find_jumps(const Vector<std::int64_t>& begin, const Vector<double>& events,
                         const Vector<double>& at_risk, bool survival) {
  require(begin.size() > 0 && events.size() == at_risk.size(), "entries do not fit together");
  check_entries(begin, begin.size() - 1, events.size());
  return to_numpy(jumps(begin.data(), static_cast<std::int64_t>(begin.size()) - 1, events.data(),
                        at_risk.data(), to_curve(survival)));
}

Table<double> curves_of(const Leaves& leaf, const Vector<std::int64_t>& offset,
                        const Vector<std::int64_t>& begin, const Vector<std::int32_t>& step,
                        const Vector<double>& jump, bool survival, std::int64_t n_times) {
  require(offset.size() > 1 && leaf.shape(1) + 1 == offset.size(), "one leaf per row and tree");
  const std::int64_t n_nodes = offset.data()[offset.size() - 1];
  require(n_nodes >= 0 && step.size() == jump.size() && n_times >= 1, "steps do not fit together");
  check_entries(begin, static_cast<std::size_t>(n_nodes), step.size());
  for (std::size_t row = 0; row < leaf.shape(0); ++row)
    for (std::size_t tree = 0; tree < leaf.shape(1); ++tree)
      check_leaf(leaf.data()[row * leaf.shape(1) + tree], tree, offset);
  for (std::size_t i = 0; i < step.size(); ++i)
    require(step.data()[i] >= 0, "a step is before the grid");
  std::vector<double> result(leaf.shape(0) * static_cast<std::size_t>(n_times));
  run([&] {
    predict_curves({leaf.data(), static_cast<std::int64_t>(leaf.shape(0)),
                    static_cast<std::int64_t>(leaf.shape(1)), offset.data()},
                   {begin.data(), step.data(), jump.data()}, to_curve(survival), n_times,
                   result.data());
    return 0;
  });
  return to_table(std::move(result), static_cast<std::size_t>(n_times));
}

nb::typed<nb::tuple, double, double, double> count_pairs(const Vector<double>& time,
                                                         const Flags& event,
                                                         const Vector<double>& risk,
                                                         const Weights& weights) {
  const std::size_t n = time.size();
  require(event.size() == n && risk.size() == n, "time, event and risk have different lengths");
  const double* weight = to_weights(weights, static_cast<std::int64_t>(n));
  const Concordance found = run([&] {
    return ConcordanceCounter()({time.data(), n}, {event.data(), n}, {risk.data(), n},
                                {weight, weight == nullptr ? 0 : n});
  });
  return nb::make_tuple(found.comparable, found.concordant, found.tied);
}

}  // namespace

void add_survival(nb::module_& m) {
  m.def("leaf_curves", &find_curves, "leaf"_a, nb::kw_only(), "offset"_a, "feature"_a, "right"_a,
        "case_counts"_a.none(), "groups"_a = nb::none(), "strata"_a.none(), "quota"_a.none(),
        "replace"_a, "seeds"_a, "honesty"_a, "weights"_a.none(), "place"_a, "event"_a, "stop"_a,
        "Event times of the rows of each leaf, with the weight of the events and at risk. `leaf` "
        "holds the leaf of every training row, a row per tree.");

  m.def("curve_jumps", &find_jumps, "begin"_a, "events"_a, "at_risk"_a, "survival"_a,
        "What each event time of a leaf changes in its survival curve, or cumulative hazard.");

  m.def("predict_curves", &curves_of, "leaf"_a, nb::kw_only(), "offset"_a, "begin"_a, "step"_a,
        "jump"_a, "survival"_a, "n_times"_a,
        "Mean over the trees of the curves of each sample's leaves, at each point of the grid.");

  m.def("concordance", &count_pairs, "time"_a, "event"_a, "risk"_a, "weights"_a = nb::none(),
        "Weights of the comparable, the concordant and the tied pairs.");
}

}  // namespace inforest::bind
