// SPDX-License-Identifier: BSD-3-Clause
/// `dc`: distance correlation (Szekely, Rizzo & Bakirov 2007; the biased V-statistic).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/position_sorter.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

/// dCov^2 = mean of a_ij b_ij - 2 mean of a_i. b_i. + a.. b.. with distances a, b and their row
/// means. A permutation changes only the first two terms. The first is a sum over pairs: done
/// directly on small nodes, in O(n log n) with a tree of running sums (Huo & Szekely 2016) on
/// larger ones; no n x n matrix is ever held.
class DistanceCorrelation {
 public:
  static constexpr const char* name = "dc";
  static constexpr bool kTakesNoWeights = true;
  static constexpr auto kServes = ResponseKind::scores;

  void begin(const Response& response) {
    response_ = &response;
    const std::uint32_t n = response.size();
    y_ = response.centred();
    sort_positions(y_);
    y_rank_.resize(n);
    // Equal responses share a rank: |y_i - y_j| = 0 either way.
    std::uint32_t rank = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i > 0 && y_[order_[i]] != y_[order_[i - 1]]) ++rank;
      y_rank_[order_[i]] = rank;
    }
    n_ranks_ = rank + 1;
    y_rows_.resize(n);
    y_mean_ = row_means(y_, order_, y_rows_);
    y_variance_ = variance(y_, y_rows_, y_mean_);
    identity_.resize(n);
    std::iota(identity_.begin(), identity_.end(), 0u);
  }

  /// Returns the observed squared distance correlation.
  double bind(const double* x) {
    const std::uint32_t n = response_->size();
    x_.assign(x, x + n);
    centre(x_.data(), n);
    sort_positions(x_);
    x_rows_.resize(n);
    const double x_mean = row_means(x_, order_, x_rows_);
    // The product of the variances could overflow.
    scale_ = std::sqrt(variance(x_, x_rows_, x_mean)) * std::sqrt(y_variance_);
    means_ = x_mean * y_mean_;
    x_sorted_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) x_sorted_[i] = x_[order_[i]];
    return squared_correlation(identity_.data());
  }

  double evaluate(Draws& draws, std::int64_t b) { return squared_correlation(draws.order(b)); }

  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 40 * response_->size(); }

 private:
  static constexpr std::uint32_t kDirect = 96;  ///< below this, all pairs are quicker than the tree

  void sort_positions(const std::vector<double>& values) {
    const auto& sorted = sorter_.sort(values.data(), response_->size());
    order_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) order_[i] = sorted[i].position;
  }

  /// Mean distance of each value to all; returns their mean.
  static double row_means(const std::vector<double>& values,
                          const std::vector<std::uint32_t>& order, std::vector<double>& rows) {
    const double n = static_cast<double>(values.size());
    double total = 0.0;
    for (const double v : values) total += v;
    double below = 0.0, mean = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = values[order[i]], rank = static_cast<double>(i);
      // sum |v - w| = (v * rank - below) + (total - below - v * (n - rank))
      rows[order[i]] = (v * (2.0 * rank - n) + total - 2.0 * below) / n;
      below += v;
      mean += rows[order[i]];
    }
    return mean / n;
  }

  /// Distance variance (squared) from the row means; the values are centred.
  static double variance(const std::vector<double>& values, const std::vector<double>& rows,
                         double mean) {
    const double n = static_cast<double>(values.size());
    double squares = 0.0, sum = 0.0, row_squares = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values[i];
      squares += values[i] * values[i];
      row_squares += rows[i] * rows[i];
    }
    const double mean_squared_distance = 2.0 * (squares / n - (sum / n) * (sum / n));
    return std::max(0.0, mean_squared_distance - 2.0 * row_squares / n + mean * mean);
  }

  double squared_correlation(const std::uint32_t* permuted) {
    if (!(scale_ > 0.0)) return 0.0;
    const std::uint32_t n = response_->size();
    const double pairs = n <= kDirect ? pairs_directly(permuted) : pairs_by_tree(permuted);
    const double rows = gathered_dot(x_rows_.data(), y_rows_.data(), permuted, n);
    const double covariance = 2.0 * pairs / (static_cast<double>(n) * n) - 2.0 * rows / n + means_;
    return std::clamp(covariance / scale_, 0.0, 1.0);
  }

  /// Sum over pairs i < j of |x_i - x_j| |y_i - y_j|, x ascending.
  double pairs_directly(const std::uint32_t* permuted) {
    const std::uint32_t n = response_->size();
    std::array<double, kDirect> y;
    for (std::uint32_t i = 0; i < n; ++i) y[i] = y_[permuted[order_[i]]];
    double sum = 0.0;
    for (std::uint32_t j = 1; j < n; ++j)
      for (std::uint32_t i = 0; i < j; ++i)
        sum += (x_sorted_[j] - x_sorted_[i]) * std::fabs(y[j] - y[i]);
    return sum;
  }

  /// The same with x ascending and, over the ranks of y, running sums of 1, x, y and xy of the
  /// samples seen so far.
  double pairs_by_tree(const std::uint32_t* permuted) {
    const std::uint32_t n = response_->size();
    sums_.assign(n_ranks_ + 1, Sums{});
    Sums all{};
    double result = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t source = permuted[order_[i]];
      const double x = x_sorted_[i], y = y_[source];
      Sums below{};
      for (std::uint32_t r = y_rank_[source] + 1; r > 0; r &= r - 1) below += sums_[r];
      // Lower responses count y - y_i, higher ones y_i - y.
      result += 2.0 * below.products_with(x, y) - all.products_with(x, y);
      const Sums own{1.0, x, y, x * y};
      all += own;
      for (std::uint32_t r = y_rank_[source] + 1; r <= n_ranks_; r += r & (0u - r)) sums_[r] += own;
    }
    return result;
  }

  struct Sums {
    double count = 0.0, x = 0.0, y = 0.0, xy = 0.0;
    Sums& operator+=(const Sums& other) {
      count += other.count, x += other.x, y += other.y, xy += other.xy;
      return *this;
    }
    /// Sum over the samples held of (x0 - x)(y0 - y).
    double products_with(double x0, double y0) const {
      return x0 * y0 * count - x0 * y - y0 * x + xy;
    }
  };

  const Response* response_ = nullptr;
  std::vector<double> y_, y_rows_, x_, x_sorted_, x_rows_;
  PositionSorter sorter_;
  std::vector<std::uint32_t> y_rank_, order_, identity_;
  std::uint32_t n_ranks_ = 0;
  double y_mean_ = 0.0, y_variance_ = 0.0, means_ = 0.0, scale_ = 0.0;
  std::vector<Sums> sums_;
};

}  // namespace inforest
