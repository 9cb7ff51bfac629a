// SPDX-License-Identifier: BSD-3-Clause
/// Exact counts: every arrangement of the response instead of random ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

/// How many of all distinct arrangements of the response reach each feature's observed value. The
/// number of arrangements is the caller's concern.
std::vector<std::int64_t> count_arrangements(const Dataset& data,
                                             const std::vector<std::string>& selectors,
                                             std::span<const std::int64_t> features,
                                             std::uint64_t seed, Interrupt& interrupt);

}  // namespace inforest
