// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/feature_pool.hpp"

#include <bit>
#include <unordered_map>

namespace inforest {

std::vector<std::uint64_t> feature_keys(const Dataset& data) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(data.n_features));
  std::unordered_map<std::uint64_t, std::uint64_t> n_seen;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const double* column = data.column(feature);
    // Two chains, so that the multiplications overlap.
    std::uint64_t even = 0x2d358dccaa6c78a5ull, odd = 0x8bb84b93962eacc9ull;
    const auto bits = [&](std::int64_t i) {
      return std::bit_cast<std::uint64_t>(column[i] + 0.0);  // -0 equals 0
    };
    std::int64_t i = 0;
    for (; i + 1 < data.n_samples; i += 2) {
      even = fold_multiply(even ^ bits(i), 0x9e3779b97f4a7c15ull) + static_cast<std::uint64_t>(i);
      odd = fold_multiply(odd ^ bits(i + 1), 0xc2b2ae3d27d4eb4full) + static_cast<std::uint64_t>(i);
    }
    if (i < data.n_samples) even = fold_multiply(even ^ bits(i), 0x9e3779b97f4a7c15ull);
    const std::uint64_t content = derive_key(even, odd);
    keys[static_cast<std::size_t>(feature)] = derive_key(content, n_seen[content]++);
  }
  return keys;
}

}  // namespace inforest
