// SPDX-License-Identifier: BSD-3-Clause
/// The columns of `rdc` where rows have weights.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stage_a/selectors/rdc.hpp"

namespace inforest {

void SmoothColumns::bind(const double* values, const std::vector<Row>& steps,
                         const double* weights) {
  if (weights == nullptr) return bind(values, steps);
  const auto size = static_cast<std::uint32_t>(steps.size());
  ranker_.rank(values, size);
  weighed_.resize(size);
  double total = 0.0, squares = 0.0;
  Row mean{};
  for (std::uint32_t i = 0; i < size; ++i) {
    weighed_[i] = steps[ranker_.ranks()[i]];
    total += weights[i];
    squares += weights[i] * weights[i];
    for (std::size_t k = 0; k < kDegree; ++k) mean[k] += weights[i] * weighed_[i][k];
  }
  for (double& one : mean) one /= total;
  Gram gram = {};
  reach_.fill(0.0);
  for (std::uint32_t i = 0; i < size; ++i) {
    Row& row = weighed_[i];
    for (std::size_t k = 0; k < kDegree; ++k) {
      row[k] = weights[i] * (row[k] - mean[k]);
      reach_[k] = std::max(reach_[k], std::fabs(row[k]));
    }
    for (std::size_t a = 0; a < kDegree; ++a)
      for (std::size_t b = 0; b < kDegree; ++b) gram[a][b] += row[a] * row[b];
  }
  mean_.fill(0.0);
  identity_.resize(size);
  std::iota(identity_.begin(), identity_.end(), 0u);
  table_ = weighed_.data();
  index_ = identity_.data();
  scale_columns(gram, kFlat * squares / size);
}

}  // namespace inforest
