// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/ranker.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/column.hpp"
#include "core/data/holes.hpp"

namespace inforest {

std::vector<std::uint32_t> column_ranks(const Dataset& data) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(static_cast<std::size_t>(data.n_samples * data.n_features));
  std::vector<std::uint32_t> number(static_cast<std::size_t>(data.n_samples));
  Ranker ranker;
  std::vector<double> filled, room;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const double* column = data.column(feature).all(data.n_samples, room);
    if (std::any_of(column, column + data.n_samples, is_missing)) {
      // Nobody reads the rank of a missing value, but those of the others.
      filled.assign(column, column + data.n_samples);
      std::replace_if(filled.begin(), filled.end(), is_missing,
                      std::numeric_limits<double>::infinity());
      column = filled.data();
    }
    ranker.rank(column, static_cast<std::uint32_t>(data.n_samples));
    for (std::uint32_t i = 0; i < ranker.ends().size(); ++i) number[ranker.ends()[i] - 1] = i;
    for (const std::uint32_t rank : ranker.ranks()) ranks.push_back(number[rank]);
  }
  return ranks;
}

void Ranker::rank(const double* values, std::uint32_t size) {
  rank_.resize(size);
  end_.clear();
  if (!count(values, size)) sort(values, size);
}

/// Values a whole number of steps above the lowest, few enough to count: ranks, codes, integers. A
/// bit per step tells which ones occur, so the steps between them cost next to nothing.
bool Ranker::count(const double* values, std::uint32_t size) {
  const auto [lowest, highest] = value_range({values, size});
  const double width = highest - lowest;
  if (!(width < std::min(64.0 * size, 4e9))) return false;
  key_.resize(size);
  bool all_whole = true;
  for (std::uint32_t i = 0; i < size; ++i) {
    key_[i] = static_cast<std::uint32_t>(values[i] - lowest);
    all_whole &= lowest + key_[i] == values[i];
  }
  if (!all_whole) return false;
  const auto n_steps = static_cast<std::size_t>(width) + 1;
  if (count_.size() < n_steps) count_.resize(n_steps, 0);  // all zero between calls
  occurs_.assign(n_steps / 64 + 1, 0);
  for (const std::uint32_t key : key_) {
    ++count_[key];
    occurs_[key / 64] |= std::uint64_t{1} << key % 64;
  }
  std::uint32_t end = 0;
  for (std::size_t word = 0; word < occurs_.size(); ++word)
    for (std::uint64_t bits = occurs_[word]; bits != 0; bits &= bits - 1) {
      std::uint32_t& cell = count_[64 * word + static_cast<std::size_t>(std::countr_zero(bits))];
      end += cell;
      end_.push_back(end);
      cell = end - 1;
    }
  for (std::uint32_t i = 0; i < size; ++i) rank_[i] = count_[key_[i]];
  for (const std::uint32_t key : key_) count_[key] = 0;
  return true;
}

void Ranker::sort(const double* values, std::uint32_t size) {
  const auto& sorted = sorter_.sort(values, size);
  for (std::uint32_t begin = 0; begin < size;) {
    std::uint32_t end = begin + 1;
    while (end < size && sorted[end].value == sorted[begin].value) ++end;
    for (; begin < end; ++begin) rank_[sorted[begin].position] = end - 1;
    end_.push_back(end);
  }
}

}  // namespace inforest
