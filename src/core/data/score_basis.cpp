// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/score_basis.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/column.hpp"

namespace inforest {

namespace {

void scale(double* column, std::uint32_t n, double factor) {
  std::for_each(column, column + n, [=](double& value) { value *= factor; });
}

void take_off(double* column, const double* unit, std::uint32_t n) {
  const double along = dot(column, unit, n);
  for (std::uint32_t i = 0; i < n; ++i) column[i] -= along * unit[i];
}

}  // namespace

void ScoreBasis::build(const Response& response) {
  size_ = response.size();
  rank_ = 0;
  std::vector<double> columns = response.centred();
  std::vector<double*> left, chosen;
  for (std::uint32_t q = 0; q < response.n_scores(); ++q) {
    double* column = columns.data() + std::size_t{q} * size_;
    if (response.blocks().exist()) response.blocks().centre(column);
    const double squares = dot(column, column, size_);
    if (!(squares > 0.0)) continue;
    scale(column, size_, 1.0 / std::sqrt(squares));
    left.push_back(column);
  }
  // Gram and Schmidt, the longest of what is left first; once more for what rounding has left.
  while (!left.empty()) {
    const auto longest = std::max_element(left.begin(), left.end(), [&](double* a, double* b) {
      return dot(a, a, size_) < dot(b, b, size_);
    });
    double* column = *longest;
    left.erase(longest);
    if (dot(column, column, size_) < kDependent) break;
    for (const double* unit : chosen) take_off(column, unit, size_);
    scale(column, size_, 1.0 / std::sqrt(dot(column, column, size_)));
    for (double* other : left) take_off(other, column, size_);
    chosen.push_back(column);
  }
  rank_ = static_cast<std::uint32_t>(chosen.size());
  rows_.resize(std::size_t{size_} * rank_);
  for (std::uint32_t k = 0; k < rank_; ++k)
    for (std::uint32_t i = 0; i < size_; ++i) rows_[std::size_t{i} * rank_ + k] = chosen[k][i];
}

}  // namespace inforest
