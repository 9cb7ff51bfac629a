// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/rare_rows.hpp"

namespace inforest {

RareRows::RareRows(const Dataset& data) : begin(static_cast<std::size_t>(data.n_features) + 1, 0) {
  const std::int64_t n = data.n_samples;
  if (n == 0) return;
  const std::int64_t most = n / 8;
  std::vector<double> room;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const double* column = data.column(feature).all(n, room);
    const std::size_t before = row.size();
    // A value that fills seven eighths of the column is the median of three rows almost surely;
    // missing it costs time, nothing else.
    const double a = column[0], b = column[n / 2], c = column[n - 1];
    const double common = a == b || a == c ? a : b;
    for (std::int64_t i = 0; i < n; ++i)
      if (column[i] != common) {
        if (static_cast<std::int64_t>(row.size() - before) == most) {
          row.resize(before);
          break;
        }
        row.push_back(static_cast<std::int32_t>(i));
      }
    begin[static_cast<std::size_t>(feature) + 1] = static_cast<std::int64_t>(row.size());
  }
}

}  // namespace inforest
