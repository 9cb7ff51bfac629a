// SPDX-License-Identifier: BSD-3-Clause
/// A grown tree as flat arrays, nodes in preorder (left child first), and the table of these
/// arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/tree/route.hpp"

namespace inforest {

/// Why a node was not split.
enum class StopReason : std::uint8_t {
  split = 0,
  few_samples,
  max_depth,
  constant_response,
  no_varying_feature,
  no_feature_rejected,
  no_admissible_threshold,
  no_threshold_rejected,
  small_decrease,
};

// The table: name, type, entry of a new node. A new array is one line here and one in Python's
// `Trees` (_engine/arrays.py); members, new nodes, collecting and handing over to Python follow.
// Only `value` is apart, which has `outputs` numbers per node, and the pool of level sets.
// clang-format off
#define INFOREST_NODE_ARRAYS(ARRAY)                                                               \
  ARRAY(feature,           std::int32_t, -1)    /* -1 in a leaf */                                \
  ARRAY(threshold,         double,       kNone) /* NaN in a leaf */                               \
  ARRAY(missing_left,      std::uint8_t, 0)     /* 1: missing values go left */                   \
  ARRAY(level_set,         std::int32_t, -1)    /* where it begins in the pool; -1: a threshold */\
  ARRAY(left,              std::int32_t, -1)    /* -1 in a leaf */                                \
  ARRAY(right,             std::int32_t, -1)                                                      \
  ARRAY(n_samples,         std::int32_t, 0)                                                       \
  ARRAY(weight,            double,       0.0)   /* of these samples together */                   \
  ARRAY(impurity,          double,       0.0)                                                     \
  ARRAY(p_value_feature,   double,       kNone) /* NaN where no test was made */                  \
  ARRAY(p_value_threshold, double,       kNone)                                                   \
  ARRAY(chi_square,        double,       kNone) /* of an asymptotic test of the feature */        \
  ARRAY(log_p_value,       double,       kNone) /* the same test's, which never underflows */     \
  ARRAY(n_draws_feature,   std::int64_t, 0)     /* of the chosen test */                          \
  ARRAY(n_draws_threshold, std::int64_t, 0)                                                       \
  ARRAY(n_tests_feature,   std::int32_t, 0)     /* m; 0 if not reached */                         \
  ARRAY(n_tests_threshold, std::int32_t, 0)     /* h; 0 if not reached */                         \
  ARRAY(stop_reason,       std::uint8_t, 0)     /* a StopReason */                                \
  ARRAY(validated,         std::uint8_t, 0)     /* by unseen rows; see validate_splits.hpp */     \
  ARRAY(unseen_effect,     double,       0.0)   /* the same */

/// One number per tree: name, type.
#define INFOREST_TREE_NUMBERS(NUMBER)                                                             \
  NUMBER(draws_selector, std::int64_t)          /* read by all tests of the tree */               \
  NUMBER(draws_splitter, std::int64_t)
// clang-format on

struct Tree {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

#define INFOREST_MEMBER(name, type, initial) std::vector<type> name;
  INFOREST_NODE_ARRAYS(INFOREST_MEMBER)
#undef INFOREST_MEMBER
  std::vector<double> value;  ///< `outputs` numbers per node: class proportions, or the mean
  std::vector<std::uint64_t> level_pool;  ///< a `LevelSet` for each split of a category
#define INFOREST_MEMBER(name, type) type name = 0;
  INFOREST_TREE_NUMBERS(INFOREST_MEMBER)
#undef INFOREST_MEMBER

  std::int32_t size() const { return static_cast<std::int32_t>(feature.size()); }

  /// Returns its number; its values are not appended.
  std::int32_t add_node() {
    const std::int32_t node = size();
#define INFOREST_ADD(name, type, initial) name.push_back(initial);
    INFOREST_NODE_ARRAYS(INFOREST_ADD)
#undef INFOREST_ADD
    return node;
  }

  Splits splits() const {
    return {feature.data(), threshold.data(), missing_left.data(),
            right.data(),   level_set.data(), level_pool.data()};
  }
};

/// Calls visit(name, the array of each of `trees`) for every array with one entry per node.
template <class Visit, class... Trees>
void for_each_node_array(Visit visit, Trees&... trees) {
#define INFOREST_VISIT(name, type, initial) visit(#name, trees.name...);
  INFOREST_NODE_ARRAYS(INFOREST_VISIT)
#undef INFOREST_VISIT
}

}  // namespace inforest
