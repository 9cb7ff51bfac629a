// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/arrangements.hpp"

#include <algorithm>

#include "core/independence/root.hpp"
#include "core/inference/permutation_test.hpp"

namespace inforest {

namespace {

/// The responses as numbers 0, 1, ... of their distinct values, one per sample.
std::vector<std::uint32_t> levels(const Response& response) {
  if (response.has_labels()) return response.labels();
  std::vector<double> distinct = response.centred();
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> level;
  for (const double y : response.centred())
    level.push_back(static_cast<std::uint32_t>(
        std::lower_bound(distinct.begin(), distinct.end(), y) - distinct.begin()));
  return level;
}

/// Changes what stands at the places of one block.
template <class Change>
auto change_block(std::span<const std::uint32_t> members, std::vector<std::uint32_t>& all,
                  Change change) {
  std::vector<std::uint32_t> own;
  for (const std::uint32_t i : members) own.push_back(all[i]);
  const auto result = change(own);
  for (std::size_t i = 0; i < own.size(); ++i) all[members[i]] = own[i];
  return result;
}

/// Tells equal responses of different blocks apart, so that none leaves its block.
void number_by_block(const Blocks& blocks, std::vector<std::uint32_t>& level) {
  const std::uint32_t n_levels = *std::max_element(level.begin(), level.end()) + 1;
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (const std::uint32_t i : blocks.members(b)) level[i] += b * n_levels;
}

void first_arrangement(const Blocks& blocks, std::vector<std::uint32_t>& arranged) {
  if (!blocks.exist()) return std::sort(arranged.begin(), arranged.end());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    change_block(blocks.members(b), arranged,
                 [](auto& own) { return std::sort(own.begin(), own.end()), 0; });
}

/// The next one; blocks turn as an odometer does: the first that has another one takes it, those
/// before it begin again. False after the last.
bool next_arrangement(const Blocks& blocks, std::vector<std::uint32_t>& arranged) {
  const auto turn = [](auto& own) { return std::next_permutation(own.begin(), own.end()); };
  if (!blocks.exist()) return turn(arranged);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (change_block(blocks.members(b), arranged, turn)) return true;
  return false;
}

/// Visits every distinct arrangement, as the sample whose x comes to each place: to give the
/// responses to other samples is to give the x to other responses.
template <class Visit>
void for_each_arrangement(const std::vector<std::uint32_t>& level, const Blocks& blocks,
                          Visit visit) {
  const std::size_t n = level.size();
  std::vector<std::uint32_t> arranged = level;
  first_arrangement(blocks, arranged);
  const std::uint32_t n_levels = *std::max_element(level.begin(), level.end()) + 1;
  std::vector<std::uint32_t> size(n_levels, 0), begin(n_levels + 1, 0);
  for (const std::uint32_t one : level) ++size[one];
  for (std::size_t k = 0; k < size.size(); ++k) begin[k + 1] = begin[k] + size[k];
  // The samples of one level, in order; any order would do.
  std::vector<std::uint32_t> places(n), next(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i) places[next[level[i]]++] = i;
  std::vector<std::uint32_t> source(n);
  do {
    next.assign(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i) source[places[next[arranged[i]]++]] = i;
    visit(source);
  } while (next_arrangement(blocks, arranged));
}

}  // namespace

std::vector<std::int64_t> count_arrangements(const Dataset& data,
                                             const std::vector<std::string>& selectors,
                                             std::span<const std::int64_t> features,
                                             std::uint64_t seed, Interrupt& interrupt) {
  Root root(data);
  std::vector<std::int64_t> hits;
  std::vector<std::uint32_t> level = levels(root.response());
  const Blocks& blocks = root.response().blocks();
  number_by_block(blocks, level);
  Response response = root.response();  // weights go with x
  std::vector<double> moved(level.size());
  with_root_selectors(data, selectors, seed, response, [&](auto& by_kind) {
    for (const std::int64_t feature : features) {
      const bool varies = root.gather(feature);
      response.weigh_like(root.weights());
      hits.push_back(by_kind.visit(root.kind(), [&](auto& selector) {
        const double limit = varies ? tie_limit(selector.bind(root.column().data())) : 0.0;
        std::int64_t count = 0;
        for_each_arrangement(level, blocks, [&](const std::vector<std::uint32_t>& source) {
          interrupt.spend(2 * work_of(selector, data.n_samples));
          if (varies) {
            for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = root.column()[source[i]];
            response.weigh_like(root.weights(), source);
          }
          count += !varies || selector.bind(moved.data()) >= limit;
        });
        return count;
      }));
    }
  });
  return hits;
}

}  // namespace inforest
