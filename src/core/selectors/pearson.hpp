// SPDX-License-Identifier: BSD-3-Clause
/// `pc`: the absolute Pearson correlation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "../column.hpp"
#include "../draws.hpp"
#include "../short_draws.hpp"
#include "../tail_bound.hpp"

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
  const double deviation = std::sqrt(observed * total * response.sum_of_squares());
  return permutation_sum_tail(sorted_y.data(), response.size(), deviation, total,
                              largest_magnitude(x), enough);
}

class Pearson {
 public:
  static constexpr const char* name = "pc";

  void begin(const Response& response) {
    response_ = &response;
    sorted_y_.clear();
  }

  /// Returns the observed r^2.
  double bind(const double* x) {
    own_.assign(x, x + response_->size());
    return take(own_.data()).observed;
  }

  /// The same in place, without a copy.
  CentredColumn take(double* x) {
    const double total = centre(x, response_->size()).sum_of_squares;
    use({{x, response_->size()}, total});
    return {column_.values, total, squared_correlation(response_->centred().data())};
  }

  void use(const CentredColumn& column) {
    column_ = column;
    scale_ = column.sum_of_squares * response_->sum_of_squares();
    short_draws_.clear();
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    return squared_correlation(draws.values(b));
  }

  bool exceeds(Draws& draws, std::int64_t b, double limit) {
    if (!draws.is_own(b) || !(scale_ > 0.0) || !(limit > 0.0)) return evaluate(draws, b) >= limit;
    if (!short_draws_.has_begun())
      begin_short_draws(draws.are_all_own() ? std::numeric_limits<double>::infinity() : limit);
    if (short_draws_.first_look() > 0.8 * response_->size()) return evaluate(draws, b) >= limit;
    double sum = 0.0, left = response_->sum_of_squares();
    return short_draws_.reaches(
        draws.stream(b), [&](const double* x, const double* y, std::uint32_t count, double rest) {
          sum += dot(x, y, count);
          if (rest == 0.0) return sum * sum / scale_ >= limit;
          left -= dot(y, y, count);
          const double slack = 1e-12 * response_->sum_of_squares();
          const double most = std::fabs(sum) + std::sqrt(rest * (std::max(left, 0.0) + slack));
          return most * most > limit * scale_ * (1.0 - 1e-9);
        });
  }

  double certificate(double observed, double enough) {
    return squared_correlation_tail(*response_, column_.values, column_.sum_of_squares, observed,
                                    enough, sorted_y_);
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  double unit(double value) const { return natural(value); }
  std::int64_t work() const { return 2 * response_->size(); }

 private:
  double squared_correlation(const double* y) const {
    if (!(scale_ > 0.0)) return 0.0;
    const double sum = dot(column_.values.data(), y, response_->size());
    return std::min(sum * sum / scale_, 1.0);
  }

  void begin_short_draws(double limit) {
    const double spread = 2.0 / std::sqrt(response_->size());  // of a correlation
    short_draws_.begin(column_.values, column_.sum_of_squares, response_->centred(), limit,
                       [&](double filled, double rest) {
                         const double most = spread + std::sqrt(rest * (1.0 - filled));
                         return most * most;
                       });
  }

  const Response* response_ = nullptr;
  CentredColumn column_;
  double scale_ = 0.0;
  ShortDraws<double> short_draws_;
  std::vector<double> own_, sorted_y_;
};

}  // namespace inforest
