// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_b/distinct_values.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/rng.hpp"

namespace inforest {

bool DistinctValues::collect(const double* x, std::uint32_t size, std::size_t limit,
                             std::vector<std::uint32_t>& of_position) {
  const std::size_t slots = std::bit_ceil(4 * (limit + 1));
  slot_.assign(slots, kEmpty);
  value_.clear();
  of_position.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    const double value = x[i] + 0.0;  // -0 equals 0
    const auto bits = std::bit_cast<std::uint64_t>(value);
    std::size_t slot = fold_multiply(bits, 0x9e3779b97f4a7c15ull) & (slots - 1);
    while (slot_[slot] != kEmpty && value_[slot_[slot]] != value) slot = (slot + 1) & (slots - 1);
    if (slot_[slot] == kEmpty) {
      if (value_.size() == limit) return false;
      slot_[slot] = static_cast<std::uint32_t>(value_.size());
      value_.push_back(value);
    }
    of_position[i] = slot_[slot];
  }
  // Number them by size instead of by first appearance.
  std::vector<std::uint32_t> order(value_.size()), rank(value_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return value_[a] < value_[b]; });
  for (std::uint32_t r = 0; r < order.size(); ++r) rank[order[r]] = r;
  std::sort(value_.begin(), value_.end());
  for (std::uint32_t& id : of_position) id = rank[id];
  return true;
}

void DistinctValues::sort(const double* x, std::uint32_t size,
                          std::vector<std::uint32_t>& of_position) {
  value_.clear();
  of_position.resize(size);
  for (const auto& [value, position] : sorter_.sort(x, size)) {
    if (value_.empty() || value != value_.back()) value_.push_back(value);
    of_position[position] = static_cast<std::uint32_t>(value_.size() - 1);
  }
}

}  // namespace inforest
