// SPDX-License-Identifier: BSD-3-Clause
/// `pc`: the absolute Pearson correlation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../column.hpp"
#include "../draws.hpp"

namespace inforest {

class Pearson {
 public:
  static constexpr const char* name = "pc";

  void begin(const Response& response) { response_ = &response; }

  /// Returns the observed r^2.
  double bind(const double* x) {
    x_.assign(x, x + response_->size());
    scale_ = centre(x_.data(), response_->size()).sum_of_squares * response_->sum_of_squares();
    return squared_correlation(response_->centred().data());
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    return squared_correlation(draws.values(b));
  }

  double certificate(double, double) const { return 1.0; }
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
  std::vector<double> x_;
  double scale_ = 0.0;
};

}  // namespace inforest
