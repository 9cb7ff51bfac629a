// SPDX-License-Identifier: BSD-3-Clause
/// `chi2` of several scores: the share of them that the sides of a cut explain, which is the
/// statistic of R's ctree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/data/score_basis.hpp"
#include "core/stage_b/weighted/explained_scores.hpp"

namespace inforest {

/// A cut's impurity is the scores' spread at the node times 1 - c / (n - 1), where c is the
/// quadratic form of the left side's sums with the inverse covariance of the node: every direction
/// is measured by its own spread there. `mse` measures all of them by one unit for the whole tree.
class ExplainedScores {
 public:
  static constexpr const char* name = "chi2";
  static constexpr bool kTriesAllPartitions = true;
  using Item = std::uint32_t;  ///< a position
  using Weighted = WeightedExplainedScores;

  void begin(const Response& response) {
    basis_.build(response);
    node_impurity_ = 0.0;
    for (std::uint32_t q = 0; q < response.n_scores(); ++q)
      node_impurity_ += response.sum_of_squares(q) / response.size();
  }

  Item item(std::uint32_t position) const { return position; }
  double node_impurity() const { return node_impurity_; }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    const double n = basis_.size();
    sum_.assign(basis_.rank(), 0.0);
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i)
        for (std::uint32_t k = 0; k < basis_.rank(); ++k) sum_[k] += basis_.row(items[i])[k];
      const double squares = dot(sum_.data(), sum_.data(), basis_.rank());
      const double explained = squares * n / (cuts[c] * (n - cuts[c]));
      impurity[c] = node_impurity_ * std::max(1.0 - explained, 0.0);
    }
  }

 private:
  ScoreBasis basis_;
  double node_impurity_ = 0.0;
  std::vector<double> sum_;
};

}  // namespace inforest
