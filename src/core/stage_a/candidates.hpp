// SPDX-License-Identifier: BSD-3-Clause
/// The candidates of one node: their columns, and what the selector of each one's kind sees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/dataset.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/scale.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/selectors_by_kind.hpp"

namespace inforest {

/// Candidate i is the i-th of the features given. One object serves all nodes of a tree.
template <Selector... S>
class Candidates {
 public:
  Candidates(const Dataset& data, SelectorsByKind<S...> selectors, Interrupt& interrupt,
             Workspace& workspace)
      : data_(data),
        selectors_(std::move(selectors)),
        interrupt_(interrupt),
        workspace_(workspace) {}

  /// Draws the selectors' random projections, if they have any.
  void project(std::uint64_t key) { selectors_.project(key); }

  /// The arguments must outlive the node.
  void begin(const Response& response, std::span<const std::int32_t> rows,
             const std::vector<std::int32_t>& features, const FeaturePool& pool,
             std::uint64_t node_key) {
    response_ = &response;
    rows_ = rows;
    features_ = &features;
    pool_ = &pool;
    tie_key_ = derive_key(node_key, Stream::selector_ties);
    pilots_key_ = derive_key(node_key, Stream::selector_pilots);
    keeps_columns_ = features.size() * rows.size() <= kColumnCache;
    find_kinds();
    selectors_.begin(response);
  }

  std::size_t size() const { return features_->size(); }
  std::int32_t feature(std::size_t i) const { return (*features_)[i]; }
  const Response& response() const { return *response_; }
  FeatureKind kind(std::size_t i) const {
    return kinds_.empty() ? data_.kind(feature(i)) : kinds_[i];
  }
  const Dataset& data() const { return data_; }
  std::span<const std::int32_t> rows() const { return rows_; }

  /// A copy of candidate i's values at the node's rows, as the statistics see them.
  std::vector<double> values(std::size_t i) const {
    std::vector<double> column(rows_.size());
    gather_values(i, column.data());
    return column;
  }
  /// Calls `use(selector)` with the selector of candidate i's kind, bound to whatever it was.
  template <class Use>
  auto visit(std::size_t i, Use use) {
    return selectors_.visit(kind(i), use);
  }

  /// What candidates are compared by.
  enum class Comparison {
    value,
    tail_if_known,  ///< where moments are known: the others would take draws
    tail,
  };

  /// Whether there are features of several kinds.
  bool are_mixed() const {
    const FeatureKind first = kind(0);
    for (std::size_t i = 1; i < size(); ++i)
      if (kind(i) != first) return true;
    return false;
  }

  /// Gathers every candidate's column (kept if they fit) and computes its observed value.
  void observe_all(Comparison comparison) {
    score_.resize(size());
    bound_.resize(size());
    scale_.assign(size(), TailScale());
    if (comparison == Comparison::tail) pilots_.begin(*response_, pilots_key_);
    columns_ =
        workspace_.values.room<double>(keeps_columns_ ? size() * rows_.size() : rows_.size());
    for (std::size_t i = 0; i < size(); ++i) {
      score_[i] = selectors_.visit(kind(i), [&](auto& own) {
        const double value = gather_and_bind(own, i);
        // One candidate is compared with nothing.
        if (size() > 1) set_scale(own, i, comparison);
        return scale_[i].comparable(value);
      });
      interrupt_.spend(4 * static_cast<std::int64_t>(rows_.size()));
    }
  }

  /// Calls `use(i, selector, observed)` with the selector of every candidate, bound to it. Nothing
  /// is kept.
  template <class Use>
  void observe_each(Use use) {
    bound_.resize(size());
    keeps_columns_ = false;
    columns_ = workspace_.values.room<double>(rows_.size());
    for (std::size_t i = 0; i < size(); ++i) {
      selectors_.visit(kind(i), [&](auto& own) { use(i, own, gather_and_bind(own, i)); });
      interrupt_.spend(4 * static_cast<std::int64_t>(rows_.size()));
    }
  }

  /// Computes every candidate's score as `describe` has it, where weights make it another value.
  void describe_all() {
    score_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const std::vector<double> x = values(i);
      score_[i] = selectors_.visit(kind(i), [&](auto& own) { return described(own, x.data()); });
      interrupt_.spend(20 * static_cast<std::int64_t>(rows_.size()));
    }
  }

  // After `observe_all`.

  /// Calls `use(selector, observed)` with the selector of candidate i, bound to it.
  template <class Use>
  auto with_bound(std::size_t i, Use use) {
    return selectors_.visit(kind(i), [&](auto& own) {
      const double observed = bind(own, i);
      return use(own, observed);
    });
  }

  /// Calls `use(selector, kind)` for every kind of feature.
  template <class Use>
  void for_each_kind(Use use) {
    selectors_.for_each(use);
  }

  /// Binds the selector of candidate i's kind to it; returns the observed value.
  template <Selector Own>
  double bind(Own& own, std::size_t i) {
    return keeps_columns_ ? bind_again(own, column(i), bound_[i]) : gather_and_bind(own, i);
  }

  /// Whether all columns are kept, as `bound` has them.
  bool keeps_columns() const { return keeps_columns_; }
  const BoundColumn& bound(std::size_t i) const { return bound_[i]; }
  /// The observed value on the common scale.
  double score(std::size_t i) const { return score_[i]; }
  const TailScale& scale(std::size_t i) const { return scale_[i]; }

  /// The candidate with the largest score.
  std::size_t best() const {
    // Rounding must not decide between features of equal statistic.
    const double largest = *std::max_element(score_.begin(), score_.end());
    const double tie = largest - 1e-12 * std::fabs(largest);
    std::size_t best = 0;
    for (std::size_t i = 1; i < size(); ++i)
      if (score_[i] >= tie && (score_[best] < tie || tie_priority(i) < tie_priority(best)))
        best = i;
    return best;
  }

  /// All candidates as they came, which is in random order.
  void order_by_index(std::vector<std::uint32_t>& order) const {
    order.resize(size());
    std::iota(order.begin(), order.end(), 0u);
  }

  /// All candidates, the largest score first; equal ones in random order.
  void order_by_score(std::vector<std::uint32_t>& order) const {
    order_by_index(order);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return score_[a] > score_[b]; });
  }

  /// Chooses uniformly among tied candidates, whatever the order of the columns.
  std::uint64_t tie_priority(std::size_t i) const { return derive_key(tie_key_, key(i)); }
  /// Of candidate i's column, wherever it stands.
  std::uint64_t key(std::size_t i) const { return pool_->key(feature(i)); }

 private:
  /// Values of gathered columns kept between scanning and testing.
  static constexpr std::size_t kColumnCache = std::size_t{1} << 19;

  /// A number is one with holes where a value is missing.
  void find_kinds() {
    kinds_.clear();
    if (data_.holes == nullptr) return;
    for (const std::int32_t feature : *features_) {
      const StoredColumn column = data_.column(feature);
      const auto misses = [&](std::int32_t row) { return is_missing(column[row]); };
      const bool has_holes = data_.has_holes(feature) &&
                             data_.kind(feature) == FeatureKind::number &&
                             std::any_of(rows_.begin(), rows_.end(), misses);
      kinds_.push_back(has_holes ? FeatureKind::number_with_holes : data_.kind(feature));
    }
  }

  double* column(std::size_t i) { return columns_ + (keeps_columns_ ? i * rows_.size() : 0); }

  template <Selector Own>
  void set_scale(Own& own, std::size_t i, Comparison comparison) {
    if (comparison == Comparison::tail) scale_[i] = TailScale(moments_of(own, pilots_));
    if constexpr (HasMoments<Own>) {  // inside blocks nearly so, which an order can live with
      if (comparison == Comparison::tail_if_known) scale_[i] = TailScale(own.moments());
    }
  }

  template <Selector Own>
  double gather_and_bind(Own& own, std::size_t i) {
    gather<Own>(i, column(i));
    bound_[i] = bind_in_place(own, column(i));
    return bound_[i].observed;
  }

  template <Selector Own>
  void gather(std::size_t i, double* out) const {
    if constexpr (ReadsLevels<Own>) return gather_levels(data_.column(feature(i)), rows_, out);
    if constexpr (ReadsRanks<Own>) {
      if (data_.ranks != nullptr && !response_->blocks().exist()) {
        const std::uint32_t* ranks = data_.ranks + feature(i) * data_.n_samples;
        std::transform(rows_.begin(), rows_.end(), out,
                       [&](std::int32_t row) { return static_cast<double>(ranks[row]); });
        return;
      }
    }
    gather_values(i, out);
  }

  /// What is between blocks is taken off; of a column with holes its selector does that.
  void gather_values(std::size_t i, double* out) const {
    if (kind(i) == FeatureKind::category)
      return gather_levels(data_.column(feature(i)), rows_, out);
    gather_column(data_.column(feature(i)), rows_, out);
    if (kind(i) != FeatureKind::number_with_holes) response_->centre_in_blocks(out);
  }

  const Dataset& data_;
  SelectorsByKind<S...> selectors_;
  Interrupt& interrupt_;
  Workspace& workspace_;

  // The node's.
  const Response* response_ = nullptr;
  std::span<const std::int32_t> rows_;
  const std::vector<std::int32_t>* features_ = nullptr;
  const FeaturePool* pool_ = nullptr;
  std::vector<FeatureKind> kinds_;  ///< empty: those of the data
  std::uint64_t tie_key_ = 0, pilots_key_ = 0;
  bool keeps_columns_ = true;

  // Of each candidate.
  double* columns_ = nullptr;  ///< the workspace's
  std::vector<double> score_;
  std::vector<BoundColumn> bound_;
  std::vector<TailScale> scale_;

  Draws pilots_;  ///< for scales
};

}  // namespace inforest
