// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/honesty.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/rng.hpp"

namespace inforest {

namespace {

/// Which rows honesty keeps for the values of the leaves.
std::vector<bool> held_out(const RowCounts& counts, const Options& options,
                           std::uint64_t tree_key) {
  std::vector<bool> estimates(counts.size(), false);
  if (!options.honesty) return estimates;
  std::vector<std::int32_t> distinct;
  for (std::size_t row = 0; row < counts.size(); ++row)
    if (counts[row] > 0) distinct.push_back(static_cast<std::int32_t>(row));
  const auto size = static_cast<std::uint32_t>(distinct.size());
  if (size < 2) return estimates;
  const auto n_held_out = static_cast<std::uint32_t>(
      std::clamp(std::ceil(options.honesty_fraction * size * (1.0 - 1e-12)), 1.0, size - 1.0));
  Rng(derive_key(tree_key, Stream::honesty)).partial_shuffle(distinct.data(), size, n_held_out);
  for (std::uint32_t i = 0; i < n_held_out; ++i)
    estimates[static_cast<std::size_t>(distinct[i])] = true;
  return estimates;
}

}  // namespace

TreeRows make_rows(const RowCounts& counts, const Options& options, std::uint64_t tree_key) {
  const std::vector<bool> estimates = held_out(counts, options, tree_key);
  std::size_t n_cases[2] = {};
  for (std::size_t row = 0; row < counts.size(); ++row) n_cases[estimates[row]] += counts[row];
  TreeRows rows;
  rows.structure.reserve(n_cases[0]);
  rows.estimation.reserve(n_cases[1]);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    auto& side = estimates[row] ? rows.estimation : rows.structure;
    side.insert(side.end(), counts[row], static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace inforest
