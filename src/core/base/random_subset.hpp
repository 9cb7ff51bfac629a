// SPDX-License-Identifier: BSD-3-Clause
/// Uniformly random subsets of a given size, as bit masks: 64 positions a word.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/rng.hpp"

namespace inforest {

inline constexpr std::uint32_t kWordBits = 64;

/// Words of a mask of `size` positions.
inline std::uint32_t mask_words(std::uint32_t size) { return (size + kWordBits - 1) / kWordBits; }

/// Makes `mask` a uniform one of all sets of `members` of `size` positions, members <= size.
///
/// Every position is first taken by itself, with the same probability, near members / size from
/// below; then uniformly chosen members are taken away, or others added, until the size is right.
/// Independent positions of one probability are exchangeable, so of all sets of the size they
/// happen to have, each is equally likely. One step keeps that: if M is uniform among the sets of m
/// positions and a position outside it is added, each as likely as the other, then a given set of
/// m + 1 arises from m + 1 pairs (the set without one of its positions, that position), each of
/// probability 1 / (C(size, m) (size - m)): the same for all of them. Taking away is the same for
/// the complement. The number of steps is known before the first and depends on the size only, so
/// the end is uniform among the sets of `members` positions.
///
/// It costs size / 64 random numbers per binary digit and sqrt(size) / 2 steps, where Fisher and
/// Yates make `members`; if members are rare, each is as hard to find again.
inline void random_subset(Rng& rng, std::uint32_t size, std::uint32_t members,
                          std::uint64_t* mask) {
  // A bit of probability odds / 2^digits follows from one fair bit per digit, the lowest first.
  constexpr std::uint32_t kDigits = 6;
  const auto odds =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(members) << kDigits) / size);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(odds));
  std::uint32_t count = 0;
  for (std::uint32_t begin = 0; begin < size; begin += kWordBits) {
    std::uint64_t word = 0;
    for (std::uint32_t digit = first; digit < kDigits; ++digit) {
      const std::uint64_t fair = rng();
      word = odds >> digit & 1 ? word | fair : word & fair;
    }
    if (size - begin < kWordBits) word &= (std::uint64_t{1} << (size - begin)) - 1;
    count += static_cast<std::uint32_t>(std::popcount(word));
    mask[begin / kWordBits] = word;
  }
  // Positions at random until enough of the kind that must change were met; no branch asks for it.
  const std::uint64_t taken = count > members;
  for (std::uint32_t left = taken ? count - members : members - count; left > 0;) {
    const std::uint32_t position = rng.below(size), bit = position % kWordBits;
    std::uint64_t& word = mask[position / kWordBits];
    const std::uint64_t changes = (word >> bit & 1) == taken;
    word ^= changes << bit;
    left -= static_cast<std::uint32_t>(changes);
  }
}

/// Writes the positions of `mask`, ascending.
inline void list_members(const std::uint64_t* mask, std::uint32_t size, std::uint32_t* positions) {
  for (std::uint32_t begin = 0; begin < size; begin += kWordBits)
    for (std::uint64_t word = mask[begin / kWordBits]; word != 0; word &= word - 1)
      *positions++ = begin + static_cast<std::uint32_t>(std::countr_zero(word));
}

}  // namespace inforest
