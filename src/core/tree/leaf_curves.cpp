// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/leaf_curves.hpp"

#include <algorithm>

namespace inforest {

namespace {

struct Entry {
  std::int32_t place;
  bool event;
  double weight;
};

/// Appends the curve of these entries, which are sorted by place.
void append(const std::vector<Entry>& entries, LeafCurves& curves) {
  const std::size_t first = curves.time.size();
  double at_risk = 0.0;  // summed from the end: differences would lose digits
  for (std::size_t end = entries.size(); end > 0;) {
    const std::int32_t place = entries[end - 1].place;
    double events = 0.0;
    for (; end > 0 && entries[end - 1].place == place; --end) {
      at_risk += entries[end - 1].weight;
      if (entries[end - 1].event) events += entries[end - 1].weight;
    }
    if (events == 0.0) continue;
    curves.time.push_back(place - 1);
    curves.events.push_back(events);
    curves.at_risk.push_back(at_risk);
  }
  const auto from = static_cast<std::ptrdiff_t>(first);
  std::reverse(curves.time.begin() + from, curves.time.end());
  std::reverse(curves.events.begin() + from, curves.events.end());
  std::reverse(curves.at_risk.begin() + from, curves.at_risk.end());
}

}  // namespace

LeafCurves leaf_curves(const ForestView& forest, const LeafRows& rows, const CensoredRows& y) {
  const std::int64_t n_nodes = forest.offset[forest.n_trees];
  LeafCurves curves;
  curves.begin.reserve(static_cast<std::size_t>(n_nodes) + 1);
  std::vector<Entry> entries;
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    curves.begin.push_back(static_cast<std::int64_t>(curves.time.size()));
    if (forest.splits.feature[node] >= 0) continue;
    entries.clear();
    const auto at = static_cast<std::size_t>(node);
    for (auto i = static_cast<std::size_t>(rows.begin[at]);
         i < static_cast<std::size_t>(rows.end[at]); ++i)
      entries.push_back({y.place[rows.row[i]], y.event[rows.row[i]] != 0, rows.weight[i]});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.place < b.place; });
    append(entries, curves);
  }
  curves.begin.push_back(static_cast<std::int64_t>(curves.time.size()));
  return curves;
}

std::vector<double> jumps(const std::int64_t* begin, std::int64_t n_nodes, const double* events,
                          const double* at_risk, Curve curve) {
  std::vector<double> jump(static_cast<std::size_t>(begin[n_nodes]));
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    double survival = 1.0;
    for (std::int64_t i = begin[node]; i < begin[node + 1]; ++i) {
      const double hazard = events[i] / at_risk[i];
      const double left = survival * (1.0 - hazard);
      jump[static_cast<std::size_t>(i)] = curve == Curve::survival ? left - survival : hazard;
      survival = left;
    }
  }
  return jump;
}

void predict_curves(const LeavesView& leaves, const StepsView& steps, Curve curve,
                    std::int64_t n_times, double* result) {
  std::fill_n(result, leaves.n_rows * n_times, 0.0);
  const double start = curve == Curve::survival ? 1.0 : 0.0;
  for (std::int64_t row = 0; row < leaves.n_rows; ++row) {
    double* own = result + row * n_times;
    for (std::int64_t tree = 0; tree < leaves.n_trees; ++tree) {
      const std::int64_t node = leaves.offset[tree] + leaves.leaf[row * leaves.n_trees + tree];
      for (std::int64_t i = steps.begin[node]; i < steps.begin[node + 1]; ++i)
        if (steps.step[i] < n_times) own[steps.step[i]] += steps.jump[i];
    }
    double sum = 0.0;
    for (double* one = own; one < own + n_times; ++one) {
      sum += *one;
      *one = start + sum / static_cast<double>(leaves.n_trees);
    }
  }
}

}  // namespace inforest
