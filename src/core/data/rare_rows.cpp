// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/rare_rows.hpp"

namespace inforest {

RareRows::RareRows(const Dataset& data)
    : listed_(static_cast<std::size_t>(data.n_features), 0),
      begin_(static_cast<std::size_t>(data.n_features) + 1, 0) {
  const std::int64_t n = data.n_samples;
  const std::int64_t most = n / 8;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const double* column = data.column(feature);
    const auto f = static_cast<std::size_t>(feature);
    const std::size_t before = row_.size();
    // A value that fills seven eighths of the column is the median of three rows almost surely;
    // missing it costs time, nothing else.
    const double a = column[0], b = column[n / 2], c = column[n - 1];
    const double common = a == b || a == c ? a : b;
    for (std::int64_t row = 0; row < n; ++row)
      if (column[row] != common) {
        if (static_cast<std::int64_t>(row_.size() - before) == most) {
          row_.resize(before);
          break;
        }
        row_.push_back(static_cast<std::int32_t>(row));
      }
    listed_[f] = row_.size() > before;
    begin_[f + 1] = static_cast<std::int64_t>(row_.size());
  }
}

}  // namespace inforest
