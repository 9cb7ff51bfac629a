// SPDX-License-Identifier: BSD-3-Clause
/// Samples of few rows of very many, in time and memory of the few.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/sampling.hpp"

namespace inforest {

/// Draws what `sample_counts` draws, the same random numbers for the same rows, but looks at no row
/// that is not drawn: after each draw the list of all rows is put back as it was.
class FewRows {
 public:
  /// Whether it pays, and rows are drawn one by one, all alike.
  static bool suits(const Sampling& sampling);

  explicit FewRows(const Sampling& sampling) : sampling_(sampling) {}

  /// The rows of the tree with this key, ascending; each as often as it is drawn.
  std::vector<std::int32_t> draw(std::uint64_t tree_key);

 private:
  std::vector<std::int32_t> draw_without_replacement(std::uint64_t tree_key);

  const Sampling& sampling_;
  std::vector<std::int32_t> all_;  ///< 0, 1, 2, ... between the draws
};

}  // namespace inforest
