// SPDX-License-Identifier: BSD-3-Clause
/// From a kind of response to the selectors and splitters that serve it.
#pragma once

#include "core/data/dataset.hpp"
#include "core/stage_a/factory.hpp"
#include "core/stage_b/roster.hpp"

namespace inforest {

struct OfLabels {
  using Selector = LabelSelector;
  using Splitter = LabelSplitter;
};
struct OfScores {
  using Selector = ScoreSelector;
  using Splitter = ScoreSplitter;
};
struct OfColumns {
  using Selector = ColumnSelector;
  using Splitter = ColumnSplitter;
};

/// Calls `use(OfLabels{})`, `use(OfScores{})` or `use(OfColumns{})`.
template <class Use>
auto with_kind(ResponseKind kind, Use use) {
  if (kind == ResponseKind::columns) return use(OfColumns{});
  return kind == ResponseKind::labels ? use(OfLabels{}) : use(OfScores{});
}

}  // namespace inforest
