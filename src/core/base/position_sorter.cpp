// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/position_sorter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace inforest {

namespace {

/// Doubles compare like their bits, once negative ones are inverted and the sign flipped.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 equals 0
  return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

/// No function: std::sort would call it through a pointer.
constexpr auto comes_before = [](const PositionSorter::Entry& a, const PositionSorter::Entry& b) {
  return a.value < b.value || (a.value == b.value && a.position < b.position);
};

}  // namespace

const std::vector<PositionSorter::Entry>& PositionSorter::sort(const double* values,
                                                               std::uint32_t size) {
  sorted_.resize(size);
  constexpr std::uint32_t kFew = 24;  // below, comparisons are quicker than counting
  if (size >= 4096) {
    radix_sort<11, 3>(values, size);
  } else if (size >= 128) {
    radix_sort<8, 4>(values, size);
  } else if (size >= kFew) {
    radix_sort<7, 3>(values, size);
  } else {
    for (std::uint32_t i = 0; i < size; ++i) sorted_[i] = {values[i], i};
    std::sort(sorted_.begin(), sorted_.end(), comes_before);
  }
  return sorted_;
}

/// Sorts by the leading bits among those in which the values differ, at most 32, and runs that
/// agree in those by comparison. Fewer bits are quicker where few values are to be told apart.
template <int kBits, int kPasses>
void PositionSorter::radix_sort(const double* values, std::uint32_t size) {
  constexpr int kKeyBits = std::min(kBits * kPasses, 32);
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  const auto [lowest, highest] = std::minmax_element(values, values + size);
  const std::uint64_t origin = ordered_bits(*lowest);
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(ordered_bits(*highest) - origin)) - kKeyBits);
  from_.resize(size);
  to_.resize(size);
  std::array<std::array<std::uint32_t, kBuckets>, kPasses> count{};
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint64_t key = (ordered_bits(values[i]) - origin) >> shift;
    from_[i] = key << 32 | i;
    for (int pass = 0; pass < kPasses; ++pass)
      ++count[static_cast<std::size_t>(pass)][(key >> (pass * kBits)) & (kBuckets - 1)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& bucket = count[static_cast<std::size_t>(pass)];
    const auto digit = [&](std::uint64_t item) {
      return (item >> (32 + pass * kBits)) & (kBuckets - 1);
    };
    if (bucket[digit(from_[0])] == size) continue;  // all alike in this digit
    std::uint32_t begin = 0;
    for (std::uint32_t& place : bucket) begin += std::exchange(place, begin);
    for (const std::uint64_t item : from_) to_[bucket[digit(item)]++] = item;
    from_.swap(to_);
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto position = static_cast<std::uint32_t>(from_[i]);
    sorted_[i] = {values[position], position};
  }
  if (shift == 0) return;
  for (std::uint32_t begin = 0; begin < size;) {
    std::uint32_t end = begin + 1;
    while (end < size && from_[end] >> 32 == from_[begin] >> 32) ++end;
    const auto first = sorted_.begin() + begin, last = sorted_.begin() + end;
    if (!std::is_sorted(first, last, comes_before)) std::sort(first, last, comes_before);
    begin = end;
  }
}

}  // namespace inforest
