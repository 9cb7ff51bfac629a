// SPDX-License-Identifier: BSD-3-Clause
/// The levels of a category that a node's rows have.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace inforest {

/// Whether two values of a category are the same, missing ones included.
inline bool is_same_level(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
/// The same as numbers that are equal or not.
inline double level_bits(double level) { return std::isnan(level) ? -1.0 : level; }

/// Present levels are numbered 0, 1, ... in the order in which positions first have them, so that
/// nothing depends on the numbers that they have in the data, nor on levels without rows. Missing
/// values are one more level.
class NodeLevels {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// `values` are levels of the data, or NaN, one per position.
  void gather(const double* values, std::uint32_t n) {
    forget();
    of_position_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      // NaN is the first slot.
      const std::size_t slot = std::isnan(values[i]) ? 0 : static_cast<std::size_t>(values[i]) + 1;
      if (slot >= number_.size()) number_.resize(slot + 1, kNone);
      std::uint32_t& number = number_[slot];
      if (number == kNone) {
        number = size();
        slot_.push_back(slot);
        count_.push_back(0);
      }
      ++count_[number];
      of_position_[i] = number;
    }
  }

  /// How many are present.
  std::uint32_t size() const { return static_cast<std::uint32_t>(slot_.size()); }
  /// That of each position.
  const std::vector<std::uint32_t>& of_position() const { return of_position_; }
  /// Number of positions of each.
  const std::vector<std::uint32_t>& counts() const { return count_; }
  bool is_missing(std::uint32_t level) const { return slot_[level] == 0; }
  /// Its number in the data, unless it is that of missing values.
  std::size_t in_data(std::uint32_t level) const { return slot_[level] - 1; }
  /// The number of the missing values, kNone if there are none.
  std::uint32_t missing() const { return number_.empty() ? kNone : number_[0]; }

 private:
  void forget() {
    for (const std::size_t slot : slot_) number_[slot] = kNone;
    slot_.clear();
    count_.clear();
  }

  std::vector<std::uint32_t> of_position_, count_;
  std::vector<std::size_t> slot_;      ///< of each present level
  std::vector<std::uint32_t> number_;  ///< of each slot
};

}  // namespace inforest
