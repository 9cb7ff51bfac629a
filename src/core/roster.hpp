// SPDX-License-Identifier: BSD-3-Clause
/// Every selector there is. A new one is its own file and one line here.
#pragma once

#include <variant>

#include "core/base/type_list.hpp"
#include "core/data/dataset.hpp"
#include "core/stage_a/selectors/correlation_ratio.hpp"
#include "core/stage_a/selectors/distance_correlation.hpp"
#include "core/stage_a/selectors/mutual_information.hpp"
#include "core/stage_a/selectors/pearson.hpp"
#include "core/stage_a/selectors/quadratic.hpp"
#include "core/stage_a/selectors/rdc.hpp"

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

}  // namespace inforest
