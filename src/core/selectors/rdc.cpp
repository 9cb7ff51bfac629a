// SPDX-License-Identifier: BSD-3-Clause
#include "rdc.hpp"

#include "../column.hpp"
#include "../multiversion.hpp"
#include "../tail_bound.hpp"

namespace inforest {

namespace {

using Row = SmoothColumns::Row;
constexpr std::size_t kDegree = SmoothColumns::kDegree;

INFOREST_MULTIVERSION
void add_rows(const Row* rows, const std::uint32_t* order, std::uint32_t size, double* sum) {
  double lane[kDegree] = {};
  for (std::uint32_t i = 0; i < size; ++i) {
    const double* row = rows[order[i]].data();
    for (std::size_t k = 0; k < kDegree; ++k) lane[k] += row[k];
  }
  for (std::size_t k = 0; k < kDegree; ++k) sum[k] = lane[k];
}

/// moments[r][c] = sum over i of x[i][r] * y[order[i]][c].
INFOREST_MULTIVERSION
void add_products(const Row* x, const Row* y, const std::uint32_t* order, std::uint32_t size,
                  double (&moments)[kDegree][kDegree]) {
  for (std::size_t begin = 0; begin < kDegree; begin += 2) {
    double first[kDegree] = {}, second[kDegree] = {};
    for (std::uint32_t i = 0; i < size; ++i) {
      const double a = x[i][begin], b = x[i][begin + 1];
      const double* row = y[order[i]].data();
      for (std::size_t k = 0; k < kDegree; ++k) first[k] += a * row[k];
      for (std::size_t k = 0; k < kDegree; ++k) second[k] += b * row[k];
    }
    for (std::size_t k = 0; k < kDegree; ++k)
      moments[begin][k] = first[k], moments[begin + 1][k] = second[k];
  }
}

/// The largest square among the 20 entries of the product; all of them in step.
INFOREST_MULTIVERSION
double largest_squared_product(
    const std::array<std::array<double, SmoothColumns::kColumns>, kDegree>& matrix,
    const double* vector) {
  constexpr std::size_t kColumns = SmoothColumns::kColumns;
  double product[kColumns] = {};
  for (std::size_t d = 0; d < kDegree; ++d)
    for (std::size_t j = 0; j < kColumns; ++j) product[j] += matrix[d][j] * vector[d];
  double largest = 0.0;
  for (std::size_t j = 0; j < kColumns; ++j) largest = std::max(largest, product[j] * product[j]);
  return largest;
}

/// T_1, T_2, ... at t.
Row chebyshev(double t) {
  Row row;
  row[0] = t;
  row[1] = 2.0 * t * t - 1.0;
  for (std::size_t k = 2; k < kDegree; ++k) row[k] = 2.0 * t * row[k - 1] - row[k - 2];
  return row;
}

double inner(const Row& a, const double* b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < kDegree; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

Projections::Projections(Rng& rng) {
  for (double& w : slope) w = kScale * rng.normal();
  for (double& w : offset) w = kScale * rng.normal();
}

RdcProjections::RdcProjections(std::uint64_t key) {
  Rng rng(key);
  x = Projections(rng);
  y = Projections(rng);
}

void SmoothColumns::project(const Projections& projections) {
  // Interpolation in 32 Chebyshev points; the constant term is lost to centring anyway.
  constexpr int kPoints = 32;
  constexpr double kPi = 3.141592653589793;
  for (Row& row : coefficients_) row.fill(0.0);
  for (int point = 0; point < kPoints; ++point) {
    const double t = std::cos(kPi * (point + 0.5) / kPoints);
    const Row polynomials = chebyshev(t);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double phase = projections.slope[j / 2] * 0.5 * (1.0 + t) + projections.offset[j / 2];
      const double value = (j % 2 == 0 ? std::cos(phase) : std::sin(phase)) * 2.0 / kPoints;
      for (std::size_t k = 0; k < kDegree; ++k) coefficients_[j][k] += value * polynomials[k];
    }
  }
}

void SmoothColumns::bind(const double* values, std::uint32_t size) {
  const auto& sorted = sorter_.sort(values, size);
  rows_.resize(size);
  Row sum{}, sum_with_last{};  // of T_k, and of T_k times the last polynomial
  for (std::uint32_t begin = 0; begin < size;) {
    std::uint32_t end = begin + 1;
    while (end < size && sorted[end].value == sorted[begin].value) ++end;
    const double t = 2.0 * end / size - 1.0;  // the cdf mapped to [-1, 1]
    const Row row = chebyshev(t);
    for (std::uint32_t i = begin; i < end; ++i) rows_[sorted[i].position] = row;
    const double times = end - begin, last = times * row[kDegree - 1];
    for (std::size_t k = 0; k < kDegree; ++k) sum[k] += times * row[k];
    for (std::size_t k = 0; k < kDegree; ++k) sum_with_last[k] += last * row[k];
    begin = end;
  }
  for (std::size_t k = 0; k < kDegree; ++k) mean_[k] = sum[k] / size;
  scale_columns(sum, sum_with_last, size);
}

/// The polynomials' Gram matrix needs no sums of its own: 2 T_a T_b = T_(a+b) + T_|a-b|, so the
/// sums of the first 2 * kDegree polynomials are enough; those of the upper half follow from the
/// products with the last polynomial by the same rule.
void SmoothColumns::scale_columns(const Row& sum, const Row& sum_with_last, double size) {
  double total[2 * kDegree + 1];  // sums of T_0, T_1, ...
  total[0] = size;
  for (std::size_t k = 1; k <= kDegree; ++k) total[k] = sum[k - 1];
  for (std::size_t k = 1; k <= kDegree; ++k)
    total[kDegree + k] = 2.0 * sum_with_last[k - 1] - total[kDegree - k];
  double gram[kDegree][kDegree];  // of the centred polynomials
  for (std::size_t a = 1; a <= kDegree; ++a)
    for (std::size_t b = 1; b <= kDegree; ++b)
      gram[a - 1][b - 1] =
          0.5 * (total[a + b] + total[a > b ? a - b : b - a]) - total[a] * total[b] / size;

  unit_columns_.clear();
  for (std::size_t j = 0; j < kColumns; ++j) {
    const Row& column = coefficients_[j];
    double squares = 0.0;
    for (std::size_t r = 0; r < kDegree; ++r) squares += column[r] * inner(column, gram[r]);
    const bool is_flat = !(squares > 1e-10);  // says nothing
    const double scale = is_flat ? 0.0 : 1.0 / std::sqrt(squares);
    Row unit = column;
    for (std::size_t d = 0; d < kDegree; ++d) by_degree_[d][j] = unit[d] *= scale;
    if (!is_flat) unit_columns_.push_back(unit);
  }
}

double SmoothColumns::largest_square(const Row& sums) const {
  return largest_squared_product(by_degree_, sums.data());
}

void Rdc::project(std::uint64_t key) {
  const RdcProjections projections(key);
  x_.project(projections.x);
  y_.project(projections.y);
}

void Rdc::begin(const Response& response) {
  response_ = &response;
  if (!response.centred().empty()) y_.bind(response.centred().data(), response.size());
}

double Rdc::bind(const double* x) {
  x_.bind(x, response_->size());
  return coefficient(response_->observed_order().data());
}

/// With classes: to reach the observed value, some column's sum over some class must.
double Rdc::certificate(double observed, double enough) {
  if (!response_->centred().empty() || x_.unit_columns().empty()) return 1.0;
  const std::uint32_t n = response_->size();
  const std::uint32_t n_sums = response_->n_classes() == 2 ? 1 : response_->n_classes();
  const double share = enough / (n_sums * static_cast<double>(x_.unit_columns().size()));
  // Not even a normal tail would do: spare the work.
  if (0.5 * n * observed < -std::log(share)) return 1.0;
  double bound = 0.0;
  for (const Row& unit : x_.unit_columns()) {
    // The polynomials lie in [-1, 1].
    double largest = 0.0;
    for (std::size_t d = 0; d < kDegree; ++d)
      largest += std::fabs(unit[d]) * (1.0 + std::fabs(x_.mean()[d]));
    for (std::uint32_t k = 0; k < n_sums; ++k) {
      const double g = response_->class_size(k);
      bound += bernstein_tail(n, response_->class_size(k), std::sqrt(observed * g * (n - g) / n),
                              1.0, largest);
      if (bound > enough) return 1.0;
    }
  }
  return bound;
}

double Rdc::coefficient(const std::uint32_t* order) const {
  const double largest =
      response_->centred().empty() ? largest_with_classes(order) : largest_with_values(order);
  return std::min(largest, 1.0);
}

double Rdc::largest_with_classes(const std::uint32_t* order) const {
  const double n = response_->size();
  const std::uint32_t last = response_->n_classes() - 1;
  double largest = 0.0;
  Row rest{};
  const auto compare = [&](const Row& sum, std::uint32_t k) {
    const double size = response_->class_size(k), scale = n / (size * (n - size));
    largest = std::max(largest, x_.largest_square(sum) * scale);
  };
  for (std::uint32_t k = 0; k < last; ++k) {
    Row sum;
    add_rows(x_.rows(), order + response_->class_begin(k), response_->class_size(k), sum.data());
    for (std::size_t d = 0; d < kDegree; ++d) {
      sum[d] -= response_->class_size(k) * x_.mean()[d];
      rest[d] -= sum[d];
    }
    compare(sum, k);
  }
  if (last > 1) compare(rest, last);  // with two classes it mirrors the first
  return largest;
}

double Rdc::largest_with_values(const std::uint32_t* order) const {
  double moments[kDegree][kDegree];
  add_products(x_.rows(), y_.rows(), order, response_->size(), moments);
  for (std::size_t r = 0; r < kDegree; ++r)
    for (std::size_t c = 0; c < kDegree; ++c)
      moments[r][c] -= response_->size() * x_.mean()[r] * y_.mean()[c];
  double largest = 0.0;
  for (const Row& y_column : y_.unit_columns()) {
    Row with_y;
    for (std::size_t r = 0; r < kDegree; ++r) with_y[r] = inner(y_column, moments[r]);
    largest = std::max(largest, x_.largest_square(with_y));
  }
  return largest;
}

}  // namespace inforest
