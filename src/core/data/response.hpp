// SPDX-License-Identifier: BSD-3-Clause
/// What the tests of one node see of the responses, gathered once and shared by all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/blocks.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// Positions 0 .. n-1 are the node's rows in order.
///
/// Labels: the classes present are renumbered 0 .. K-1 by rising size, so the largest is last: a
/// draw need only place the members of classes 0 .. K-2, the rest follows.
/// Scores: centred, column by column.
class Response {
 public:
  void gather(const Dataset& data, std::span<const std::int32_t> rows);

  ResponseKind kind() const { return kind_; }
  bool has_labels() const { return kind_ == ResponseKind::labels; }
  std::uint32_t size() const { return size_; }
  /// Whether no permutation changes anything: equal responses, with blocks inside each of them.
  bool is_constant() const { return is_constant_; }
  /// Inside which the responses are permuted, if they exist.
  const Blocks& blocks() const { return blocks_; }
  /// Makes of a feature's values at the node's positions what Stage A's statistics see of them.
  void centre_in_blocks(double* x) const {
    if (blocks_.exist()) blocks_.centre(x, weights());
  }

  // Weights
  bool has_weights() const { return !weights_.empty() || !class_weights_.empty(); }
  /// Of each position, null if all are 1; they stay where they are when responses are permuted.
  const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
  /// Of each class present, null if all are 1; they go with the responses.
  const double* class_weights() const {
    return class_weights_.empty() ? nullptr : class_weights_.data();
  }
  /// What a position weighs with the response that it has.
  double weight(std::uint32_t position) const {
    const double own = weights_.empty() ? 1.0 : weights_[position];
    return class_weights_.empty() ? own : own * class_weights_[labels_[position]];
  }
  /// Weighs the positions as these do, whatever rows the responses came from.
  void weigh_like(std::span<const double> weights) {
    weights_.assign(weights.begin(), weights.end());
  }
  /// The same with position i as heavy as `source[i]` of these.
  void weigh_like(std::span<const double> weights, std::span<const std::uint32_t> source);

  // Labels
  std::uint32_t n_classes() const { return static_cast<std::uint32_t>(class_size_.size()); }
  std::uint32_t class_size(std::uint32_t k) const { return class_size_[k]; }
  std::uint32_t class_begin(std::uint32_t k) const { return class_begin_[k]; }
  /// The label of the data that class k is.
  std::uint32_t label_of_class(std::uint32_t k) const { return label_of_class_[k]; }
  /// Number of samples of each label of the data, present or not.
  const std::vector<std::uint32_t>& label_count() const { return label_count_; }
  /// Present class of each position.
  const std::vector<std::uint32_t>& labels() const { return labels_; }
  /// Number of positions outside the largest class.
  std::uint32_t n_placed() const { return class_begin_.back(); }
  /// The arrangement of the data itself, in the form of a draw (see draws.hpp).
  const std::vector<std::uint32_t>& observed_order() const { return observed_order_; }

  // Scores
  std::uint32_t n_scores() const { return static_cast<std::uint32_t>(centring_.size()); }
  /// All scores minus their means, one column of `size()` after the other.
  const std::vector<double>& centred() const { return centred_; }
  double mean(std::uint32_t score = 0) const { return centring_[score].mean; }
  double sum_of_squares(std::uint32_t score = 0) const { return centring_[score].sum_of_squares; }
  /// About the means of the blocks, if they exist: what a feature without a part between blocks
  /// could explain.
  double squares_in_blocks(std::uint32_t score = 0) const {
    return blocks_.exist() ? squares_in_blocks_[score] : sum_of_squares(score);
  }

 private:
  void gather_weights(const Dataset& data, std::span<const std::int32_t> rows);
  void gather_labels(const Target& target, std::span<const std::int32_t> rows);
  void gather_scores(const Target& target, std::int64_t n_samples,
                     std::span<const std::int32_t> rows);
  void gather_blocks(const Dataset& data, std::span<const std::int32_t> rows);

  ResponseKind kind_ = ResponseKind::scores;
  std::uint32_t size_ = 0;
  bool is_constant_ = true;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> class_size_;
  std::vector<std::uint32_t> class_begin_;
  std::vector<std::uint32_t> label_count_, present_of_label_;
  std::vector<std::uint32_t> observed_order_;
  std::vector<double> weights_, class_weights_;
  std::vector<std::uint32_t> label_of_class_;
  std::vector<double> centred_;
  std::vector<Centring> centring_;  ///< of each score
  Blocks blocks_;
  std::vector<double> squares_in_blocks_;  ///< of each score
};

}  // namespace inforest
