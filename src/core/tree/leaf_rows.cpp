// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/leaf_rows.hpp"

#include <algorithm>

namespace inforest {

namespace {

/// A tree's rows, ascending, each as often as it is there.
std::vector<std::int32_t> rows_of_tree(const TrainingLeaves& training, std::uint64_t seed,
                                       RowsOf which) {
  const RowCounts counts = sample_counts(training.sampling, seed);
  if (which == RowsOf::out_of_bag) {
    std::vector<std::int32_t> rows;
    for (std::size_t row = 0; row < counts.size(); ++row)
      if (counts[row] == 0) rows.push_back(static_cast<std::int32_t>(row));
    return rows;
  }
  TreeRows rows = make_rows(counts, training.honesty, seed, training.sampling.groups);
  return std::move(rows.estimation.empty() ? rows.structure : rows.estimation);
}

/// Appends one tree after the other.
class Collector {
 public:
  explicit Collector(const ForestView& forest) : forest_(forest) {
    const auto n_nodes = static_cast<std::size_t>(forest.offset[forest.n_trees]);
    found_.begin.resize(n_nodes);
    found_.end.resize(n_nodes);
    found_.total.resize(n_nodes);
  }

  void add(std::int64_t tree, const std::vector<std::int32_t>& rows, const std::int32_t* leaf,
           const double* weights, bool fills_leaves) {
    const std::int64_t first = forest_.offset[tree];
    n_nodes_ = static_cast<std::size_t>(forest_.offset[tree + 1] - first);
    feature_ = forest_.splits.feature + first;
    right_ = forest_.splits.right + first;
    begin_ = found_.begin.data() + first;
    end_ = found_.end.data() + first;
    total_ = found_.total.data() + first;
    sort_by_leaf(rows, leaf, weights);
    join_subtrees();
    if (fills_leaves) fill_empty_leaves();
  }

  LeafRows take() { return std::move(found_); }

 private:
  /// Places the distinct rows in the order of their leaves, and inside a leaf in their own.
  void sort_by_leaf(const std::vector<std::int32_t>& rows, const std::int32_t* leaf,
                    const double* weights) {
    std::fill_n(end_, n_nodes_, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i == 0 || rows[i] != rows[i - 1]) ++end_[leaf[rows[i]]];
    auto place = static_cast<std::int64_t>(found_.row.size());
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      begin_[node] = place;
      place += end_[node];
      end_[node] = begin_[node];
    }
    found_.row.resize(static_cast<std::size_t>(place));
    found_.weight.resize(static_cast<std::size_t>(place));
    for (std::size_t i = 0; i < rows.size();) {
      const std::int32_t row = rows[i];
      std::size_t next = i;
      while (next < rows.size() && rows[next] == row) ++next;
      const auto at = static_cast<std::size_t>(end_[leaf[row]]++);
      found_.row[at] = row;
      found_.weight[at] = static_cast<double>(next - i) * (weights == nullptr ? 1.0 : weights[row]);
      i = next;
    }
  }

  /// From the last node to the root: children come before their parents.
  void join_subtrees() {
    for (std::size_t node = n_nodes_; node-- > 0;) {
      if (feature_[node] < 0) {
        total_[node] = 0.0;
        for (auto at = begin_[node]; at < end_[node]; ++at)
          total_[node] += found_.weight[static_cast<std::size_t>(at)];
      } else {
        const auto right = static_cast<std::size_t>(right_[node]);
        end_[node] = end_[right];
        total_[node] = total_[node + 1] + total_[right];
      }
    }
  }

  /// From the root on: parents come before their children.
  void fill_empty_leaves() {
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      if (feature_[node] < 0) continue;
      for (const std::size_t child : {node + 1, static_cast<std::size_t>(right_[node])}) {
        if (begin_[child] != end_[child]) continue;
        begin_[child] = begin_[node];
        end_[child] = end_[node];
        total_[child] = total_[node];
      }
    }
  }

  const ForestView& forest_;
  LeafRows found_;
  const std::int32_t *feature_ = nullptr, *right_ = nullptr;
  std::size_t n_nodes_ = 0;
  std::int64_t *begin_ = nullptr, *end_ = nullptr;
  double* total_ = nullptr;
};

}  // namespace

LeafRows leaf_rows(const ForestView& forest, const TrainingLeaves& training, RowsOf which,
                   Interrupt& interrupt) {
  Collector collector(forest);
  const std::int64_t n = training.sampling.n_samples;
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    collector.add(tree, rows_of_tree(training, training.seeds[tree], which),
                  training.leaf + tree * n, training.weights, which == RowsOf::values);
    interrupt.spend(20 * n);
  }
  return collector.take();
}

std::vector<std::int32_t> out_of_bag_leaves(const TrainingLeaves& training, std::int64_t n_trees,
                                            std::int64_t begin, std::int64_t end,
                                            Interrupt& interrupt) {
  const std::int64_t n_rows = end - begin;
  std::vector<std::int32_t> leaves(static_cast<std::size_t>(n_rows * n_trees));
  for (std::int64_t tree = 0; tree < n_trees; ++tree) {
    const RowCounts counts = sample_counts(training.sampling, training.seeds[tree]);
    for (std::int64_t row = 0; row < n_rows; ++row)
      leaves[static_cast<std::size_t>(row * n_trees + tree)] =
          counts[static_cast<std::size_t>(begin + row)] > 0 ? -1
                                                            : training.leaf[tree * n_rows + row];
    interrupt.spend(10 * training.sampling.n_samples);
  }
  return leaves;
}

}  // namespace inforest
