// SPDX-License-Identifier: BSD-3-Clause
/// From names to typed selectors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/type_list.hpp"
#include "core/data/dataset.hpp"
#include "core/stage_a/roster.hpp"
#include "core/stage_a/selectors/maximum.hpp"

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

/// The same among those that serve this kind of response.
template <class Use>
void with_selector(ResponseKind kind, const std::vector<std::string>& names, Use use) {
  if (kind == ResponseKind::labels)
    with_selector_of<LabelSelector>(names, use);
  else if (kind == ResponseKind::columns)
    with_selector_of<ColumnSelector>(names, use);
  else
    with_selector_of<ScoreSelector>(names, use);
}

}  // namespace inforest
