// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/sparse_products.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/multiversion.hpp"

namespace inforest {

namespace {

/// Responses that are read side by side: those of a row are two lines of the cache.
constexpr std::size_t kTile = 32;
/// Entries of one sum in single precision, whose error grows with its length.
constexpr std::size_t kRows = 4096;

/// The entries of some columns, one after the other, divided by the length of the centred column.
struct UnitEntries {
  std::vector<std::size_t> begin{0};
  std::vector<std::int32_t> row;
  std::vector<float> value;
};

UnitEntries unit_entries(const Dataset& data, std::span<const std::int64_t> features,
                         double* growth) {
  UnitEntries entries;
  std::size_t size = 0;
  for (const std::int64_t feature : features)
    size += static_cast<std::size_t>(data.stored.begin[feature + 1] - data.stored.begin[feature]);
  entries.row.reserve(size);
  entries.value.reserve(size);
  std::vector<double> values;
  for (const std::int64_t feature : features) {
    const std::int64_t begin = data.stored.begin[feature], end = data.stored.begin[feature + 1];
    const std::span rows(data.stored.rows + begin, data.stored.rows + end);
    values.resize(rows.size());
    gather_column(data.column(feature), rows, values.data());
    double sum = 0.0, squares = 0.0, centred = 0.0;
    for (const double value : values) sum += value, squares += value * value;
    const auto n = static_cast<double>(data.n_samples);
    const double mean = sum / n;
    for (const double value : values) centred += (value - mean) * (value - mean);
    centred += mean * mean * (n - static_cast<double>(rows.size()));
    const double factor = centred > 0.0 ? 1.0 / std::sqrt(centred) : 0.0;
    *growth++ = std::sqrt(squares) * factor;
    for (const double value : values) entries.value.push_back(static_cast<float>(value * factor));
    entries.row.insert(entries.row.end(), rows.begin(), rows.end());
    entries.begin.push_back(entries.row.size());
  }
  return entries;
}

/// Responses first ... first + count side by side for each row; zeros fill the tile.
void lay_out(const float* responses, std::int64_t n_rows, std::int64_t first, std::int64_t count,
             std::vector<float>& tile) {
  constexpr std::int64_t kBlock = 64;  // rows at a time, so that what is written stays at hand
  tile.assign(static_cast<std::size_t>(n_rows) * kTile, 0.0f);
  for (std::int64_t begin = 0; begin < n_rows; begin += kBlock)
    for (std::int64_t t = 0; t < count; ++t) {
      const float* response = responses + (first + t) * n_rows;
      for (std::int64_t i = begin; i < std::min(begin + kBlock, n_rows); ++i)
        tile[static_cast<std::size_t>(i) * kTile + static_cast<std::size_t>(t)] = response[i];
    }
}

INFOREST_MULTIVERSION
void add_products(const float* value, const std::int32_t* row, std::size_t size, const float* tile,
                  float* total) {
  float sum[kTile] = {};
  for (std::size_t k = 0; k < size; ++k) {
    const float factor = value[k];
    const float* response = tile + static_cast<std::size_t>(row[k]) * kTile;
    for (std::size_t t = 0; t < kTile; ++t) sum[t] += factor * response[t];
  }
  for (std::size_t t = 0; t < kTile; ++t) total[t] += sum[t];
}

}  // namespace

void sparse_products(const Dataset& data, std::span<const std::int64_t> features,
                     const float* responses, std::int64_t n_responses, float* out, double* growth) {
  const UnitEntries entries = unit_entries(data, features, growth);
  std::vector<float> tile;
  for (std::int64_t first = 0; first < n_responses; first += kTile) {
    const std::int64_t count = std::min<std::int64_t>(kTile, n_responses - first);
    lay_out(responses, data.n_samples, first, count, tile);
    for (std::size_t i = 0; i < features.size(); ++i) {
      float total[kTile] = {};
      for (std::size_t k = entries.begin[i]; k < entries.begin[i + 1]; k += kRows)
        add_products(entries.value.data() + k, entries.row.data() + k,
                     std::min(kRows, entries.begin[i + 1] - k), tile.data(), total);
      std::copy_n(total, count, out + static_cast<std::int64_t>(i) * n_responses + first);
    }
  }
}

}  // namespace inforest
