// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/feature_pool.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

namespace inforest {

namespace {

/// A category's levels in the order in which rows first have them: what they are called, or which
/// numbers they have, says nothing about it.
class LevelsByAppearance {
 public:
  explicit LevelsByAppearance(std::int32_t n_levels)
      : number_(static_cast<std::size_t>(n_levels) + 1, kNew) {}

  std::uint64_t number(double level) {
    std::uint64_t& number =
        number_[std::isnan(level) ? number_.size() - 1 : static_cast<std::size_t>(level)];
    if (number == kNew) number = n_seen_++;
    return number;
  }

 private:
  static constexpr std::uint64_t kNew = ~std::uint64_t{0};
  std::vector<std::uint64_t> number_;  ///< that of missing values is the last
  std::uint64_t n_seen_ = 0;
};

/// Keeps a category from having the key of a number with the same values.
constexpr std::uint64_t kCategory = 0xd1342543de82ef95ull;

/// A key of what `bits(i)` are for i = 0 .. n - 1, asked for in this order.
template <class Bits>
std::uint64_t content_key(std::int64_t n, Bits bits) {
  // Two chains, so that the multiplications overlap.
  std::uint64_t even = 0x2d358dccaa6c78a5ull, odd = 0x8bb84b93962eacc9ull;
  std::int64_t i = 0;
  for (; i + 1 < n; i += 2) {
    even = fold_multiply(even ^ bits(i), 0x9e3779b97f4a7c15ull) + static_cast<std::uint64_t>(i);
    odd = fold_multiply(odd ^ bits(i + 1), 0xc2b2ae3d27d4eb4full) + static_cast<std::uint64_t>(i);
  }
  if (i < n) even = fold_multiply(even ^ bits(i), 0x9e3779b97f4a7c15ull);
  return derive_key(even, odd);
}

std::uint64_t content_key(const Dataset& data, std::int64_t feature, std::vector<double>& room) {
  const double* column = data.column(feature).all(data.n_samples, room);
  if (data.kind(feature) == FeatureKind::number)
    return content_key(data.n_samples, [&](std::int64_t i) {  // -0 equals 0, missing is missing
      constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
      return std::bit_cast<std::uint64_t>(is_missing(column[i]) ? kMissing : column[i] + 0.0);
    });
  LevelsByAppearance levels(data.n_levels[feature]);
  return content_key(data.n_samples,
                     [&](std::int64_t i) { return kCategory ^ levels.number(column[i]); });
}

}  // namespace

std::vector<std::uint64_t> feature_keys(const Dataset& data) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(data.n_features));
  std::unordered_map<std::uint64_t, std::uint64_t> n_seen;
  std::vector<double> room;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const std::uint64_t content = content_key(data, feature, room);
    keys[static_cast<std::size_t>(feature)] = derive_key(content, n_seen[content]++);
  }
  return keys;
}

}  // namespace inforest
