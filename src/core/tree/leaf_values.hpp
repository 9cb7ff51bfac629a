// SPDX-License-Identifier: BSD-3-Clause
/// What nodes keep of the responses: the share of each label, or the mean of each score.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/tree/tree.hpp"

namespace inforest {

/// What leaves keep may be another thing than what the tests see: ranks are tested and class shares
/// kept, or log-rank scores and survival times.
class LeafValues {
 public:
  explicit LeafValues(const Dataset& data)
      : data_(data), keeps_what_is_tested_(data.kept == data.tested) {}

  /// Appends the values of a node with these rows, whose responses `tested` has gathered.
  void append(std::span<const std::int32_t> rows, const Response& tested,
              std::vector<double>& value);

  /// Replaces the values of all nodes by those of other rows; a node that none of them reaches
  /// takes its parent's. Sums are taken from the root's value, so that equal responses keep their
  /// exact mean.
  void estimate(const std::vector<std::int32_t>& rows, Tree& tree) const;

 private:
  static void append(const Response& response, std::vector<double>& value);
  static void append_weighted(const Response& response, std::vector<double>& value);
  void add(std::int32_t row, const double* origin, double* sum) const;

  /// Bounds that no mean of these rows exceeds, but for rounding.
  struct Range {
    std::vector<double> low, high;
  };
  Range range(const std::vector<std::int32_t>& rows) const;

  const Dataset& data_;
  bool keeps_what_is_tested_;
  Response kept_;
};

}  // namespace inforest
