// SPDX-License-Identifier: BSD-3-Clause
/// `mse`: mean squared deviation from the mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/stage_b/weighted/deviation.hpp"

namespace inforest {

class Mse {
 public:
  static constexpr const char* name = "mse";
  static constexpr bool kTriesAllPartitions = true;
  using Item = double;  ///< a centred response
  using Weighted = WeightedMse;

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
      // Two chains hide the latency of the addition.
      double odd = 0.0;
      for (; i + 2 <= cuts[c]; i += 2) sum += items[i], odd += items[i + 1];
      sum += odd;
      if (i < cuts[c]) sum += items[i++];
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
  double certificate(std::uint32_t left, double limit, double) const {
    const std::uint32_t n = response_->size();
    return bernstein_tail(n, std::min(left, n - left), deviation(left, limit),
                          response_->sum_of_squares(), largest_);
  }

  /// Goes on with the test of one cut without the draws that cannot exceed, if that is quicker.
  void finish_rare(TestProgress& progress, const TestPlan& plan, std::uint32_t left, double limit,
                   double bound, const Rng& rng, Interrupt& interrupt) const {
    const std::uint32_t n = response_->size(), subset = std::min(left, n - left);
    const double t = deviation(left, limit), pi = static_cast<double>(subset) / n;
    // Measured: both tilts cost about 100 n steps of a shuffle, a candidate about n / 2.
    const auto remaining = static_cast<double>(plan.n_draws() - progress.n_draws());
    if (bound >= 1.0 && remaining * subset < 200.0 * n) return;
    const auto tails = TiltedTails::if_rare(response_->centred().data(), n, subset, t,
                                            pi * (1.0 - pi) * response_->sum_of_squares(),
                                            std::min(bound, 0.5 * pi));
    if (!tails || tails->candidate_probability() > bound) return;
    finish_by_candidates(progress, plan, tails->candidate_probability(), rng, interrupt, n,
                         [&](Rng& stream) { return tails->is_exceedance(stream); });
  }

 private:
  /// |S| at the limit.
  double deviation(std::uint32_t left, double limit) const {
    const double decrease = std::max(node_impurity() - limit, 0.0);
    return std::sqrt(decrease * left * (response_->size() - left));
  }

  /// The responses are centred, so the other child's sum is the negative.
  double from_sum(double sum, std::uint32_t side) const {
    const double n = response_->size(), m = side;
    return std::max(0.0, response_->sum_of_squares() - sum * sum * n / (m * (n - m))) / n;
  }

  const Response* response_ = nullptr;
  double largest_ = 0.0;
};

}  // namespace inforest
