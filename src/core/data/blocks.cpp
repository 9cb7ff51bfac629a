// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/blocks.hpp"

namespace inforest {

void Blocks::gather(const Dataset& data, std::span<const std::int32_t> rows) {
  begin_.clear();
  moves_.clear();
  if (data.blocks == nullptr) return;
  slot_.resize(static_cast<std::size_t>(data.n_blocks), -1);
  const auto slot = [&](std::int32_t row) -> std::int32_t& {
    return slot_[static_cast<std::size_t>(data.blocks[row])];
  };
  // Blocks in the order in which they are met, and their sizes.
  begin_.push_back(0);
  for (const std::int32_t row : rows) {
    if (slot(row) < 0) {
      slot(row) = static_cast<std::int32_t>(begin_.size()) - 1;
      begin_.push_back(0);
    }
    ++begin_[static_cast<std::size_t>(slot(row)) + 1];
  }
  for (std::size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
  member_.resize(rows.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    member_[next[static_cast<std::size_t>(slot(rows[i]))]++] = i;
  for (const std::int32_t row : rows) slot(row) = -1;
  if (begin_.size() <= 2) return begin_.clear();
  moves_.assign(size(), 1);
}

void Blocks::centre(double* values, const double* weights) const {
  for (std::size_t b = 0; b < size(); ++b) {
    const auto own = members(b);
    const double first = values[own.front()];
    // From the first value on: of equal values the mean is exact, of large ones the sum is small.
    double sum = 0.0, total = 0.0;
    for (const std::uint32_t i : own) {
      const double weight = weights == nullptr ? 1.0 : weights[i];
      sum += weight * (values[i] -= first);
      total += weight;
    }
    const double mean = sum / total;
    for (const std::uint32_t i : own) values[i] -= mean;
  }
}

void Blocks::part_of(const Blocks& other, std::span<const std::uint32_t> positions) {
  begin_.clear();
  moves_.clear();
  member_.clear();
  if (!other.exist()) return;
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  place_.assign(other.member_.size(), kNone);
  for (std::uint32_t i = 0; i < positions.size(); ++i) place_[positions[i]] = i;
  begin_.push_back(0);
  for (std::size_t b = 0; b < other.size(); ++b) {
    for (const std::uint32_t position : other.members(b))
      if (place_[position] != kNone) member_.push_back(place_[position]);
    if (member_.size() > begin_.back()) begin_.push_back(member_.size());
  }
  moves_.assign(size(), 1);
}

void Blocks::follow(const Blocks& other, std::span<const std::uint32_t> order) {
  place_.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
  begin_ = other.begin_;
  moves_ = other.moves_;
  member_.resize(other.member_.size());
  std::transform(other.member_.begin(), other.member_.end(), member_.begin(),
                 [&](std::uint32_t position) { return place_[position]; });
}

}  // namespace inforest
