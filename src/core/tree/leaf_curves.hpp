// SPDX-License-Identifier: BSD-3-Clause
/// What leaves keep of censored times, and the curves that forests make of it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/apply.hpp"
#include "core/tree/leaf_rows.hpp"

namespace inforest {

/// Of each row: how many of the data's distinct event times are not after its own, and whether its
/// own is one of them, the last. A row with place k is at risk at the event times 0 .. k - 1.
struct CensoredRows {
  const std::int32_t* place;
  const std::uint8_t* event;
};

/// Of each node of a forest the event times of its rows, `begin[node] .. begin[node + 1]`,
/// ascending: which one, the weight of its events, the weight at risk. Inner nodes have none.
struct LeafCurves {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> time;
  std::vector<double> events, at_risk;
};

LeafCurves leaf_curves(const ForestView& forest, const LeafRows& rows, const CensoredRows& y);

enum class Curve { survival, cumulative_hazard };

/// Leaf curves as somebody reads them: entry i changes the curve of its leaf by `jump[i]` from grid
/// point `step[i]` on; a step beyond the grid changes nothing.
struct StepsView {
  const std::int64_t* begin;
  const std::int32_t* step;
  const double* jump;
};

/// What each entry changes: Kaplan and Meier's estimate, or Nelson and Aalen's.
std::vector<double> jumps(const std::int64_t* begin, std::int64_t n_nodes, const double* events,
                          const double* at_risk, Curve curve);

/// The leaves of `n_rows` rows in the trees of a forest: leaf[row * n_trees + tree], counted from
/// the tree's root; `offset` says where trees begin.
struct LeavesView {
  const std::int32_t* leaf;
  std::int64_t n_rows, n_trees;
  const std::int64_t* offset;
};

/// result[row * n_times + k]: the mean over the trees of the row's leaves' curves at grid point k.
void predict_curves(const LeavesView& leaves, const StepsView& steps, Curve curve,
                    std::int64_t n_times, double* result);

}  // namespace inforest
