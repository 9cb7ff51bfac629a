// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/grow_forest.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/tree/sample_block.hpp"
#include "core/tree/validate_splits.hpp"

namespace inforest {

Forest grow_forest(const Dataset& data, const FeatureIndex& features, const Options& options,
                   const Sampling& sampling, std::span<const std::uint64_t> seeds,
                   std::int64_t* done, Interrupt& interrupt) {
  Forest forest(seeds.size());
  std::unique_ptr<Grower> of_all, of_block;
  SampleBlock block(data);
  // Rows of a block are numbered anew, and lists of them are not.
  const std::vector<std::int64_t> no_lists(static_cast<std::size_t>(data.n_features) + 1, 0);
  for (const std::uint64_t key : seeds) {
    RowCounts counts = sample_counts(sampling, key);
    TreeRows rows =
        make_rows(counts, options.honesty ? options.honesty_fraction : 0.0, key, sampling.groups);
    const std::vector<bool> sampled = in_bag(counts);
    counts = RowCounts();  // growing needs the memory; {} would keep it
    if (rows.structure.empty()) throw std::invalid_argument("no rows to grow a tree from");
    const bool takes_block = SampleBlock::suits(data, rows);
    if (takes_block) block.take(rows);
    std::unique_ptr<Grower>& grower = takes_block ? of_block : of_all;
    if (grower == nullptr && takes_block) {
      const FeatureIndex without_lists{
          features.keys, {no_lists.data(), nullptr, data.n_features}, features.candidate_counts};
      grower = make_grower(block.data(), without_lists, options, interrupt);
    } else if (grower == nullptr) {
      grower = make_grower(data, features, options, interrupt);
    }
    Tree tree = grower->grow(std::move(rows), key);
    validate_splits(data, {sampled, sampling.case_counts, key}, tree);
    forest.add(tree);
    if (done != nullptr) std::atomic_ref<std::int64_t>(*done).fetch_add(1);
  }
  return forest;
}

}  // namespace inforest
