// SPDX-License-Identifier: BSD-3-Clause
/// Impurities of a node and of its cuts, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.hpp"

namespace inforest {

/// Weighted child impurity of the first feature at each threshold.
std::vector<double> split_impurities(const Dataset& data, const std::string& splitter,
                                     const std::vector<double>& thresholds);

double node_impurity(const Dataset& data, const std::string& splitter);

/// Exact p-value of a two-class cut (see two_class.hpp); `splitter` is "gini" or "entropy".
double two_class_p_value(std::int64_t size, std::int64_t ones, std::int64_t left,
                         std::int64_t ones_left, const std::string& splitter);

}  // namespace inforest
