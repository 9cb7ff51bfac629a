// SPDX-License-Identifier: BSD-3-Clause
/// `chi2` of several scores where rows have weights (see stage_b/weighted/weighted.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/data/score_basis.hpp"
#include "core/stage_b/weighted/several_scores.hpp"

namespace inforest {

/// As ExplainedScores, with weighted sums. The weighted covariance of the scores is another one in
/// every permutation, since the weights stay at their places.
class WeightedExplainedScores {
 public:
  static constexpr const char* name = "chi2";
  using Item = std::uint32_t;  ///< a position

  void begin(const Response& response) {
    response_ = &response;
    basis_.build(response);
    unexplained_.begin(response);
  }

  void place(const double* weights) { weights_ = weights; }

  Item item(std::uint32_t position) const { return position; }
  double node_impurity() const { return unexplained_.node_impurity(); }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    gather(items);
    factorise();
    left_sum_.assign(basis_.rank(), 0.0);
    double left = 0.0;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) left += add(items, i, left_sum_);
      impurity[c] = node_impurity() * std::max(1.0 - explained(left), 0.0);
    }
  }

 private:
  /// What others leave of a direction's squares is rounding below this share.
  static constexpr double kDependent = 1e-10;

  double weight(std::uint32_t i) const { return weights_ == nullptr ? 1.0 : weights_[i]; }

  double add(const Item* items, std::uint32_t i, std::vector<double>& sums) const {
    for (std::uint32_t k = 0; k < basis_.rank(); ++k)
      sums[k] += weight(i) * basis_.row(items[i])[k];
    return weight(i);
  }

  /// Means, and the lower triangle of the sums of squares and products about them.
  void gather(const Item* items) {
    const std::uint32_t rank = basis_.rank();
    mean_.assign(rank, 0.0);
    total_ = 0.0;
    for (std::uint32_t i = 0; i < response_->size(); ++i) total_ += add(items, i, mean_);
    for (double& mean : mean_) mean /= total_;
    root_.assign(std::size_t{rank} * rank, 0.0);
    for (std::uint32_t i = 0; i < response_->size(); ++i)
      for (std::uint32_t k = 0; k < rank; ++k)
        for (std::uint32_t l = 0; l <= k; ++l) {
          const double* scores = basis_.row(items[i]);
          root_[k * rank + l] += weight(i) * (scores[k] - mean_[k]) * (scores[l] - mean_[l]);
        }
  }

  /// Cholesky's root in place. A direction that follows from those before it gets a row of zeros:
  /// what is divided by the root lies in the span of the others.
  void factorise() {
    const std::uint32_t rank = basis_.rank();
    for (std::uint32_t k = 0; k < rank; ++k) {
      double* row = &root_[k * rank];
      const double whole = row[k];
      for (std::uint32_t l = 0; l < k; ++l) {
        const double* other = &root_[l * rank];
        row[l] = other[l] > 0.0 ? (row[l] - dot(row, other, l)) / other[l] : 0.0;
      }
      const double left = whole - dot(row, row, k);
      row[k] = left > kDependent * whole ? std::sqrt(left) : 0.0;
    }
  }

  /// d' S^+ d in units of the most it can be, with d what the left side's sums are off.
  double explained(double left) {
    const std::uint32_t rank = basis_.rank();
    if (!(left > 0.0) || !(left < total_)) return 0.0;
    solved_.assign(rank, 0.0);
    for (std::uint32_t k = 0; k < rank; ++k) {
      const double* row = &root_[k * rank];
      if (!(row[k] > 0.0)) continue;
      solved_[k] = (left_sum_[k] - left * mean_[k] - dot(row, solved_.data(), k)) / row[k];
    }
    return dot(solved_.data(), solved_.data(), rank) * total_ / (left * (total_ - left));
  }

  const Response* response_ = nullptr;
  const double* weights_ = nullptr;
  ScoreBasis basis_;
  WeightedSeveralMse unexplained_;  ///< as the node's impurity
  double total_ = 0.0;              ///< weight
  std::vector<double> mean_;        ///< of each direction
  std::vector<double> root_;        ///< of their squares and products, row by row
  std::vector<double> left_sum_, solved_;
};

}  // namespace inforest
