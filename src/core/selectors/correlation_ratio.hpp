// SPDX-License-Identifier: BSD-3-Clause
/// `mc`: the correlation ratio sqrt(SSB / SST) of a feature over the classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../column.hpp"
#include "../draws.hpp"
#include "../tail_bound.hpp"

namespace inforest {

/// Bounds P(SSB / SST >= observed) of a centred column whose sum of squares is `total`.
inline double correlation_ratio_tail(const Response& response, const std::vector<double>& x,
                                     double total, double observed, double enough) {
  const std::uint32_t n = response.size(), n_classes = response.n_classes();
  const double largest = largest_magnitude(x);
  if (n_classes == 2) {
    const double g = response.class_size(0);
    return subset_sum_tail(x.data(), n, response.class_size(0),
                           std::sqrt(observed * total * g * (n - g) / n), total, largest, enough);
  }
  // SSB is a sum over classes: it cannot reach the observed value unless some class's term
  // reaches its share. Shares are the terms' expectations under the null; they add up to one.
  double bound = 0.0;
  for (std::uint32_t k = 0; k < n_classes && bound <= enough; ++k) {
    const double g = response.class_size(k), share = (1.0 - g / n) / (n_classes - 1);
    bound += subset_sum_tail(x.data(), n, response.class_size(k),
                             std::sqrt(share * g * observed * total), total, largest,
                             enough / n_classes);
  }
  return std::min(bound, 1.0);
}

class CorrelationRatio {
 public:
  static constexpr const char* name = "mc";

  void begin(const Response& response) {
    response_ = &response;
    inverse_size_.resize(response.n_classes());
    for (std::uint32_t k = 0; k < response.n_classes(); ++k)
      inverse_size_[k] = 1.0 / response.class_size(k);
  }

  /// Returns the observed value SSB / SST.
  double bind(const double* x) {
    x_.assign(x, x + response_->size());
    total_ = centre(x_.data(), response_->size()).sum_of_squares;
    inverse_total_ = 1.0 / total_;  // gathering keeps it away from overflow
    return ratio(response_->observed_order().data());
  }

  double evaluate(Draws& draws, std::int64_t b) const { return ratio(draws.order(b)); }

  double certificate(double observed, double enough) const {
    return correlation_ratio_tail(*response_, x_, total_, observed, enough);
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  double unit(double value) const { return natural(value); }
  std::int64_t work() const { return 2 * response_->n_placed(); }

 private:
  double ratio(const std::uint32_t* order) const {
    if (!(total_ > 0.0)) return 0.0;
    const std::uint32_t last = response_->n_classes() - 1;
    // The centred values add up to zero, so the largest class is what the others leave.
    double placed = 0.0, between = 0.0;
    for (std::uint32_t k = 0; k < last; ++k) {
      const double sum =
          gathered_sum(x_.data(), order + response_->class_begin(k), response_->class_size(k));
      between += sum * sum * inverse_size_[k];
      placed += sum;
    }
    return (between + placed * placed * inverse_size_[last]) * inverse_total_;
  }

  const Response* response_ = nullptr;
  std::vector<double> x_, inverse_size_;
  double total_ = 0.0, inverse_total_ = 0.0;
};

}  // namespace inforest
