// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_a/selectors/rdc.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/column.hpp"
#include "core/base/multiversion.hpp"
#include "core/inference/tail_bound.hpp"

namespace inforest {

namespace {

using Row = SmoothColumns::Row;
constexpr std::size_t kDegree = SmoothColumns::kDegree;
constexpr std::size_t kLow = SmoothColumns::kLow;

INFOREST_MULTIVERSION
void add_rows(const Row* steps, const std::uint32_t* rank, const std::uint32_t* order,
              std::uint32_t size, double* sum) {
  double lane[kDegree] = {};
  for (std::uint32_t i = 0; i < size; ++i) {
    const double* row = steps[rank[order[i]]].data();
    for (std::size_t k = 0; k < kDegree; ++k) lane[k] += row[k];
  }
  for (std::size_t k = 0; k < kDegree; ++k) sum[k] = lane[k];
}

/// moments[r][c] = sum over i of the r-th polynomial of x[i] times the c-th of y[order[i]].
INFOREST_MULTIVERSION
void add_products(const Row* steps, const std::uint32_t* x, const std::uint32_t* y,
                  const std::uint32_t* order, std::uint32_t size,
                  double (&moments)[kDegree][kDegree]) {
  for (std::size_t begin = 0; begin < kDegree; begin += 2) {
    double first[kDegree] = {}, second[kDegree] = {};
    for (std::uint32_t i = 0; i < size; ++i) {
      const double a = steps[x[i]][begin], b = steps[x[i]][begin + 1];
      const double* row = steps[y[order[i]]].data();
      for (std::size_t k = 0; k < kDegree; ++k) first[k] += a * row[k];
      for (std::size_t k = 0; k < kDegree; ++k) second[k] += b * row[k];
    }
    for (std::size_t k = 0; k < kDegree; ++k)
      moments[begin][k] = first[k], moments[begin + 1][k] = second[k];
  }
}

/// products[r][c] = sum over i of x[i]^(r + 1) * y[order[i]]^(c + 1); block by block, because the
/// compiler makes vectors of simple loops only.
INFOREST_MULTIVERSION
void add_power_products(const double* x, const double* y, const std::uint32_t* order,
                        std::uint32_t size, double (&products)[kLow][kLow]) {
  constexpr std::size_t kBlock = 128;
  double a[kLow][kBlock], b[kLow][kBlock];
  for (auto& row : products)
    for (double& product : row) product = 0.0;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(kBlock, size - begin));
    for (std::size_t i = 0; i < count; ++i) a[0][i] = x[begin + i], b[0][i] = y[order[begin + i]];
    for (std::size_t r = 1; r < kLow; ++r) {
      for (std::size_t i = 0; i < count; ++i) a[r][i] = a[r - 1][i] * a[0][i];
      for (std::size_t i = 0; i < count; ++i) b[r][i] = b[r - 1][i] * b[0][i];
    }
    for (std::size_t r = 0; r < kLow; ++r)
      for (std::size_t c = 0; c < kLow; ++c) products[r][c] += dot(a[r], b[c], count);
  }
}

/// Means of t, t^2 and t^3 from those of the polynomials.
std::array<double, kLow> power_means(const Row& mean) {
  return {mean[0], 0.5 * (mean[1] + 1.0), 0.25 * (mean[2] + 3.0 * mean[0])};
}

/// Covariances of polynomials from those of powers: T_1 = t, T_2 = 2 t^2 - 1, T_3 = 4 t^3 - 3 t.
void to_polynomials(const double (&powers)[kLow][kLow], double (&moments)[kLow][kLow]) {
  static_assert(kLow == 3);
  double rows[kLow][kLow];
  for (std::size_t c = 0; c < kLow; ++c) {
    rows[0][c] = powers[0][c];
    rows[1][c] = 2.0 * powers[1][c];
    rows[2][c] = 4.0 * powers[2][c] - 3.0 * powers[0][c];
  }
  for (std::size_t r = 0; r < kLow; ++r) {
    moments[r][0] = rows[r][0];
    moments[r][1] = 2.0 * rows[r][1];
    moments[r][2] = 4.0 * rows[r][2] - 3.0 * rows[r][0];
  }
}

using ByDegree = std::array<std::array<double, SmoothColumns::kColumns>, kDegree>;

/// The largest square among the 20 entries of the product; all of them in step.
INFOREST_MULTIVERSION
double largest_squared_product(const ByDegree& matrix, const double* vector, std::size_t terms) {
  constexpr std::size_t kColumns = SmoothColumns::kColumns;
  double product[kColumns] = {};
  for (std::size_t d = 0; d < terms; ++d)
    for (std::size_t j = 0; j < kColumns; ++j) product[j] += matrix[d][j] * vector[d];
  double largest = 0.0;
  for (std::size_t j = 0; j < kColumns; ++j) largest = std::max(largest, product[j] * product[j]);
  return largest;
}

/// The squared length of each of the 20 columns, under this Gram matrix of the polynomials.
INFOREST_MULTIVERSION
void squared_lengths(const ByDegree& columns, const double (&gram)[kDegree][kDegree],
                     double* squares) {
  constexpr std::size_t kColumns = SmoothColumns::kColumns;
  for (std::size_t j = 0; j < kColumns; ++j) squares[j] = 0.0;
  for (std::size_t r = 0; r < kDegree; ++r) {
    double product[kColumns] = {};
    for (std::size_t c = 0; c < kDegree; ++c)
      for (std::size_t j = 0; j < kColumns; ++j) product[j] += gram[r][c] * columns[c][j];
    for (std::size_t j = 0; j < kColumns; ++j) squares[j] += columns[r][j] * product[j];
  }
}

/// Sum of a[k] * |b[k]|.
double inner_magnitudes(const Row& a, const double* b, std::size_t terms) {
  double sum = 0.0;
  for (std::size_t k = 0; k < terms; ++k) sum += a[k] * std::fabs(b[k]);
  return sum;
}

double inner(const Row& a, const double* b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < kDegree; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

Polynomials Polynomials::at(double t) {
  Polynomials row;
  row[0] = t;
  row[1] = 2.0 * t * t - 1.0;
  for (std::size_t k = 2; k < row.size(); ++k) row[k] = 2.0 * t * row[k - 1] - row[k - 2];
  return row;
}

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
  coefficients_ = {};
  for (int point = 0; point < kPoints; ++point) {
    const double t = std::cos(kPi * (point + 0.5) / kPoints);
    const Row polynomials = Row::at(t);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double phase = projections.slope[j / 2] * 0.5 * (1.0 + t) + projections.offset[j / 2];
      const double value = (j % 2 == 0 ? std::cos(phase) : std::sin(phase)) * 2.0 / kPoints;
      for (std::size_t k = 0; k < kDegree; ++k) coefficients_[k][j] += value * polynomials[k];
    }
  }
}

void SmoothColumns::bind(const double* values, const std::vector<Row>& steps) {
  const auto size = static_cast<std::uint32_t>(steps.size());
  ranker_.rank(values, size);
  Row sum{}, sum_with_last{};  // of T_k, and of T_k times the last polynomial
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ranker_.ends()) {
    const Row& row = steps[end - 1];
    const double times = end - begin, last = times * row[kDegree - 1];
    for (std::size_t k = 0; k < kDegree; ++k) sum[k] += times * row[k];
    for (std::size_t k = 0; k < kDegree; ++k) sum_with_last[k] += last * row[k];
    begin = end;
  }
  for (std::size_t k = 0; k < kDegree; ++k) mean_[k] = sum[k] / size;
  place_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) place_[i] = steps[ranks()[i]][0];
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

  double squares[kColumns];
  squared_lengths(coefficients_, gram, squares);
  unit_columns_.clear();
  low_error_ = 0.0;
  envelope_.fill(0.0);
  for (std::size_t j = 0; j < kColumns; ++j) {
    const bool is_flat = !(squares[j] > 1e-10);  // says nothing
    const double scale = is_flat ? 0.0 : 1.0 / std::sqrt(squares[j]);
    Row unit;
    for (std::size_t d = 0; d < kDegree; ++d) {
      by_degree_[d][j] = unit[d] = coefficients_[d][j] * scale;
      envelope_[d] = std::max(envelope_[d], std::fabs(unit[d]));
    }
    if (is_flat) continue;
    unit_columns_.push_back(unit);
    double left_out = 0.0;  // the length of what is left out, at most
    for (std::size_t d = kLow; d < kDegree; ++d)
      left_out += std::fabs(unit[d]) * std::sqrt(std::max(gram[d][d], 0.0));
    low_error_ = std::max(low_error_, left_out);
  }
}

double SmoothColumns::largest_square(const Row& sums) const {
  return largest_squared_product(by_degree_, sums.data(), kDegree);
}

double SmoothColumns::largest_low_square(const double* sums) const {
  return largest_squared_product(by_degree_, sums, kLow);
}

void Rdc::project(std::uint64_t key) {
  const RdcProjections projections(key);
  x_.project(projections.x);
  y_.project(projections.y);
}

void Rdc::begin(const Response& response) {
  response_ = &response;
  if (steps_.size() != response.size()) {
    const double n = response.size();
    steps_.resize(response.size());
    for (std::size_t i = 0; i < steps_.size(); ++i)
      steps_[i] = Polynomials::at(2.0 * static_cast<double>(i + 1) / n - 1.0);
  }
  if (response.has_labels()) return;
  y_.bind(response.centred().data(), steps_);
  identity_.resize(response.size());
  std::iota(identity_.begin(), identity_.end(), 0u);
}

double Rdc::bind(const double* x) {
  x_.bind(x, steps_);
  const auto& observed = response_->has_labels() ? response_->observed_order() : identity_;
  return coefficient(observed.data());
}

/// With classes: to reach the observed value, some column's sum over some class must.
double Rdc::certificate(double observed, double enough) {
  if (!response_->has_labels() || x_.unit_columns().empty()) return 1.0;
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
      response_->has_labels() ? largest_with_classes(order) : largest_with_values(order);
  return std::min(largest, 1.0);
}

/// Calls `use(sum, scale)` for each class until it returns false: the centred sum of the class's
/// polynomials, and the factor that makes a squared product with a unit column a squared
/// correlation with the class's indicator.
template <class Use>
void Rdc::each_class_sum(const std::uint32_t* order, Use use) const {
  const double n = response_->size();
  const std::uint32_t last = response_->n_classes() - 1;
  const auto scale = [&](std::uint32_t k) {
    const double size = response_->class_size(k);
    return n / (size * (n - size));
  };
  Row rest{};
  for (std::uint32_t k = 0; k < last; ++k) {
    Row sum;
    add_rows(steps_.data(), x_.ranks(), order + response_->class_begin(k), response_->class_size(k),
             sum.data());
    for (std::size_t d = 0; d < kDegree; ++d) {
      sum[d] -= response_->class_size(k) * x_.mean()[d];
      rest[d] -= sum[d];
    }
    if (!use(sum, scale(k))) return;
  }
  if (last > 1) use(rest, scale(last));  // with two classes it mirrors the first
}

double Rdc::largest_with_classes(const std::uint32_t* order) const {
  double largest = 0.0;
  each_class_sum(order, [&](const Row& sum, double scale) {
    largest = std::max(largest, x_.largest_square(sum) * scale);
    return true;
  });
  return largest;
}

double Rdc::largest_with_values(const std::uint32_t* order) const {
  double moments[kDegree][kDegree];
  add_products(steps_.data(), x_.ranks(), y_.ranks(), order, response_->size(), moments);
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

bool Rdc::exceeds(Draws& draws, std::int64_t b, const Limit& limit) {
  const std::uint32_t* order = draws.order(b);
  if (!(limit.low() > 0.0)) return limit.is_reached(coefficient(order), b);
  return response_->has_labels() ? exceeds_with_classes(order, b, limit)
                                 : exceeds_with_values(order, b, limit);
}

/// Most classes' sums are too small for any column: the envelope, which no column's coefficients
/// exceed, tells so at once.
bool Rdc::exceeds_with_classes(const std::uint32_t* order, std::int64_t b,
                               const Limit& limit) const {
  double largest = 0.0;
  each_class_sum(order, [&](const Row& sum, double scale) {
    const double most = inner_magnitudes(x_.envelope(), sum.data(), kDegree);
    if (most * most * scale < limit.low() * (1.0 - 1e-9)) return true;
    largest = std::max(largest, x_.largest_square(sum) * scale);
    return !(largest > limit.high());
  });
  return limit.is_reached(largest, b);
}

/// The low polynomials decide but for near-ties: if x = x' + e and y = y' + f are unit columns and
/// e, f what the low polynomials leave out, then |x.y - x'.y'| <= |e| |y| + |x'| |f|
/// <= |e| + (1 + |e|) |f|. Where even the envelopes do not reach the limit, no pair does.
bool Rdc::exceeds_with_values(const std::uint32_t* order, std::int64_t b,
                              const Limit& limit) const {
  double powers[kLow][kLow], moments[kLow][kLow];
  add_power_products(x_.places(), y_.places(), order, response_->size(), powers);
  const auto x_mean = power_means(x_.mean()), y_mean = power_means(y_.mean());
  for (std::size_t r = 0; r < kLow; ++r)
    for (std::size_t c = 0; c < kLow; ++c)
      powers[r][c] -= response_->size() * x_mean[r] * y_mean[c];
  to_polynomials(powers, moments);
  double most = 0.0;
  for (std::size_t r = 0; r < kLow; ++r) {
    most += x_.envelope()[r] * inner_magnitudes(y_.envelope(), moments[r], kLow);
  }
  const double e = x_.low_error(), f = y_.low_error(), wanted = std::sqrt(limit.low());
  const double error = e + (1.0 + e) * f + 1e-9;  // the last term is for rounding
  if (most + error < wanted) return false;

  double largest = 0.0;
  for (const Row& y_column : y_.unit_columns()) {
    double with_y[kLow] = {};
    for (std::size_t r = 0; r < kLow; ++r)
      for (std::size_t c = 0; c < kLow; ++c) with_y[r] += y_column[c] * moments[r][c];
    largest = std::max(largest, x_.largest_low_square(with_y));
  }
  const double low = std::sqrt(largest);
  if (low + error < wanted) return false;
  if (low - error > std::sqrt(limit.high())) return true;
  return limit.is_reached(coefficient(order), b);
}

}  // namespace inforest
