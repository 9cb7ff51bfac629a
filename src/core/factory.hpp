// SPDX-License-Identifier: BSD-3-Clause
/// From names to typed splitters, and from a kind of response to all that serve it.
#pragma once

#include <string>

#include "core/data/dataset.hpp"
#include "core/roster.hpp"
#include "core/stage_a/factory.hpp"

namespace inforest {

/// Calls `use(splitter)` with the splitter of that name.
template <class Variant, class Use>
void with_splitter_of(const std::string& name, Use use) {
  roster::with_type<Variant>(name, [&]<class T>() { use(T{}); });
}

/// The selectors and splitters of each kind of response.
struct OfLabels {
  using Selector = LabelSelector;
  using Splitter = LabelSplitter;
};
struct OfScores {
  using Selector = ScoreSelector;
  using Splitter = ScoreSplitter;
};

/// Calls `use(OfLabels{})` or `use(OfScores{})`.
template <class Use>
auto with_kind(ResponseKind kind, Use use) {
  return kind == ResponseKind::labels ? use(OfLabels{}) : use(OfScores{});
}

}  // namespace inforest
