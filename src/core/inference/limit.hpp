// SPDX-License-Identifier: BSD-3-Clause
/// What a draw must reach to count against the data, and what becomes of ties.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/rng.hpp"

namespace inforest {

/// Draws whose statistic is that of the data.
enum class Ties {
  count,   ///< are exceedances, as in the paper: a valid test, timid where ties are many
  random,  ///< are exceedances if their lot is at least that of the data
};

/// Floating point misses mathematical ties, which would make the test anti-conservative, so values
/// this close are ties. Statistics live on a [0, 1]-like scale, hence the absolute part.
inline double tie_slack(double observed) { return 1e-9 * std::fabs(observed) + 1e-12; }
inline double tie_limit(double observed) { return observed - tie_slack(observed); }

/// The limit of one test.
///
/// With random ties the data and every draw have a uniform lot of their own, and (statistic, lot)
/// is compared in lexicographic order. Under the null hypothesis the data's pair and those of the
/// draws are exchangeable and, unlike the statistics alone, all different: every rank of the data
/// among them is equally likely, so the p-value is exactly uniform on 1/(B+1), ..., 1. Given the
/// data and their lot, draws still exceed independently of each other and with one probability, so
/// whatever stops or shortens a test stays valid. A bound on the probability to reach `low()` is
/// one on the probability of an exceedance.
class Limit {
 public:
  /// `key`: of the test's lots.
  explicit Limit(double observed, Ties ties = Ties::count, std::uint64_t key = 0)
      : Limit(tie_limit(observed), observed + tie_slack(observed), ties, key) {}

  /// Values from `low` to `high` tie.
  Limit(double low, double high, Ties ties, std::uint64_t key)
      : low_(low),
        high_(ties == Ties::count ? -std::numeric_limits<double>::infinity() : high),
        key_(key) {}

  /// No smaller value is an exceedance.
  double low() const { return low_; }
  /// Every larger value is.
  double high() const { return std::fmax(low_, high_); }

  /// Whether draw b, with this value, is an exceedance.
  bool is_reached(double value, std::int64_t b) const {
    return value >= low_ && (value > high_ || wins_tie(b));
  }
  /// The same of the next draw of a test that reads this stream, its lots as well.
  bool is_reached(double value, Rng& stream) const {
    return value >= low_ && (value > high_ || stream.uniform() >= 1.0 - tie_share());
  }
  /// How probable it is that a draw that ties is an exceedance, given the lot of the data.
  double tie_share() const { return high_ < low_ ? 1.0 : 1.0 - lot(0); }
  /// Whether draw b is, if it ties.
  bool wins_tie(std::int64_t b) const {
    return high_ < low_ || lot(static_cast<std::uint64_t>(b) + 1) >= lot(0);
  }

 private:
  double lot(std::uint64_t index) const { return Rng(key_, index).uniform(); }

  double low_, high_;
  std::uint64_t key_;
};

}  // namespace inforest
