// SPDX-License-Identifier: BSD-3-Clause
/// The whole data set as one node: what tests outside a tree share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"
#include "core/data/holes.hpp"
#include "core/data/levels.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/factory.hpp"
#include "core/stage_a/holes/category_holes.hpp"
#include "core/stage_a/holes/with_holes.hpp"
#include "core/stage_a/selectors_by_kind.hpp"

namespace inforest {

inline std::vector<std::int32_t> all_rows(const Dataset& data) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(data.n_samples));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

inline bool is_constant(const std::vector<double>& column) {
  return std::all_of(column.begin(), column.end(),
                     [&](double value) { return value == column.front(); });
}

/// The same of a category, whose missing values are one more level.
inline bool has_one_level(const std::vector<double>& column) {
  return std::all_of(column.begin(), column.end(),
                     [&](double value) { return is_same_level(value, column.front()); });
}

/// `gather_tested` for a category.
inline bool gather_tested_levels(const Dataset& data, std::int64_t feature,
                                 const std::vector<std::int32_t>& rows, const Response& response,
                                 std::vector<double>& column) {
  gather_levels(data.column(feature), rows, column.data());
  if (response.is_constant()) return false;
  if (!response.blocks().exist()) return !has_one_level(column);
  return response.blocks().vary([&](std::uint32_t i) { return level_bits(column[i]); });
}

/// Gathers a feature's column as the statistics see it; false if nothing can be associated because
/// nothing varies, with blocks inside of those that move.
inline bool gather_tested(const Dataset& data, std::int64_t feature,
                          const std::vector<std::int32_t>& rows, const Response& response,
                          std::vector<double>& column) {
  if (data.kind(feature) == FeatureKind::category)
    return gather_tested_levels(data, feature, rows, response, column);
  gather_column(data.column(feature), rows, column.data());
  if (std::any_of(column.begin(), column.end(), is_missing)) {  // its selector does the rest
    const Blocks* blocks = response.blocks().exist() ? &response.blocks() : nullptr;
    return !response.is_constant() && informs(data, feature, rows, blocks);
  }
  response.centre_in_blocks(column.data());
  if (response.is_constant()) return false;
  if (!response.blocks().exist()) return !is_constant(column);
  return response.blocks().vary([&](std::uint32_t i) { return column[i]; });
}

/// Of a gathered column.
inline FeatureKind kind_of(const Dataset& data, std::int64_t feature,
                           const std::vector<double>& column) {
  if (data.kind(feature) == FeatureKind::category) return FeatureKind::category;
  const bool has_holes = std::any_of(column.begin(), column.end(), is_missing);
  return has_holes ? FeatureKind::number_with_holes : FeatureKind::number;
}

/// A data set as one node, its columns gathered one at a time.
class Root {
 public:
  explicit Root(const Dataset& data) : data_(data), rows_(all_rows(data)), column_(rows_.size()) {
    response_.gather(data, rows_);
  }

  const Response& response() const { return response_; }
  const std::vector<double>& column() const { return column_; }
  FeatureKind kind() const { return kind_of(data_, feature_, column_); }
  /// Of the rows; empty if all weigh 1.
  std::span<const double> weights() const {
    if (response_.weights() == nullptr) return {};
    return {response_.weights(), rows_.size()};
  }

  /// Gathers a feature's column; false if nothing can be associated because nothing varies.
  bool gather(std::int64_t feature) {
    feature_ = feature;
    return gather_tested(data_, feature, rows_, response_, column_);
  }

 private:
  const Dataset& data_;
  std::vector<std::int32_t> rows_;
  Response response_;
  std::int64_t feature_ = 0;
  std::vector<double> column_;
};

/// Calls `use(selectors)` with the selector of these names for each kind of feature, begun with
/// `response`.
template <class Use>
void with_root_selectors(const Dataset& data, const std::vector<std::string>& names,
                         std::uint64_t seed, const Response& response, Use use) {
  with_selector(data.tested.kind(), names, [&](auto selector) {
    auto holes = with_holes(selector, data.missing);
    SelectorsByKind selectors(std::move(selector), CategoryWithHoles(data.missing),
                              std::move(holes));
    selectors.project(derive_key(seed, Stream::projections));
    selectors.begin(response);
    use(selectors);
  });
}

}  // namespace inforest
