// SPDX-License-Identifier: BSD-3-Clause
/// Tests of many features, each by itself; all of them read the same permutations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/inference/permutation_test.hpp"

namespace inforest {

/// Tests one feature after the other, each by itself under `plan`.
std::vector<TestOutcome> test_features(const Dataset& data,
                                       const std::vector<std::string>& selectors,
                                       std::span<const std::int64_t> features, const TestPlan& plan,
                                       std::uint64_t seed, Interrupt& interrupt);

}  // namespace inforest
