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

/// The selectors and splitters of each task.
struct Classification {
  using Selector = ClassificationSelector;
  using Splitter = ClassificationSplitter;
};
struct Regression {
  using Selector = RegressionSelector;
  using Splitter = RegressionSplitter;
};

/// Calls `use(Classification{})` or `use(Regression{})`.
template <class Use>
auto with_task(Task task, Use use) {
  return task == Task::classification ? use(Classification{}) : use(Regression{});
}

}  // namespace inforest
