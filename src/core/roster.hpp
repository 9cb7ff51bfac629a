// SPDX-License-Identifier: BSD-3-Clause
/// Every splitter there is. A new one is its own file and one line here.
#pragma once

#include <variant>

#include "core/base/type_list.hpp"
#include "core/stage_b/splitters/class_impurity.hpp"
#include "core/stage_b/splitters/mae.hpp"
#include "core/stage_b/splitters/mse.hpp"

namespace inforest {

using LabelSplitter = std::variant<Gini, Entropy>;
using ScoreSplitter = std::variant<Mse, Mae>;

}  // namespace inforest
