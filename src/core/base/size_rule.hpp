// SPDX-License-Identifier: BSD-3-Clause
/// "How many of the available ones": None, a count, a share (perhaps with a cap), "sqrt" or "log2".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace inforest {

struct SizeRule {
  enum class Kind { all, count, share, sqrt, log2 };
  Kind kind = Kind::all;
  double amount = 0.0;
  double cap = std::numeric_limits<double>::infinity();
  /// Of a share with a cap: one candidate alone, perhaps noise, would make a node a leaf too often.
  static constexpr double kLeastOfShare = 3.0;

  /// At least one, at most `available`.
  std::int64_t resolve(std::int64_t available) const {
    const double a = static_cast<double>(available);
    double size = a;
    switch (kind) {
      case Kind::all:
        break;
      case Kind::count:
        size = amount;
        break;
      // The slack keeps e.g. ceil(0.07 * 100) at 7 although 0.07 * 100 > 7 in binary.
      case Kind::share:
        size = std::ceil(amount * a * (1.0 - 1e-12));
        if (std::isfinite(cap)) size = std::max(size, kLeastOfShare);
        break;
      case Kind::sqrt:
        size = std::ceil(std::sqrt(a));
        break;
      case Kind::log2:
        size = std::ceil(std::log2(a));
        break;
    }
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min({size, a, cap})), 1,
                                    std::max<std::int64_t>(available, 1));
  }
};

}  // namespace inforest
