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

/// One selector for each kind of feature, in any order; other kinds are the last one's.
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
      using Own = std::tuple_element_t<I, std::tuple<S...>>;
      if (kind != feature_kind_of<Own>()) return visit<I + 1>(kind, use);
    }
    return use(std::get<I>(selectors_));
  }

  /// Calls `use(selector, kind)` with each of them.
  template <class Use>
  void for_each(Use use) {
    std::apply([&](S&... selector) { (use(selector, feature_kind_of<S>()), ...); }, selectors_);
  }

 private:
  std::tuple<S...> selectors_;
};

}  // namespace inforest
