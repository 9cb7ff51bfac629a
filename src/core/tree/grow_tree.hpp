// SPDX-License-Identifier: BSD-3-Clause
/// Grows conditional inference trees.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/data/rare_rows.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/options.hpp"
#include "core/tree/tree.hpp"

namespace inforest {

/// What all trees of a call share about the features.
struct FeatureIndex {
  const std::uint64_t* keys;  ///< one per feature (see feature_pool.hpp)
  RareRowsView rare_rows;
  std::int64_t* candidate_counts;  ///< one per feature, raised wherever it is a node's candidate
};

/// Grows trees of one data set one after the other, in the same memory: to ask for it anew would
/// take longer than a small tree.
class Grower {
 public:
  virtual ~Grower() = default;
  /// Throws Interrupted.
  virtual Tree grow(TreeRows rows, std::uint64_t tree_key) = 0;
};

/// The arguments must outlive the grower.
std::unique_ptr<Grower> make_grower(const Dataset& data, const FeatureIndex& features,
                                    const Options& options, Interrupt& interrupt);

}  // namespace inforest
