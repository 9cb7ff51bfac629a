// SPDX-License-Identifier: BSD-3-Clause
/// `mse`: mean squared deviation from the mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../column.hpp"
#include "../response.hpp"
#include "../tail_bound.hpp"

namespace inforest {

class Mse {
 public:
  static constexpr const char* name = "mse";
  using Item = double;  ///< a centred response

  void begin(const Response& response) {
    response_ = &response;
    largest_ = largest_magnitude(response.centred());
  }

  Item item(std::uint32_t position) const { return response_->centred()[position]; }
  double node_impurity() const { return response_->sum_of_squares() / response_->size(); }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts,
            double* impurity) const {
    double sum = 0.0;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) sum += items[i];
      impurity[c] = from_sum(sum, cuts[c]);
    }
  }

  double of_side(const Item* side, std::uint32_t side_size) const {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    std::uint32_t i = 0;
    for (; i + 4 <= side_size; i += 4)
      a += side[i], b += side[i + 1], c += side[i + 2], d += side[i + 3];
    for (; i < side_size; ++i) a += side[i];
    return from_sum((a + b) + (c + d), side_size);
  }

  /// A bound on the p-value of one cut: P(impurity <= limit). The decrease is S^2 / (left * right)
  /// with S the sum of a child's responses.
  double certificate(std::uint32_t left, double limit, double enough) const {
    const std::uint32_t n = response_->size(), subset = std::min(left, n - left);
    const double decrease = std::max(node_impurity() - limit, 0.0);
    return subset_sum_tail(response_->centred().data(), n, subset,
                           std::sqrt(decrease * left * (n - left)), response_->sum_of_squares(),
                           largest_, enough);
  }

 private:
  /// The responses are centred, so the other child's sum is the negative.
  double from_sum(double sum, std::uint32_t side) const {
    const double n = response_->size(), m = side;
    return std::max(0.0, response_->sum_of_squares() - sum * sum * n / (m * (n - m))) / n;
  }

  const Response* response_ = nullptr;
  double largest_ = 0.0;
};

}  // namespace inforest
