// SPDX-License-Identifier: BSD-3-Clause
/// Trees one after the other in the same arrays, as Python keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tree/tree.hpp"

namespace inforest {

class Forest {
 public:
  /// Memory is asked for once, if the trees are about as large as the first one.
  explicit Forest(std::size_t n_expected) : n_expected_(n_expected) {}

  void add(const Tree& tree) {
    const auto append = [&](const char*, auto& all, const auto& one) {
      // Room for as many of the first one's size and some more: to move them all would need twice
      // the memory, while pages not yet written need none.
      if (all.empty()) all.reserve(n_expected_ * one.size() / 4 * 5);
      all.insert(all.end(), one.begin(), one.end());
    };
    for_each_node_array(append, nodes_, tree);
    append("value", nodes_.value, tree.value);
    append("level_pool", nodes_.level_pool, tree.level_pool);
    pool_offset_.push_back(static_cast<std::int64_t>(nodes_.level_pool.size()));
    offset_.push_back(nodes_.size());
#define INFOREST_APPEND(name, type) name##_.push_back(tree.name);
    INFOREST_TREE_NUMBERS(INFOREST_APPEND)
#undef INFOREST_APPEND
  }

  /// Calls visit(name, array) for every array with one entry per node or per tree, and for the pool
  /// of level sets; `offset` and `pool_offset` say where trees begin, and have one entry more.
  template <class Visit>
  void for_each_array(Visit visit) {
    visit("offset", offset_);
    visit("pool_offset", pool_offset_);
    visit("level_pool", nodes_.level_pool);
    for_each_node_array(visit, nodes_);
#define INFOREST_VISIT(name, type) visit(#name, name##_);
    INFOREST_TREE_NUMBERS(INFOREST_VISIT)
#undef INFOREST_VISIT
  }

  /// `outputs` numbers per node.
  std::vector<double>& value() { return nodes_.value; }

 private:
  std::size_t n_expected_;
  Tree nodes_;  ///< those of all trees
  std::vector<std::int64_t> offset_{0}, pool_offset_{0};
#define INFOREST_MEMBER(name, type) std::vector<type> name##_;
  INFOREST_TREE_NUMBERS(INFOREST_MEMBER)
#undef INFOREST_MEMBER
};

}  // namespace inforest
