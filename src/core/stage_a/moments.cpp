// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_a/moments.hpp"

#include <algorithm>

#include "core/base/column.hpp"

namespace inforest {

Projection onto_column(std::span<const double> column, double sum_of_squares) {
  if (!(sum_of_squares > 0.0)) return {};
  return {1.0, fourth_powers(column.data(), static_cast<std::uint32_t>(column.size()),
                             1.0 / sum_of_squares)};
}

Projection onto_scores(const ScoreBasis& basis) {
  Projection onto{.rank = static_cast<double>(basis.rank())};
  for (std::uint32_t i = 0; i < basis.size(); ++i) {
    const double leverage = dot(basis.row(i), basis.row(i), basis.rank());
    onto.squared_leverages += leverage * leverage;
  }
  return onto;
}

Projection ResponseProjection::compute() const {
  if (!response_->has_labels())
    return onto_column(response_->centred(), response_->sum_of_squares());
  const double n = response_->size();
  Projection classes{.rank = response_->n_classes() - 1.0};
  for (std::uint32_t k = 0; k < response_->n_classes(); ++k) {
    const double size = response_->class_size(k), leverage = 1.0 / size - 1.0 / n;
    classes.squared_leverages += size * leverage * leverage;
  }
  return classes;
}

PermutationMoments moments_of_trace(double n, const Projection& a, const Projection& b) {
  PermutationMoments moments;
  moments.mean = a.rank * b.rank / (n - 1.0);
  if (n < 4.0) {  // chi-square's, for want of a formula
    moments.variance = 2.0 * moments.mean / (n - 1.0);
    return moments;
  }
  // trace(A) = rank, trace(A^2) = squares, or rank again.
  const auto spread = [&](const Projection& p) {
    return (n - 1.0) * p.squares.value_or(p.rank) - p.rank * p.rank;
  };
  const auto peak = [&](const Projection& p) {
    return n * (n + 1.0) * p.squared_leverages -
           (n - 1.0) * (p.rank * p.rank + 2.0 * p.squares.value_or(p.rank));
  };
  moments.variance = 2.0 * spread(a) * spread(b) / ((n - 1.0) * (n - 1.0) * (n + 1.0) * (n - 2.0)) +
                     peak(a) * peak(b) / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0));
  moments.variance = std::max(moments.variance, 0.0);
  return moments;
}

}  // namespace inforest
