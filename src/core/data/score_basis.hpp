// SPDX-License-Identifier: BSD-3-Clause
/// Orthonormal columns that span the centred scores of a node: several scores without their units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

/// The units of scores, copies of them and sums of others make no difference to what they span:
/// with U these columns, m' S_h^+ m = |U'x|^2 for m the products of x with the scores and S_h
/// theirs with each other. With blocks, scores are centred inside them, as features are.
class ScoreBasis {
 public:
  void build(const Response& response);

  /// Number of columns: the rank of the scores.
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  /// The `rank()` numbers of a position.
  const double* row(std::uint32_t position) const {
    return rows_.data() + std::size_t{position} * rank_;
  }

 private:
  /// Scores of which others leave a smaller share than this are combinations of them.
  static constexpr double kDependent = 1e-10;

  std::uint32_t size_ = 0, rank_ = 0;
  std::vector<double> rows_;
};

}  // namespace inforest
