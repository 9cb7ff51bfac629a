// SPDX-License-Identifier: BSD-3-Clause
/// `rdc`: a randomised dependence coefficient (after Lopez-Paz, Hennig & Schoelkopf 2013).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../draws.hpp"
#include "../position_sorter.hpp"
#include "../rng.hpp"

namespace inforest {

/// The random projections: columns cos(w0 u + w1) and sin(w0 u + w1) of an empirical cdf u.
struct Projections {
  static constexpr std::size_t kCount = 10;
  static constexpr double kScale = 1.0 / 6.0;
  std::array<double, kCount> slope, offset;

  Projections() = default;
  explicit Projections(Rng& rng);
};

/// Both sides' projections, drawn once per tree, before any response is seen.
struct RdcProjections {
  Projections x, y;
  explicit RdcProjections(std::uint64_t key);
};

/// All 20 columns of one side, as combinations of a few Chebyshev polynomials.
///
/// cos(w0 u + w1) with |w0| well below 1 is so smooth that its Chebyshev series on [0, 1] falls
/// under 1e-11 after degree 8. So a draw needs sums of 8 polynomials instead of 20 columns; the
/// columns' correlations are small linear maps of those.
class SmoothColumns {
 public:
  static constexpr std::size_t kDegree = 8;
  static constexpr std::size_t kColumns = 2 * Projections::kCount;
  using Row = std::array<double, kDegree>;

  void project(const Projections& projections);

  /// Builds the polynomials of the values' empirical cdf (ties at their maximum rank).
  void bind(const double* values, std::uint32_t size);
  /// Polynomials, one row per position; their mean is `mean()`.
  const Row* rows() const { return rows_.data(); }
  const Row& mean() const { return mean_; }
  /// Coefficients of the columns, each scaled to unit length once centred; flat columns are left
  /// out.
  const std::vector<Row>& unit_columns() const { return unit_columns_; }
  /// The largest squared inner product of a unit column with this combination of polynomials.
  double largest_square(const Row& sums) const;

 private:
  void scale_columns(const Row& sum, const Row& sum_with_last, double size);

  std::array<Row, kColumns> coefficients_{};
  PositionSorter sorter_;
  std::vector<Row> rows_;
  Row mean_{};
  std::vector<Row> unit_columns_;
  std::array<std::array<double, kColumns>, kDegree> by_degree_{};  ///< unit columns, transposed
};

/// The largest |correlation| between an x column and a y column; with classes, between an x column
/// and the indicator of a class (each y column of a two-valued response is affine in it).
class Rdc {
 public:
  static constexpr const char* name = "rdc";

  /// Before any other call.
  void project(std::uint64_t key);
  void begin(const Response& response);
  /// Returns the observed squared coefficient.
  double bind(const double* x);
  double evaluate(Draws& draws, std::int64_t b) { return coefficient(draws.order(b)); }

  double certificate(double observed, double enough);
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  double unit(double value) const { return natural(value); }
  std::int64_t work() const { return 8 * response_->size(); }

 private:
  double coefficient(const std::uint32_t* order) const;
  double largest_with_classes(const std::uint32_t* order) const;
  double largest_with_values(const std::uint32_t* order) const;

  const Response* response_ = nullptr;
  SmoothColumns x_, y_;
};

}  // namespace inforest
