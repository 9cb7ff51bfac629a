// SPDX-License-Identifier: BSD-3-Clause
/// `pc` and `quad` of several scores: how much of a feature, or of it and its square, they explain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/score_basis.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// Pillai's trace of the feature's columns and the scores, divided by the most it can be: the
/// squared multiple correlation of x with the scores, or, with the part of x^2 that is orthogonal
/// to 1 and x, the mean squared canonical correlation. With one score it would be what Pearson and
/// Quadratic compute.
template <bool kWithSquare>
class TraceWithScores {
 public:
  static constexpr const char* name = kWithSquare ? "quad" : "pc";
  static constexpr auto kServes = ResponseKind::columns;

  void begin(const Response& response) {
    response_ = &response;
    basis_.build(response);
    most_ = std::min<double>(basis_.rank(), kWithSquare ? 2.0 : 1.0);
  }

  /// Returns the observed value.
  double bind(const double* x) {
    orthogonalise(x);
    return explained([](std::uint32_t position) { return position; });
  }

  double evaluate(Draws& draws, std::int64_t b) {
    const std::uint32_t* order = draws.order(b);
    return explained([=](std::uint32_t position) { return order[position]; });
  }

  PermutationMoments moments() const {
    if (!explains()) return {};
    const std::uint32_t n = response_->size();
    const Projection columns = has_square_ ? Projection{2.0, fourth_powers(x_.data(), z_.data(), n)}
                                           : Projection{1.0, fourth_powers(x_.data(), n, 1.0)};
    const PermutationMoments sum = moments_of_trace(n, columns, onto_scores(basis_));
    return {sum.mean / most_, sum.variance / (most_ * most_)};
  }
  ChiSquare chi_square(double value) const {
    return {(response_->size() - 1.0) * value * most_, (has_square_ ? 2.0 : 1.0) * basis_.rank()};
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const {
    return 2 * (1 + std::int64_t{basis_.rank()}) * response_->size() * (has_square_ ? 2 : 1);
  }

 private:
  /// A smaller share of x^2 than this is rounding.
  static constexpr double kCollinear = 1e-16;

  bool explains() const { return varies_ && most_ > 0.0; }

  /// x and z of unit length; see Quadratic.
  void orthogonalise(const double* x) {
    const std::uint32_t n = response_->size();
    const double* weights = response_->weights();
    x_.assign(x, x + n);
    const auto [mean, squares] = centre(x_.data(), n, weights);
    has_square_ = false;
    varies_ = squares > 0.0;
    if (!varies_) return;
    const double factor = 1.0 / std::sqrt(squares);
    for (double& value : x_) value *= factor;
    if constexpr (kWithSquare) add_square(x, mean, factor);
  }

  void add_square(const double* x, double mean, double factor) {
    const std::uint32_t n = response_->size();
    const double* weights = response_->weights();
    z_.resize(n);
    double whole = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double centred = (x[i] - mean) * factor;
      z_[i] = centred * centred;
      const double weighed = weights == nullptr ? z_[i] : weights[i] * z_[i];
      whole += weighed * weighed;
    }
    response_->centre_in_blocks(z_.data());
    centre(z_.data(), n, weights);
    const double along = dot(z_.data(), x_.data(), n);
    for (std::uint32_t i = 0; i < n; ++i) z_[i] -= along * x_[i];
    const double left = centre(z_.data(), n).sum_of_squares;
    has_square_ = left > kCollinear * whole;
    if (!has_square_) return;
    const double to_unit = 1.0 / std::sqrt(left);
    for (double& value : z_) value *= to_unit;
  }

  /// With the scores of `source(i)` at position i.
  template <class Source>
  double explained(Source source) {
    if (!explains()) return 0.0;
    const std::uint32_t n = response_->size(), rank = basis_.rank();
    double trace = squared_products(x_, source, n, rank);
    if (has_square_) trace += squared_products(z_, source, n, rank);
    return std::min(trace / most_, 1.0);
  }

  template <class Source>
  double squared_products(const std::vector<double>& column, Source source, std::uint32_t n,
                          std::uint32_t rank) {
    products_.assign(rank, 0.0);
    for (std::uint32_t i = 0; i < n; ++i) {
      const double* scores = basis_.row(source(i));
      for (std::uint32_t k = 0; k < rank; ++k) products_[k] += column[i] * scores[k];
    }
    return dot(products_.data(), products_.data(), rank);
  }

  const Response* response_ = nullptr;
  ScoreBasis basis_;
  bool varies_ = false;
  bool has_square_ = false;
  double most_ = 0.0;
  std::vector<double> x_, z_, products_;
};

using SeveralPearson = TraceWithScores<false>;
using SeveralQuadratic = TraceWithScores<true>;

}  // namespace inforest
