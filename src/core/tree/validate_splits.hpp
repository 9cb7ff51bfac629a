// SPDX-License-Identifier: BSD-3-Clause
/// What rows that a tree has not seen say about its splits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"
#include "core/tree/tree.hpp"

namespace inforest {

/// The rows that judge: those out of the tree's bag that count at all. Above a million rows a
/// random part of them: about as many as the tree was grown from, at least 100,000 and at most a
/// million, out of bag or not. What they say of a split errs no more then than what the tree's own
/// rows have said, and to send all others down would take longer than to grow the tree.
class UnseenRows {
 public:
  /// `in_bag`: which rows are in the sample of the tree with this key, `n_grown` in all;
  /// `case_counts` (may be null): 0 for rows that do not count.
  UnseenRows(const std::vector<bool>& in_bag, std::size_t n_grown, const std::int64_t* case_counts,
             std::uint64_t tree_key)
      : in_bag_(in_bag),
        n_grown_(n_grown),
        case_counts_(case_counts),
        key_(derive_key(tree_key, Stream::unseen_rows)) {}

  /// The rows, ascending.
  std::vector<std::int32_t> list() const;

 private:
  static constexpr std::size_t kFew = 100'000, kMany = 1'000'000;

  bool is_one(std::size_t row) const {
    return !in_bag_[row] && (case_counts_ == nullptr || case_counts_[row] != 0);
  }

  const std::vector<bool>& in_bag_;
  std::size_t n_grown_;
  const std::int64_t* case_counts_;
  std::uint64_t key_;
};

/// Fills `tree.validated`: 1 for a split whose children predict the rows that are out of the
/// tree's bag and reach it better than the node itself does, by the sum of squared errors (in
/// classification of the class proportions, the Brier score). Rows count as much as they weigh.
///
/// The impurity of these rows would not do: it never rises by a split, whatever the split.
///
/// And `tree.unseen_effect`: what the same rows say about the size of the split's effect,
/// sqrt(l r / (l + r)) d.c / (|c| s) with the weights l and r of those that go left and right, the
/// difference d of their mean responses, the difference c of the children's values, and s^2 the
/// squared deviations of the responses of all rows out of the bag. With one output and c > 0 that
/// is the correlation of the sides with y, as large as at the root, and negative where the rows
/// contradict the split. The mean over all permutations of unseen responses is 0 for any split, and
/// with one output or two classes and equal weights their variance is the same for all splits with
/// rows on both sides: no kind of feature is preferred.
void validate_splits(const Dataset& data, const UnseenRows& rows, Tree& tree);

}  // namespace inforest
