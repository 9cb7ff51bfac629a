// SPDX-License-Identifier: BSD-3-Clause
#include "sampling.hpp"

#include <algorithm>

#include "rng.hpp"

namespace inforest {

std::vector<std::int64_t> sample_counts(const Sampling& sampling, std::uint64_t tree_key) {
  const auto n = static_cast<std::size_t>(sampling.n_samples);
  const auto cases_of = [&](std::size_t row) {
    return sampling.case_counts == nullptr ? std::int64_t{1} : sampling.case_counts[row];
  };
  std::vector<std::int64_t> counts(n, 0);
  if (sampling.quota.empty()) {
    for (std::size_t row = 0; row < n; ++row) counts[row] = cases_of(row);
    return counts;
  }
  Rng rng(derive_key(tree_key, Stream::sampling));
  std::vector<std::int32_t> cases;  // of one stratum
  for (std::size_t stratum = 0; stratum < sampling.quota.size(); ++stratum) {
    cases.clear();
    for (std::size_t row = 0; row < n; ++row)
      if (sampling.strata == nullptr || static_cast<std::size_t>(sampling.strata[row]) == stratum)
        cases.insert(cases.end(), static_cast<std::size_t>(cases_of(row)),
                     static_cast<std::int32_t>(row));
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

}  // namespace inforest
