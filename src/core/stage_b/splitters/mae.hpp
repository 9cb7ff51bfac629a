// SPDX-License-Identifier: BSD-3-Clause
/// `mae`: mean absolute deviation from the median.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/data/response.hpp"
#include "core/stage_b/weighted/deviation.hpp"

namespace inforest {

/// A multiset of responses, kept by rank, that knows its summed absolute deviation.
class RankedSums {
 public:
  void reset(std::uint32_t n_ranks) {
    count_.assign(n_ranks + 1, 0);
    sum_.assign(n_ranks + 1, 0.0);
    highest_bit_ = 1;
    while (highest_bit_ * 2 <= n_ranks) highest_bit_ *= 2;
    size_ = 0;
    total_ = 0.0;
  }

  void add(std::uint32_t rank, double value, std::int32_t times) {
    size_ += static_cast<std::uint32_t>(times);
    total_ += times * value;
    for (std::uint32_t r = rank + 1; r < count_.size(); r += r & (0u - r)) {
      count_[r] += times;
      sum_[r] += times * value;
    }
  }

  /// Sum of |y - median|: the lower half's sum taken from the upper half's.
  double absolute_deviation(const std::vector<double>& value_of_rank) const {
    if (size_ == 0) return 0.0;
    const auto half = static_cast<std::int32_t>(size_ / 2);
    std::uint32_t position = 0;
    std::int32_t below = 0;
    double sum_below = 0.0;
    // Descend to the last rank whose cumulated count stays within the lower half.
    for (std::uint32_t bit = highest_bit_; bit > 0; bit /= 2) {
      const std::uint32_t next = position + bit;
      if (next < count_.size() && below + count_[next] <= half) {
        position = next;
        below += count_[next];
        sum_below += sum_[next];
      }
    }
    // Rank `position` reaches past the lower half: it completes it and, of an odd count, holds the
    // median, which deviates by nothing.
    const double next_value = position < value_of_rank.size() ? value_of_rank[position] : 0.0;
    const double lower = sum_below + (half - below) * next_value;
    const double median = size_ % 2 == 1 ? next_value : 0.0;
    return std::max(0.0, total_ - median - 2.0 * lower);
  }

 private:
  std::vector<std::int32_t> count_;
  std::vector<double> sum_;
  std::uint32_t highest_bit_ = 1;
  std::uint32_t size_ = 0;
  double total_ = 0.0;
};

class Mae {
 public:
  static constexpr const char* name = "mae";
  using Item = std::uint32_t;  ///< rank of a response among the node's distinct ones
  using Weighted = WeightedMae;

  void begin(const Response& response) {
    response_ = &response;
    const std::vector<double>& y = response.centred();
    value_of_rank_ = y;
    std::sort(value_of_rank_.begin(), value_of_rank_.end());
    value_of_rank_.erase(std::unique(value_of_rank_.begin(), value_of_rank_.end()),
                         value_of_rank_.end());
    rank_.resize(y.size());
    whole_.reset(n_ranks());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto place = std::lower_bound(value_of_rank_.begin(), value_of_rank_.end(), y[i]);
      rank_[i] = static_cast<std::uint32_t>(place - value_of_rank_.begin());
      whole_.add(rank_[i], y[i], 1);
    }
  }

  Item item(std::uint32_t position) const { return rank_[position]; }

  double node_impurity() const {
    return whole_.absolute_deviation(value_of_rank_) / response_->size();
  }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    left_.reset(n_ranks());
    right_ = whole_;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) {
        left_.add(items[i], value_of_rank_[items[i]], 1);
        right_.add(items[i], value_of_rank_[items[i]], -1);
      }
      impurity[c] =
          (left_.absolute_deviation(value_of_rank_) + right_.absolute_deviation(value_of_rank_)) /
          response_->size();
    }
  }

 private:
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(value_of_rank_.size()); }

  const Response* response_ = nullptr;
  std::vector<double> value_of_rank_;
  std::vector<std::uint32_t> rank_;
  RankedSums whole_, left_, right_;
};

}  // namespace inforest
