// SPDX-License-Identifier: BSD-3-Clause
/// `pc`: the absolute Pearson correlation.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/column.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/short_draws.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/stage_a/description.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// Bounds P(r^2 >= observed) of a centred column whose sum of squares is `total`; `sorted_y` is
/// filled when first needed and kept for the node's other columns.
inline double squared_correlation_tail(const Response& response, std::span<const double> x,
                                       double total, double observed, double enough,
                                       std::vector<double>& sorted_y) {
  // Not even a normal tail would do: do not sort for nothing.
  if (response.size() * observed < -2.0 * std::log(enough)) return 1.0;
  if (sorted_y.empty()) {
    sorted_y = response.centred();
    std::sort(sorted_y.begin(), sorted_y.end());
  }
  const double deviation =
      std::sqrt(observed) * std::sqrt(total) * std::sqrt(response.sum_of_squares());
  return permutation_sum_tail(sorted_y.data(), response.size(), deviation, total,
                              largest_magnitude(x), enough);
}

class Pearson {
 public:
  static constexpr const char* name = "pc";
  static constexpr std::uint32_t kColumns = 1;
  static constexpr auto kServes = ResponseKind::scores;

  void begin(const Response& response) {
    response_ = &response;
    projection_.begin(response);
    sorted_y_.clear();
  }

  /// Returns the observed r^2.
  double bind(const double* x) {
    own_.assign(x, x + response_->size());
    return take(own_.data()).observed;
  }

  /// The same in place, without a copy.
  BoundColumn take(double* x) {
    const double total = centre(x, response_->size(), response_->weights()).sum_of_squares;
    use({{x, response_->size()}, total});
    return {squared_correlation(response_->centred().data()), column_};
  }

  double describe(const double* x) const { return WeightedColumn(*response_, x).explained(); }

  void use(const CentredColumn& column) {
    column_ = column;
    // The product of the squares could overflow.
    norm_ = std::sqrt(column.sum_of_squares) * std::sqrt(response_->squares_in_blocks());
    short_draws_.clear();
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    return squared_correlation(draws.values(b));
  }

  bool exceeds(Draws& draws, std::int64_t b, const Limit& limit) {
    if (!draws.is_own(b) || !(limit.low() > 0.0) || !has_short_draws(draws, limit.low()))
      return limit.is_reached(evaluate(draws, b), b);
    const double total = response_->sum_of_squares();
    ProductSums filled;
    return short_draws_.reaches(draws.stream(b), [&](const double* x, const double* y,
                                                     std::uint32_t count,
                                                     const ShortDraws<double>::Look& look) {
      filled += product_sums(x, y, count);
      if (look.is_last()) return limit.is_reached(squared(filled.product), b);
      const double mean = look.sum / look.left;
      const double rest =
          squares_about_mean(look.squares, look.sum, look.left, column_.sum_of_squares);
      const double left = squares_about_mean(total - filled.squares, filled.sum, look.left, total);
      const double most =
          std::fabs(filled.product - mean * filled.sum) + std::sqrt(rest) * std::sqrt(left);
      return squared(most) > limit.low() * (1.0 - 1e-9);
    });
  }

  double certificate(double observed, double enough) {
    return squared_correlation_tail(*response_, column_.values, column_.sum_of_squares, observed,
                                    enough, sorted_y_);
  }
  PermutationMoments moments() {
    return moments_of_trace(response_->size(), onto_column(column_.values, column_.sum_of_squares),
                            projection_.get());
  }
  ChiSquare chi_square(double value) const { return {(response_->size() - 1.0) * value, 1.0}; }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 2 * response_->size(); }

 private:
  double squared_correlation(const double* y) const {
    if (!(norm_ > 0.0)) return 0.0;
    return std::min(squared(dot(column_.values.data(), y, response_->size())), 1.0);
  }

  /// r^2 where x . y is `product`.
  double squared(double product) const {
    const double r = product / norm_;
    return r * r;
  }

  bool has_short_draws(const Draws& draws, double limit) {
    if (!(norm_ > 0.0)) return false;
    return short_draws_.pay(draws, column_, response_->centred(), response_->size(), limit,
                            [&](const ShortDraws<double>::Look& look) {
                              const double n = response_->size();
                              const double spread = 2.0 / std::sqrt(n);  // of r
                              const double rest =
                                  squares_about_mean(look.squares, look.sum, look.left, 0.0) /
                                  column_.sum_of_squares;
                              const double most = spread + std::sqrt(rest * look.left / n);
                              return most * most;
                            });
  }

  const Response* response_ = nullptr;
  ResponseProjection projection_;
  CentredColumn column_;
  double norm_ = 0.0;  ///< |x| |y|
  ShortDraws<double> short_draws_;
  std::vector<double> own_, sorted_y_;
};

}  // namespace inforest
