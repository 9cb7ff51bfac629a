// SPDX-License-Identifier: BSD-3-Clause
/// What a selector is: the statistic of Stage A, its contract and its hooks.
///
/// A new selector is a class with
///
///   name               what users call it
///   begin(response)    once per node; the response stays until the next `begin`
///   bind(x)            once per candidate: x are its values at the node's positions, gone after
///                      the call; returns the observed value
///   evaluate(draws, b) the value for the bound candidate under draw b
///
/// which is `Selector` below. Large values are extreme, none is negative, all are on a [0, 1]-like
/// scale, and ties with the observed value must come out as such up to rounding. The permutation
/// loop, early stopping and the counting of ties are shared.
///
/// Everything else is a hook: a member that a selector may have besides. Its concept says what the
/// member promises and what is done without it, and the function or strategy named there is the
/// only place that asks.
///
///   kServes                    ServesOneKind     below
///   kFeatureKind               ServesAFeatureKind
///   kColumns                   IsLinear          holes/linear_holes.hpp
///   natural, unit              HasNatural, HasUnit
///   moments                    HasMoments
///   chi_square                 HasChiSquare
///   project                    HasProjections
///   kReadsRanks                ReadsRanks
///   kReadsLevels               ReadsLevels
///   take, use                  TakesColumns
///   describe                   Describes
///   kTakesNoWeights            TakesNoWeights
///   Together                   GoesTogether
///   exceeds                    TellsExceedances  inference/statistic.hpp, which the tests read and
///   certificate                Certifies         which knows nothing of Stage A
///   finish_rare                FinishesRare
///   work                       KnowsWork
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/inference/statistic.hpp"
#include "core/stage_a/moments.hpp"

namespace inforest {

/// `kServes` is the only kind of response that the selector can be begun with. Without it: labels
/// and a single score.
template <class S>
concept ServesOneKind = requires {
  { S::kServes } -> std::convertible_to<ResponseKind>;
};

/// `kFeatureKind` is the kind of feature that the selector reads. Without it: complete numbers.
template <class S>
concept ServesAFeatureKind = requires {
  { S::kFeatureKind } -> std::convertible_to<FeatureKind>;
};

template <class S>
constexpr FeatureKind feature_kind_of() {
  if constexpr (ServesAFeatureKind<S>)
    return S::kFeatureKind;
  else
    return FeatureKind::number;
}

/// `natural(value)` is the statistic as users know it, a rising function of the value that tests
/// compare. Without it: the value itself.
template <class S>
concept HasNatural = requires(const S selector, double value) {
  { selector.natural(value) } -> std::same_as<double>;
};

/// `unit(value)` is the value on the [0, 1] scale of correlations, for lists of selectors. Without
/// it: the natural statistic, which must be on that scale then.
template <class S>
concept HasUnit = requires(const S selector, double value) {
  { selector.unit(value) } -> std::same_as<double>;
};

/// `moments()` are the mean and the variance of the bound candidate's value over all permutations,
/// by which candidates are compared with each other (scale.hpp). Without it: values themselves are
/// compared or, where that would not do, moments are estimated from draws.
template <class S>
concept HasMoments = requires(S selector) {
  { selector.moments() } -> std::same_as<PermutationMoments>;
};

/// What a value is worth where permutations are replaced by their limit.
struct ChiSquare {
  double statistic = 0.0;
  double degrees = 0.0;
};

/// `chi_square(value)` is the quadratic form of Strasser and Weber (1999) that a value of the bound
/// candidate says, (n - 1) times Pillai's trace, and its degrees of freedom, the product of the
/// ranks of both sides; these are its mean over all permutations. Without it: no asymptotic test
/// (strategies/smallest_tail.hpp), and the border refuses to ask for one.
template <class S>
concept HasChiSquare = requires(const S selector, double value) {
  { selector.chi_square(value) } -> std::same_as<ChiSquare>;
};

/// `project(key)` draws the selector's random projections, before any response is seen: once per
/// tree. Without it there are none.
template <class S>
concept HasProjections = requires(S selector, std::uint64_t key) { selector.project(key); };

/// `kReadsRanks` promises that the selector looks at the order and the ties of x and at nothing
/// else, so that `bind` may be given ranks. Without it, or where there are none: the values.
template <class S>
concept ReadsRanks = requires { requires S::kReadsRanks; };

/// `kReadsLevels` says that the values are numbers of levels, or NaN, and must come as they are:
/// not scaled, nor centred in blocks. Without it they are numbers.
template <class S>
concept ReadsLevels = requires { requires S::kReadsLevels; };

/// What binding a selector to a column has given: the observed value and, if the selector can come
/// back to the column, the column.
struct BoundColumn {
  double observed = 0.0;
  CentredColumn column = {};
};

/// `take(x)` is `bind` in place: the selector centres x and keeps no copy. Promises that
/// `use(column)` with the column it returned binds it again, in no time, as long as x lives.
/// Without it a selector is bound again by `bind`.
template <class S>
concept TakesColumns = requires(S selector, double* x, const CentredColumn& column) {
  { selector.take(x) } -> std::same_as<BoundColumn>;
  selector.use(column);
};

/// `Together(response, columns)` holds up to kTogether taken columns side by side. Promises that
/// `evaluate(selector, order, values)` gives their values under that draw, up to rounding, quicker
/// than one by one. Without it they are computed one by one (strategies/smallest_p_value.hpp).
template <class S>
concept GoesTogether =
    TakesColumns<S> && requires { typename S::Together; } &&
    std::constructible_from<typename S::Together, const Response&,
                            std::span<const CentredColumn* const>> &&
    requires(const S selector, const typename S::Together together, const std::uint32_t* order,
             double (&values)[kTogether]) { together.evaluate(selector, order, values); };

/// `describe(x)` is the observed value for rows that are there as often as they weigh, which ranks
/// the candidates where nothing is tested (strategies/best_statistic.hpp). Without it: `bind`.
template <class S>
concept Describes = requires(S selector, const double* x) {
  { selector.describe(x) } -> std::same_as<double>;
};

/// `kTakesNoWeights` says that the statistic has no weighted form; the border refuses weights then.
/// Without it `bind` weighs x as `response.weights()` says.
template <class S>
concept TakesNoWeights = requires { requires S::kTakesNoWeights; };

/// No member has a hook's name and not its form: such a hook would be lost without a word.
template <class S>
concept SelectorHooksFit =
    (ServesOneKind<S> || !requires { S::kServes; }) &&
    (ServesAFeatureKind<S> || !requires { S::kFeatureKind; }) &&
    (HasNatural<S> || !requires { &S::natural; }) && (HasUnit<S> || !requires { &S::unit; }) &&
    (HasMoments<S> || !requires { &S::moments; }) &&
    (HasChiSquare<S> || !requires { &S::chi_square; }) &&
    (HasProjections<S> || !requires { &S::project; }) &&
    (TakesColumns<S> || (!requires { &S::take; } && !requires { &S::use; })) &&
    (GoesTogether<S> || !requires { typename S::Together; }) &&
    (Describes<S> || !requires { &S::describe; }) &&
    (TellsExceedances<S> || !requires { &S::exceeds; }) &&
    (Certifies<S> || !requires { &S::certificate; }) &&
    (FinishesRare<S> || !requires { &S::finish_rare; }) &&
    (KnowsWork<S> || !requires { &S::work; });

template <class S>
concept Selector = Statistic<S> && SelectorHooksFit<S> &&
                   requires(S selector, const Response& response, const double* x) {
                     { S::name } -> std::convertible_to<const char*>;
                     selector.begin(response);
                     { selector.bind(x) } -> std::same_as<double>;
                   };

// With a hook, or without: the only places that ask for these.

template <Selector S>
constexpr bool serves(ResponseKind kind) {
  if constexpr (ServesOneKind<S>)
    return S::kServes == kind;
  else
    return kind != ResponseKind::columns;
}

template <Selector S>
double natural_of(const S& selector, double value) {
  if constexpr (HasNatural<S>)
    return selector.natural(value);
  else
    return value;
}

template <Selector S>
double unit_of(const S& selector, double value) {
  if constexpr (HasUnit<S>)
    return selector.unit(value);
  else
    return natural_of(selector, value);
}

template <Selector S>
double described(S& selector, const double* x) {
  if constexpr (Describes<S>)
    return selector.describe(x);
  else
    return selector.bind(x);
}

template <Selector S>
void project(S& selector, std::uint64_t key) {
  if constexpr (HasProjections<S>) selector.project(key);
}

/// Binds the selector to a column, which it may change.
template <Selector S>
BoundColumn bind_in_place(S& selector, double* x) {
  if constexpr (TakesColumns<S>)
    return selector.take(x);
  else
    return {.observed = selector.bind(x)};
}

/// Binds it again: `x` is what `bind_in_place` has left of the column, `bound` what it returned.
template <Selector S>
double bind_again(S& selector, const double* x, const BoundColumn& bound) {
  if constexpr (TakesColumns<S>) {
    selector.use(bound.column);
    return bound.observed;
  } else {
    return selector.bind(x);
  }
}

}  // namespace inforest
