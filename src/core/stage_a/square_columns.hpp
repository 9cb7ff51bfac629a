// SPDX-License-Identifier: BSD-3-Clause
/// A feature and its square as two orthogonal columns.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"

namespace inforest {

/// Columns x and z of unit length; z, the part of x^2 that is orthogonal to 1 and x, is left out
/// where x^2 adds nothing to x.
class SquareColumns {
 public:
  /// `weights` may be null; `centre_in_blocks(column)` takes the blocks' means off a column; no z
  /// unless `wants_square`.
  template <class CentreInBlocks>
  void make(const double* x, std::uint32_t n, const double* weights,
            CentreInBlocks centre_in_blocks, bool wants_square = true) {
    x_.assign(x, x + n);
    const auto [mean, squares] = centre(x_.data(), n, weights);
    has_square_ = false;
    varies_ = squares > 0.0;
    if (!varies_) return;
    scale(x_, 1.0 / std::sqrt(squares));
    if (!wants_square) return;
    const double whole =
        weights == nullptr ? square() : weigh_square(x, weights, mean, 1.0 / std::sqrt(squares));
    centre_in_blocks(z_.data());
    centre(z_.data(), n, weights);
    const double along = dot(z_.data(), x_.data(), n);
    for (std::uint32_t i = 0; i < n; ++i) z_[i] -= along * x_[i];
    const double left = centre(z_.data(), n).sum_of_squares;
    has_square_ = left > kCollinear * whole;
    if (has_square_) scale(z_, 1.0 / std::sqrt(left));
  }

  bool vary() const { return varies_; }
  bool have_square() const { return has_square_; }
  const std::vector<double>& x() const { return x_; }
  /// Meaningful if they have a square.
  const std::vector<double>& z() const { return z_; }

  /// A smaller share of x^2 than this is rounding: x has two values, or one far beyond the others.
  static constexpr double kCollinear = 1e-16;

 private:
  /// Makes z the square of x; returns its sum of squares.
  double square() {
    z_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) z_[i] = x_[i] * x_[i];
    return dot(z_.data(), z_.data(), static_cast<std::uint32_t>(x_.size()));
  }

  /// The same where x has been weighed. The plane of both weighed columns is what is tested, so
  /// they are made orthogonal to each other as they are, whatever the weights.
  double weigh_square(const double* x, const double* weights, double mean, double factor) {
    double whole = 0.0;
    z_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double centred = (x[i] - mean) * factor;
      z_[i] = centred * centred;
      whole += weights[i] * z_[i] * (weights[i] * z_[i]);
    }
    return whole;
  }

  static void scale(std::vector<double>& values, double factor) {
    for (double& value : values) value *= factor;
  }

  bool varies_ = false;
  bool has_square_ = false;
  std::vector<double> x_, z_;
};

}  // namespace inforest
