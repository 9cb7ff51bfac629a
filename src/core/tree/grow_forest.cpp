// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/grow_forest.hpp"

#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/tree/validate_splits.hpp"

namespace inforest {

Forest grow_forest(const Dataset& data, const FeatureIndex& features, const Options& options,
                   const Sampling& sampling, std::span<const std::uint64_t> seeds,
                   std::int64_t* done, Interrupt& interrupt) {
  Forest forest(seeds.size());
  const auto grower = make_grower(data, features, options, interrupt);
  for (const std::uint64_t key : seeds) {
    RowCounts counts = sample_counts(sampling, key);
    TreeRows rows =
        make_rows(counts, options.honesty ? options.honesty_fraction : 0.0, key, sampling.groups);
    const std::vector<bool> sampled = in_bag(counts);
    counts = RowCounts();  // growing needs the memory; {} would keep it
    if (rows.structure.empty()) throw std::invalid_argument("no rows to grow a tree from");
    Tree tree = grower->grow(std::move(rows), key);
    validate_splits(data, sampled, sampling.case_counts, tree);
    forest.add(tree);
    if (done != nullptr) std::atomic_ref<std::int64_t>(*done).fetch_add(1);
  }
  return forest;
}

}  // namespace inforest
