// SPDX-License-Identifier: BSD-3-Clause
/// Random numbers addressed by (key, stream, index): any draw can be made again, in any order.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace inforest {

/// 64 x 64 -> 128 bit product, folded; the mixing step of wyhash.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else  // MSVC has no 128-bit integer
  const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32;
  const std::uint64_t b_low = b & 0xffffffffu, b_high = b >> 32;
  const std::uint64_t low = a_low * b_low, cross = a_high * b_low + (low >> 32);
  const std::uint64_t middle = a_low * b_high + (cross & 0xffffffffu);
  const std::uint64_t product_low = (middle << 32) | (low & 0xffffffffu);
  const std::uint64_t product_high = a_high * b_high + (cross >> 32) + (middle >> 32);
  return product_low ^ product_high;
#endif
}

/// A key for `index` under `key`: distinct inputs give unrelated outputs.
inline std::uint64_t derive_key(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t once =
      fold_multiply(key ^ 0xa0761d6478bd642full, index ^ 0xe7037ed1a0b428dbull);
  return fold_multiply(once ^ 0x8ebc6af09c88c6e3ull, key ^ 0x589965cc75374cc3ull);
}

/// What a node's random numbers are used for; each purpose reads a stream of its own.
enum class Stream : std::uint64_t {
  left_child = 1,
  right_child,
  candidates,
  selector_draws = 5,
  selector_ties,
  selector_certificate,
  thresholds,
  threshold_order,
  splitter_draws,
  splitter_ties,
  projections = 14,
  sampling,
  honesty,
  splitter_completion,
  selector_pilots,
  selector_lots,
  splitter_lots,
  splitter_bound,
  unseen_rows,
};

inline std::uint64_t derive_key(std::uint64_t key, Stream stream) {
  return derive_key(key, static_cast<std::uint64_t>(stream) << 56);
}

/// wyrand: one multiplication per 64 bits; passes BigCrush and PractRand.
class Rng {
 public:
  explicit Rng(std::uint64_t key) : state_(key) {}
  Rng(std::uint64_t key, std::uint64_t index) : state_(derive_key(key, index)) {}

  std::uint64_t operator()() {
    state_ += 0xa0761d6478bd642full;
    return fold_multiply(state_, state_ ^ 0xe7037ed1a0b428dbull);
  }

  /// Uniform on 0 .. bound - 1, without bias (Lemire 2019).
  std::uint32_t below(std::uint32_t bound) {
    return unbiased(static_cast<std::uint32_t>((*this)() >> 32), bound);
  }

  /// Uniform on the open interval (0, 1).
  double uniform() { return (static_cast<double>((*this)() >> 11) + 0.5) * 0x1p-53; }

  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

  /// The first `drawn` entries become a uniform ordered sample of all `size` (Fisher-Yates).
  template <class T>
  void partial_shuffle(T* items, std::uint32_t size, std::uint32_t drawn) {
    std::uint32_t i = 0;
    // One 64-bit number serves two draws.
    for (; i + 1 < drawn; i += 2) {
      const std::uint64_t bits = (*this)();
      swap_with(items, i, unbiased(static_cast<std::uint32_t>(bits), size - i));
      swap_with(items, i + 1, unbiased(static_cast<std::uint32_t>(bits >> 32), size - i - 1));
    }
    if (i < drawn) swap_with(items, i, below(size - i));
  }

  template <class T>
  void shuffle(T* items, std::uint32_t size) {
    if (size > 1) partial_shuffle(items, size, size - 1);
  }

 private:
  std::uint32_t unbiased(std::uint32_t bits, std::uint32_t bound) {
    std::uint64_t product = static_cast<std::uint64_t>(bits) * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      const std::uint32_t reject_below = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < reject_below)
        product = ((*this)() >> 32) * static_cast<std::uint64_t>(bound);
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  template <class T>
  static void swap_with(T* items, std::uint32_t i, std::uint32_t offset) {
    const T kept = items[i];
    items[i] = items[i + offset];
    items[i + offset] = kept;
  }

  std::uint64_t state_;
};

}  // namespace inforest
