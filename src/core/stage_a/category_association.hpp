// SPDX-License-Identifier: BSD-3-Clause
/// The association of a category with the response: one statistic for all its levels.
///
/// With the indicators of the levels on the one side and the scores or the indicators of the
/// classes on the other, (n - 1) times the value below is Pillai's trace, which has K - 1, (K - 1)q
/// or (K - 1)(J - 1) degrees of freedom:
///
///   a score         eta^2, the share of its variance that lies between the levels,
///   several scores  the sum of eta^2 over q uncorrelated ones that span them (score_basis.hpp),
///   classes         Pearson's chi-square of the K x J table, divided by n.
///
/// A draw costs n additions and a pass over the levels, however many they are. Whatever `selector`
/// is chosen for numbers, this stands beside it: with levels as the only thing there is to know
/// about a value, mc, pc and quad are this statistic, and dc, mi and rdc have no other form.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/column.hpp"
#include "core/base/random_subset.hpp"
#include "core/data/levels.hpp"
#include "core/data/score_basis.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/level_tables.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

class CategoryAssociation {
 public:
  static constexpr const char* name = "category";
  static constexpr FeatureKind kFeatureKind = FeatureKind::category;
  static constexpr bool kReadsLevels = true;

  void begin(const Response& response) {
    response_ = &response;
    projection_.begin(response);
    centred_class_.clear();
    has_basis_ = false;
  }

  /// Returns the observed value.
  double bind(const double* x) {
    levels_.gather(x, response_->size());
    sum_.resize(n_levels());
    is_plain_ = response_->weights() == nullptr && !response_->blocks().exist();
    if (is_plain_)
      bind_plainly();
    else
      bind_weighted();
    if (has_columns()) {
      if (!has_basis_) basis_.build(*response_);
      has_basis_ = true;
      return of_columns([](std::uint32_t position) { return position; });
    }
    return response_->has_labels() ? observed_of_labels() : of_scores(response_->centred().data());
  }

  double evaluate(Draws& draws, std::int64_t b) {
    if (has_columns())
      return of_columns([order = draws.order(b)](std::uint32_t i) { return order[i]; });
    if (!response_->has_labels()) return of_scores(draws.values(b));
    if (draws.has_masks() && is_plain_ && n_levels() <= kMaskedLevels)
      return of_mask(draws.mask(b));
    return of_order(draws.order(b));
  }

  double certificate(double observed, double enough) {
    if (!is_plain_ || has_columns()) return 1.0;
    const std::vector<std::uint32_t>& sizes = levels_.counts();
    const double bound =
        response_->has_labels() ? bound_by_classes(*response_, sizes, observed) : 1.0;
    if (bound <= enough || response_->n_classes() > 2) return bound;
    return std::min(bound, bound_by_levels(centred_response(), sizes, observed, enough));
  }

  void finish_rare(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                   Interrupt& interrupt) const {
    if (is_plain_ && response_->has_labels() && response_->n_classes() == 2)
      finish_by_tables(progress, plan, limit, rng, interrupt, *response_, levels_.counts());
  }

  PermutationMoments moments() {
    return moments_of_trace(response_->size(), onto_levels(),
                            has_columns() ? onto_scores(basis_) : projection_.get());
  }

  ChiSquare chi_square(double value) const {
    return {(response_->size() - 1.0) * value, (n_levels() - 1.0) * contrasts()};
  }

  /// The correlation ratio of the score, the root of the mean of several ones' squares, or Cramer's
  /// V of the table.
  double natural(double value) const {
    const double most = std::min(n_levels() - 1.0, contrasts());
    return std::sqrt(std::max(value, 0.0) / std::max(most, 1.0));
  }

  std::int64_t work() const {
    const std::int64_t n = response_->has_labels() ? response_->n_placed() : response_->size();
    const auto per_row = has_columns() ? static_cast<std::int64_t>(basis_.rank()) : 1;
    return (1 + per_row) * n + static_cast<std::int64_t>(n_levels()) *
                                   std::max<std::int64_t>(response_->n_classes(), per_row);
  }

 private:
  bool has_columns() const { return response_->kind() == ResponseKind::columns; }
  /// The rank of the response's side.
  double contrasts() const {
    if (has_columns()) return basis_.rank();
    return response_->has_labels() ? response_->n_classes() - 1.0 : 1.0;
  }
  std::uint32_t n_levels() const { return levels_.size(); }
  const std::uint32_t* level() const { return levels_.of_position().data(); }

  // --- Rows that weigh the same and are permuted freely ------------------------------------------

  void bind_plainly() {
    inverse_.resize(n_levels());
    for (std::uint32_t k = 0; k < n_levels(); ++k) inverse_[k] = 1.0 / levels_.counts()[k];
    scale_ = 1.0;
    level_mask_.clear();
    count_.resize(n_levels());
  }

  /// Where levels are few, a table of two classes is counted a word at a time.
  void lay_masks() {
    const std::uint32_t words = mask_words(response_->size());
    level_mask_.assign(std::size_t{words} * n_levels(), 0);
    for (std::uint32_t i = 0; i < response_->size(); ++i)
      level_mask_[std::size_t{level()[i]} * words + i / kWordBits] |= std::uint64_t{1}
                                                                      << i % kWordBits;
  }

  /// The centred scores of the positions, which add up to zero.
  double of_scores(const double* y) {
    const double total = response_->squares_in_blocks();
    if (!(total > 0.0)) return 0.0;
    if (!is_plain_) return of_weighted_scores(y) / total;
    std::fill(sum_.begin(), sum_.end(), 0.0);
    const std::uint32_t* const own = level();
    for (std::uint32_t i = 0; i < response_->size(); ++i) sum_[own[i]] += y[i];
    double between = 0.0;
    for (std::uint32_t k = 0; k < n_levels(); ++k) between += sum_[k] * sum_[k] * inverse_[k];
    return between / total;
  }

  /// Several scores: position i has those of `source(i)`.
  template <class Source>
  double of_columns(Source source) {
    const std::uint32_t rank = basis_.rank();
    double between = 0.0;
    if (!is_plain_) {
      for (std::uint32_t q = 0; q < rank; ++q)
        between += squares_of([&](std::uint32_t i) { return basis_.row(source(i))[q]; });
      return between;
    }
    sum_.assign(std::size_t{n_levels()} * rank, 0.0);
    const std::uint32_t* const own = level();
    for (std::uint32_t i = 0; i < response_->size(); ++i) {
      const double* scores = basis_.row(source(i));
      double* sums = sum_.data() + std::size_t{own[i]} * rank;
      for (std::uint32_t q = 0; q < rank; ++q) sums[q] += scores[q];
    }
    for (std::uint32_t k = 0; k < n_levels(); ++k) {
      const double* sums = sum_.data() + std::size_t{k} * rank;
      between += dot(sums, sums, rank) * inverse_[k];
    }
    return between;
  }

  double observed_of_labels() { return of_order(response_->observed_order().data()); }

  /// The positions of all classes but the last, one after the other.
  double of_order(const std::uint32_t* order) {
    if (!is_plain_) return of_weighted_order(order);
    if (response_->n_classes() == 2) {
      std::fill(count_.begin(), count_.end(), 0u);
      const std::uint32_t* const own = level();
      for (std::uint32_t i = 0; i < response_->n_placed(); ++i) ++count_[own[order[i]]];
      return of_counts();
    }
    const double n = response_->size();
    const std::uint32_t last = response_->n_classes() - 1;
    std::fill(sum_.begin(), sum_.end(), 0.0);  // of the counts so far
    double value = 0.0;
    for (std::uint32_t c = 0; c < last; ++c) {
      std::fill(count_.begin(), count_.end(), 0u);
      const std::uint32_t* const own = level();
      const std::uint32_t* const member = order + response_->class_begin(c);
      for (std::uint32_t i = 0; i < response_->class_size(c); ++i) ++count_[own[member[i]]];
      const double share = response_->class_size(c) / n;
      double squares = 0.0;
      for (std::uint32_t k = 0; k < n_levels(); ++k) {
        const double off = count_[k] - share * levels_.counts()[k];
        squares += off * off * inverse_[k];
        sum_[k] += off;
      }
      value += squares / response_->class_size(c);
    }
    double squares = 0.0;
    for (std::uint32_t k = 0; k < n_levels(); ++k) squares += sum_[k] * sum_[k] * inverse_[k];
    return value + squares / response_->class_size(last);
  }

  /// Two classes, the first given by its bits.
  double of_mask(const std::uint64_t* mask) {
    if (level_mask_.empty()) lay_masks();
    const std::uint32_t words = mask_words(response_->size());
    const std::uint64_t* own = level_mask_.data();
    for (std::uint32_t k = 0; k < n_levels(); ++k) {
      std::uint32_t count = 0;
      for (std::uint32_t w = 0; w < words; ++w)
        count += static_cast<std::uint32_t>(std::popcount(*own++ & mask[w]));
      count_[k] = count;
    }
    return of_counts();
  }

  /// Two classes, from how often each level has the first.
  double of_counts() const {
    const double first = response_->class_size(0), second = response_->class_size(1);
    const double share = first / response_->size();
    double squares = 0.0;
    for (std::uint32_t k = 0; k < n_levels(); ++k) {
      const double off = count_[k] - share * levels_.counts()[k];
      squares += off * off * inverse_[k];
    }
    return squares * (1.0 / first + 1.0 / second);
  }

  // --- Weights and blocks ------------------------------------------------------------------------
  //
  // With weights w the levels' columns are g_k = w (1[level k] - W_k / W), whose sums are 0, so
  // that g_k . y is the sum of w (y - weighted mean of y) over the level. The value is the sum of
  // (g_k . y)^2 / W_k, divided by what no permutation changes: |y|^2, and a number with which
  // (n - 1) times it has the mean K - 1 as without weights. In blocks the mean is that of the row's
  // block: what lies between blocks counts for nothing.

  INFOREST_COLD void bind_weighted() {
    const std::uint32_t n = response_->size();
    weight_.assign(n, 1.0);
    if (response_->weights() != nullptr) std::copy_n(response_->weights(), n, weight_.begin());
    number_blocks();
    inverse_.assign(n_levels(), 0.0);
    block_weight_.assign(block_mean_.size(), 0.0);
    total_ = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
      inverse_[level()[i]] += weight_[i];
      block_weight_[block_[i]] += weight_[i];
      total_ += weight_[i];
    }
    for (double& weight : inverse_) weight = weight > 0.0 ? 1.0 / weight : 0.0;
    double trace = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) trace += diagonal(i);
    scale_ = trace > 0.0 ? trace / (n_levels() - 1.0) : 1.0;
  }

  void number_blocks() {
    const Blocks& blocks = response_->blocks();
    block_mean_.resize(blocks.exist() ? blocks.size() : 1);
    block_.assign(response_->size(), 0);
    if (!blocks.exist()) return;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (const std::uint32_t i : blocks.members(b)) block_[i] = b;
  }

  /// The sum over levels of g_k(i)^2 / W_k, without blocks.
  double diagonal(std::uint32_t i) const {
    return weight_[i] * weight_[i] * std::max(inverse_[level()[i]] - 1.0 / total_, 0.0);
  }

  /// The sum of (g_k . y)^2 / W_k, where y(i) is that of position i.
  template <class Of>
  double squares_of(Of y) {
    std::fill(block_mean_.begin(), block_mean_.end(), 0.0);
    for (std::uint32_t i = 0; i < response_->size(); ++i)
      block_mean_[block_[i]] += weight_[i] * y(i);
    for (std::size_t b = 0; b < block_mean_.size(); ++b)
      if (block_weight_[b] > 0.0) block_mean_[b] /= block_weight_[b];
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (std::uint32_t i = 0; i < response_->size(); ++i)
      sum_[level()[i]] += weight_[i] * (y(i) - block_mean_[block_[i]]);
    double squares = 0.0;
    for (std::uint32_t k = 0; k < n_levels(); ++k) squares += sum_[k] * sum_[k] * inverse_[k];
    return squares / scale_;
  }

  INFOREST_COLD double of_weighted_scores(const double* y) {
    return squares_of([&](std::uint32_t i) { return y[i]; });
  }

  INFOREST_COLD double of_weighted_order(const std::uint32_t* order) {
    const std::uint32_t last = response_->n_classes() - 1;
    class_of_.assign(response_->size(), last);
    for (std::uint32_t c = 0; c < last; ++c)
      for (std::uint32_t i = 0; i < response_->class_size(c); ++i)
        class_of_[order[response_->class_begin(c) + i]] = c;
    double value = 0.0;
    for (std::uint32_t c = 0; c <= last; ++c)
      value += squares_of([&](std::uint32_t i) { return class_of_[i] == c ? 1.0 : 0.0; }) /
               response_->class_size(c);
    return value;
  }

  // --- Moments and bounds ------------------------------------------------------------------------

  Projection onto_levels() const {
    const double n = response_->size();
    if (is_plain_) {
      Projection levels{.rank = n_levels() - 1.0};
      for (const double count : levels_.counts()) {
        const double leverage = 1.0 / count - 1.0 / n;
        levels.squared_leverages += count * leverage * leverage;
      }
      return levels;
    }
    return onto_weighted_levels();
  }

  /// The levels' form, which with weights is no projection; inside blocks the moments are those of
  /// draws where they matter.
  INFOREST_COLD Projection onto_weighted_levels() const {
    Projection levels{.rank = n_levels() - 1.0};
    std::vector<double> squared(n_levels(), 0.0);
    double all = 0.0;
    for (std::uint32_t i = 0; i < response_->size(); ++i) {
      const double own = diagonal(i) / scale_;
      levels.squared_leverages += own * own;
      squared[level()[i]] += weight_[i] * weight_[i];
      all += weight_[i] * weight_[i];
    }
    // Its entries are w_i w_j (1 / W_k - 1 / W) for rows of one level k, else - w_i w_j / W.
    double squares = all * all / (total_ * total_);
    for (std::uint32_t k = 0; k < n_levels(); ++k)
      squares += squared[k] * squared[k] * inverse_[k] * (inverse_[k] - 2.0 / total_);
    levels.squares = squares / (scale_ * scale_);
    return levels;
  }

  /// The scores, or of two classes the first one's indicator, centred.
  CentredColumn centred_response() {
    if (!response_->has_labels()) return {response_->centred(), response_->sum_of_squares()};
    const double n = response_->size(), first = response_->class_size(0), share = first / n;
    if (centred_class_.empty())
      for (const std::uint32_t label : response_->labels())
        centred_class_.push_back((label == 0) - share);
    // The sum of squares of the value's terms, in which both classes count.
    return {centred_class_, first * (1.0 - share)};
  }

  /// More of them are counted quicker one by one (measured).
  static constexpr std::uint32_t kMaskedLevels = 64;

  const Response* response_ = nullptr;
  ResponseProjection projection_;
  ScoreBasis basis_;  ///< of several scores, made when first asked for
  bool has_basis_ = false;
  NodeLevels levels_;
  bool is_plain_ = true;
  double scale_ = 1.0;
  std::vector<double> inverse_;  ///< of what each level weighs
  std::vector<double> sum_;      ///< of each level, perhaps of several scores
  std::vector<std::uint32_t> count_;
  std::vector<std::uint64_t> level_mask_;  ///< bits of the positions of each level, once read
  std::vector<double> centred_class_;

  // Weights and blocks
  std::vector<double> weight_, block_weight_, block_mean_;
  std::vector<std::uint32_t> block_, class_of_;
  double total_ = 0.0;  ///< weight
};

}  // namespace inforest
