// SPDX-License-Identifier: BSD-3-Clause
#include "apply.hpp"

#include <algorithm>

namespace inforest {

void apply(const MatrixView& x, const ForestView& forest, std::int32_t* leaf) {
  // A block of rows stays in the cache while every tree is walked.
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t begin = 0; begin < x.n_rows; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, x.n_rows);
    for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) {
      const std::int64_t root = forest.offset[tree];
      for (std::int64_t row = begin; row < end; ++row) {
        const double* sample = x.data + row * x.row_stride;
        std::int64_t node = root;
        while (forest.feature[node] >= 0) {
          const double value = sample[forest.feature[node] * x.column_stride];
          node = root + (value <= forest.threshold[node] ? forest.left : forest.right)[node];
        }
        leaf[row * forest.n_trees + tree] = static_cast<std::int32_t>(node - root);
      }
    }
  }
}

}  // namespace inforest
