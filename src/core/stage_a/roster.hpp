// SPDX-License-Identifier: BSD-3-Clause
/// Every selector there is. A new one is its own file and one line here.
#pragma once

#include <tuple>
#include <type_traits>
#include <variant>

#include "core/data/dataset.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/selectors/correlation_ratio.hpp"
#include "core/stage_a/selectors/distance_correlation.hpp"
#include "core/stage_a/selectors/mutual_information.hpp"
#include "core/stage_a/selectors/pearson.hpp"
#include "core/stage_a/selectors/quadratic.hpp"
#include "core/stage_a/selectors/rdc.hpp"
#include "core/stage_a/selectors/several_scores.hpp"

namespace inforest {

/// Selectors that are named; those that serve a kind of response are a variant's alternatives.
template <Selector... S>
class SelectorList {
  template <class... Kept>
  static std::variant<Kept...> alternatives(const std::tuple<Kept...>&);

 public:
  template <ResponseKind kind>
  using Serving = decltype(alternatives(
      std::tuple_cat(std::conditional_t<serves<S>(kind), std::tuple<S>, std::tuple<>>()...)));

  /// All of them and some more.
  template <class... More>
  using And = std::variant<S..., More...>;
};

/// In the order in which users are told of them.
using Selectors = SelectorList<  //
    CorrelationRatio,            //
    MutualInformation,           //
    Pearson,                     //
    DistanceCorrelation,         //
    Rdc,                         //
    Quadratic,                   //
    SeveralPearson,              //
    SeveralQuadratic>;

using LabelSelector = Selectors::Serving<ResponseKind::labels>;
using ScoreSelector = Selectors::Serving<ResponseKind::scores>;
using ColumnSelector = Selectors::Serving<ResponseKind::columns>;

}  // namespace inforest
