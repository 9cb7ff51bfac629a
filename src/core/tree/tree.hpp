// SPDX-License-Identifier: BSD-3-Clause
/// A grown tree as flat arrays, nodes in preorder (left child first).
#pragma once

#include <cstdint>
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

struct Tree {
  // One entry per node.
  std::vector<std::int32_t> feature;  ///< -1 in a leaf
  std::vector<double> threshold;      ///< NaN in a leaf
  std::vector<std::int32_t> left, right;
  std::vector<double> value;  ///< `outputs` numbers per node: class proportions, or the mean
  std::vector<std::int32_t> n_samples;
  std::vector<double> impurity;
  std::vector<double> p_value_feature, p_value_threshold;        ///< NaN where no test was made
  std::vector<std::int64_t> n_draws_feature, n_draws_threshold;  ///< of the chosen test
  std::vector<std::int32_t> n_tests_feature, n_tests_threshold;  ///< m and h; 0 if not reached
  std::vector<std::uint8_t> stop_reason;
  std::vector<std::uint8_t> validated;  ///< by rows the tree has not seen; see validate_splits.hpp
  // Draws read by all tests of the tree.
  std::int64_t draws_selector = 0, draws_splitter = 0;

  std::int32_t size() const { return static_cast<std::int32_t>(feature.size()); }
  std::int32_t add_node();
  Splits splits() const { return {feature.data(), threshold.data(), right.data()}; }
};

}  // namespace inforest
