// SPDX-License-Identifier: BSD-3-Clause
/// `pc`: the absolute Pearson correlation.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../column.hpp"
#include "../draws.hpp"
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
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    return squared_correlation(draws.values(b));
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

  const Response* response_ = nullptr;
  CentredColumn column_;
  double scale_ = 0.0;
  std::vector<double> own_, sorted_y_;
};

}  // namespace inforest
