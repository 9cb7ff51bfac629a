// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/forest_weights.hpp"

#include <algorithm>
#include <limits>

namespace inforest {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The weights of one sample at a time: few of many rows have any.
class Gathered {
 public:
  explicit Gathered(std::int64_t n_rows) : sum_(static_cast<std::size_t>(n_rows), 0.0) {}

  void gather(const LeafRowsView& rows, const std::int32_t* leaf, Interrupt& interrupt) {
    for (const std::int32_t row : found_) sum_[static_cast<std::size_t>(row)] = 0.0;
    found_.clear();
    const std::int64_t n_trees =
        rows.n_trees - std::count(leaf, leaf + rows.n_trees, std::int32_t{-1});
    for (std::int64_t tree = 0; tree < rows.n_trees; ++tree) {
      if (leaf[tree] < 0) continue;
      const std::int64_t node = rows.offset[tree] + leaf[tree];
      const double scale = rows.total[node] * static_cast<double>(n_trees);
      for (std::int64_t at = rows.begin[node]; at < rows.end[node]; ++at)
        add(rows.row[at], rows.weight[at] / scale);
      interrupt.spend(4 * (rows.end[node] - rows.begin[node]));
    }
    std::sort(found_.begin(), found_.end());
    interrupt.spend(20 * static_cast<std::int64_t>(found_.size()));
  }

  /// The rows that have a weight, ascending.
  const std::vector<std::int32_t>& rows() const { return found_; }
  double weight(std::int32_t row) const { return sum_[static_cast<std::size_t>(row)]; }

 private:
  void add(std::int32_t row, double weight) {
    double& sum = sum_[static_cast<std::size_t>(row)];
    if (sum == 0.0 && weight > 0.0) found_.push_back(row);
    sum += weight;
  }

  std::vector<double> sum_;
  std::vector<std::int32_t> found_;
};

/// The first row at which the weights reach the level.
std::int32_t reach(const Gathered& gathered, double level) {
  // Weights that reach a level exactly may miss it by rounding.
  constexpr double kRounding = 1e-12;
  double sum = 0.0;
  for (const std::int32_t row : gathered.rows()) {
    sum += gathered.weight(row);
    if (sum >= level - kRounding) return row;
  }
  return gathered.rows().back();
}

}  // namespace

SparseRows forest_weights(const LeafRowsView& rows, const SampleLeaves& samples,
                          Interrupt& interrupt) {
  SparseRows found;
  found.begin.push_back(0);
  Gathered gathered(rows.n_rows);
  for (std::int64_t sample = 0; sample < samples.n_samples; ++sample) {
    gathered.gather(rows, samples.leaf + sample * rows.n_trees, interrupt);
    for (const std::int32_t row : gathered.rows()) {
      found.column.push_back(row);
      found.value.push_back(gathered.weight(row));
    }
    found.begin.push_back(static_cast<std::int64_t>(found.column.size()));
  }
  return found;
}

std::vector<double> forest_quantiles(const LeafRowsView& rows, const double* value,
                                     std::span<const double> level, const SampleLeaves& samples,
                                     Interrupt& interrupt) {
  std::vector<double> quantile;
  quantile.reserve(static_cast<std::size_t>(samples.n_samples) * level.size());
  Gathered gathered(rows.n_rows);
  for (std::int64_t sample = 0; sample < samples.n_samples; ++sample) {
    gathered.gather(rows, samples.leaf + sample * rows.n_trees, interrupt);
    for (const double one : level)
      quantile.push_back(gathered.rows().empty() ? kNone : value[reach(gathered, one)]);
  }
  return quantile;
}

std::vector<double> forest_shares(const LeafRowsView& rows, const std::int64_t* limit,
                                  std::int64_t n_limits, const SampleLeaves& samples,
                                  Interrupt& interrupt) {
  std::vector<double> share;
  share.reserve(static_cast<std::size_t>(samples.n_samples * n_limits));
  Gathered gathered(rows.n_rows);
  std::vector<double> below;  // the weight of the rows before each
  for (std::int64_t sample = 0; sample < samples.n_samples; ++sample) {
    gathered.gather(rows, samples.leaf + sample * rows.n_trees, interrupt);
    const std::vector<std::int32_t>& found = gathered.rows();
    below.assign(1, 0.0);
    for (const std::int32_t row : found) below.push_back(below.back() + gathered.weight(row));
    for (std::int64_t k = 0; k < n_limits; ++k, ++limit) {
      const auto n_below = std::lower_bound(found.begin(), found.end(), *limit) - found.begin();
      share.push_back(found.empty() ? kNone : below[static_cast<std::size_t>(n_below)]);
    }
  }
  return share;
}

}  // namespace inforest
