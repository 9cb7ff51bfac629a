// SPDX-License-Identifier: BSD-3-Clause
/// Random subsets and permutations.
#include "core/inference/draws.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "check.hpp"
#include "core/base/column.hpp"
#include "core/base/random_subset.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "problem.hpp"

using namespace inforest;

namespace {

/// Whether all cells are equally likely, by chi square at about 1e-6 (Wilson & Hilferty 1931).
bool is_uniform(const std::vector<std::int64_t>& count, std::int64_t n_draws) {
  const double expected = static_cast<double>(n_draws) / static_cast<double>(count.size());
  double chi_square = 0.0;
  for (const std::int64_t n : count)
    chi_square += std::pow(static_cast<double>(n) - expected, 2) / expected;
  const double freedom = static_cast<double>(count.size()) - 1.0, spread = 2.0 / (9.0 * freedom);
  return chi_square < freedom * std::pow(1.0 - spread + 4.75 * std::sqrt(spread), 3);
}

}  // namespace

/// Every set of the asked size is drawn equally often, within a word and beyond it.
TEST(random_subset) {
  constexpr std::int64_t n_draws = 100'000;
  struct Shape {
    std::uint32_t size, members;
  };
  for (const Shape shape :
       {Shape{1, 1}, {5, 0}, {6, 1}, {6, 5}, {7, 3}, {8, 4}, {66, 2}, {66, 64}}) {
    Rng rng(7);
    std::vector<std::uint64_t> mask(mask_words(shape.size));
    std::vector<std::uint32_t> positions(shape.members);
    std::map<std::vector<std::uint32_t>, std::size_t> cell_of;
    std::vector<std::int64_t> count;
    for (std::int64_t b = 0; b < n_draws; ++b) {
      random_subset(rng, shape.size, shape.members, mask.data());
      list_members(mask.data(), shape.size, positions.data());
      const auto [found, is_new] = cell_of.try_emplace(positions, count.size());
      if (is_new) count.push_back(0);
      ++count[found->second];
    }
    const double sets =
        std::round(std::exp(std::lgamma(shape.size + 1.0) - std::lgamma(shape.members + 1.0) -
                            std::lgamma(shape.size - shape.members + 1.0)));
    check(static_cast<double>(count.size()) == sets, "a random subset may be any set");
    check(count.size() == 1 || is_uniform(count, n_draws), "all random subsets are equally likely");
  }
}

/// Draws of every kind place exactly the classes' members, wherever they are kept.
TEST(draws) {
  for (const std::int64_t n : {2, 3, 40, 47, 48, 63, 64, 65, 200})
    for (const std::int32_t n_classes : {2, 3})
      for (const std::size_t cache : {std::size_t{0}, Draws::kSmallCache}) {
        const Problem problem(n, 1, n_classes, 0, 3);
        Response response;
        response.gather(problem.data, all_rows(problem.data));
        if (response.is_constant()) continue;
        Draws draws;
        draws.begin(response, 11, cache);
        for (std::int64_t b = 0; b < 300; ++b) {
          const std::uint32_t* order = draws.order(b);
          std::vector<std::uint32_t> placed(order, order + response.n_placed());
          std::sort(placed.begin(), placed.end());
          check(std::adjacent_find(placed.begin(), placed.end()) == placed.end() &&
                    placed.back() < response.size(),
                "a draw places every member somewhere else");
          if (!draws.has_masks()) continue;
          double sum = 0.0;
          for (const std::uint32_t position : placed) sum += problem.x[position];
          check(
              std::fabs(masked_sum(problem.x.data(), draws.mask(b), response.size()) - sum) < 1e-9,
              "a mask's sum is that of its members");
        }
      }
}

/// Shuffled draws are those of Fisher and Yates from the identity, in whatever order they are read;
/// with rare members, too, where only what a draw has changed is put back.
TEST(shuffled_draws) {
  Draws draws;  // of one node after the other, as a tree uses it
  for (const std::int64_t n : {9, 400, 50, 1000})
    for (const std::int64_t gap : {2, 3, 4, 9, 40}) {
      Problem problem(n, 1, 2, 0, 3);
      for (std::int64_t i = 0; i < n; ++i) problem.code[static_cast<std::size_t>(i)] = i % gap == 0;
      Response response;
      response.gather(problem.data, all_rows(problem.data));
      draws.begin(response, 11, std::size_t{1} << 12);
      if (draws.has_masks()) continue;
      const std::uint32_t size = response.size(), n_placed = response.n_placed();
      for (const std::int64_t b : {0, 7, 60, 3, 61, 60, 0}) {
        std::vector<std::uint32_t> expected(size);
        std::iota(expected.begin(), expected.end(), 0u);
        Rng(11, static_cast<std::uint64_t>(b))
            .partial_shuffle(expected.data(), size, std::min(n_placed, size - 1));
        check(std::equal(expected.begin(), expected.begin() + n_placed, draws.order(b)),
              "a draw is a shuffle of the identity");
      }
    }
}

/// Inside blocks, every arrangement is equally likely, and no response leaves its block.
TEST(draws_in_blocks) {
  constexpr std::int64_t n_draws = 60'000;
  const std::vector<std::int32_t> blocks = {0, 1, 0, 2, 1, 0, 3, 3};
  Problem problem(8, 1, 0, 0, 3);
  problem.data.blocks = blocks.data();
  problem.data.n_blocks = 4;
  Response response;
  response.gather(problem.data, all_rows(problem.data));
  check(response.blocks().exist() && response.blocks().size() == 4, "blocks are found");
  Draws draws;
  draws.begin(response, 11, 0, Draws::Shared::none);
  check(draws.are_restricted() && !draws.is_own(0), "no draw is a candidate's own");
  std::map<std::vector<std::uint32_t>, std::size_t> cell_of;
  std::vector<std::int64_t> count;
  for (std::int64_t b = 0; b < n_draws; ++b) {
    const std::uint32_t* order = draws.order(b);
    const std::vector<std::uint32_t> source(order, order + 8);
    const double* values = draws.values(b);
    for (std::size_t i = 0; i < 8; ++i) {
      check(blocks[source[i]] == blocks[i], "responses stay in their blocks");
      check(values[i] == response.centred()[source[i]], "values and positions are one draw");
    }
    const auto [found, is_new] = cell_of.try_emplace(source, count.size());
    if (is_new) count.push_back(0);
    ++count[found->second];
  }
  check(count.size() == 6 * 2 * 2, "any arrangement inside blocks can be drawn");
  check(is_uniform(count, n_draws), "all of them are equally likely");
}

/// With labels, each block keeps its own number of each class.
TEST(draws_of_labels_in_blocks) {
  for (const std::int32_t n_classes : {2, 3}) {
    Problem problem(80, 1, n_classes, 0, 3);
    std::vector<std::int32_t> blocks(80);
    for (std::size_t i = 0; i < 80; ++i) blocks[i] = static_cast<std::int32_t>(i * i % 7);
    problem.data.blocks = blocks.data();
    problem.data.n_blocks = 7;
    Response response;
    response.gather(problem.data, all_rows(problem.data));
    Draws draws;
    draws.begin(response, 5);
    check(!draws.has_masks(), "masks know no blocks");
    std::vector<std::vector<int>> expected(7, std::vector<int>(3, 0));
    for (std::size_t i = 0; i < 80; ++i)
      ++expected[static_cast<std::size_t>(blocks[i])][response.labels()[i]];
    for (std::int64_t b = 0; b < 200; ++b) {
      auto left = expected;
      const std::uint32_t* order = draws.order(b);
      for (std::uint32_t k = 0; k + 1 < response.n_classes(); ++k)
        for (std::uint32_t i = 0; i < response.class_size(k); ++i)
          --left[static_cast<std::size_t>(blocks[order[response.class_begin(k) + i]])][k];
      bool fits = true;
      for (const auto& own : left)
        for (std::uint32_t k = 0; k + 1 < response.n_classes(); ++k) fits = fits && own[k] == 0;
      check(fits, "every block keeps its classes");
    }
  }
}
