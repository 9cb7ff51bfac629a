// SPDX-License-Identifier: BSD-3-Clause
/// Several cuts read from the same permutations, which are made no further than they need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/rng.hpp"
#include "core/stage_b/cut_node.hpp"
#include "core/stage_b/splitter.hpp"

namespace inforest {

/// A score follows from the responses of either child, so it is the smaller ones that are drawn:
/// left children from the near end of the items, right ones from the far end, which never meet.
///
/// A `Test` is anything with a `cut`.
template <Splitter S>
class CutsTogether {
 public:
  using Item = typename S::Item;

  /// Of the node's tests, which are put into the order of `scores()`: first the cuts whose left
  /// child is the smaller, ascending, then the others by ascending right child.
  template <class Test>
  void begin(const CutNode<S>& node, std::vector<Test>& tests) {
    node_ = &node;
    std::sort(tests.begin(), tests.end(), [&](const Test& a, const Test& b) {
      const bool a_near = node.left_is_smaller(a.cut), b_near = node.left_is_smaller(b.cut);
      if (a_near != b_near) return a_near;
      return a_near ? node.left[a.cut] < node.left[b.cut] : node.left[a.cut] > node.left[b.cut];
    });
    keep(tests);
  }

  /// From now on only these are read.
  template <class Test>
  void keep(const std::vector<Test>& tests) {
    near_.clear();
    far_.clear();
    for (const Test& test : tests)
      (node_->left_is_smaller(test.cut) ? near_ : far_).push_back(node_->side(test.cut));
  }

  /// One more permutation, as far as the cuts need it.
  void draw(Rng& rng) {
    const std::uint32_t near = near_.empty() ? 0 : near_.back();
    const std::uint32_t far = far_.empty() ? 0 : far_.back();
    rng.partial_shuffle(node_->items, node_->size, std::min(near + far, node_->size - 1));
    score(node_->items, node_->items + near);
    node_->interrupt.spend(3 * static_cast<std::int64_t>(near + far) +
                           static_cast<std::int64_t>(near_.size() + far_.size()));
  }

  /// The permutation that the items are.
  void read() {
    reversed_.assign(std::make_reverse_iterator(node_->items + node_->size),
                     std::make_reverse_iterator(node_->items));
    score(node_->items, reversed_.data());
  }

  /// Of the permutation last drawn or read, in the order of the tests.
  std::vector<double>& scores() { return score_; }

 private:
  void score(const Item* near, const Item* far) {
    score_.resize(near_.size() + far_.size());
    if (!near_.empty())
      hook::score(node_->splitter, near, near_.data(), near_.size(), score_.data());
    if (!far_.empty())
      hook::score(node_->splitter, far, far_.data(), far_.size(), score_.data() + near_.size());
  }

  const CutNode<S>* node_ = nullptr;
  std::vector<std::uint32_t> near_, far_;  ///< sizes of the children that are read
  std::vector<double> score_;
  std::vector<Item> reversed_;
};

}  // namespace inforest
