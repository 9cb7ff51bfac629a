// SPDX-License-Identifier: BSD-3-Clause
#include "position_sorter.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace inforest {

const std::vector<PositionSorter::Entry>& PositionSorter::sort(const double* values,
                                                               std::uint32_t size) {
  sorted_.resize(size);
  constexpr std::uint32_t kSmall = 512;  // below, comparisons are quicker than counting
  if (size >= kSmall) {
    radix_sort(values, size);
    return sorted_;
  }
  for (std::uint32_t i = 0; i < size; ++i) sorted_[i] = {values[i], i};
  std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) {
    return a.value < b.value || (a.value == b.value && a.position < b.position);
  });
  return sorted_;
}

void PositionSorter::radix_sort(const double* values, std::uint32_t size) {
  constexpr int kBits = 11, kPasses = 6;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  from_.resize(size);
  to_.resize(size);
  std::vector<std::array<std::uint32_t, kPasses>> count(kBuckets);
  for (std::uint32_t i = 0; i < size; ++i) {
    // Doubles compare like their bits, once negative ones are inverted and the sign flipped.
    const auto bits = std::bit_cast<std::uint64_t>(values[i] + 0.0);  // -0 equals 0
    const std::uint64_t key = bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
    from_[i] = {key, i};
    for (int pass = 0; pass < kPasses; ++pass)
      ++count[(key >> (pass * kBits)) & (kBuckets - 1)][static_cast<std::size_t>(pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto p = static_cast<std::size_t>(pass);
    const auto digit = [&](const Keyed& item) {
      return (item.key >> (pass * kBits)) & (kBuckets - 1);
    };
    if (count[digit(from_[0])][p] == size) continue;  // all alike in this digit
    std::uint32_t begin = 0;
    for (auto& bucket : count) {
      const std::uint32_t here = bucket[p];
      bucket[p] = begin;
      begin += here;
    }
    for (const Keyed& item : from_) to_[count[digit(item)][p]++] = item;
    from_.swap(to_);
  }
  for (std::uint32_t i = 0; i < size; ++i)
    sorted_[i] = {values[from_[i].position], from_[i].position};
}

}  // namespace inforest
