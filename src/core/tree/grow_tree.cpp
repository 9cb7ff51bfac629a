// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/grow_tree.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/feature_selection.hpp"
#include "core/stage_a/holes/category_holes.hpp"
#include "core/stage_a/holes/with_holes.hpp"
#include "core/stage_b/threshold_search.hpp"
#include "core/tree/by_kind.hpp"
#include "core/tree/leaf_values.hpp"
#include "core/tree/route.hpp"

namespace inforest {

namespace {

template <class Selector, class Splitter>
class TreeGrower : public Grower {
 public:
  TreeGrower(const Dataset& data, const FeatureIndex& features, const Options& options,
             Selector selector, Splitter splitter, Interrupt& interrupt)
      : data_(data),
        options_(options),
        candidate_counts_(features.candidate_counts),
        positions_(features.rare_rows.exist() ? static_cast<std::size_t>(data.n_samples) : 0),
        pool_(data, features.keys, features.rare_rows, positions_),
        selection_(data, options.stage_a,
                   {selector, CategoryWithHoles(data.missing), with_holes(selector, data.missing)},
                   interrupt, workspace_),
        splitter_(std::move(splitter)),
        search_(options.stage_b, interrupt),
        muted_(static_cast<std::size_t>(data.n_features), 0),
        interrupt_(interrupt),
        values_(data) {}

  Tree grow(TreeRows rows, std::uint64_t tree_key) override {
    rows_ = std::move(rows.structure);
    std::fill(positions_.begin(), positions_.end(), -1);
    note_positions(0, rows_.size());
    pool_.refill();
    selection_.project(derive_key(tree_key, Stream::projections));
    tree_ = Tree{};
    grow_from_root(tree_key);
    rows_ = {};  // the next tree's sample needs the memory
    if (!rows.estimation.empty()) values_.estimate(rows.estimation, tree_);
    return std::move(tree_);
  }

 private:
  void grow_from_root(std::uint64_t root_key) {
    std::vector<Pending> stack;
    stack.push_back({0, rows_.size(), 1, pool_.size(), -1, false, root_key});
    while (!stack.empty()) {
      const Pending pending = stack.back();
      stack.pop_back();
      const std::int32_t node = add_node(pending);
      const Split split = find_split(node, pending);
      tree_.stop_reason[static_cast<std::size_t>(node)] = static_cast<std::uint8_t>(split.reason);
      if (split.reason != StopReason::split) continue;
      const std::size_t middle = part(pending, split);
      record(node, split, pending, middle);
      // The left child is taken from the stack first: preorder.
      stack.push_back({middle, pending.end, pending.depth + 1, split.available, node, false,
                       derive_key(pending.key, Stream::right_child)});
      stack.push_back({pending.begin, middle, pending.depth + 1, split.available, node, true,
                       derive_key(pending.key, Stream::left_child)});
    }
  }

  /// A node still to be grown: rows_[begin, end).
  struct Pending {
    std::size_t begin, end;
    std::int64_t depth;  ///< the root's is 1
    std::uint32_t available;
    std::int32_t parent;
    bool is_left;
    std::uint64_t key;
  };

  struct Split {
    StopReason reason;
    std::int32_t feature = -1;
    Route route = Route::never_left();
    bool any_missing = false;     ///< of the feature's values at the node
    std::uint32_t available = 0;  ///< features left for the children
    std::int32_t level_set = -1;  ///< of a category
  };

  void record(std::int32_t node, const Split& split, const Pending& pending, std::size_t middle) {
    const auto at = static_cast<std::size_t>(node);
    tree_.feature[at] = split.feature;
    tree_.threshold[at] = split.route.threshold();
    tree_.missing_left[at] =
        split.any_missing ? split.route.missing_left() : left_is_larger(pending, middle);
    tree_.level_set[at] = split.level_set;
    if (split.level_set >= 0 && tree_.missing_left[at]) send_absent_levels_left(split);
  }

  /// The node's levels that go left at a cut, as words of the tree's pool; returns their place.
  std::int32_t add_level_set(std::int32_t feature, const LevelCuts& cuts, std::size_t cut) {
    const auto n_levels = static_cast<std::size_t>(data_.n_levels[feature]);
    std::vector<std::uint64_t>& pool = tree_.level_pool;
    const std::size_t place = pool.size();
    pool.resize(place + LevelSet::n_words(n_levels), 0);
    pool[place] = n_levels;
    const NodeLevels& levels = cuts.levels();
    for (std::uint32_t level = 0; level < levels.size(); ++level)
      if (!levels.is_missing(level) && cuts.goes_left(level, cut)) {
        const std::size_t number = levels.in_data(level);
        pool[place + 1 + number / 64] |= std::uint64_t{1} << number % 64;
      }
    return static_cast<std::int32_t>(place);
  }

  /// They go where missing values go; which the set says, so that nobody need ask.
  void send_absent_levels_left(const Split& split) {
    const NodeLevels& levels = search_.level_cuts().levels();
    std::uint64_t* const words = tree_.level_pool.data() + split.level_set;
    absent_.assign(static_cast<std::size_t>(words[0]), 1);
    for (std::uint32_t level = 0; level < levels.size(); ++level)
      if (!levels.is_missing(level)) absent_[levels.in_data(level)] = 0;
    for (std::size_t level = 0; level < absent_.size(); ++level)
      words[1 + level / 64] |= std::uint64_t{absent_[level]} << level % 64;
  }

  /// Where missing values go that the node has none of.
  bool left_is_larger(const Pending& pending, std::size_t middle) const {
    const std::span<const std::int32_t> rows = rows_of(pending);
    const std::size_t n_left = middle - pending.begin;
    return total_weight(rows.first(n_left)) > total_weight(rows.subspan(n_left));
  }

  std::span<const std::int32_t> rows_of(const Pending& pending) const {
    return {rows_.data() + pending.begin, pending.end - pending.begin};
  }

  std::int32_t add_node(const Pending& pending) {
    const std::int32_t node = tree_.add_node();
    const auto rows = rows_of(pending);
    tree_.n_samples.back() = static_cast<std::int32_t>(rows.size());
    if (pending.parent >= 0)
      (pending.is_left ? tree_.left : tree_.right)[static_cast<std::size_t>(pending.parent)] = node;
    tree_.weight.back() = total_weight(rows);
    response_.gather(data_, rows);
    values_.append(rows, response_, tree_.value);
    tree_.impurity.back() = search_.begin(splitter_, response_);
    interrupt_.spend(4 * static_cast<std::int64_t>(rows.size()));
    return node;
  }

  double total_weight(std::span<const std::int32_t> rows) const {
    if (!data_.has_weights()) return static_cast<double>(rows.size());
    double total = 0.0;
    for (const std::int32_t row : rows) total += data_.weight(row);
    return total;
  }

  /// Whether the node is split at all; Stage A, then Stage B.
  Split find_split(std::int32_t node, const Pending& pending) {
    const auto rows = rows_of(pending);
    const auto at = static_cast<std::size_t>(node);
    if (static_cast<std::int64_t>(rows.size()) < options_.min_samples_split)
      return {StopReason::few_samples};
    if (options_.max_depth >= 0 && pending.depth > options_.max_depth)
      return {StopReason::max_depth};
    if (response_.is_constant()) return {StopReason::constant_response};
    std::uint32_t available =
        pool_.drop_constant(rows, pending.begin, pending.available, response_.blocks());
    interrupt_.spend(static_cast<std::int64_t>(8 * pending.available + rows.size()));
    if (available == 0) return {StopReason::no_varying_feature};

    const auto n_candidates =
        static_cast<std::uint32_t>(options_.stage_a.max_features.resolve(available));
    pool_.draw_candidates(available, n_candidates, derive_key(pending.key, Stream::candidates),
                          candidates_);
    for (const std::int32_t feature : candidates_) ++candidate_counts_[feature];
    const FeatureChoice choice =
        selection_.select(response_, rows, candidates_, pool_, pending.key, muted_);
    tree_.n_tests_feature[at] = static_cast<std::int32_t>(n_candidates);
    note_choice(at, choice);
    tree_.draws_selector += choice.draws_read;
    if (options_.stage_a.feature_muting && choice.feature >= 0)
      available = pool_.drop_muted(muted_, available);
    for (const std::int32_t feature : candidates_) muted_[static_cast<std::size_t>(feature)] = 0;
    if (choice.feature < 0) return {StopReason::no_feature_rejected};
    Split split = find_threshold(node, pending, choice.feature, available);
    for (const FeatureChoice& next : selection_.runners_up()) {
      if (split.reason != StopReason::no_admissible_threshold) break;
      split = find_threshold(node, pending, next.feature, available);
      if (split.reason == StopReason::split) note_choice(at, next);
    }
    return split;
  }

  void note_choice(std::size_t at, const FeatureChoice& choice) {
    tree_.p_value_feature[at] = choice.test.p_value;
    tree_.n_draws_feature[at] = choice.test.n_draws;
    tree_.chi_square[at] = choice.chi_square;
    tree_.log_p_value[at] = choice.log_p_value;
  }

  /// Stage B on the chosen feature; `available` are the features left for the children.
  Split find_threshold(std::int32_t node, const Pending& pending, std::int32_t feature,
                       std::uint32_t available) {
    const auto rows = rows_of(pending);
    const auto at = static_cast<std::size_t>(node);
    take_values(feature, rows);
    const double* values = workspace_.values.held<double>();
    const bool follow = data_.missing_follow && data_.has_holes(feature) &&
                        std::any_of(values, values + rows.size(), is_missing);
    double impurity = tree_.impurity[at];
    const ThresholdChoice cut = follow ? find_cut_of_observed(pending, feature, impurity)
                                       : find_cut(response_, pending, feature);
    tree_.n_tests_threshold[at] = cut.n_tests;
    tree_.p_value_threshold[at] = cut.test.p_value;
    tree_.n_draws_threshold[at] = cut.test.n_draws;
    tree_.draws_splitter += cut.draws_read;
    if (cut.n_tests == 0) return {StopReason::no_admissible_threshold};
    if (!cut.found) return {StopReason::no_threshold_rejected};
    // No split raises the weighted impurity; rounding may say otherwise.
    const double decrease = std::max(impurity - cut.child_impurity, 0.0);
    if (!(decrease >= options_.min_impurity_decrease)) return {StopReason::small_decrease};
    if (data_.kind(feature) == FeatureKind::category) return split_levels(feature, cut, available);
    return {StopReason::split, feature, Route::at(cut.threshold, cut.missing_left), cut.any_missing,
            available};
  }

  Split split_levels(std::int32_t feature, const ThresholdChoice& cut, std::uint32_t available) {
    const std::int32_t set = add_level_set(feature, search_.level_cuts(), cut.cut);
    return {
        StopReason::split, feature,   Route::among(tree_.level_pool.data() + set, cut.missing_left),
        cut.any_missing,   available, set};
  }

  /// The workspace holds the feature's values at the positions of the response.
  ThresholdChoice find_cut(const Response& response, const Pending& pending, std::int32_t feature) {
    if (data_.kind(feature) != FeatureKind::category)
      return search_.find(splitter_, response, workspace_, pending.key, data_.has_holes(feature));
    ThresholdChoice choice{search_.find_levels(splitter_, response, workspace_, pending.key)};
    const LevelCuts& cuts = search_.level_cuts();
    const std::uint32_t missing = cuts.levels().missing();
    choice.any_missing = missing != NodeLevels::kNone;
    choice.missing_left = choice.found && choice.any_missing && cuts.goes_left(missing, choice.cut);
    return choice;
  }

  /// The cut of the rows that have a value; the others follow the larger part, or the right one.
  /// `impurity` gets that of these rows.
  ThresholdChoice find_cut_of_observed(const Pending& pending, std::int32_t feature,
                                       double& impurity) {
    const auto rows = rows_of(pending);
    const StoredColumn column = data_.column(feature);
    const auto is_observed = [&](std::int32_t row) { return !is_missing(column[row]); };
    observed_rows_.clear();
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(observed_rows_), is_observed);
    observed_.gather(data_, observed_rows_);
    impurity = search_.begin(splitter_, observed_, static_cast<std::uint32_t>(rows.size()));
    take_values(feature, observed_rows_);
    ThresholdChoice choice = find_cut(observed_, pending, feature);
    if (choice.found) choice.missing_left = left_is_larger(feature, choice);
    choice.any_missing = true;
    // As the node's other steps expect them.
    search_.begin(splitter_, response_);
    take_values(feature, rows);
    return choice;
  }

  /// Whether more of the rows that have a value go left than right.
  bool left_is_larger(std::int32_t feature, const ThresholdChoice& choice) {
    const NodeLevels& levels = search_.level_cuts().levels();
    const bool is_category = data_.kind(feature) == FeatureKind::category;
    double left = 0.0;
    for (std::size_t i = 0; i < observed_rows_.size(); ++i) {
      const double value = data_.column(feature)[observed_rows_[i]];
      const bool goes_left =
          is_category ? search_.level_cuts().goes_left(levels.of_position()[i], choice.cut)
                      : Route::at(choice.threshold).goes_left(value);
      if (goes_left) left += data_.has_weights() ? data_.weight(observed_rows_[i]) : 1.0;
    }
    return left > total_weight(observed_rows_) - left;
  }

  void take_values(std::int32_t feature, std::span<const std::int32_t> rows) {
    data_.column(feature).gather(rows, workspace_.values.room<double>(rows.size()));
  }

  /// Parts the node's rows in place; returns where those of the right child begin.
  std::size_t part(const Pending& pending, const Split& split) {
    const std::span<std::int32_t> rows{rows_.data() + pending.begin, pending.end - pending.begin};
    // `find_threshold` has left the feature's values in the workspace.
    const std::size_t n_left =
        partition(rows, workspace_.values.held<double>(),
                  workspace_.right_rows<typename Splitter::Item>(rows.size()), split.route);
    note_positions(pending.begin, pending.end);
    return pending.begin + n_left;
  }

  void note_positions(std::size_t begin, std::size_t end) {
    if (positions_.empty()) return;  // nobody asks
    for (std::size_t i = begin; i < end; ++i)
      positions_[static_cast<std::size_t>(rows_[i])] = static_cast<std::int32_t>(i);
  }

  const Dataset& data_;
  const Options& options_;
  std::vector<std::int32_t> rows_;
  std::int64_t* candidate_counts_;
  RowPositions positions_;
  FeaturePool pool_;
  Workspace workspace_;
  FeatureSelection<Selector, CategoryWithHoles, WithHoles<Selector>> selection_;
  Splitter splitter_;
  ThresholdSearch<Splitter> search_;
  std::vector<std::uint8_t> muted_;
  Interrupt& interrupt_;
  Response response_;
  std::vector<std::int32_t> observed_rows_;  ///< of a node, those that have a value
  Response observed_;
  LeafValues values_;
  std::vector<std::int32_t> candidates_;
  std::vector<std::uint8_t> absent_;  ///< of each level of a category: no row has it
  Tree tree_;
};

}  // namespace

std::unique_ptr<Grower> make_grower(const Dataset& data, const FeatureIndex& features,
                                    const Options& options, Interrupt& interrupt) {
  std::unique_ptr<Grower> grower;
  with_kind(data.tested.kind(), [&](auto kind) {
    using Kind = decltype(kind);
    with_selector_of<typename Kind::Selector>(options.stage_a.selectors, [&](auto selector) {
      with_splitter_of<typename Kind::Splitter>(options.stage_b.splitter, [&](auto splitter) {
        grower = std::make_unique<TreeGrower<decltype(selector), decltype(splitter)>>(
            data, features, options, std::move(selector), std::move(splitter), interrupt);
      });
    });
  });
  return grower;
}

}  // namespace inforest
