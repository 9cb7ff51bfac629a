// SPDX-License-Identifier: BSD-3-Clause
/// Draws for one column, each made only as far as it takes to see that it is no exceedance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "rng.hpp"

namespace inforest {

/// A test asks of a draw whether it reaches a limit, not for its value. Let a draw fill the
/// positions with responses one after the other, those of large |x| first, and let x = x1 + x2, x1
/// the part that is filled (zero elsewhere). Then a norm of x2 bounds what the rest can add:
///
///   pc  |x . y|   <= |x1 . y| + |x2| |y2|, y2 the responses not yet given;
///   mc  sqrt(SSB) =  |P x| <= |P x1| + |P x2| <= |P x1| + |x2|, P the projection on class means.
///
/// Most draws are far from the limit and end early. Filling the positions in any fixed order gives
/// a uniform permutation, so nothing is approximated: the draws are only other ones for each
/// column.
template <class Item>
class ShortDraws {
 public:
  /// Forgets the column.
  void clear() { has_begun_ = false; }
  bool has_begun() const { return has_begun_; }

  /// `x` is centred, with this sum of squares. `predict(filled, rest)` says which share of the sum
  /// of squares a draw will hardly exceed once a share `filled` of the positions, all but a share
  /// `rest` of the squares, is filled: the first look is where that is below `limit`.
  template <class Predict>
  void begin(std::span<const double> x, double sum_of_squares, const std::vector<Item>& items,
             double limit, Predict predict) {
    has_begun_ = true;
    items_ = items;
    order_by_magnitude(x, sum_of_squares);
    const auto size = static_cast<std::uint32_t>(x.size());
    looks_.clear();
    double rest = sum_of_squares;
    for (std::uint32_t i = 0, part = 1; part < kParts; ++part) {
      const auto end = static_cast<std::uint32_t>(std::uint64_t{size} * part / kParts);
      for (; i < end; ++i) rest -= x_[i] * x_[i];
      rest = std::max(rest, 0.0);
      const double filled = static_cast<double>(end) / size;
      if (looks_.empty() && predict(filled, rest / sum_of_squares) >= limit) continue;
      // Rounding must not make the rest too small.
      looks_.push_back({end, rest + 1e-12 * sum_of_squares});
    }
    looks_.push_back({size, 0.0});
  }

  /// Positions up to the first look.
  std::uint32_t first_look() const { return looks_.front().end; }

  /// Makes a draw. `advance(x, items, count, rest)` takes the next positions, then says whether the
  /// draw may still reach the limit, where the squares of x left over add up to `rest`.
  template <class Advance>
  bool reaches(Rng rng, Advance advance) {
    const auto size = static_cast<std::uint32_t>(x_.size());
    std::uint32_t done = 0;
    for (const Look& look : looks_) {
      // The last entry has no choice.
      rng.partial_shuffle(items_.data() + done, size - done, std::min(look.end, size - 1) - done);
      if (!advance(x_.data() + done, items_.data() + done, look.end - done, look.rest))
        return false;
      done = look.end;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kParts = 16;
  static constexpr std::size_t kLevels = 32;
  struct Look {
    std::uint32_t end;
    double rest;
  };

  /// Any order is valid, so a coarse one will do: by levels of an eighth of the root mean square.
  void order_by_magnitude(std::span<const double> x, double sum_of_squares) {
    const double scale = 8.0 / std::sqrt(sum_of_squares / static_cast<double>(x.size()));
    const auto level = [&](double value) {
      return kLevels - 1 -
             static_cast<std::size_t>(std::min(std::fabs(value) * scale, kLevels - 1.0));
    };
    std::uint32_t begin[kLevels + 1] = {};
    for (const double value : x) ++begin[level(value) + 1];
    for (std::size_t l = 0; l < kLevels; ++l) begin[l + 1] += begin[l];
    x_.resize(x.size());
    for (const double value : x) x_[begin[level(value)]++] = value;
  }

  bool has_begun_ = false;
  std::vector<double> x_;
  std::vector<Item> items_;  ///< responses, as the last draw has left them
  std::vector<Look> looks_;
};

}  // namespace inforest
