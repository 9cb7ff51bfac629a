// SPDX-License-Identifier: BSD-3-Clause
/// `chi2`: Pearson's chi-square of the classes and the two sides of a cut, which is the statistic
/// of R's ctree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"
#include "core/stage_b/weighted/chi_square.hpp"

namespace inforest {

/// A cut's impurity is the node's gini impurity times 1 - chi^2 / n, the share of the classes'
/// spread that it leaves, if every class is measured by its own size. With two classes that is the
/// gini impurity of the children; with more, rare classes count more than there.
class ChiSquareCut {
 public:
  static constexpr const char* name = "chi2";
  static constexpr bool kTriesAllPartitions = true;
  using Item = std::uint32_t;  ///< a present class
  using Weighted = WeightedChiSquareCut;

  void begin(const Response& response) {
    response_ = &response;
    left_.resize(response.n_classes());
    const double n = response.size();
    double squares = 0.0;
    for (std::uint32_t k = 0; k < response.n_classes(); ++k) {
      const double share = response.class_size(k) / n;
      squares += share * share;
    }
    node_impurity_ = std::max(1.0 - squares, 0.0);
  }

  Item item(std::uint32_t position) const { return response_->labels()[position]; }
  double node_impurity() const { return node_impurity_; }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    std::fill(left_.begin(), left_.end(), 0u);
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) ++left_[items[i]];
      impurity[c] = node_impurity_ * std::max(1.0 - mean_square(cuts[c]), 0.0);
    }
  }

 private:
  /// chi^2 / n. Integers as long as possible: equal cuts shall come out equal.
  double mean_square(std::uint32_t left) const {
    const std::int64_t n = response_->size();
    double sum = 0.0;
    for (std::uint32_t k = 0; k < left_.size(); ++k) {
      const std::int64_t size = response_->class_size(k);
      const auto gap = static_cast<double>(n * left_[k] - left * size);
      sum += gap * gap / static_cast<double>(size);
    }
    return sum / (static_cast<double>(n) * left * static_cast<double>(n - left));
  }

  const Response* response_ = nullptr;
  std::vector<std::uint32_t> left_;  ///< of each class
  double node_impurity_ = 0.0;
};

}  // namespace inforest
