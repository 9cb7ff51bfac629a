// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/few_rows.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/rng.hpp"

namespace inforest {

bool FewRows::suits(const Sampling& sampling) {
  constexpr std::int64_t kMany = 1 << 20, kFew = 16;
  return sampling.groups == nullptr && sampling.case_counts == nullptr &&
         sampling.strata == nullptr && sampling.quota.size() == 1 && sampling.n_samples >= kMany &&
         kFew * sampling.quota[0] <= sampling.n_samples;
}

std::vector<std::int32_t> FewRows::draw(std::uint64_t tree_key) {
  std::vector<std::int32_t> rows;
  if (sampling_.replace) {
    Rng rng(derive_key(tree_key, Stream::sampling));
    const auto size = static_cast<std::uint32_t>(sampling_.n_samples);
    for (std::int64_t i = 0; i < sampling_.quota[0]; ++i)
      rows.push_back(static_cast<std::int32_t>(rng.below(size)));
  } else {
    rows = draw_without_replacement(tree_key);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::int32_t> FewRows::draw_without_replacement(std::uint64_t tree_key) {
  if (all_.empty()) {
    all_.resize(static_cast<std::size_t>(sampling_.n_samples));
    std::iota(all_.begin(), all_.end(), 0);
  }
  const auto drawn = static_cast<std::uint32_t>(sampling_.quota[0]);
  Rng rng(derive_key(tree_key, Stream::sampling));
  rng.partial_shuffle(all_.data(), static_cast<std::uint32_t>(all_.size()), drawn);
  const auto end = all_.begin() + static_cast<std::ptrdiff_t>(drawn);
  std::vector<std::int32_t> rows(all_.begin(), end);
  // A place that the shuffle has changed is among the first or was drawn.
  for (const std::int32_t row : rows) all_[static_cast<std::size_t>(row)] = row;
  std::iota(all_.begin(), end, 0);
  return rows;
}

}  // namespace inforest
