// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/column.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/multiversion.hpp"

namespace inforest {

void gather_column(const StoredColumn& column, std::span<const std::int32_t> rows, double* out) {
  column.gather(rows, out);
  const double largest = largest_magnitude({out, rows.size()});
  constexpr double kSafe = 1e100;
  if ((largest > kSafe || largest < 1.0 / kSafe) && largest > 0.0) [[unlikely]] {
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = std::ldexp(out[i], -exponent);
  }
}

namespace {
constexpr std::uint32_t kLanes = 8;

double total(const double (&lane)[kLanes]) {
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
}  // namespace

INFOREST_MULTIVERSION
double largest_magnitude(std::span<const double> values) {
  double lane[kLanes] = {};
  const std::size_t whole = values.size() - values.size() % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::uint32_t k = 0; k < kLanes; ++k) {
      const double magnitude = std::fabs(values[i + k]);
      lane[k] = lane[k] < magnitude ? magnitude : lane[k];
    }
  for (std::size_t i = whole; i < values.size(); ++i)
    lane[0] = std::max(lane[0], std::fabs(values[i]));
  return *std::max_element(lane, lane + kLanes);
}

Range value_range(std::span<const double> values) {
  // Independent chains hide the latency of the comparison.
  constexpr std::size_t kChains = 4;
  double low[kChains], high[kChains];
  for (std::size_t k = 0; k < kChains; ++k) low[k] = high[k] = values[0];
  std::size_t i = 0;
  for (; i + kChains <= values.size(); i += kChains)
    for (std::size_t k = 0; k < kChains; ++k) {
      const double value = values[i + k];
      low[k] = value < low[k] ? value : low[k];
      high[k] = value > high[k] ? value : high[k];
    }
  for (; i < values.size(); ++i) {
    low[0] = std::min(low[0], values[i]);
    high[0] = std::max(high[0], values[i]);
  }
  return {*std::min_element(low, low + kChains), *std::max_element(high, high + kChains)};
}

INFOREST_MULTIVERSION
Centring centre(double* values, std::uint32_t n) {
  if (n == 0) return {0.0, 0.0};
  // Numbers of the machine's size, or the compiler makes no vectors of the loops.
  const std::size_t size = n, whole = size - size % kLanes;
  // Differences of near values are exact, so subtract the first one before averaging.
  const double origin = values[0];
  double lane[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += values[i + k] - origin;
  double sum = total(lane);
  for (std::size_t i = whole; i < size; ++i) sum += values[i] - origin;
  const double mean = sum / n;
  double square[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double centred = (values[i + k] - origin) - mean;
      values[i + k] = centred;
      square[k] += centred * centred;
    }
  double squares = total(square);
  for (std::size_t i = whole; i < size; ++i) {
    values[i] = (values[i] - origin) - mean;
    squares += values[i] * values[i];
  }
  return {origin + mean, squares};
}

Centring centre(double* values, std::uint32_t size, const double* weights) {
  if (weights == nullptr || size == 0) return centre(values, size);
  const double origin = values[0];
  double sum = 0.0, total = 0.0;
  for (std::uint32_t i = 0; i < size; ++i) {
    sum += weights[i] * (values[i] - origin);
    total += weights[i];
  }
  const double mean = sum / total;
  for (std::uint32_t i = 0; i < size; ++i) values[i] = weights[i] * ((values[i] - origin) - mean);
  // Again, for what rounding has left: classes are summed up to the last one only.
  return {origin + mean, centre(values, size).sum_of_squares};
}

INFOREST_MULTIVERSION
double dot(const double* a, const double* b, std::uint32_t size) {
  double lane[kLanes] = {};
  const std::uint32_t whole = size - size % kLanes;
  for (std::uint32_t i = 0; i < whole; i += kLanes)
    for (std::uint32_t k = 0; k < kLanes; ++k) lane[k] += a[i + k] * b[i + k];
  for (std::uint32_t i = whole; i < size; ++i) lane[i - whole] += a[i] * b[i];
  return total(lane);
}

INFOREST_MULTIVERSION
double fourth_powers(const double* values, std::uint32_t size, double factor) {
  double lane[kLanes] = {};
  const std::uint32_t whole = size - size % kLanes;
  const auto add = [&](std::uint32_t k, double value) {
    const double square = value * value * factor;
    lane[k] += square * square;
  };
  for (std::uint32_t i = 0; i < whole; i += kLanes)
    for (std::uint32_t k = 0; k < kLanes; ++k) add(k, values[i + k]);
  for (std::uint32_t i = whole; i < size; ++i) add(i - whole, values[i]);
  return total(lane);
}

INFOREST_MULTIVERSION
double fourth_powers(const double* a, const double* b, std::uint32_t size) {
  double lane[kLanes] = {};
  const std::uint32_t whole = size - size % kLanes;
  const auto add = [&](std::uint32_t k, std::uint32_t i) {
    const double square = a[i] * a[i] + b[i] * b[i];
    lane[k] += square * square;
  };
  for (std::uint32_t i = 0; i < whole; i += kLanes)
    for (std::uint32_t k = 0; k < kLanes; ++k) add(k, i + k);
  for (std::uint32_t i = whole; i < size; ++i) add(i - whole, i);
  return total(lane);
}

INFOREST_MULTIVERSION
ProductSums product_sums(const double* x, const double* y, std::uint32_t n) {
  // One loop per sum: of a loop with three the compiler makes no vectors.
  const std::size_t size = n, whole = size - size % kLanes;
  double product[kLanes] = {}, sum[kLanes] = {}, squares[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) product[k] += x[i + k] * y[i + k];
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sum[k] += y[i + k];
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) squares[k] += y[i + k] * y[i + k];
  ProductSums sums{total(product), total(sum), total(squares)};
  for (std::size_t i = whole; i < size; ++i) {
    sums.product += x[i] * y[i];
    sums.sum += y[i];
    sums.squares += y[i] * y[i];
  }
  return sums;
}

INFOREST_MULTIVERSION
MaskedSums masked_sums(const double* mask, const double* y, std::uint32_t n) {
  const std::size_t size = n, whole = size - size % kLanes;
  double sum[kLanes] = {}, squares[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sum[k] += mask[i + k] * y[i + k];
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) squares[k] += mask[i + k] * y[i + k] * y[i + k];
  MaskedSums sums{total(sum), total(squares)};
  for (std::size_t i = whole; i < size; ++i) {
    sums.sum += mask[i] * y[i];
    sums.squares += mask[i] * y[i] * y[i];
  }
  return sums;
}

INFOREST_MULTIVERSION
void add_rows_together(const double* rows, const std::uint32_t* index, std::uint32_t size,
                       double weight, SumsTogether& sums) {
  // One by one, because the compiler then makes vectors of them.
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0, f = 0.0, g = 0.0, h = 0.0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const double* row = rows + kTogether * static_cast<std::size_t>(index[i]);
    a += row[0], b += row[1], c += row[2], d += row[3];
    e += row[4], f += row[5], g += row[6], h += row[7];
  }
  const double sum[kTogether] = {a, b, c, d, e, f, g, h};
  for (std::uint32_t k = 0; k < kTogether; ++k) {
    sums.sum[k] += sum[k];
    sums.squares[k] += sum[k] * sum[k] * weight;
  }
}

namespace {
/// Four bits as four numbers.
struct Indicators {
  double of[16][4];
};
alignas(64) constexpr Indicators kIndicators = [] {
  Indicators indicators{};
  for (int bits = 0; bits < 16; ++bits)
    for (int k = 0; k < 4; ++k) indicators.of[bits][k] = bits >> k & 1;
  return indicators;
}();
}  // namespace

INFOREST_MULTIVERSION
double masked_sum(const double* values, const std::uint64_t* mask, std::uint32_t size) {
  double lane[4][4] = {};
  const std::uint32_t whole = size - size % 16;
  for (std::uint32_t i = 0; i < whole; i += 16) {
    const std::uint64_t bits = mask[i / 64] >> i % 64;
    const double* a = kIndicators.of[bits & 15];
    const double* b = kIndicators.of[bits >> 4 & 15];
    const double* c = kIndicators.of[bits >> 8 & 15];
    const double* d = kIndicators.of[bits >> 12 & 15];
    const double* x = values + i;
    for (int k = 0; k < 4; ++k) lane[0][k] += x[k] * a[k];
    for (int k = 0; k < 4; ++k) lane[1][k] += x[4 + k] * b[k];
    for (int k = 0; k < 4; ++k) lane[2][k] += x[8 + k] * c[k];
    for (int k = 0; k < 4; ++k) lane[3][k] += x[12 + k] * d[k];
  }
  double sum = 0.0;
  for (int k = 0; k < 4; ++k) sum += (lane[0][k] + lane[1][k]) + (lane[2][k] + lane[3][k]);
  for (std::uint32_t i = whole; i < size; ++i)
    sum += values[i] * kIndicators.of[mask[i / 64] >> i % 64 & 1][0];
  return sum;
}

Pair gathered_pair_sum(const double* pairs, const std::uint32_t* index, std::uint32_t size) {
  double a[2] = {}, b[2] = {}, c[2] = {}, d[2] = {};
  const auto add = [&](double (&sum)[2], std::uint32_t i) {
    const double* pair = pairs + 2 * static_cast<std::size_t>(index[i]);
    sum[0] += pair[0];
    sum[1] += pair[1];
  };
  std::uint32_t i = 0;
  for (; i + 4 <= size; i += 4) add(a, i), add(b, i + 1), add(c, i + 2), add(d, i + 3);
  for (; i < size; ++i) add(a, i);
  return {(a[0] + b[0]) + (c[0] + d[0]), (a[1] + b[1]) + (c[1] + d[1])};
}

INFOREST_MULTIVERSION
Quadruple gathered_row_sum(const double* rows, const std::uint32_t* index, std::uint32_t size) {
  // Two chains of four, one by one, because the compiler then makes vectors of them.
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0, f = 0.0, g = 0.0, h = 0.0;
  std::uint32_t i = 0;
  for (; i + 2 <= size; i += 2) {
    const double* row = rows + 4 * static_cast<std::size_t>(index[i]);
    const double* next = rows + 4 * static_cast<std::size_t>(index[i + 1]);
    a += row[0], b += row[1], c += row[2], d += row[3];
    e += next[0], f += next[1], g += next[2], h += next[3];
  }
  if (i < size) {
    const double* row = rows + 4 * static_cast<std::size_t>(index[i]);
    a += row[0], b += row[1], c += row[2], d += row[3];
  }
  return {{a + e, b + f, c + g, d + h}};
}

double gathered_dot(const double* a, const double* b, const std::uint32_t* index,
                    std::uint32_t size) {
  double s = 0.0, t = 0.0, u = 0.0, v = 0.0;
  std::uint32_t i = 0;
  for (; i + 4 <= size; i += 4) {
    s += a[i] * b[index[i]];
    t += a[i + 1] * b[index[i + 1]];
    u += a[i + 2] * b[index[i + 2]];
    v += a[i + 3] * b[index[i + 3]];
  }
  for (; i < size; ++i) s += a[i] * b[index[i]];
  return (s + t) + (u + v);
}

}  // namespace inforest
