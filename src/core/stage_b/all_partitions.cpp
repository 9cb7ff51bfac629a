// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_b/all_partitions.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace inforest {

const std::vector<bool>& AllPartitions::find(const NodeLevels& levels, const Response& response,
                                             std::uint32_t min_samples_leaf) {
  n_ = response.size();
  min_samples_leaf_ = std::max(min_samples_leaf, 1u);
  order_.resize(levels.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // Missing values, which are a level without a number, come last.
  const auto rank = [&](std::uint32_t level) {
    return levels.is_missing(level) ? SIZE_MAX : levels.in_data(level);
  };
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  sum_up(levels, response);
  left_sum_.assign((levels.size() + 1) * n_columns_, 0.0);
  goes_left_.assign(levels.size(), true);
  best_.clear();
  best_gain_ = 0.0;
  part(levels.size(), 0);
  return best_;
}

/// Of labels n times a count less what is expected: whole numbers, so that equal partitions come
/// out equal.
void AllPartitions::sum_up(const NodeLevels& levels, const Response& response) {
  const bool has_columns = response.kind() == ResponseKind::columns;
  if (has_columns) basis_.build(response);
  n_columns_ = response.has_labels() ? response.n_classes() : has_columns ? basis_.rank() : 1;
  sum_.assign(levels.size() * n_columns_, 0.0);
  scale_.assign(n_columns_, 1.0);
  count_.resize(levels.size());
  std::vector<std::uint32_t> place(levels.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    place[order_[i]] = i;
    count_[i] = levels.counts()[order_[i]];
  }
  const std::vector<std::uint32_t>& level = levels.of_position();
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    double* row = &sum_[place[level[i]] * n_columns_];
    if (response.has_labels())
      row[response.labels()[i]] += n_;
    else if (has_columns)
      std::transform(row, row + n_columns_, basis_.row(i), row, std::plus<>());
    else
      *row += response.centred()[i];
  }
  if (!response.has_labels()) return;
  for (std::uint32_t c = 0; c < n_columns_; ++c) {
    scale_[c] = static_cast<double>(response.class_size(c));
    for (std::size_t k = 0; k < levels.size(); ++k)
      sum_[k * n_columns_ + c] -= static_cast<double>(count_[k]) * scale_[c];
  }
}

/// Parts the levels below `level`, the highest first; `left` rows of the others go left.
void AllPartitions::part(std::uint32_t level, std::uint32_t left) {
  const double* sums = &left_sum_[level * n_columns_];
  if (level > 0) {
    double* below = &left_sum_[(level - 1) * n_columns_];
    const double* own = &sum_[(level - 1) * n_columns_];
    for (std::size_t c = 0; c < n_columns_; ++c) below[c] = sums[c] + own[c];
    goes_left_[level - 1] = true;
    part(level - 1, left + count_[level - 1]);
    if (level == 1) return;  // the first level is always left
    std::copy(sums, sums + n_columns_, below);
    goes_left_[level - 1] = false;
    return part(level - 1, left);
  }
  if (left < min_samples_leaf_ || n_ - left < min_samples_leaf_ || left == n_) return;
  double gain = 0.0;
  for (std::size_t c = 0; c < n_columns_; ++c) gain += sums[c] * sums[c] / scale_[c];
  gain /= static_cast<double>(left) * static_cast<double>(n_ - left);
  constexpr double kRounding = 1e-12;
  if (!best_.empty() && gain <= best_gain_ * (1.0 + kRounding)) return;
  best_gain_ = gain;
  best_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) best_[order_[i]] = goes_left_[i];
}

}  // namespace inforest
