// SPDX-License-Identifier: BSD-3-Clause
/// `quad`: how well a feature and its square explain the response together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/powers.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/column_powers.hpp"
#include "core/stage_a/description.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/selectors/correlation_ratio.hpp"
#include "core/stage_a/selectors/pearson.hpp"
#include "core/stage_a/square_columns.hpp"

namespace inforest {

/// R^2 of x plus R^2 of z, the part of x^2 that is orthogonal to 1 and x on the node, divided by
/// the most that sum can be: 1 in regression, min(K - 1, 2) with K classes, where R^2 is the
/// squared correlation ratio. Regression and two classes: the squared multiple correlation of the
/// response with x and x^2. More classes: the mean squared canonical correlation.
class Quadratic {
 public:
  static constexpr const char* name = "quad";
  static constexpr std::uint32_t kColumns = 2;

  void begin(const Response& response) {
    response_ = &response;
    projection_.begin(response);
    has_scores_ = !response.has_labels();
    most_ = has_scores_ ? 1.0 : std::clamp(response.n_classes() - 1.0, 1.0, 2.0);
    sorted_y_.clear();
  }

  /// Returns the observed value.
  double bind(const double* x) {
    orthogonalise(x);
    return observed();
  }

  /// The same in place. Most candidates are looked at and never tested: they get no columns.
  BoundColumn take(double* x) {
    const std::uint32_t n = response_->size();
    if (n < kMany || response_->weights() != nullptr || response_->blocks().exist())
      return {bind(x), {{x, n}, kAsItWas}};
    const CentredColumn column{{x, n}, centre(x, n).sum_of_squares};
    use(column);
    powers_.make(column);
    return {powers_.are_precise() ? observed_of_powers() : observed(), column};
  }
  void use(const CentredColumn& column) {
    if (column.sum_of_squares == kAsItWas) return orthogonalise(column.values.data());
    taken_ = column;
    has_columns_ = false;
    powers_.clear();
  }

  double describe(const double* x) const {
    const WeightedColumn column(*response_, x), square = column.squared_beyond_itself();
    const double whole = column.squares() * column.squares();
    double value = column.explained();
    if (square.squares() > SquareColumns::kCollinear * whole) value += square.explained();
    return value / most_;
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    make_columns();
    return has_scores_ ? explained(draws.values(b)) : explained(draws.order(b));
  }

  /// Proof. In the plane of x and z the sums of a class, or the products with y, are a vector S,
  /// and the value is |S|^2 in units of its bound (with more classes: a sum of such terms). Four
  /// directions, 45 degrees apart, leave no vector further than 22.5 degrees from one of them: if
  /// |S|^2 >= t, some combination cos(a) x + sin(a) z, a unit column itself, reaches t cos^2(22.5).
  /// So the four columns' own bounds add up to a bound.
  double certificate(double observed, double enough) {
    const std::uint32_t n = response_->size();
    make_columns();
    const double value = observed * most_;
    constexpr int kDirections = 4;
    const int directions = has_square() ? kDirections : 1;
    const double reached = has_square() ? value * kNearest : value;
    // Not even a normal tail would do.
    const double degrees = has_scores_ ? 1.0 : response_->n_classes() - 1.0;
    if (n * reached < -2.0 * std::log(enough) * degrees) return 1.0;
    double bound = 0.0;
    for (int d = 0; d < directions && bound <= enough; ++d) {
      const double angle = 3.141592653589793 * d / kDirections;
      combine(std::cos(angle), std::sin(angle));
      const double share = enough / directions;
      bound += has_scores_
                   ? squared_correlation_tail(*response_, column_, 1.0, reached, share, sorted_y_)
                   : correlation_ratio_tail(*response_, column_, 1.0, reached, share);
    }
    return std::min(bound, 1.0);
  }

  PermutationMoments moments() {
    const std::uint32_t n = response_->size();
    if (!has_columns_ && powers_.are_precise())
      return scaled_moments(n, {2.0, powers_.squared_leverages()});
    make_columns();
    if (!varies()) return {};
    Projection columns{1.0, 0.0};
    if (has_square())
      columns = {2.0, fourth_powers(columns_.x().data(), columns_.z().data(), n)};
    else
      columns.squared_leverages = fourth_powers(columns_.x().data(), n, 1.0);
    return scaled_moments(n, columns);
  }
  ChiSquare chi_square(double value) const {
    make_columns();
    const double columns = has_square() ? 2.0 : 1.0;
    const double contrasts = has_scores_ ? 1.0 : response_->n_classes() - 1.0;
    return {(response_->size() - 1.0) * value * most_, columns * contrasts};
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const {
    return 4 * (has_scores_ ? response_->size() : response_->n_placed());
  }

 private:
  /// cos^2(22.5 degrees), rounded down.
  static constexpr double kNearest = 0.8535533;

  /// Fewer rows are soon made into columns, and where two columns explain them all, features tie
  /// up to rounding: one and the same way to compute then decides.
  static constexpr std::uint32_t kMany = 32;
  /// In place of a sum of squares: the column has not been centred.
  static constexpr double kAsItWas = -1.0;

  PermutationMoments scaled_moments(double n, const Projection& columns) {
    const PermutationMoments sum = moments_of_trace(n, columns, projection_.get());
    return {sum.mean / most_, sum.variance / (most_ * most_)};
  }

  double observed() const {
    make_columns();
    if (has_scores_) return explained(response_->centred().data());
    return explained(response_->observed_order().data());
  }

  /// The same without columns; equal to it up to rounding.
  double observed_of_powers() const {
    const double* x = taken_.values.data();
    if (has_scores_) {
      const double total = response_->sum_of_squares();
      if (!(total > 0.0)) return 0.0;
      const Pair products = dot_with_powers(x, response_->centred().data(), response_->size());
      return std::min(squared(powers_.unit_sums(products, 0.0)) / total, 1.0);
    }
    const std::uint32_t* order = response_->observed_order().data();
    return between_classes([&](std::uint32_t k) {
      const std::uint32_t size = response_->class_size(k);
      return powers_.unit_sums(gathered_powers(x, order + response_->class_begin(k), size), size);
    });
  }

  /// Of the column that was taken, if that has not been done.
  void make_columns() const {
    if (!has_columns_) orthogonalise(taken_.values.data());
  }

  /// Columns x and z of unit length side by side.
  void orthogonalise(const double* x) const {
    has_columns_ = true;
    const std::uint32_t n = response_->size();
    columns_.make(x, n, response_->weights(),
                  [&](double* column) { response_->centre_in_blocks(column); });
    if (has_scores_ || !has_square()) return;
    pairs_.resize(2 * static_cast<std::size_t>(n));
    for (std::uint32_t i = 0; i < n; ++i)
      pairs_[2 * i] = columns_.x()[i], pairs_[2 * i + 1] = columns_.z()[i];
  }

  bool varies() const { return columns_.vary(); }
  bool has_square() const { return columns_.have_square(); }

  void combine(double of_x, double of_z) {
    column_ = columns_.x();
    if (!has_square()) return;
    for (std::size_t i = 0; i < column_.size(); ++i)
      column_[i] = of_x * columns_.x()[i] + of_z * columns_.z()[i];
  }

  /// Regression.
  double explained(const double* y) const {
    const double total = response_->squares_in_blocks();
    if (!varies() || !(total > 0.0)) return 0.0;
    const std::uint32_t n = response_->size();
    Pair sum{dot(columns_.x().data(), y, n), 0.0};
    if (has_square()) sum.second = dot(columns_.z().data(), y, n);
    return std::min(squared(sum) / total, 1.0);
  }

  /// Classification; as in CorrelationRatio, the largest class is what the others leave.
  double explained(const std::uint32_t* order) const {
    if (!varies()) return 0.0;
    return between_classes([&](std::uint32_t k) {
      return class_sum(order + response_->class_begin(k), response_->class_size(k));
    });
  }

  template <class SumOfClass>
  double between_classes(SumOfClass sum_of_class) const {
    const std::uint32_t last = response_->n_classes() - 1;
    Pair placed;
    double between = 0.0;
    for (std::uint32_t k = 0; k < last; ++k) {
      const Pair sum = sum_of_class(k);
      between += squared(sum) / response_->class_size(k);
      placed.first += sum.first, placed.second += sum.second;
    }
    return (between + squared(placed) / response_->class_size(last)) / most_;
  }

  Pair class_sum(const std::uint32_t* member, std::uint32_t size) const {
    if (has_square()) return gathered_pair_sum(pairs_.data(), member, size);
    return {gathered_sum(columns_.x().data(), member, size), 0.0};
  }

  static double squared(const Pair& sum) { return sum.first * sum.first + sum.second * sum.second; }

  const Response* response_ = nullptr;
  ResponseProjection projection_;
  bool has_scores_ = false;
  double most_ = 1.0;
  CentredColumn taken_;
  ColumnPowers powers_;
  std::vector<double> column_, sorted_y_;
  // Made when first read, of a column that was taken.
  mutable bool has_columns_ = true;
  mutable SquareColumns columns_;
  mutable std::vector<double> pairs_;
};

}  // namespace inforest
