// SPDX-License-Identifier: BSD-3-Clause
/// `rdc`: a randomised dependence coefficient (after Lopez-Paz, Hennig & Schoelkopf 2013).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/ranker.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/limit.hpp"

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

/// The first Chebyshev polynomials at one place; the constant one says nothing.
struct alignas(64) Polynomials : std::array<double, 8> {
  /// At t in [-1, 1].
  static Polynomials at(double t);
};

/// All 20 columns of one side, as combinations of a few Chebyshev polynomials.
///
/// cos(w0 u + w1) with |w0| well below 1 is so smooth that its Chebyshev series on [0, 1] falls
/// under 1e-11 after degree 8. So a draw needs sums of 8 polynomials instead of 20 columns; the
/// columns' correlations are small linear maps of those.
class SmoothColumns {
 public:
  using Row = Polynomials;
  static constexpr std::size_t kDegree = std::tuple_size_v<Row::array>;
  static constexpr std::size_t kColumns = 2 * Projections::kCount;
  /// Polynomials up to this degree decide nearly every comparison.
  static constexpr std::size_t kLow = 3;

  void project(const Projections& projections);

  /// The values' empirical cdf (ties at their maximum rank); `steps` holds the polynomials at each
  /// of its possible values.
  void bind(const double* values, const std::vector<Row>& steps);
  /// The step of each position; the mean of their polynomials is `mean()`.
  const std::uint32_t* ranks() const { return ranker_.ranks().data(); }
  /// The first polynomial of each position: its place t in [-1, 1].
  const double* places() const { return place_.data(); }
  const Row& mean() const { return mean_; }
  /// Coefficients of the columns, each scaled to unit length once centred; flat columns are left
  /// out.
  const std::vector<Row>& unit_columns() const { return unit_columns_; }
  /// The largest squared inner product of a unit column with this combination of polynomials.
  double largest_square(const Row& sums) const;
  /// The same from the polynomials up to kLow alone, which changes the product's factor by at most
  /// `low_error()` times the length of the other factor.
  double largest_low_square(const double* sums) const;
  double low_error() const { return low_error_; }
  /// For each polynomial the largest magnitude of its coefficient in a unit column.
  const Row& envelope() const { return envelope_; }

 private:
  void scale_columns(const Row& sum, const Row& sum_with_last, double size);

  /// Numbers for each polynomial and column.
  using Matrix = std::array<std::array<double, kColumns>, kDegree>;

  Matrix coefficients_{};
  Ranker ranker_;
  std::vector<double> place_;
  Row mean_{};
  std::vector<Row> unit_columns_;
  Matrix by_degree_{};  ///< unit columns; flat ones are zero
  Row envelope_{};
  double low_error_ = 0.0;
};

/// The largest |correlation| between an x column and a y column; with classes, between an x column
/// and the indicator of a class (each y column of a two-valued response is affine in it).
class Rdc {
 public:
  static constexpr const char* name = "rdc";
  static constexpr bool kReadsRanks = true;

  /// Before any other call.
  void project(std::uint64_t key);
  void begin(const Response& response);
  /// Returns the observed squared coefficient.
  double bind(const double* x);
  double evaluate(Draws& draws, std::int64_t b) { return coefficient(draws.order(b)); }
  /// Whether that reaches `limit`; quicker than the value itself.
  bool exceeds(Draws& draws, std::int64_t b, const Limit& limit);

  double certificate(double observed, double enough);
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 8 * response_->size(); }

 private:
  double coefficient(const std::uint32_t* order) const;
  double largest_with_classes(const std::uint32_t* order) const;
  double largest_with_values(const std::uint32_t* order) const;
  template <class Use>
  void each_class_sum(const std::uint32_t* order, Use use) const;
  bool exceeds_with_classes(const std::uint32_t* order, std::int64_t b, const Limit& limit) const;
  bool exceeds_with_values(const std::uint32_t* order, std::int64_t b, const Limit& limit) const;

  const Response* response_ = nullptr;
  std::vector<Polynomials> steps_;  ///< at 1/n, 2/n, ..., 1
  std::vector<std::uint32_t> identity_;
  SmoothColumns x_, y_;
};

}  // namespace inforest
