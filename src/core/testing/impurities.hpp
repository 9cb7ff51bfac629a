// SPDX-License-Identifier: BSD-3-Clause
/// The engine's parts one at a time, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/stage_b/thresholds.hpp"

namespace inforest {

struct SingleTest {
  double statistic;
  TestOutcome outcome;
};

/// Tests the first feature on all rows. With `certify`, a proven bound may replace the draws; those
/// that are not `shared`, the selector may make itself (see short_draws.hpp).
SingleTest test_feature(const Dataset& data, const std::vector<std::string>& selectors,
                        const TestPlan& plan, bool certify, Draws::Shared shared,
                        std::uint64_t seed, Interrupt& interrupt);

/// Weighted child impurity of the first feature at each threshold.
std::vector<double> split_impurities(const Dataset& data, const std::string& splitter,
                                     const std::vector<double>& thresholds);

double node_impurity(const Dataset& data, const std::string& splitter);

/// Exact p-value of a two-class cut (see two_class.hpp); `splitter` is "gini" or "entropy".
double two_class_p_value(std::int64_t size, std::int64_t ones, std::int64_t left,
                         std::int64_t ones_left, const std::string& splitter);

/// The x and y projections that `rdc` has with this seed: slopes and offsets of x, then of y.
std::vector<double> rdc_weights(std::uint64_t seed);

}  // namespace inforest
