// SPDX-License-Identifier: BSD-3-Clause
/// Stage B's cuts of a category: its levels in the order of their responses, cut between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/levels.hpp"
#include "core/data/response.hpp"
#include "core/stage_b/cuts.hpp"

namespace inforest {

/// With scores or two classes, levels are sorted by their mean: the best of these K - 1 cuts is the
/// best of all 2^(K - 1) - 1 partitions of the levels for mse, gini and entropy, and for any
/// concave impurity of a mean (Fisher 1958; Breiman et al. 1984), as long as `min_samples_leaf`
/// forbids none. With more classes they are sorted along the first principal component of their
/// class shares (Coppersmith, Hong and Hosking 1999), which is near the best; with several scores
/// along that of their means.
///
/// The order is made from the responses. So a test must make it anew in every permutation: with the
/// data's order, a test of level 0.05 rejects 87 % of all nodes without any association.
///
/// Levels with equal means keep the order in which rows first have them. Nothing depends on their
/// numbers in the data.
class LevelCuts {
 public:
  /// `values`: the category's at the positions of the response, which is in its own order again.
  void build(const double* values, const Response& response, std::uint32_t min_samples_leaf);

  // Cuts (see cuts.hpp), of the responses as they are now.
  std::size_t size() const { return left_size_.size(); }
  const std::vector<std::uint32_t>& left_sizes() const { return left_size_; }
  Turn turn() const { return {size(), 0}; }
  /// Writes item(position) of the responses that stand at the positions in their order now.
  template <class Item, class ItemOf>
  void arrange(ItemOf item, Item* items) {
    arrange_places([&](std::uint32_t place) { return item(source_[place]); }, items);
  }
  /// The same of what stays at its place, as weights do.
  template <class Item, class ItemOf>
  void arrange_places(ItemOf item, Item* items) {
    next_ = begin_;
    const std::vector<std::uint32_t>& level = levels_.of_position();
    for (std::uint32_t i = 0; i < level.size(); ++i) items[next_[level[i]]++] = item(i);
  }

  /// Permutes the responses, inside their blocks, and sorts the levels anew.
  void permute(const Response& response, Rng& rng);
  /// Back to the responses as they were, and their order.
  void restore(const Response& response);
  /// Leaves one cut: between the levels that go left and the others.
  void divide(const std::vector<bool>& goes_left);
  /// Whether the best cut of this order is the best of all partitions: of means, and none of the
  /// cuts makes a side too small.
  bool is_best_order(const Response& response) const {
    const bool by_mean =
        response.has_labels() ? response.n_classes() <= 2 : response.n_scores() == 1;
    return by_mean && left_size_.size() + 1 == levels_.size();
  }

  const NodeLevels& levels() const { return levels_; }
  /// Whether the rows of a level go left at a cut of the order there is now.
  bool goes_left(std::uint32_t level, std::size_t cut) const {
    return begin_[level] < left_size_[cut];
  }

 private:
  void sort(const Response& response);
  void score_by_mean(const Response& response);
  void score_by_component(const Response& response);
  /// Of each level: the shares of the classes, or the means of the scores, less those of all.
  void gather_means(const Response& response);
  void find_cuts();

  std::uint32_t min_samples_leaf_ = 1;
  NodeLevels levels_;
  std::vector<std::uint32_t> source_;  ///< whose response stands at each position
  std::vector<double> score_;          ///< of each level
  std::vector<std::uint32_t> order_;   ///< levels by score
  std::vector<std::uint32_t> begin_;   ///< where the rows of each level begin in their order
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> left_size_;
  std::vector<double> weight_;                ///< of each level, with its responses
  std::vector<double> mean_, axis_, turned_;  ///< shares or means, and a direction among them
};

}  // namespace inforest
