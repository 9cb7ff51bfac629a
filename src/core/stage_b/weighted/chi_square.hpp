// SPDX-License-Identifier: BSD-3-Clause
/// `chi2` where rows, or classes, have weights (see stage_b/weighted/weighted.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

/// As ChiSquareCut, with the weights of classes and sides instead of their numbers.
class WeightedChiSquareCut {
 public:
  static constexpr const char* name = "chi2";
  using Item = std::uint32_t;  ///< a present class

  void begin(const Response& response) {
    response_ = &response;
    factor_.assign(response.n_classes(), 1.0);
    if (response.class_weights() != nullptr)
      std::copy_n(response.class_weights(), factor_.size(), factor_.begin());
    total_.assign(factor_.size(), 0.0);
    left_.resize(factor_.size());
    for (std::uint32_t i = 0; i < response.size(); ++i) total_[item(i)] += response.weight(i);
    node_impurity_ = gini();
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return response_->labels()[position]; }
  double node_impurity() const { return node_impurity_; }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::uint32_t i = 0; i < response_->size(); ++i) total_[items[i]] += weight(items, i);
    const double gini_here = gini();
    std::fill(left_.begin(), left_.end(), 0.0);
    std::uint32_t i = 0;
    double left = 0.0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) {
        left_[items[i]] += weight(items, i);
        left += weight(items, i);
      }
      impurity[c] = node_impurity_ - gini_here * std::min(mean_square(left), 1.0);
    }
  }

 private:
  /// The place's, times that of the response which is there now.
  double weight(const Item* items, std::uint32_t i) const {
    return weights_ == nullptr ? factor_[items[i]] : weights_[i] * factor_[items[i]];
  }

  double whole() const {
    double sum = 0.0;
    for (const double weight : total_) sum += weight;
    return sum;
  }

  double gini() const {
    const double sum = whole();
    double squares = 0.0;
    for (const double weight : total_) squares += weight / sum * (weight / sum);
    return std::max(1.0 - squares, 0.0);
  }

  /// chi^2 / weight, of the permuted classes.
  double mean_square(double left) const {
    const double sum = whole();
    double gaps = 0.0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      const double gap = left_[k] - left * total_[k] / sum;
      if (total_[k] > 0.0) gaps += gap * gap / total_[k];
    }
    return left > 0.0 && left < sum ? gaps * sum / (left * (sum - left)) : 0.0;
  }

  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  std::vector<double> factor_;  ///< of each class
  std::vector<double> total_, left_;
  double node_impurity_ = 0.0;
};

}  // namespace inforest
