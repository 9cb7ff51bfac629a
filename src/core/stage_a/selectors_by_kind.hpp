// SPDX-License-Identifier: BSD-3-Clause
/// A selector per kind of feature, so that a category's statistic can stand beside a number's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// One selector for each FeatureKind from the first on, in their order; the data's features have no
/// other kinds.
template <Selector... S>
class SelectorsByKind {
 public:
  SelectorsByKind(S... selectors) : selectors_(std::move(selectors)...) {}

  void project(std::uint64_t key) {
    for_each([&](auto& selector, FeatureKind) { inforest::project(selector, key); });
  }

  void begin(const Response& response) {
    for_each([&](auto& selector, FeatureKind) { selector.begin(response); });
  }

  /// Calls `use(selector)` with the one for this kind. Where there is one kind nothing is asked.
  template <std::size_t I = 0, class Use>
  auto visit(FeatureKind kind, Use use) {
    if constexpr (I + 1 < sizeof...(S)) {
      if (static_cast<std::size_t>(kind) != I) return visit<I + 1>(kind, use);
    }
    return use(std::get<I>(selectors_));
  }

  /// Calls `use(selector, kind)` with each of them.
  template <class Use>
  void for_each(Use use) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (use(std::get<I>(selectors_), static_cast<FeatureKind>(I)), ...);
    }(std::index_sequence_for<S...>());
  }

 private:
  std::tuple<S...> selectors_;
};

}  // namespace inforest
