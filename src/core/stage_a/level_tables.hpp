// SPDX-License-Identifier: BSD-3-Clause
/// What is known of a category's table with the response without drawing it
/// (category_association.hpp): bounds of its p-value, and draws of only what may exceed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/inference/limit.hpp"
#include "core/inference/test_plan.hpp"

namespace inforest {

/// Bounds P(value >= observed) for labels; `sizes` are those of the levels. The value is a sum over
/// classes: it cannot reach the observed one unless the term of one reaches its share.
double bound_by_classes(const Response& response, const std::vector<std::uint32_t>& sizes,
                        double observed);

/// The same for a score, or the centred indicator of one of two classes: a sum over levels. It is
/// the bound of the correlation ratio with x and y in each other's places; 1 rather than more work
/// where `enough` is out of reach.
double bound_by_levels(const CentredColumn& y, const std::vector<std::uint32_t>& sizes,
                       double observed, double enough);

/// Goes on with a long test of two classes by counts of the levels alone, without those that cannot
/// exceed, where most cannot.
void finish_by_tables(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                      Interrupt& interrupt, const Response& response,
                      std::vector<std::uint32_t> sizes);

}  // namespace inforest
