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

SmoothColumns::SmoothColumns(const Projections& projections) {
  // Interpolation in 32 Chebyshev points; the constant term is lost to centring anyway.
  constexpr int kPoints = 32;
  constexpr double kPi = 3.141592653589793;
  for (std::size_t j = 0; j < kColumns; ++j) {
    const std::size_t projection = j / 2;
    for (std::size_t degree = 1; degree <= kDegree; ++degree) {
      double sum = 0.0;
      for (int point = 0; point < kPoints; ++point) {
        const double angle = kPi * (point + 0.5) / kPoints;
        const double phase = projections.slope[projection] * 0.5 * (1.0 + std::cos(angle)) +
                             projections.offset[projection];
        const double value = j % 2 == 0 ? std::cos(phase) : std::sin(phase);
        sum += value * std::cos(static_cast<double>(degree) * angle);
      }
      coefficients_[j][degree - 1] = 2.0 * sum / kPoints;
    }
  }
}

void SmoothColumns::bind(const double* values, std::uint32_t size) {
  const auto& sorted = sorter_.sort(values, size);
  rows_.resize(size);
  Row mean{};
  for (std::uint32_t begin = 0; begin < size;) {
    std::uint32_t end = begin + 1;
    while (end < size && sorted[end].value == sorted[begin].value) ++end;
    const double t = 2.0 * end / size - 1.0;  // the cdf mapped to [-1, 1]
    Row row;
    row[0] = t;
    row[1] = 2.0 * t * t - 1.0;
    for (std::size_t k = 2; k < kDegree; ++k) row[k] = 2.0 * t * row[k - 1] - row[k - 2];
    for (std::uint32_t i = begin; i < end; ++i) rows_[sorted[i].position] = row;
    for (std::size_t k = 0; k < kDegree; ++k) mean[k] += row[k] * (end - begin);
    begin = end;
  }
  for (double& m : mean) m /= size;
  double gram[kDegree][kDegree] = {};
  for (Row& row : rows_) {
    for (std::size_t k = 0; k < kDegree; ++k) row[k] -= mean[k];
    for (std::size_t r = 0; r < kDegree; ++r)
      for (std::size_t c = 0; c < kDegree; ++c) gram[r][c] += row[r] * row[c];
  }
  unit_columns_.clear();
  for (const Row& column : coefficients_) {
    double squares = 0.0;
    for (std::size_t r = 0; r < kDegree; ++r) squares += column[r] * inner(column, gram[r]);
    if (!(squares > 1e-10)) continue;  // a flat column says nothing
    Row unit = column;
    for (double& c : unit) c /= std::sqrt(squares);
    unit_columns_.push_back(unit);
  }
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
  const double n = response_->size();
  const std::uint32_t n_sums = response_->n_classes() == 2 ? 1 : response_->n_classes();
  const double share = enough / (n_sums * static_cast<double>(x_.unit_columns().size()));
  // Not even a normal tail would do: spare the work.
  if (0.5 * n * observed < -std::log(share)) return 1.0;
  double bound = 0.0;
  column_.resize(response_->size());
  for (const Row& unit : x_.unit_columns()) {
    for (std::size_t i = 0; i < column_.size(); ++i) column_[i] = inner(unit, x_.rows()[i].data());
    const double largest = largest_magnitude(column_);
    for (std::uint32_t k = 0; k < n_sums && bound <= enough; ++k) {
      const double g = response_->class_size(k);
      bound += subset_sum_tail(column_.data(), response_->size(), response_->class_size(k),
                               std::sqrt(observed * g * (n - g) / n), 1.0, largest, share);
    }
    if (bound > enough) break;
  }
  return std::min(bound, 1.0);
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
    for (const Row& column : x_.unit_columns()) {
      const double covariance = inner(column, sum.data());
      largest = std::max(largest, covariance * covariance * scale);
    }
  };
  for (std::uint32_t k = 0; k < last; ++k) {
    Row sum;
    add_rows(x_.rows(), order + response_->class_begin(k), response_->class_size(k), sum.data());
    for (std::size_t d = 0; d < kDegree; ++d) rest[d] -= sum[d];
    compare(sum, k);
  }
  if (last > 1) compare(rest, last);  // with two classes it mirrors the first
  return largest;
}

double Rdc::largest_with_values(const std::uint32_t* order) const {
  double moments[kDegree][kDegree];
  add_products(x_.rows(), y_.rows(), order, response_->size(), moments);
  double largest = 0.0;
  for (const Row& y_column : y_.unit_columns()) {
    Row with_y;
    for (std::size_t r = 0; r < kDegree; ++r) with_y[r] = inner(y_column, moments[r]);
    for (const Row& x_column : x_.unit_columns()) {
      const double correlation = inner(x_column, with_y.data());
      largest = std::max(largest, correlation * correlation);
    }
  }
  return largest;
}

}  // namespace inforest
