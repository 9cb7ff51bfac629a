// SPDX-License-Identifier: BSD-3-Clause
/// `mse` of several scores: mean squared deviation from the means, summed over the scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"
#include "core/stage_b/weighted/several_scores.hpp"

namespace inforest {

/// Which scores count how much is up to who makes them: uncorrelated ones of equal variance on all
/// rows make the cut of a root the one that R's ctree chooses.
class SeveralMse {
 public:
  static constexpr const char* name = "mse";
  using Item = std::uint32_t;  ///< a position
  using Weighted = WeightedSeveralMse;

  void begin(const Response& response) {
    response_ = &response;
    squares_ = 0.0;
    for (std::uint32_t q = 0; q < response.n_scores(); ++q) squares_ += response.sum_of_squares(q);
    sum_.resize(response.n_scores());
  }

  Item item(std::uint32_t position) const { return position; }
  double node_impurity() const { return squares_ / response_->size(); }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    const double n = response_->size();
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i)
        for (std::size_t q = 0; q < sum_.size(); ++q)
          sum_[q] += response_->centred()[q * response_->size() + items[i]];
      double squared = 0.0;
      for (const double sum : sum_) squared += sum * sum;
      // The scores are centred, so the other child's sums are the negatives.
      const double left = cuts[c];
      impurity[c] = std::max(0.0, squares_ - squared * n / (left * (n - left))) / n;
    }
  }

 private:
  const Response* response_ = nullptr;
  double squares_ = 0.0;
  std::vector<double> sum_;
};

}  // namespace inforest
