// SPDX-License-Identifier: BSD-3-Clause
/// Mean and variance of a statistic over all permutations of the response.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/data/response.hpp"
#include "core/data/score_basis.hpp"

namespace inforest {

struct PermutationMoments {
  double mean = 0.0;
  double variance = 0.0;
};

/// What the moments need of one side: the projection on some centred columns, by its rank and the
/// sum of its squared diagonal entries (leverages).
struct Projection {
  double rank = 0.0;
  double squared_leverages = 0.0;
  /// Of a form that is no projection but has the trace `rank`: the sum of its squared entries,
  /// which a projection's rank is as well.
  std::optional<double> squares = {};
};

/// The projection on one centred column.
Projection onto_column(std::span<const double> column, double sum_of_squares);

/// The projection on what several scores span.
Projection onto_scores(const ScoreBasis& basis);

/// The projection on the classes' indicators, or on the scores; worked out when first asked for.
class ResponseProjection {
 public:
  void begin(const Response& response) { response_ = &response, projection_.reset(); }
  const Projection& get() {
    if (!projection_) projection_ = compute();
    return *projection_;
  }

 private:
  Projection compute() const;

  const Response* response_ = nullptr;
  std::optional<Projection> projection_;
};

/// Of trace(A P B P'), A and B the projections and P a uniform permutation of n rows, which is the
/// sum of squared canonical correlations, r^2 among them (Kazi-Aoual, Hitier, Sabatier and Lebreton
/// 1995; Pitman 1937 for r^2).
PermutationMoments moments_of_trace(double n, const Projection& a, const Projection& b);

/// The same moments estimated from draws.
class MomentsOfDraws {
 public:
  void add(double value) {
    ++count_;
    const double gap = value - mean_;
    mean_ += gap / static_cast<double>(count_);
    squares_ += gap * (value - mean_);
  }
  PermutationMoments moments() const {
    return {mean_, count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : 0.0};
  }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
};

}  // namespace inforest
