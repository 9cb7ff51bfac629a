// SPDX-License-Identifier: BSD-3-Clause
/// Types that have a name, as alternatives of a variant: what a roster is made of.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace inforest::roster {

template <class Variant, class Visit>
void for_each_type(Visit visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit.template operator()<std::variant_alternative_t<I, Variant>>(), ...);
  }(std::make_index_sequence<std::variant_size_v<Variant>>());
}

template <class Variant>
std::vector<std::string> names() {
  std::vector<std::string> list;
  for_each_type<Variant>([&]<class T>() { list.emplace_back(T::name); });
  return list;
}

/// Calls `use` with the type of that name; the border has checked that there is one.
template <class Variant, class Use>
void with_type(const std::string& name, Use use) {
  for_each_type<Variant>([&]<class T>() {
    if (name == T::name) use.template operator()<T>();
  });
}

}  // namespace inforest::roster
