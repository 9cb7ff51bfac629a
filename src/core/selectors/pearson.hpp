// SPDX-License-Identifier: BSD-3-Clause
/// `pc`: the absolute Pearson correlation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../column.hpp"
#include "../draws.hpp"
#include "../tail_bound.hpp"

namespace inforest {

/// Bounds P(r^2 >= observed) of a centred column whose sum of squares is `total`; `sorted_y` is
/// filled when first needed and kept for the node's other columns.
inline double squared_correlation_tail(const Response& response, const std::vector<double>& x,
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
    x_.assign(x, x + response_->size());
    sum_of_squares_ = centre(x_.data(), response_->size()).sum_of_squares;
    scale_ = sum_of_squares_ * response_->sum_of_squares();
    return squared_correlation(response_->centred().data());
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    return squared_correlation(draws.values(b));
  }

  double certificate(double observed, double enough) {
    return squared_correlation_tail(*response_, x_, sum_of_squares_, observed, enough, sorted_y_);
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  double unit(double value) const { return natural(value); }
  std::int64_t work() const { return 2 * response_->size(); }

 private:
  double squared_correlation(const double* y) const {
    if (!(scale_ > 0.0)) return 0.0;
    const double sum = dot(x_.data(), y, response_->size());
    return std::min(sum * sum / scale_, 1.0);
  }

  const Response* response_ = nullptr;
  std::vector<double> x_, sorted_y_;
  double sum_of_squares_ = 0.0, scale_ = 0.0;
};

}  // namespace inforest
