// SPDX-License-Identifier: BSD-3-Clause
/// From a selector of numbers to that of numbers with holes.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/data/holes.hpp"
#include "core/stage_a/holes/holes_with_scores.hpp"
#include "core/stage_a/holes/linear_holes.hpp"
#include "core/stage_a/holes/restricted_holes.hpp"
#include "core/stage_a/selectors/maximum.hpp"
#include "core/stage_a/selectors/several_scores.hpp"

namespace inforest {

template <Selector S>
struct HolesOf {
  using Type = RestrictedHoles<S>;
};
template <Selector S>
  requires IsLinear<S>
struct HolesOf<S> {
  using Type = LinearHoles<S>;
};

template <bool kWithSquare>
struct HolesOf<TraceWithScores<kWithSquare>> {
  using Type = HolesWithScores<kWithSquare>;
};

template <Selector S>
auto with_holes(const S&, MissingRule rule) {
  return typename HolesOf<S>::Type(rule);
}

/// A list of selectors: the largest of what each says of the value and its absence.
template <class... S>
auto with_holes(const Maximum<std::variant<S...>>& list, MissingRule rule) {
  using Variant = std::variant<typename HolesOf<S>::Type...>;
  std::vector<Variant> members;
  for (const auto& member : list.members())
    std::visit([&](const auto& one) { members.emplace_back(with_holes(one, rule)); }, member);
  return Maximum<Variant>(std::move(members));
}

template <Selector S>
using WithHoles = decltype(with_holes(std::declval<const S&>(), MissingRule{}));

}  // namespace inforest
