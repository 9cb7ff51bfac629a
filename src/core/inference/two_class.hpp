// SPDX-License-Identifier: BSD-3-Clause
/// Exact Stage B probabilities: a child's class count is hypergeometric under permutation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/special.hpp"

namespace inforest {

/// The number of class members among `drawn` of `size` samples, `members` of which are in the
/// class.
struct Hypergeometric {
  std::int64_t size, members, drawn;

  std::int64_t lowest() const { return std::max<std::int64_t>(0, drawn + members - size); }
  std::int64_t highest() const { return std::min(drawn, members); }
  double mean() const {
    return static_cast<double>(drawn) * static_cast<double>(members) / static_cast<double>(size);
  }

  double probability(std::int64_t count) const {
    return std::exp(log_choose(members, count) + log_choose(size - members, drawn - count) -
                    log_choose(size, drawn));
  }

  /// P(X <= end), summed from the large terms outward; stops at `enough`.
  double lower_tail(std::int64_t end, double enough) const {
    if (end < lowest()) return 0.0;
    const auto others = static_cast<double>(size - members - drawn);
    const auto m = static_cast<double>(members), d = static_cast<double>(drawn);
    double sum = 0.0, term = probability(end);
    for (std::int64_t count = end; term > 0.0; --count) {
      sum += term;
      const auto c = static_cast<double>(count);
      term *= c * (others + c) / ((m - c + 1.0) * (d - c + 1.0));
      if (sum >= enough || term < 1e-18 * sum) break;
    }
    return sum;
  }

  /// P(X >= begin), in the same way.
  double upper_tail(std::int64_t begin, double enough) const {
    if (begin > highest()) return 0.0;
    const auto others = static_cast<double>(size - members - drawn);
    const auto m = static_cast<double>(members), d = static_cast<double>(drawn);
    double sum = 0.0, term = probability(begin);
    for (std::int64_t count = begin; term > 0.0; ++count) {
      sum += term;
      const auto c = static_cast<double>(count);
      term *= (m - c) * (d - c) / ((c + 1.0) * (others + c + 1.0));
      if (sum >= enough || term < 1e-18 * sum) break;
    }
    return sum;
  }

 private:
  static double log_choose(std::int64_t n, std::int64_t k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
  }
};

/// The p-value of one cut with two classes: P(impurity <= limit) over all permutations.
///
/// `impurity(count)` rises up to the mean count and falls after it, so the event is two tails; both
/// ends are found by bisection. Returns a partial sum once that reaches `enough`.
template <class Impurity>
double two_class_tail(const Hypergeometric& count, Impurity impurity, double limit,
                      double enough = 2.0) {
  const auto middle = static_cast<std::int64_t>(std::floor(count.mean()));
  // The last count up to the mean within the limit, or the one before the range.
  std::int64_t low = count.lowest() - 1, low_end = middle;
  while (low < low_end) {
    const std::int64_t probe = low + (low_end - low + 1) / 2;
    if (impurity(probe) <= limit)
      low = probe;
    else
      low_end = probe - 1;
  }
  const double below = count.lower_tail(low, enough);
  if (below >= enough) return below;
  // The first count beyond the mean within the limit, or the one after the range.
  std::int64_t high_begin = middle + 1, high = count.highest() + 1;
  while (high_begin < high) {
    const std::int64_t probe = high_begin + (high - high_begin) / 2;
    if (impurity(probe) <= limit)
      high = probe;
    else
      high_begin = probe + 1;
  }
  return std::min(below + count.upper_tail(high, enough - below), 1.0);
}

}  // namespace inforest
