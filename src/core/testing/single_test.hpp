// SPDX-License-Identifier: BSD-3-Clause
/// One Stage A test of one column, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/permutation_test.hpp"

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

/// The x and y projections that `rdc` has with this seed: slopes and offsets of x, then of y.
std::vector<double> rdc_weights(std::uint64_t seed);

}  // namespace inforest
