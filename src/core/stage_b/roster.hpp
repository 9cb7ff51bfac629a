// SPDX-License-Identifier: BSD-3-Clause
/// Every splitter there is. A new one is its own file and one line here.
#pragma once

#include <string>
#include <variant>

#include "core/base/type_list.hpp"
#include "core/stage_b/splitter.hpp"
#include "core/stage_b/splitters/chi_square.hpp"
#include "core/stage_b/splitters/class_impurity.hpp"
#include "core/stage_b/splitters/explained_scores.hpp"
#include "core/stage_b/splitters/mae.hpp"
#include "core/stage_b/splitters/mse.hpp"
#include "core/stage_b/splitters/several_scores.hpp"

namespace inforest {

template <Splitter... S>
using SplitterList = std::variant<S...>;

using LabelSplitter = SplitterList<Gini, Entropy, ChiSquareCut>;
using ScoreSplitter = SplitterList<Mse, Mae>;
using ColumnSplitter = SplitterList<SeveralMse, ExplainedScores>;

/// Calls `use(splitter)` with the splitter of that name.
template <class Variant, class Use>
void with_splitter_of(const std::string& name, Use use) {
  roster::with_type<Variant>(name, [&]<class T>() { use(T{}); });
}

}  // namespace inforest
