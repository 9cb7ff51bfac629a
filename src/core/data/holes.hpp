// SPDX-License-Identifier: BSD-3-Clause
/// A number with holes: which of a node's rows have a value, and what of that can be tested.
///
/// Let S be the rows where x is there. The test permutes the responses among all rows, which is
/// exact if y is independent of the value and of its absence together, whatever the statistic: so
/// these candidates share the node's draws with all others. The statistic has two parts,
///
///   the value        the selector's own statistic of x and y on S, where y is what a draw has put
///                    there. It is studentised: divided by the spread of those y. So it is also
///                    valid in the limit if y depends on the absence alone (Janssen 1997; Chung and
///                    Romano 2013), where dividing by the spread of all y would not be;
///   the absence      the selector's statistic of the indicator of S and y, on all rows,
///
/// and their sum, (n_S - 1) / (n - 1) of the first and all of the second. For `pc`, `mc` and `quad`
/// that is (c_value + c_missing) / (n - 1) with c_value chi-square in the limit and c_missing
/// chi-square in the limit and independent of it: x minus its mean on S, and 0 elsewhere, is
/// orthogonal to the indicator.
///
/// A part takes few rows seriously only: below `kFewest` observed ones there is no value part, with
/// as few missing or observed ones no part of the absence. The rule looks at the holes alone, so it
/// changes no level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "core/data/blocks.hpp"
#include "core/data/dataset.hpp"

namespace inforest {

inline bool is_missing(double value) { return value != value; }

/// Which rows of a node have a value.
class Holes {
 public:
  /// Fewer rows say nothing about a part.
  static constexpr std::uint32_t kFewest = 5;

  /// `x` at the node's positions.
  void find(const double* x, std::uint32_t size) {
    observed_.resize(size);
    value_.resize(size);
    indicator_.resize(size);
    // Holes come as they please: every row is written, no branch asks.
    std::uint32_t n_observed = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      observed_[n_observed] = i;
      value_[n_observed] = x[i];
      n_observed += !is_missing(x[i]);
    }
    for (std::uint32_t i = 0; i < size; ++i) indicator_[i] = is_missing(x[i]) ? 0.0 : 1.0;
    observed_.resize(n_observed);
    value_.resize(n_observed);
  }

  /// The positions with a value, ascending, and these values.
  std::span<const std::uint32_t> observed() const { return observed_; }
  const std::vector<double>& values() const { return value_; }
  /// Of each position: 1 if there is a value, else 0.
  const std::vector<double>& indicator() const { return indicator_; }
  std::uint32_t n_observed() const { return static_cast<std::uint32_t>(observed_.size()); }
  std::uint32_t n_missing() const {
    return static_cast<std::uint32_t>(indicator_.size() - observed_.size());
  }

  static bool tests_value(MissingRule rule, std::uint32_t n_observed) {
    return rule != MissingRule::alone && n_observed >= kFewest;
  }
  static bool tests_absence(MissingRule rule, std::uint32_t n_observed, std::uint32_t n_missing) {
    return rule != MissingRule::ignore && n_observed >= kFewest && n_missing >= kFewest;
  }
  bool tests_value(MissingRule rule) const { return tests_value(rule, n_observed()); }
  bool tests_absence(MissingRule rule) const {
    return tests_absence(rule, n_observed(), n_missing());
  }

  /// What the value part counts beside the other one.
  double share() const {
    return (n_observed() - 1.0) / (static_cast<double>(indicator_.size()) - 1.0);
  }

 private:
  std::vector<std::uint32_t> observed_;
  std::vector<double> value_, indicator_;
};

/// Whether the first rows say that values can be tested: enough are there, and two differ.
inline bool values_inform(const Dataset& data, std::int64_t feature,
                          std::span<const std::int32_t> rows) {
  if (data.missing == MissingRule::alone) return false;
  const StoredColumn column = data.column(feature);
  double first = 0.0;
  std::uint32_t n_observed = 0;
  bool differ = false;
  for (const std::int32_t row : rows) {
    const double value = column[row];
    if (is_missing(value)) continue;
    if (n_observed++ == 0) first = value;
    differ |= value != first;
    if (differ && n_observed >= Holes::kFewest) return true;
  }
  return false;
}

/// Whether a part of a feature with holes can be tested on these rows; where it cannot, it can on
/// no part of them. With blocks (else null) values must differ inside one that moves. For a
/// category, a missing value is a level as any other, unless missing values follow.
inline bool informs(const Dataset& data, std::int64_t feature, std::span<const std::int32_t> rows,
                    const Blocks* blocks) {
  const StoredColumn column = data.column(feature);
  if (blocks == nullptr && values_inform(data, feature, rows)) return true;
  const auto n_missing = static_cast<std::uint32_t>(std::count_if(
      rows.begin(), rows.end(), [&](std::int32_t row) { return is_missing(column[row]); }));
  const auto n_observed = static_cast<std::uint32_t>(rows.size()) - n_missing;
  bool tests_value = true, tests_absence = true;
  if (n_missing > 0 && data.kind(feature) == FeatureKind::number) {
    tests_value = Holes::tests_value(data.missing, n_observed);
    tests_absence = Holes::tests_absence(data.missing, n_observed, n_missing);
  }
  if (data.missing_follow) tests_absence = false;  // Stage B looks at no row without a value
  const auto differ = [&](auto&& positions) {
    double first = 0.0;
    bool any_missing = false, any_observed = false;
    for (const auto i : positions) {
      const double value = column[rows[i]];
      if (is_missing(value))
        any_missing = true;
      else if (!any_observed)
        first = value, any_observed = true;
      else if (tests_value && value != first)
        return true;
    }
    return tests_absence && any_missing && any_observed;
  };
  if (blocks == nullptr) return differ(std::views::iota(std::size_t{0}, rows.size()));
  for (std::size_t b = 0; b < blocks->size(); ++b)
    if (blocks->moves(b) && differ(blocks->members(b))) return true;
  return false;
}

}  // namespace inforest
