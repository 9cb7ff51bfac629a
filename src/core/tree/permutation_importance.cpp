// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/permutation_importance.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/concordance.hpp"
#include "core/base/rng.hpp"

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

  /// Error when the i-th row reads `feature` from row source[i]; feature -1: nothing moves.
  double error(std::int32_t feature, const std::vector<std::int32_t>& source) const {
    if (loss_.kind == Loss::Kind::concordance) return discordance(feature, source);
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      sum += data_.weight(rows_[i]) * loss(rows_[i], value_at(i, feature, source));
    return sum / total_;
  }

  /// The cell of each row in the grid made by the tree's split points on the features given.
  std::vector<std::uint64_t> cells(const std::int32_t* feature, std::size_t n_features) const {
    std::vector<std::uint64_t> cell(rows_.size(), 0);
    for (std::size_t f = 0; f < n_features; ++f) {
      RouteCells intervals;
      for (std::int32_t node = 0; node < n_nodes_; ++node)
        if (splits_.feature[node] == feature[f]) intervals.add(splits_.route(node));
      if (intervals.is_empty()) continue;
      intervals.finish();
      const double* column = data_.column(feature[f]);
      // A hash of the intervals so far: grids have more cells than integers have room for.
      for (std::size_t i = 0; i < rows_.size(); ++i)
        cell[i] = derive_key(cell[i], intervals.cell(column[rows_[i]]) + 1);
    }
    return cell;
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

 private:
  /// The values of the leaf that the i-th row comes to.
  const double* value_at(std::size_t i, std::int32_t feature,
                         const std::vector<std::int32_t>& source) const {
    std::int32_t node = 0;
    while (!splits_.is_leaf(node)) {
      const std::int32_t f = splits_.feature[node];
      node = splits_.child(node, data_.column(f)[f == feature ? source[i] : rows_[i]]);
    }
    return value_ + node * outputs_;
  }

  /// One half where no pair of rows is comparable.
  double discordance(std::int32_t feature, const std::vector<std::int32_t>& source) const {
    std::vector<double> time, risk, weight;
    std::vector<std::uint8_t> event;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      time.push_back(loss_.time[rows_[i]]);
      event.push_back(loss_.event[rows_[i]]);
      risk.push_back(*value_at(i, feature, source));
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

}  // namespace

std::vector<double> permutation_importance(const Dataset& data, const ForestView& forest,
                                           const Sampling& sampling, const std::uint64_t* seeds,
                                           const Conditioning& conditioning, std::int64_t n_repeats,
                                           std::uint64_t key, Interrupt& interrupt,
                                           const Loss& loss) {
  std::vector<double> importance(static_cast<std::size_t>(forest.n_trees * data.n_features), 0.0);
  for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
    const TreeImportance one(data, forest, tree, sample_counts(sampling, seeds[tree]),
                             sampling.case_counts, loss);
    if (one.is_empty()) continue;
    const double before = one.error(-1, {});
    for (const std::int32_t feature : one.used_features()) {
      const std::int64_t begin = conditioning.begin[feature];
      const auto n_conditions = static_cast<std::size_t>(conditioning.begin[feature + 1] - begin);
      const auto cell = one.cells(conditioning.feature + begin, n_conditions);
      // The tree's own seed: results do not depend on which trees are asked for together.
      Rng rng(derive_key(derive_key(key, seeds[tree]), static_cast<std::uint64_t>(feature)));
      double increase = 0.0;
      for (std::int64_t repeat = 0; repeat < n_repeats; ++repeat) {
        increase += one.error(feature, one.shuffled(cell, rng)) - before;
        interrupt.spend(one.work());
      }
      importance[static_cast<std::size_t>(tree * data.n_features + feature)] =
          increase / static_cast<double>(n_repeats);
    }
  }
  return importance;
}

}  // namespace inforest
