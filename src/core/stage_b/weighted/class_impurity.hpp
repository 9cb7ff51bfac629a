// SPDX-License-Identifier: BSD-3-Clause
/// `gini` and `entropy` where rows, or classes, have weights (see stage_b/weighted/weighted.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

/// `Measure::summed(weights, n, total)` is the weight of a child times its impurity, from the
/// weights of its n classes, which add up to `total`.
template <class Measure>
class WeightedClassImpurity {
 public:
  static constexpr const char* name = Measure::name;
  using Item = std::uint32_t;  ///< a present class

  void begin(const Response& response) {
    response_ = &response;
    factor_.assign(response.n_classes(), 1.0);
    if (response.class_weights() != nullptr)
      std::copy_n(response.class_weights(), factor_.size(), factor_.begin());
    total_.assign(factor_.size(), 0.0);
    left_.resize(factor_.size());
    right_.resize(factor_.size());
    for (std::uint32_t i = 0; i < response.size(); ++i) total_[item(i)] += response.weight(i);
    const double weight = sum(total_);
    // Rounding may leave less than nothing of a pure node.
    node_impurity_ = std::max(Measure::summed(total_, weight) / weight, 0.0);
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return response_->labels()[position]; }
  double node_impurity() const { return node_impurity_; }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::uint32_t i = 0; i < response_->size(); ++i) total_[items[i]] += weight(items, i);
    const double whole = sum(total_), node = Measure::summed(total_, whole);
    std::fill(left_.begin(), left_.end(), 0.0);
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) left_[items[i]] += weight(items, i);
      for (std::size_t k = 0; k < total_.size(); ++k)
        right_[k] = std::max(total_[k] - left_[k], 0.0);
      const double children =
          Measure::summed(left_, sum(left_)) + Measure::summed(right_, sum(right_));
      impurity[c] = node_impurity_ - (node - children) / whole;
    }
  }

 private:
  /// The place's, times that of the response which is there now.
  double weight(const Item* items, std::uint32_t i) const {
    return weights_ == nullptr ? factor_[items[i]] : weights_[i] * factor_[items[i]];
  }

  static double sum(const std::vector<double>& weights) {
    double result = 0.0;
    for (const double weight : weights) result += weight;
    return result;
  }

  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  std::vector<double> factor_;  ///< of each class
  std::vector<double> total_, left_, right_;
  double node_impurity_ = 0.0;
};

/// 1 - sum of p^2.
struct WeightedGiniMeasure {
  static constexpr const char* name = "gini";
  static double summed(const std::vector<double>& weights, double total) {
    if (!(total > 0.0)) return 0.0;
    double squares = 0.0;
    for (const double weight : weights) squares += weight * weight;
    return total - squares / total;
  }
};

/// - sum of p log2 p.
struct WeightedEntropyMeasure {
  static constexpr const char* name = "entropy";
  static double summed(const std::vector<double>& weights, double total) {
    double result = 0.0;
    for (const double weight : weights)
      if (weight > 0.0) result -= weight * std::log2(weight / total);
    return result;
  }
};

}  // namespace inforest
