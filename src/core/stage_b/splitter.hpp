// SPDX-License-Identifier: BSD-3-Clause
/// What a splitter is: what it must have, what it may have, and what is done without that.
///
/// A splitter says how mixed the responses of a child are. Stage B does the rest: it makes the
/// cuts, lays the node's responses out in their order, permutes them and tests.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

// Hooks: what a splitter may have. All speak of one cut, which leaves `left` of the node's n
// samples on one side, and of its impurity: the mean of both children's, weighted by their sizes.
// Which of the two children is called left makes no difference to any of them.

/// The impurity of one cut from the items of one child. Without it: a `scan` of this cut alone.
template <class S>
concept HasSide = requires(S s, const typename S::Item* side, std::uint32_t side_size) {
  { s.of_side(side, side_size) } -> std::same_as<double>;
};

/// A proven bound on P(impurity <= limit) over all permutations, which may spare every draw; it
/// need not be refined once it is below `enough`. Without it: no cut is certified.
template <class S>
concept HasCutCertificate =
    requires(const S begun, std::uint32_t left, double limit, double enough) {
      { begun.certificate(left, limit, enough) } -> std::same_as<double>;
    };

/// With two classes: the impurity if the left child holds `ones` samples of class 0. It must rise
/// up to the expected number of them and fall after it. Then p-values are exact (two_class.hpp).
/// Without it: draws, as with more classes.
template <class S>
concept HasTwoClassTable = requires(const S begun, std::uint32_t left, std::uint32_t ones) {
  { begun.of_table(left, ones) } -> std::same_as<double>;
};

/// Goes on with the test of one cut to its end without the draws that cannot exceed, with exactly
/// the distribution of the test by permutations: it makes candidates with a probability q and
/// reads the gap before the first one from the first number of `rng` (tilted_test.hpp). It does
/// nothing where drawing is quicker; given a bound below 1 on the p-value, where q would be larger.
/// Without it: draws of the smaller child.
template <class S>
concept FinishesRareCut =
    requires(const S begun, TestProgress& progress, const TestPlan& plan, std::uint32_t left,
             double limit, double bound, const Rng& rng, Interrupt& interrupt) {
      begun.finish_rare(progress, plan, left, limit, bound, rng, interrupt);
    };

/// Whether its smallest impurity is where the most of the responses' squares lies between the
/// sides, as `all_partitions.hpp` measures it; a member of any type says so. Without it: categories
/// are cut in the order of their levels' responses.
template <class S>
concept TriesAllPartitions = requires { S::kTriesAllPartitions; };

/// Whether hooks have the signatures above. One with another would go unnoticed, and its default
/// be used instead.
template <class S>
concept HooksFit = (HasSide<S> || !requires { &S::of_side; }) &&
                   (HasCutCertificate<S> || !requires { &S::certificate; }) &&
                   (HasTwoClassTable<S> || !requires { &S::of_table; }) &&
                   (FinishesRareCut<S> || !requires { &S::finish_rare; });

/// What a splitter must have:
///
/// name                 what users call it.
/// Item                 what a child's impurity needs to know of a sample; plain numbers.
/// begin(response)      before everything else at a node. The response stays until the next one.
/// item(position)       of the sample at this position of the response.
/// node_impurity()      before the split; not negative, and not below the impurity of any cut.
/// scan(items, cuts, n_cuts, impurity)
///                      writes the impurity at each cut: the first cuts[c] items are one child,
///                      the node's others the second one. The cuts rise strictly; 0 < cuts[c] < n.
///                      `items` are the node's in any order, but only the first cuts[n_cuts - 1]
///                      of them may be read: permutations are not made further than that. What
///                      the second child holds follows from what `begin` has seen.
template <class S>
concept Splitter = std::default_initializable<S> && std::movable<S> && HooksFit<S> &&
                   std::is_trivially_copyable_v<typename S::Item> &&
                   requires(S s, const S begun, const Response& response, std::uint32_t position,
                            const typename S::Item* items, const std::uint32_t* cuts,
                            std::size_t n_cuts, double* impurity) {
                     { S::name } -> std::convertible_to<const char*>;
                     s.begin(response);
                     { begun.item(position) } -> std::same_as<typename S::Item>;
                     { begun.node_impurity() } -> std::same_as<double>;
                     s.scan(items, cuts, n_cuts, impurity);
                   };

/// The hooks as Stage B calls them, and what is done without them.
namespace hook {

template <Splitter S>
double of_side(S& splitter, const typename S::Item* side, std::uint32_t side_size) {
  if constexpr (HasSide<S>) {
    return splitter.of_side(side, side_size);
  } else {
    double impurity = 0.0;
    splitter.scan(side, &side_size, 1, &impurity);
    return impurity;
  }
}

template <Splitter S>
double certificate(const S& splitter, std::uint32_t left, double limit, double enough) {
  if constexpr (HasCutCertificate<S>)
    return splitter.certificate(left, limit, enough);
  else
    return 1.0;
}

template <Splitter S>
void finish_rare(const S& splitter, TestProgress& progress, const TestPlan& plan,
                 std::uint32_t left, double limit, double bound, const Rng& rng,
                 Interrupt& interrupt) {
  if constexpr (FinishesRareCut<S>)
    splitter.finish_rare(progress, plan, left, limit, bound, rng, interrupt);
}

}  // namespace hook
}  // namespace inforest
