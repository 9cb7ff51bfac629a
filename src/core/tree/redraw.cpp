// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/redraw.hpp"

#include <algorithm>
#include <vector>

namespace inforest {

namespace {

constexpr std::int32_t kKept = -1;  ///< the slot of a feature that is not redrawn

/// One tree, walked by rows of which some features may be replaced.
class RedrawnWalk {
 public:
  /// `slot` has an entry per feature: its place among the redrawn ones, or kKept.
  RedrawnWalk(const Splits& splits, const std::vector<std::int32_t>& slot)
      : splits_(splits), slot_(slot) {}

  bool uses_any(std::int64_t n_nodes) const {
    for (std::int32_t node = 0; node < n_nodes; ++node)
      if (!splits_.is_leaf(node) && slot(node) != kKept) return true;
    return false;
  }

  /// The row's own leaf; `fork` becomes the first split on its way at which it is redrawn, or -1.
  std::int32_t own_leaf(const double* row, std::int64_t stride, std::int32_t& fork) const {
    fork = -1;
    std::int32_t node = 0;
    while (!splits_.is_leaf(node)) {
      if (fork < 0 && slot(node) != kKept) fork = node;
      node = splits_.child(node, row[splits_.feature[node] * stride]);
    }
    return node;
  }

  /// The leaf below `node` that the redrawn row reaches.
  std::int32_t leaf(std::int32_t node, const double* row, std::int64_t stride,
                    const double* drawn) const {
    while (!splits_.is_leaf(node)) {
      const std::int32_t place = slot(node);
      node =
          splits_.child(node, place == kKept ? row[splits_.feature[node] * stride] : drawn[place]);
    }
    return node;
  }

 private:
  std::int32_t slot(std::int32_t node) const {
    return slot_[static_cast<std::size_t>(splits_.feature[node])];
  }

  Splits splits_;
  const std::vector<std::int32_t>& slot_;
};

/// Adds what one tree says.
void add_shift(const MatrixView& x, const RedrawnWalk& walk, const Redraws& redraws,
               const double* value, std::int64_t outputs, double* shift) {
  const auto n_redrawn = static_cast<std::int64_t>(redraws.features.size());
  const double share = 1.0 / static_cast<double>(redraws.n_draws);
  for (std::int64_t row = 0; row < x.n_rows; ++row, shift += outputs) {
    const double* own = x.data + row * x.row_stride;
    std::int32_t fork;
    const std::int32_t leaf = walk.own_leaf(own, x.column_stride, fork);
    if (fork < 0) continue;
    const double* drawn = redraws.value + row * redraws.n_draws * n_redrawn;
    for (std::int64_t draw = 0; draw < redraws.n_draws; ++draw, drawn += n_redrawn) {
      const std::int32_t there = walk.leaf(fork, own, x.column_stride, drawn);
      if (there == leaf) continue;
      for (std::int64_t k = 0; k < outputs; ++k)
        shift[k] += share * (value[there * outputs + k] - value[leaf * outputs + k]);
    }
  }
}

}  // namespace

void redraw_shift(const MatrixView& x, const ForestView& forest, const Redraws& redraws,
                  double* shift, Interrupt& interrupt) {
  std::vector<std::int32_t> slot(static_cast<std::size_t>(x.n_columns), kKept);
  for (std::size_t k = 0; k < redraws.features.size(); ++k)
    slot[static_cast<std::size_t>(redraws.features[k])] = static_cast<std::int32_t>(k);
  std::fill_n(shift, x.n_rows * forest.outputs, 0.0);
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    const RedrawnWalk walk(forest.tree(tree), slot);
    if (!walk.uses_any(forest.offset[tree + 1] - forest.offset[tree])) continue;
    constexpr std::int64_t kWalk = 20;  // about a nanosecond each
    interrupt.spend(kWalk * x.n_rows * (redraws.n_draws + 1));
    const double* value = forest.value + forest.offset[tree] * forest.outputs;
    add_shift(x, walk, redraws, value, forest.outputs, shift);
  }
  for (std::int64_t i = 0; i < x.n_rows * forest.outputs; ++i)
    shift[i] /= static_cast<double>(forest.n_trees);
}

}  // namespace inforest
