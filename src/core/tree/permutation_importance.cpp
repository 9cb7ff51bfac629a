// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/permutation_importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/concordance.hpp"
#include "core/base/rng.hpp"
#include "core/base/special.hpp"

namespace inforest {

namespace {

/// One tree with its out-of-bag rows.
class TreeImportance {
 public:
  TreeImportance(const Dataset& data, const ForestView& forest, std::int64_t tree,
                 const RowCounts& counts, const std::int64_t* case_counts, const Loss& loss)
      : data_(data),
        loss_(loss),
        outputs_(forest.outputs),
        splits_(forest.tree(tree)),
        value_(forest.value + forest.offset[tree] * forest.outputs),
        n_nodes_(static_cast<std::int32_t>(forest.offset[tree + 1] - forest.offset[tree])) {
    for (std::int32_t row = 0; row < data.n_samples; ++row)
      if (counts[static_cast<std::size_t>(row)] == 0 &&
          (case_counts == nullptr || case_counts[row] > 0))
        rows_.push_back(row), total_ += data.weight(row);
  }

  bool is_empty() const { return rows_.empty() || n_nodes_ < 2; }
  std::int64_t work() const { return 20 * static_cast<std::int64_t>(rows_.size()); }

  std::vector<std::int32_t> used_features() const {
    std::vector<std::int32_t> used;
    for (std::int32_t node = 0; node < n_nodes_; ++node)
      if (!splits_.is_leaf(node)) used.push_back(splits_.feature[node]);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
  }

  /// The leaf of each row.
  using Leaves = std::vector<std::int32_t>;

  /// Error when the rows come to these leaves.
  double error(const Leaves& leaf) const {
    if (loss_.kind == Loss::Kind::concordance) return discordance(leaf);
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      sum += data_.weight(rows_[i]) * loss(rows_[i], value_ + leaf[i] * outputs_);
    return sum / total_;
  }

  /// Where the rows come to when the i-th reads `feature` from row source[i]; feature -1: nothing
  /// moves.
  Leaves leaves(std::int32_t feature, const std::vector<std::int32_t>& source) const {
    Leaves leaf(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      while (!splits_.is_leaf(leaf[i])) {
        const std::int32_t f = splits_.feature[leaf[i]];
        leaf[i] = splits_.child(leaf[i], data_.column(f)[f == feature ? source[i] : rows_[i]]);
      }
    return leaf;
  }

  /// The interval between the tree's cuts on the feature that each of these rows is in.
  std::vector<std::uint64_t> intervals(std::int32_t feature,
                                       std::span<const std::int32_t> rows) const {
    RouteCells cuts;
    for (std::int32_t node = 0; node < n_nodes_; ++node)
      if (splits_.feature[node] == feature) cuts.add(splits_.route(node));
    cuts.finish();
    const StoredColumn column = data_.column(feature);
    std::vector<std::uint64_t> interval(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) interval[i] = cuts.cell(column[rows[i]]);
    return interval;
  }

  /// The rows with their order shuffled inside each cell.
  std::vector<std::int32_t> shuffled(const std::vector<std::uint64_t>& cell, Rng& rng) const {
    std::vector<std::uint32_t> place(rows_.size());
    std::iota(place.begin(), place.end(), 0u);
    std::stable_sort(place.begin(), place.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return cell[a] < cell[b]; });
    std::vector<std::int32_t> source(rows_.size());
    std::vector<std::int32_t> group;
    for (std::size_t begin = 0; begin < place.size();) {
      std::size_t end = begin;
      group.clear();
      for (; end < place.size() && cell[place[end]] == cell[place[begin]]; ++end)
        group.push_back(rows_[place[end]]);
      rng.shuffle(group.data(), static_cast<std::uint32_t>(group.size()));
      for (std::size_t i = begin; i < end; ++i) source[place[i]] = group[i - begin];
      begin = end;
    }
    return source;
  }

  /// Where they come to when at every split on `feature` the sides are shuffled among the rows of a
  /// cell that come there; `all` are all rows that count, `cell` is theirs.
  Leaves leaves_of_children(std::int32_t feature, const std::vector<std::int32_t>& all,
                            const std::vector<std::uint64_t>& cell, Rng& rng) const {
    Leaves leaf_of_row(static_cast<std::size_t>(data_.n_samples), 0);
    std::vector<std::uint32_t> begin(all.size());
    std::iota(begin.begin(), begin.end(), 0u);
    std::stable_sort(begin.begin(), begin.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return cell[a] < cell[b]; });
    std::vector<std::pair<std::int32_t, std::vector<std::uint32_t>>> waiting;
    waiting.emplace_back(0, std::move(begin));
    while (!waiting.empty()) {
      const auto [node, here] = std::move(waiting.back());
      waiting.pop_back();
      if (splits_.is_leaf(node)) {
        for (const std::uint32_t i : here) leaf_of_row[static_cast<std::size_t>(all[i])] = node;
        continue;
      }
      std::vector<std::uint8_t> goes_left = sides(node, all, here);
      if (splits_.feature[node] == feature) shuffle_in_cells(goes_left, cell, here, rng);
      std::vector<std::uint32_t> left, right;
      for (std::size_t i = 0; i < here.size(); ++i)
        (goes_left[i] ? left : right).push_back(here[i]);
      waiting.emplace_back(splits_.right[node], std::move(right));
      waiting.emplace_back(node + 1, std::move(left));
    }
    Leaves leaf;
    for (const std::int32_t row : rows_) leaf.push_back(leaf_of_row[static_cast<std::size_t>(row)]);
    return leaf;
  }

  const std::vector<std::int32_t>& rows() const { return rows_; }

 private:
  std::vector<std::uint8_t> sides(std::int32_t node, const std::vector<std::int32_t>& rows,
                                  const std::vector<std::uint32_t>& here) const {
    const StoredColumn column = data_.column(splits_.feature[node]);
    const Route route = splits_.route(node);
    std::vector<std::uint8_t> goes_left;
    goes_left.reserve(here.size());
    for (const std::uint32_t i : here) goes_left.push_back(route.goes_left(column[rows[i]]));
    return goes_left;
  }

  /// `here` is in the order of cells.
  static void shuffle_in_cells(std::vector<std::uint8_t>& side,
                               const std::vector<std::uint64_t>& cell,
                               const std::vector<std::uint32_t>& here, Rng& rng) {
    for (std::size_t begin = 0; begin < here.size();) {
      std::size_t end = begin;
      while (end < here.size() && cell[here[end]] == cell[here[begin]]) ++end;
      rng.shuffle(side.data() + begin, static_cast<std::uint32_t>(end - begin));
      begin = end;
    }
  }

  /// One half where no pair of rows is comparable.
  double discordance(const Leaves& leaf) const {
    std::vector<double> time, risk, weight;
    std::vector<std::uint8_t> event;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      time.push_back(loss_.time[rows_[i]]);
      event.push_back(loss_.event[rows_[i]]);
      risk.push_back(value_[leaf[i] * outputs_]);
      weight.push_back(data_.weight(rows_[i]));
    }
    const Concordance found = ConcordanceCounter()(time, event, risk, weight);
    return found.comparable > 0.0 ? 1.0 - found.index() : 0.5;
  }

  /// Squared distance of the shares of labels up to each one, which have an order, from 0 and 1.
  double ranked(std::int32_t label, const double* value) const {
    double share = 0.0, sum = 0.0;
    for (std::int64_t k = 0; k + 1 < outputs_; ++k) {
      share += value[k];
      const double residual = share - (label <= k ? 1.0 : 0.0);
      sum += residual * residual;
    }
    return sum / static_cast<double>(outputs_ - 1);
  }

  double loss(std::int32_t row, const double* value) const {
    const Target& kept = data_.kept;
    if (loss_.kind == Loss::Kind::ranked) return ranked(kept.labels[row], value);
    if (kept.has_labels()) {
      const double* largest = std::max_element(value, value + outputs_);
      return largest - value == kept.labels[row] ? 0.0 : 1.0;
    }
    double loss = 0.0;
    for (std::int64_t q = 0; q < kept.n_scores; ++q) {
      const double residual = kept.scores[q * data_.n_samples + row] - value[q];
      loss += residual * residual;
    }
    return loss;
  }

  const Dataset& data_;
  const Loss& loss_;
  std::int64_t outputs_;
  double total_ = 0.0;  ///< weight of the rows
  Splits splits_;
  const double* value_;
  std::int32_t n_nodes_;
  std::vector<std::int32_t> rows_;
};

/// The log of the p-value of Pearson's chi-square of two codings of the same rows.
double log_association(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  const auto compact = [](const std::vector<std::uint64_t>& code, std::vector<double>& size) {
    std::vector<std::uint64_t> present(code);
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    size.assign(present.size(), 0.0);
    std::vector<std::size_t> number(code.size());
    for (std::size_t i = 0; i < code.size(); ++i) {
      number[i] = static_cast<std::size_t>(
          std::lower_bound(present.begin(), present.end(), code[i]) - present.begin());
      ++size[number[i]];
    }
    return number;
  };
  std::vector<double> rows, columns;
  const std::vector<std::size_t> row = compact(a, rows), column = compact(b, columns);
  std::vector<double> table(rows.size() * columns.size(), 0.0);
  for (std::size_t i = 0; i < row.size(); ++i) ++table[row[i] * columns.size() + column[i]];
  const auto n = static_cast<double>(a.size());
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double count = table[r * columns.size() + c];
      sum += count * count / (rows[r] * columns[c]);
    }
  return log_chi_square_tail(n * (sum - 1.0), (static_cast<double>(rows.size()) - 1.0) *
                                                  (static_cast<double>(columns.size()) - 1.0));
}

/// The cells of a tree's features: which rows may be exchanged when one of them is permuted.
class TreeCells {
 public:
  TreeCells(const TreeImportance& tree, const Conditioning& conditioning, Moved moved,
            const std::vector<std::int32_t>& all_rows)
      : conditioning_(conditioning),
        rows_(moved == Moved::children ? all_rows : tree.rows()),
        used_(tree.used_features()) {
    for (const std::int32_t feature : used_) interval_.push_back(tree.intervals(feature, rows_));
  }

  const std::vector<std::int32_t>& used() const { return used_; }

  /// Of the u-th feature used: the crossing of the intervals of those it is conditioned on.
  std::vector<std::uint64_t> cells(std::size_t u) const {
    std::vector<std::uint64_t> cell(rows_.size(), 0);
    for (std::size_t v = 0; v < used_.size(); ++v) {
      if (v == u || !is_condition(u, v)) continue;
      // A hash of the intervals so far: grids have more cells than integers have room for.
      for (std::size_t i = 0; i < cell.size(); ++i)
        cell[i] = derive_key(cell[i], interval_[v][i] + 1);
    }
    return cell;
  }

 private:
  bool is_condition(std::size_t u, std::size_t v) const {
    if (conditioning_.tree_level >= 0.0)
      return log_association(interval_[u], interval_[v]) < std::log(conditioning_.tree_level);
    const std::int32_t* begin = conditioning_.feature + conditioning_.begin[used_[u]];
    const std::int32_t* end = conditioning_.feature + conditioning_.begin[used_[u] + 1];
    return std::binary_search(begin, end, used_[v]);
  }

  const Conditioning& conditioning_;
  const std::vector<std::int32_t>& rows_;
  std::vector<std::int32_t> used_;
  std::vector<std::vector<std::uint64_t>> interval_;  ///< of each of them
};

}  // namespace

std::vector<double> permutation_importance(const Dataset& data, const ForestView& forest,
                                           const Sampling& sampling, const std::uint64_t* seeds,
                                           const Conditioning& conditioning, Moved moved,
                                           std::int64_t n_repeats, std::uint64_t key,
                                           Interrupt& interrupt, const Loss& loss) {
  std::vector<double> importance(static_cast<std::size_t>(forest.n_trees * data.n_features), 0.0);
  std::vector<std::int32_t> all_rows;
  for (std::int32_t row = 0; row < data.n_samples; ++row)
    if (sampling.case_counts == nullptr || sampling.case_counts[row] > 0) all_rows.push_back(row);
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    const TreeImportance one(data, forest, tree, sample_counts(sampling, seeds[tree]),
                             sampling.case_counts, loss);
    if (one.is_empty()) continue;
    const double before = one.error(one.leaves(-1, {}));
    const TreeCells cells(one, conditioning, moved, all_rows);
    for (std::size_t u = 0; u < cells.used().size(); ++u) {
      const std::int32_t feature = cells.used()[u];
      const auto cell = cells.cells(u);
      // The tree's own seed: results do not depend on which trees are asked for together.
      Rng rng(derive_key(derive_key(key, seeds[tree]), static_cast<std::uint64_t>(feature)));
      double increase = 0.0;
      for (std::int64_t repeat = 0; repeat < n_repeats; ++repeat) {
        const auto leaf = moved == Moved::children
                              ? one.leaves_of_children(feature, all_rows, cell, rng)
                              : one.leaves(feature, one.shuffled(cell, rng));
        increase += one.error(leaf) - before;
        interrupt.spend(one.work());
      }
      importance[static_cast<std::size_t>(tree * data.n_features + feature)] =
          increase / static_cast<double>(n_repeats);
    }
  }
  return importance;
}

}  // namespace inforest
