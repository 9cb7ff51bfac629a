// SPDX-License-Identifier: BSD-3-Clause
/// From names to typed selectors, and from a task to all that serve it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/roster.hpp"
#include "core/stage_a/selectors/maximum.hpp"
#include "core/stage_b/roster.hpp"

namespace inforest {

/// Calls `use(selector)` with the selector of that name, or with the maximum over several.
template <class Variant, class Use>
void with_selector_of(const std::vector<std::string>& names, Use use) {
  if (names.size() == 1) {
    roster::with_type<Variant>(names[0], [&]<class T>() { use(T{}); });
    return;
  }
  std::vector<Variant> members;
  for (const std::string& name : names)
    roster::with_type<Variant>(name, [&]<class T>() { members.push_back(T{}); });
  use(Maximum<Variant>(std::move(members)));
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
