// SPDX-License-Identifier: BSD-3-Clause
/// The scale on which the candidates of a node are compared with each other.
///
/// Feature scanning, ties without tests and maxT ask which of two candidates has the larger
/// statistic. That is fair as far as their statistics have the same distribution when nothing is
/// associated. A category with many levels comes out large more easily than a number, and another
/// kind's statistic need not even have the same range. What can be compared is how far out in the
/// tail of its own distribution a candidate's value lies; here it is turned into that, and nowhere
/// else. Today no selector has a scale of its own, and the values themselves are compared.
///
/// A candidate's own test needs none of this: it compares values of one statistic.
#pragma once

#include "core/stage_a/selector.hpp"

namespace inforest {

/// The value of the candidate that `selector` is bound to, on the common scale.
template <Selector S>
double comparable(S& selector, double value) {
  if constexpr (HasScale<S>)
    return selector.comparable(value);
  else
    return value;
}

/// The value that is worth so much on the common scale.
template <Selector S>
double value_at(S& selector, double comparable) {
  if constexpr (HasScale<S>)
    return selector.value_at(comparable);
  else
    return comparable;
}

}  // namespace inforest
