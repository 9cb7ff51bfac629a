// SPDX-License-Identifier: BSD-3-Clause
/// What a forest would predict on average if some features of a row were drawn anew.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/interrupt.hpp"
#include "core/tree/apply.hpp"

namespace inforest {

/// Values that take the place of a row's own.
struct Redraws {
  std::span<const std::int32_t> features;
  const double* value;  ///< [row][draw][feature], features as listed
  std::int64_t n_draws;
};

/// shift[row * outputs + k]: the mean over the trees of the mean over the draws of the value at the
/// leaf that the redrawn row reaches, minus the value at its own leaf. Trees that do not use one of
/// the features cost nothing, rows that pass no split on them a walk.
void redraw_shift(const MatrixView& x, const ForestView& forest, const Redraws& redraws,
                  double* shift, Interrupt& interrupt);

}  // namespace inforest
