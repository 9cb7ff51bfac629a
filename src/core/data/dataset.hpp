// SPDX-License-Identifier: BSD-3-Clause
/// A non-owning view of the training data.
#pragma once

#include <cstdint>

#include "core/base/stored_column.hpp"

namespace inforest {

/// `columns` are several scores; `scores` is one.
enum class ResponseKind { labels, scores, columns };

/// A response as the core knows it: a label per row, or some numbers per row. Nothing else is asked
/// about it; what it means to people is Python's business.
struct Target {
  const std::int32_t* labels = nullptr;  ///< 0 .. n_labels - 1
  std::int32_t n_labels = 0;
  const double* scores = nullptr;  ///< column-major, n_samples x n_scores
  std::int64_t n_scores = 0;

  static Target of_labels(const std::int32_t* labels, std::int32_t n_labels) {
    return {.labels = labels, .n_labels = n_labels};
  }
  static Target of_scores(const double* scores, std::int64_t n_scores = 1) {
    return {.scores = scores, .n_scores = n_scores};
  }

  ResponseKind kind() const {
    if (n_labels > 0) return ResponseKind::labels;
    return n_scores > 1 ? ResponseKind::columns : ResponseKind::scores;
  }
  bool has_labels() const { return kind() == ResponseKind::labels; }
  /// Numbers a leaf keeps of it: the share of each label, or the mean of each score.
  std::int64_t n_outputs() const { return has_labels() ? n_labels : n_scores; }
  bool operator==(const Target&) const = default;
};

/// What the values of a feature are; Stage A has a statistic for each kind. Of a feature of the
/// data it is one of the first two; a node at which some of a number's values are missing sees the
/// third.
enum class FeatureKind : std::uint8_t { number, category, number_with_holes };

/// What of a number with holes is tested.
enum class MissingRule {
  incorporate,  ///< the value and its absence
  ignore,       ///< the value
  alone,        ///< its absence
};

struct Dataset {
  const double* x = nullptr;  ///< column-major, n_samples x n_features; null: `stored` has them
  StoredTable stored = {};
  std::int64_t n_samples = 0;
  std::int64_t n_features = 0;
  Target tested = {};  ///< what the tests and impurities of both stages see
  Target kept = {};    ///< what leaves keep and predict; often the same
  /// Laid out like x: each value's place among the distinct ones of its column; may be null. For
  /// selectors that look at nothing else.
  const std::uint32_t* ranks = nullptr;
  /// Of each feature how many levels it has if it is a category, whose values are 0, 1, ...,
  /// n_levels - 1, or NaN; 0 of a number. Null: all are numbers.
  const std::int32_t* n_levels = nullptr;
  /// One per feature, not 0 if any of its values is missing, which is NaN; null: none is.
  const std::uint8_t* holes = nullptr;
  MissingRule missing = MissingRule::incorporate;
  /// Whether Stage B looks only at the rows that have a value, and the others follow the larger
  /// part of these; else it looks for the side where they do best.
  bool missing_follow = false;
  /// Of each row, not negative; null: all weigh 1. A row of weight 0 is never looked at. A weight
  /// belongs to its row as x does: when responses are permuted, it stays.
  const double* weights = nullptr;
  /// Of each label of `tested` and `kept`, positive; null: all weigh 1. They belong to the response
  /// and go with it: weights that say something about y would not be exchangeable.
  const double* label_weights = nullptr;
  /// One per row, 0 .. n_blocks - 1: responses are permuted inside blocks only (blocks.hpp); null:
  /// among all rows.
  const std::int32_t* blocks = nullptr;
  std::int32_t n_blocks = 0;

  StoredColumn column(std::int64_t feature) const {
    if (x != nullptr) return x + feature * n_samples;
    return stored.column(feature);
  }
  FeatureKind kind(std::int64_t feature) const {
    return n_levels != nullptr && n_levels[feature] > 0 ? FeatureKind::category
                                                        : FeatureKind::number;
  }
  bool has_holes(std::int64_t feature) const { return holes != nullptr && holes[feature] != 0; }
  bool has_weights() const { return weights != nullptr || label_weights != nullptr; }
  /// What a row counts in impurities, values and errors.
  double weight(std::int32_t row) const {
    const double own = weights == nullptr ? 1.0 : weights[row];
    return label_weights == nullptr ? own : own * label_weights[kept.labels[row]];
  }
};

}  // namespace inforest
