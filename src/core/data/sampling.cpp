// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/rng.hpp"

namespace inforest {

std::vector<bool> in_bag(const RowCounts& counts) {
  std::vector<bool> is_in(counts.size());
  for (std::size_t row = 0; row < counts.size(); ++row) is_in[row] = counts[row] > 0;
  return is_in;
}

namespace {

/// Whole groups, by the same rules as rows without groups.
RowCounts sample_groups(const Sampling& sampling, std::uint64_t tree_key) {
  const auto n = static_cast<std::size_t>(sampling.n_samples);
  const std::int32_t last = *std::max_element(sampling.groups, sampling.groups + n);
  std::vector<std::int32_t> strata(static_cast<std::size_t>(last) + 1, 0);
  std::vector<std::int64_t> are_there(strata.size(), 0);  // with a row that can be drawn
  for (std::size_t row = 0; row < n; ++row) {
    const auto group = static_cast<std::size_t>(sampling.groups[row]);
    if (sampling.strata != nullptr) strata[group] = sampling.strata[row];
    if (sampling.case_counts == nullptr || sampling.case_counts[row] > 0) are_there[group] = 1;
  }
  const Sampling of_groups{.n_samples = last + std::int64_t{1},
                           .case_counts = are_there.data(),
                           .strata = strata.data(),
                           .quota = sampling.quota,
                           .replace = sampling.replace};
  const RowCounts drawn = sample_counts(of_groups, tree_key);
  RowCounts counts(n);
  for (std::size_t row = 0; row < n; ++row) {
    const auto cases = sampling.case_counts == nullptr ? 1 : sampling.case_counts[row];
    counts[row] =
        drawn[static_cast<std::size_t>(sampling.groups[row])] * static_cast<std::uint32_t>(cases);
  }
  return counts;
}

}  // namespace

RowCounts sample_counts(const Sampling& sampling, std::uint64_t tree_key) {
  if (sampling.groups != nullptr && !sampling.quota.empty())
    return sample_groups(sampling, tree_key);
  const auto n = static_cast<std::size_t>(sampling.n_samples);
  const auto cases_of = [&](std::size_t row) {
    return sampling.case_counts == nullptr ? std::int64_t{1} : sampling.case_counts[row];
  };
  RowCounts counts(n, 0);
  if (sampling.quota.empty()) {
    for (std::size_t row = 0; row < n; ++row)
      counts[row] = static_cast<std::uint32_t>(cases_of(row));
    return counts;
  }
  // The cases of each stratum, in order of rows.
  std::vector<std::vector<std::int32_t>> strata(sampling.quota.size());
  const auto stratum_of = [&](std::size_t row) {
    return sampling.strata == nullptr ? 0 : static_cast<std::size_t>(sampling.strata[row]);
  };
  std::vector<std::size_t> size_of(strata.size(), 0);
  for (std::size_t row = 0; row < n; ++row)
    if (stratum_of(row) < strata.size())
      size_of[stratum_of(row)] += static_cast<std::size_t>(cases_of(row));
  for (std::size_t stratum = 0; stratum < strata.size(); ++stratum)
    strata[stratum].reserve(size_of[stratum]);
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t stratum = stratum_of(row);
    if (stratum < strata.size())
      strata[stratum].insert(strata[stratum].end(), static_cast<std::size_t>(cases_of(row)),
                             static_cast<std::int32_t>(row));
  }
  Rng rng(derive_key(tree_key, Stream::sampling));
  for (std::size_t stratum = 0; stratum < strata.size(); ++stratum) {
    std::vector<std::int32_t>& cases = strata[stratum];
    const auto size = static_cast<std::uint32_t>(cases.size());
    if (size == 0) continue;
    if (sampling.replace) {
      for (std::int64_t i = 0; i < sampling.quota[stratum]; ++i)
        ++counts[static_cast<std::size_t>(cases[rng.below(size)])];
    } else {
      const auto drawn =
          static_cast<std::uint32_t>(std::min<std::int64_t>(sampling.quota[stratum], size));
      rng.partial_shuffle(cases.data(), size, drawn);
      for (std::uint32_t i = 0; i < drawn; ++i) ++counts[static_cast<std::size_t>(cases[i])];
    }
  }
  return counts;
}

namespace {

/// Which rows, or groups, honesty keeps for the values of the leaves.
std::vector<bool> held_out(const RowCounts& counts, double share, std::uint64_t tree_key) {
  std::vector<bool> estimates(counts.size(), false);
  if (share == 0.0) return estimates;
  std::vector<std::int32_t> distinct;
  for (std::size_t row = 0; row < counts.size(); ++row)
    if (counts[row] > 0) distinct.push_back(static_cast<std::int32_t>(row));
  const auto size = static_cast<std::uint32_t>(distinct.size());
  if (size < 2) return estimates;
  const auto n_held_out = static_cast<std::uint32_t>(
      std::clamp(std::ceil(share * size * (1.0 - 1e-12)), 1.0, size - 1.0));
  Rng(derive_key(tree_key, Stream::honesty)).partial_shuffle(distinct.data(), size, n_held_out);
  for (std::uint32_t i = 0; i < n_held_out; ++i)
    estimates[static_cast<std::size_t>(distinct[i])] = true;
  return estimates;
}

std::vector<bool> held_out_groups(const RowCounts& counts, double share, std::uint64_t tree_key,
                                  const std::int32_t* groups) {
  RowCounts of_groups(counts.size(), 0);
  for (std::size_t row = 0; row < counts.size(); ++row)
    of_groups[static_cast<std::size_t>(groups[row])] += counts[row];
  const std::vector<bool> chosen = held_out(of_groups, share, tree_key);
  std::vector<bool> estimates(counts.size());
  for (std::size_t row = 0; row < counts.size(); ++row)
    estimates[row] = chosen[static_cast<std::size_t>(groups[row])];
  return estimates;
}

}  // namespace

TreeRows make_rows(const RowCounts& counts, double honesty, std::uint64_t tree_key,
                   const std::int32_t* groups) {
  const std::vector<bool> estimates = groups == nullptr || honesty == 0.0
                                          ? held_out(counts, honesty, tree_key)
                                          : held_out_groups(counts, honesty, tree_key, groups);
  std::size_t n_cases[2] = {};
  for (std::size_t row = 0; row < counts.size(); ++row) n_cases[estimates[row]] += counts[row];
  TreeRows rows;
  rows.structure.reserve(n_cases[0]);
  rows.estimation.reserve(n_cases[1]);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    auto& side = estimates[row] ? rows.estimation : rows.structure;
    for (std::uint32_t i = 0; i < counts[row]; ++i) side.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace inforest
