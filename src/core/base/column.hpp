// SPDX-License-Identifier: BSD-3-Clause
/// One feature's values on a node: gathering and centring, safe from overflow and cancellation.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/stored_column.hpp"

namespace inforest {

/// Copies column[rows] to `out`; columns with extreme magnitudes are scaled by a power of two
/// (exact, and no statistic depends on scale) so that squares and sums stay finite.
void gather_column(const StoredColumn& column, std::span<const std::int32_t> rows, double* out);

/// Copies column[rows] as they are.
inline void gather_levels(const StoredColumn& column, std::span<const std::int32_t> rows,
                          double* out) {
  column.gather(rows, out);
}

struct Centring {
  double mean;
  double sum_of_squares;  ///< of the centred values
};

/// Subtracts the mean in place.
Centring centre(double* values, std::uint32_t size);

/// With weights (null: all are 1): subtracts the weighted mean, then weighs every value. What comes
/// out has the sum 0, so that its product with a response is the weighted covariance, whatever is
/// taken off the response. The sum of squares is that of the weighed values.
///
/// Why a test of it keeps its level: if responses are exchangeable given x and the weights, all
/// orders of them are as likely, and a statistic of x, weights and responses, whatever it is,
/// ranks the observed order among the others by chance. What divides the covariance is the same in
/// every order, and as sum g = 0, E[(n - 1) (g . y)^2 / (|g|^2 |y|^2)] = 1 as without weights.
Centring centre(double* values, std::uint32_t size, const double* weights);

/// A column that has been centred.
struct CentredColumn {
  std::span<const double> values = {};
  double sum_of_squares = 0.0;
};

/// The largest absolute value; 0 if there is none.
double largest_magnitude(std::span<const double> values);

struct Range {
  double lowest, highest;
};
/// The smallest and the largest of values that are not NaN; there must be one.
Range value_range(std::span<const double> values);

/// Sum of products; eight fixed accumulators, so the result is the same on every instruction set.
double dot(const double* a, const double* b, std::uint32_t size);

/// Sum of (v^2 factor)^2, which neither overflows nor vanishes where v^2 factor is at most 1.
double fourth_powers(const double* values, std::uint32_t size, double factor);
/// The same of (a^2 + b^2)^2.
double fourth_powers(const double* a, const double* b, std::uint32_t size);

/// Sums over pairs (x, y).
struct ProductSums {
  double product = 0.0, sum = 0.0, squares = 0.0;  ///< of x y, y and y^2

  ProductSums& operator+=(const ProductSums& more) {
    product += more.product, sum += more.sum, squares += more.squares;
    return *this;
  }
};
ProductSums product_sums(const double* x, const double* y, std::uint32_t size);

struct MaskedSums {
  double sum = 0.0, squares = 0.0;  ///< of y and y^2
};
/// Over the positions whose entry of `mask` is 1; the others' is 0.
MaskedSums masked_sums(const double* mask, const double* y, std::uint32_t size);

/// Sum of values[index[i]] over i < size.
inline double gathered_sum(const double* values, const std::uint32_t* index, std::uint32_t size) {
  // Four independent chains hide the latency of the addition.
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::uint32_t i = 0;
  for (; i + 4 <= size; i += 4) {
    a += values[index[i]];
    b += values[index[i + 1]];
    c += values[index[i + 2]];
    d += values[index[i + 3]];
  }
  for (; i < size; ++i) a += values[index[i]];
  return (a + b) + (c + d);
}

/// Of columns side by side: sums over some rows, and such sums squared.
inline constexpr std::uint32_t kTogether = 8;
struct SumsTogether {
  double sum[kTogether] = {}, squares[kTogether] = {};
};
/// Adds every column's sum s over the rows index[0 .. size), and s^2 times `weight`.
/// rows[kTogether * j + c] is value j of column c.
void add_rows_together(const double* rows, const std::uint32_t* index, std::uint32_t size,
                       double weight, SumsTogether& sums);

/// Sum of the values whose bit of `mask` (see random_subset.hpp) is set; all must be finite.
double masked_sum(const double* values, const std::uint64_t* mask, std::uint32_t size);

struct Pair {
  double first = 0.0, second = 0.0;
};

/// The same for two columns side by side: pairs[2 j] and pairs[2 j + 1] belong to position j.
Pair gathered_pair_sum(const double* pairs, const std::uint32_t* index, std::uint32_t size);

/// The same for four columns: rows[4 j] to rows[4 j + 3] belong to position j.
struct Quadruple {
  double of[4] = {};
};
Quadruple gathered_row_sum(const double* rows, const std::uint32_t* index, std::uint32_t size);

/// Sum of a[i] * b[index[i]].
double gathered_dot(const double* a, const double* b, const std::uint32_t* index,
                    std::uint32_t size);

}  // namespace inforest
