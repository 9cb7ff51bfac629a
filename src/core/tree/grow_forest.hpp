// SPDX-License-Identifier: BSD-3-Clause
/// Grows trees one after the other, each on its own sample of the rows.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/forest.hpp"
#include "core/tree/grow_tree.hpp"
#include "core/tree/options.hpp"

namespace inforest {

/// One tree per seed, which alone says what is random about it. `done` (may be null) is raised by
/// one after each tree; somebody may read it meanwhile. Throws Interrupted, and
/// std::invalid_argument if a sample is empty.
Forest grow_forest(const Dataset& data, const FeatureIndex& features, const Options& options,
                   const Sampling& sampling, std::span<const std::uint64_t> seeds,
                   std::int64_t* done, Interrupt& interrupt);

}  // namespace inforest
