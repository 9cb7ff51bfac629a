// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/grow_forest.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/data/few_rows.hpp"
#include "core/tree/sample_block.hpp"
#include "core/tree/validate_splits.hpp"

namespace inforest {

namespace {

/// What a tree is grown from, and which rows it has seen.
struct Drawn {
  TreeRows rows;
  std::vector<bool> in_bag;
  std::size_t n_grown() const { return rows.structure.size() + rows.estimation.size(); }
};

Drawn draw_all(const Sampling& sampling, double honesty, std::uint64_t key) {
  const RowCounts counts = sample_counts(sampling, key);
  return {make_rows(counts, honesty, key, sampling.groups), in_bag(counts)};
}

Drawn draw_few(FewRows& few, std::int64_t n_samples, std::uint64_t key) {
  Drawn drawn{{few.draw(key), {}}, std::vector<bool>(static_cast<std::size_t>(n_samples))};
  for (const std::int32_t row : drawn.rows.structure)
    drawn.in_bag[static_cast<std::size_t>(row)] = true;
  return drawn;
}

}  // namespace

Forest grow_forest(const Dataset& data, const FeatureIndex& features, const Options& options,
                   const Sampling& sampling, std::span<const std::uint64_t> seeds,
                   std::int64_t* done, Interrupt& interrupt) {
  Forest forest(seeds.size());
  std::unique_ptr<Grower> of_all, of_block;
  SampleBlock block(data);
  FewRows few(sampling);
  const double honesty = options.honesty ? options.honesty_fraction : 0.0;
  const bool takes_few = honesty == 0.0 && FewRows::suits(sampling);
  // Rows of a block are numbered anew, and lists of them are not.
  const std::vector<std::int64_t> no_lists(static_cast<std::size_t>(data.n_features) + 1, 0);
  for (const std::uint64_t key : seeds) {
    Drawn drawn =
        takes_few ? draw_few(few, sampling.n_samples, key) : draw_all(sampling, honesty, key);
    TreeRows& rows = drawn.rows;
    const std::size_t n_grown = drawn.n_grown();
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
    interrupt.spend(10 * sampling.n_samples);  // drawing, and reading the rows that are not drawn
    validate_splits(data, {drawn.in_bag, n_grown, sampling.case_counts, key}, tree);
    forest.add(tree);
    if (done != nullptr) std::atomic_ref<std::int64_t>(*done).fetch_add(1);
  }
  return forest;
}

}  // namespace inforest
