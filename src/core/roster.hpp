// SPDX-License-Identifier: BSD-3-Clause
/// Every selector and splitter there is. A new one is its own file and one line here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/stage_a/selectors/correlation_ratio.hpp"
#include "core/stage_a/selectors/distance_correlation.hpp"
#include "core/stage_a/selectors/mutual_information.hpp"
#include "core/stage_a/selectors/pearson.hpp"
#include "core/stage_a/selectors/quadratic.hpp"
#include "core/stage_a/selectors/rdc.hpp"
#include "core/stage_b/splitters/class_impurity.hpp"
#include "core/stage_b/splitters/mae.hpp"
#include "core/stage_b/splitters/mse.hpp"

namespace inforest {

/// A selector: `begin(response)` once per node, `bind(x)` once per candidate, returning the
/// observed value; then `evaluate(draws, b)` gives the value under draw b.
template <class S>
concept SelectorConcept = requires(S s, const Response& response, Draws& draws, const double* x) {
  { S::name } -> std::convertible_to<const char*>;
  s.begin(response);
  { s.bind(x) } -> std::same_as<double>;
  { s.evaluate(draws, std::int64_t{0}) } -> std::same_as<double>;
  { s.certificate(1.0, 1.0) } -> std::same_as<double>;  // a bound on the p-value; 1 if unknown
  { s.natural(1.0) } -> std::same_as<double>;           // value -> the statistic users see
  { s.unit(1.0) } -> std::same_as<double>;              // value -> the common [0, 1] scale
  { s.work() } -> std::same_as<std::int64_t>;
};

template <SelectorConcept... S>
using SelectorList = std::variant<S...>;

using LabelSelector = SelectorList<CorrelationRatio, MutualInformation, Rdc, Quadratic>;
using ScoreSelector = SelectorList<Pearson, DistanceCorrelation, Rdc, Quadratic>;

using LabelSplitter = std::variant<Gini, Entropy>;
using ScoreSplitter = std::variant<Mse, Mae>;

namespace roster {

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

}  // namespace roster
}  // namespace inforest
