// SPDX-License-Identifier: BSD-3-Clause
/// `mse` and `mae` where rows have weights (see stage_b/weighted/weighted.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

class WeightedMse {
 public:
  static constexpr const char* name = "mse";
  using Item = double;  ///< a centred response

  void begin(const Response& response) {
    response_ = &response;
    double total = 0.0, sum = 0.0, squares = 0.0;
    for (std::uint32_t i = 0; i < response.size(); ++i) {
      total += response.weight(i);
      sum += response.weight(i) * item(i);
    }
    for (std::uint32_t i = 0; i < response.size(); ++i) {
      const double deviation = item(i) - sum / total;
      squares += response.weight(i) * deviation * deviation;
    }
    node_impurity_ = squares / total;
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return response_->centred()[position]; }
  double node_impurity() const { return node_impurity_; }

  /// The decrease is the product of the children's shares times the squared distance of their
  /// means.
  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts,
            double* impurity) const {
    double total = 0.0, sum = 0.0;
    for (std::uint32_t i = 0; i < response_->size(); ++i) {
      total += weights_[i];
      sum += weights_[i] * items[i];
    }
    double left = 0.0, left_sum = 0.0;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) {
        left += weights_[i];
        left_sum += weights_[i] * items[i];
      }
      const double right = total - left;
      double decrease = 0.0;
      if (left > 0.0 && right > 0.0) {
        const double distance = left_sum / left - (sum - left_sum) / right;
        decrease = left / total * (right / total) * distance * distance;
      }
      impurity[c] = node_impurity_ - decrease;
    }
  }

 private:
  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  double node_impurity_ = 0.0;
};

/// Weighted responses, kept by rank, that know their summed absolute deviation from the median.
class WeightedRankedSums {
 public:
  void reset(std::uint32_t n_ranks) {
    weight_.assign(n_ranks + 1, 0.0);
    sum_.assign(n_ranks + 1, 0.0);
    highest_bit_ = 1;
    while (highest_bit_ * 2 <= n_ranks) highest_bit_ *= 2;
    total_weight_ = total_ = 0.0;
  }

  void add(std::uint32_t rank, double value, double weight) {
    total_weight_ += weight;
    total_ += weight * value;
    for (std::uint32_t r = rank + 1; r < weight_.size(); r += r & (0u - r)) {
      weight_[r] += weight;
      sum_[r] += weight * value;
    }
  }

  double total_weight() const { return total_weight_; }

  /// Sum of w |y - median|: what the lower half of the weight adds up to, twice, taken off the sum.
  double absolute_deviation(const std::vector<double>& value_of_rank) const {
    const double half = 0.5 * total_weight_;
    std::uint32_t position = 0;
    double below = 0.0, sum_below = 0.0;
    // Descend to the last rank whose cumulated weight stays within the lower half.
    for (std::uint32_t bit = highest_bit_; bit > 0; bit /= 2) {
      const std::uint32_t next = position + bit;
      if (next < weight_.size() && below + weight_[next] <= half) {
        position = next;
        below += weight_[next];
        sum_below += sum_[next];
      }
    }
    const double median = position < value_of_rank.size() ? value_of_rank[position] : 0.0;
    return std::max(0.0, total_ - 2.0 * (sum_below + (half - below) * median));
  }

 private:
  std::vector<double> weight_, sum_;
  std::uint32_t highest_bit_ = 1;
  double total_weight_ = 0.0, total_ = 0.0;
};

class WeightedMae {
 public:
  static constexpr const char* name = "mae";
  using Item = std::uint32_t;  ///< rank of a response among the node's distinct ones

  void begin(const Response& response) {
    response_ = &response;
    const std::vector<double>& y = response.centred();
    value_of_rank_ = y;
    std::sort(value_of_rank_.begin(), value_of_rank_.end());
    value_of_rank_.erase(std::unique(value_of_rank_.begin(), value_of_rank_.end()),
                         value_of_rank_.end());
    rank_.resize(y.size());
    some_.reset(n_ranks());
    for (std::uint32_t i = 0; i < y.size(); ++i) {
      const auto place = std::lower_bound(value_of_rank_.begin(), value_of_rank_.end(), y[i]);
      rank_[i] = static_cast<std::uint32_t>(place - value_of_rank_.begin());
      some_.add(rank_[i], y[i], response.weight(i));
    }
    node_impurity_ = some_.absolute_deviation(value_of_rank_) / some_.total_weight();
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return rank_[position]; }
  double node_impurity() const { return node_impurity_; }

  /// Left children in one pass, right ones in another from the far end: nothing is taken away.
  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    some_.reset(n_ranks());
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) add(items, i);
      impurity[c] = some_.absolute_deviation(value_of_rank_);
    }
    some_.reset(n_ranks());
    std::uint32_t end = response_->size();
    for (std::size_t c = n_cuts; c-- > 0;) {
      for (; end > cuts[c]; --end) add(items, end - 1);
      impurity[c] += some_.absolute_deviation(value_of_rank_);
    }
    for (; end > 0; --end) add(items, end - 1);
    const double node = some_.absolute_deviation(value_of_rank_);
    for (std::size_t c = 0; c < n_cuts; ++c)
      impurity[c] = node_impurity_ - (node - impurity[c]) / some_.total_weight();
  }

 private:
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(value_of_rank_.size()); }
  void add(const Item* items, std::uint32_t i) {
    some_.add(items[i], value_of_rank_[items[i]], weights_[i]);
  }

  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  std::vector<double> value_of_rank_;
  std::vector<std::uint32_t> rank_;
  WeightedRankedSums some_;
  double node_impurity_ = 0.0;
};

}  // namespace inforest
