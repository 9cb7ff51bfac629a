// SPDX-License-Identifier: BSD-3-Clause
/// Draws for one column, each made only as far as it takes to see that it is no exceedance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

/// A test asks of a draw whether it reaches a limit, not for its value. Let a draw fill the
/// positions with responses one after the other, those of large |x| first. What the rest can add is
/// bounded by the Cauchy-Schwarz inequality. With 1 for the filled positions and 2 for the others,
/// m2 and v' = v - mean(v) within the others:
///
///   pc  x . y = x1 . y1 + m2 mean(x2) mean(y2) + x2' . y2', and y adds up to zero, so that
///       |x . y| <= |x1 . y1 - mean(x2) sum(y1)| + |x2'| |y2'|;
///   mc  sqrt(SSB) = |P x|, P the projection on class means less the overall mean. With zeros for
///       the missing entries, x = x1 + x2 and sum(x2) = -sum(x1), so that
///       |P x| <= |P x1| + |P x2| and |P x2|^2 <= |x2|^2 - sum(x2)^2 / n.
///
/// Of a column with holes the positions without a value come first, and the first look is behind
/// them. Which responses the others get in all is known then; within these it is as above.
///
/// Most draws are far from the limit and end early. Filling the positions in any fixed order, from
/// any arrangement, gives a uniform permutation, so nothing is approximated: a column only has
/// draws of its own, which Bonferroni allows.
template <class Item>
class ShortDraws {
 public:
  /// How far a draw has come: the positions not yet filled, and what their x add up to.
  struct Look {
    std::uint32_t end;   ///< positions filled
    std::uint32_t left;  ///< positions not filled
    double sum, squares;

    bool is_last() const { return left == 0; }
  };

  /// Forgets the column.
  void clear() { has_begun_ = false; }

  /// Whether draws of this column had better be short. `whole_steps` is what a whole draw takes.
  /// `predict(look)` says what share of the largest possible statistic a draw will hardly exceed
  /// then: the first look is where that is below `limit`. The column's values are those of all
  /// positions but `n_holes`.
  template <class Predict>
  bool pay(const Draws& draws, const CentredColumn& column, const std::vector<Item>& items,
           std::uint32_t whole_steps, double limit, Predict predict, std::uint32_t n_holes = 0) {
    if (!has_begun_) {
      has_begun_ = true;
      items_ = items;
      n_holes_ = n_holes;
      order_by_magnitude(column);
      choose_looks(column.sum_of_squares,
                   draws.are_all_own() ? std::numeric_limits<double>::infinity() : limit, predict);
    }
    return looks_[n_holes_ > 0].end <= 0.8 * whole_steps;  // a step is a little dearer here
  }

  /// Makes a draw. `advance(x, items, count, look)` takes the next positions, then says whether the
  /// draw may still reach the limit; at the last look, whether it does.
  template <class Advance>
  bool reaches(Rng rng, Advance advance) {
    const auto size = static_cast<std::uint32_t>(x_.size());
    std::uint32_t done = 0;
    for (const Look& look : looks_) {
      // The last entry has no choice.
      rng.partial_shuffle(items_.data() + done, size - done, std::min(look.end, size - 1) - done);
      if (!advance(x_.data() + done, items_.data() + done, look.end - done, look)) return false;
      done = look.end;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kParts = 16;
  static constexpr std::size_t kLevels = 32;

  /// Any order is valid, so a coarse one will do: by levels of |x|.
  void order_by_magnitude(const CentredColumn& column) {
    const auto size = static_cast<double>(column.values.size());
    // Seven and a half levels for the root mean square: a column of two values is not on an edge.
    const double scale = 7.5 / std::sqrt(column.sum_of_squares / size);
    const auto level = [&](double value) {
      return kLevels - 1 -
             static_cast<std::size_t>(std::min(std::fabs(value) * scale, kLevels - 1.0));
    };
    std::uint32_t begin[kLevels + 1] = {n_holes_};
    for (const double value : column.values) ++begin[level(value) + 1];
    for (std::size_t l = 0; l < kLevels; ++l) begin[l + 1] += begin[l];
    x_.resize(n_holes_ + column.values.size());
    std::fill_n(x_.begin(), n_holes_, 0.0);
    for (const double value : column.values) x_[begin[level(value)]++] = value;
  }

  template <class Predict>
  void choose_looks(double sum_of_squares, double limit, Predict predict) {
    const auto size = static_cast<std::uint32_t>(x_.size()), n_values = size - n_holes_;
    looks_.clear();
    if (n_holes_ > 0) looks_.push_back({n_holes_, n_values, 0.0, sum_of_squares});
    const std::size_t n_fixed = looks_.size();
    double sum = 0.0, squares = sum_of_squares;
    for (std::uint32_t i = n_holes_, part = 1; part < kParts; ++part) {
      const auto end =
          n_holes_ + static_cast<std::uint32_t>(std::uint64_t{n_values} * part / kParts);
      for (; i < end; ++i) sum -= x_[i], squares -= x_[i] * x_[i];
      const Look look{end, size - end, sum, std::max(squares, 0.0)};
      if (looks_.size() > n_fixed || predict(look) < limit) looks_.push_back(look);
    }
    looks_.push_back({size, 0, 0.0, 0.0});
  }

  bool has_begun_ = false;
  std::uint32_t n_holes_ = 0;
  std::vector<double> x_;
  std::vector<Item> items_;  ///< responses, as the last draw has left them
  std::vector<Look> looks_;
};

/// The part of `squares` that is not due to the mean of `count` numbers with this `sum`, never too
/// small by rounding; `scale` is the size of what was subtracted on the way.
inline double squares_about_mean(double squares, double sum, double count, double scale) {
  return std::max(squares - sum * sum / count, 0.0) + 1e-11 * scale;
}

}  // namespace inforest
