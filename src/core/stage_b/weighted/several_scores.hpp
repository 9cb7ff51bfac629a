// SPDX-License-Identifier: BSD-3-Clause
/// `mse` of several scores where rows have weights (see stage_b/weighted/weighted.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

class WeightedSeveralMse {
 public:
  static constexpr const char* name = "mse";
  using Item = std::uint32_t;  ///< a position

  void begin(const Response& response) {
    response_ = &response;
    double total = 0.0;
    for (std::uint32_t i = 0; i < response.size(); ++i) total += response.weight(i);
    node_impurity_ = 0.0;
    for (std::uint32_t q = 0; q < response.n_scores(); ++q) {
      double sum = 0.0, squares = 0.0;
      for (std::uint32_t i = 0; i < response.size(); ++i) sum += response.weight(i) * score(q, i);
      for (std::uint32_t i = 0; i < response.size(); ++i) {
        const double deviation = score(q, i) - sum / total;
        squares += response.weight(i) * deviation * deviation;
      }
      node_impurity_ += squares / total;
    }
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return position; }
  double node_impurity() const { return node_impurity_; }

  /// The decrease is the product of the children's shares times the squared distance of their
  /// means.
  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    sum_.assign(response_->n_scores(), 0.0);
    left_sum_.assign(response_->n_scores(), 0.0);
    double total = 0.0, left = 0.0;
    for (std::uint32_t i = 0; i < response_->size(); ++i) total += add(items, i, sum_);
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) left += add(items, i, left_sum_);
      const double right = total - left;
      double squared = 0.0;
      for (std::size_t q = 0; left > 0.0 && right > 0.0 && q < sum_.size(); ++q) {
        const double distance = left_sum_[q] / left - (sum_[q] - left_sum_[q]) / right;
        squared += distance * distance;
      }
      impurity[c] = node_impurity_ - left / total * (right / total) * squared;
    }
  }

 private:
  double score(std::uint32_t q, std::uint32_t position) const {
    return response_->centred()[std::size_t{q} * response_->size() + position];
  }

  /// Adds the scores of the i-th item to the sums; returns its weight.
  double add(const Item* items, std::uint32_t i, std::vector<double>& sums) const {
    for (std::uint32_t q = 0; q < sums.size(); ++q) sums[q] += weights_[i] * score(q, items[i]);
    return weights_[i];
  }

  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  double node_impurity_ = 0.0;
  std::vector<double> sum_, left_sum_;
};

}  // namespace inforest
