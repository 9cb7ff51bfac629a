// SPDX-License-Identifier: BSD-3-Clause
/// `pc`, `mc` and `quad` of a number with holes (data/holes.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/column.hpp"
#include "core/base/random_subset.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/tilted_part.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/stage_a/holes/hole_bounds.hpp"
#include "core/stage_a/holes/hole_columns.hpp"
#include "core/stage_a/holes/hole_formula.hpp"
#include "core/stage_a/holes/part_of_response.hpp"
#include "core/stage_a/holes/short_holes.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// `S::kColumns` says of how many columns, x and perhaps its square, the statistic is the explained
/// share. Then a draw needs sums over the observed rows only: of the columns, and of y and y^2, or
/// of the classes.
template <class S>
concept IsLinear = requires { requires S::kColumns == 1 || S::kColumns == 2; };

template <Selector S>
  requires IsLinear<S>
class LinearHoles {
 public:
  static constexpr const char* name = S::name;
  static constexpr FeatureKind kFeatureKind = FeatureKind::number_with_holes;

  LinearHoles() = default;
  explicit LinearHoles(MissingRule rule) : rule_(rule) {}

  void begin(const Response& response) {
    response_ = &response;
    projection_.begin(response);
    most_ = response.has_labels()
                ? std::clamp(response.n_classes() - 1.0, 1.0, static_cast<double>(S::kColumns))
                : 1.0;
    scores_to_bound_.forget();
  }

  double bind(const double* x) {
    rows_.clear();
    observed_bits_.clear();
    short_draws_.clear();
    columns_.make(x, *response_, rule_, S::kColumns == 2);
    if (has_two_plain_classes()) two_classes_ = TwoClassFormula(columns_, *response_, most_);
    return response_->has_labels() ? of_own_labels() : of_own_scores();
  }

  double evaluate(Draws& draws, std::int64_t b) {
    columns_.lay_out();
    if (!response_->has_labels()) return of_scores(draws.values(b));
    if (has_two_plain_classes())
      return draws.has_masks() ? of_mask(draws.mask(b)) : of_first_class(draws.order(b));
    lay_rows();
    return of_classes(draws.order(b));
  }

  /// Two classes have quicker ways.
  bool exceeds(Draws& draws, std::int64_t b, const Limit& limit) {
    const bool may_be_short = draws.is_own(b) && limit.low() > 0.0 && columns_.are_plain() &&
                              has_value() && !has_square() && response_->n_classes() != 2;
    if (may_be_short && short_draws_.pay(draws, *response_, columns_, limit.low()))
      return short_draws_.reaches(draws.stream(b), b, limit, *response_, columns_, formula());
    return limit.is_reached(evaluate(draws, b), b);
  }

  /// Goes on with a long test of two classes without the draws that cannot exceed, where most
  /// cannot: given how many observed rows a draw gives the first class, the absence part is a
  /// number, and the value part reaches what is missing of the limit if the sum over these does.
  void finish_rare(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                   Interrupt& interrupt) const {
    if (!has_two_plain_classes() || has_square()) return;
    constexpr double kAffordable = 0.2, kRare = 0.005;  // measured
    const std::uint32_t n = response_->size();
    // Both parts together are nearly chi-square with two degrees of freedom.
    if (std::exp(-0.5 * n * limit.low()) > kRare) return;
    const std::vector<double>& values = has_value() ? columns_.own_first() : holes().values();
    auto part = TiltedPart::if_rare(values, n, response_->class_size(0),
                                    two_classes_.reach_by_count(limit.low()), kAffordable);
    if (!part) return;
    const auto is_exceedance = [&](Rng& stream) {
      const auto drawn = part->exceeding(stream);
      if (!drawn) return false;
      return two_classes_.value(drawn->count, {drawn->sum, 0.0}) > limit.high() ||
             limit.wins_tie(progress.n_draws());
    };
    finish_by_candidates(progress, plan, part->candidate_probability(), rng, interrupt, n,
                         is_exceedance);
  }

  double certificate(double limit, double enough) {
    if (!columns_.are_plain() || holes().n_observed() == 0 || holes().n_missing() == 0) return 1.0;
    if (!has_two_plain_classes()) return certificate_by_counts(limit * most_, enough);
    TwoClassHoles two_classes{.size = response_->size(),
                              .first_class = response_->class_size(0),
                              .n_observed = holes().n_observed(),
                              .value_weight = columns_.have_value() ? columns_.value_weight() : 0.0,
                              .absence_weight = columns_.have_absence() ? 1.0 : 0.0,
                              .n_columns = columns_.have_square() ? 2u : 1u,
                              .largest_entry = {}};
    if (columns_.have_value()) two_classes.largest_entry[0] = columns_.largest_first();
    if (columns_.have_value() && columns_.have_square())
      two_classes.largest_entry[1] = columns_.largest_second();
    return two_class_holes_tail(two_classes, limit * most_, enough);
  }

  double describe(const double* x) {
    Holes holes;
    holes.find(x, response_->size());
    PartOfResponse part;
    part.begin(*response_);
    S selector;
    double value = 0.0;
    if (holes.tests_value(rule_)) {
      selector.begin(part.observed(holes.observed()));
      value += holes.share() * selector.describe(holes.values().data());
    }
    if (holes.tests_absence(rule_)) {
      selector.begin(*response_);
      value += selector.describe(holes.indicator().data());
    }
    return value;
  }

  PermutationMoments moments() {
    return columns_.moments(projection_.get(), response_->size(), most_);
  }

  /// Of both parts together; classes that no observed row has add no degree of freedom.
  ChiSquare chi_square(double value) const {
    const double n = response_->size();
    const double rows = rule_ == MissingRule::ignore ? holes().n_observed() : n;
    ChiSquare form{(rows - 1.0) * value * most_, 0.0};
    if (columns_.have_value()) form.degrees += columns_.n_value() * observed_contrasts();
    if (columns_.have_absence())
      form.degrees += response_->has_labels() ? response_->n_classes() - 1.0 : 1.0;
    return form;
  }

  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 6 * response_->size(); }

 private:
  const Holes& holes() const { return columns_.holes(); }
  HoleFormula formula() const { return {columns_, *response_, most_}; }
  bool has_value() const { return columns_.have_value(); }
  bool has_square() const { return columns_.have_square(); }

  /// Without weights the absence part of two classes is a function of one count.
  bool has_two_plain_classes() const {
    return response_->has_labels() && response_->n_classes() == 2 && columns_.are_plain();
  }

  double certificate_by_counts(double limit, double enough) {
    if (!has_value()) return 1.0;
    // A bound of few rows says nothing.
    if (response_->size() * limit < -2.0 * std::log(enough)) return 1.0;
    columns_.lay_out();
    const HolesToBound bound{.n_observed = holes().n_observed(),
                             .value_weight = columns_.value_weight(),
                             .absence_scale = columns_.absence_scale(),
                             .n_columns = has_square() ? 2u : 1u,
                             .columns = {columns_.first().data(), columns_.second().data()}};
    return response_->has_labels() ? class_holes_tail(*response_, bound, limit, enough)
                                   : scores_to_bound_.tail(*response_, bound, limit, enough);
  }

  double observed_contrasts() const {
    if (!response_->has_labels()) return 1.0;
    std::vector<std::uint8_t> is_there(response_->n_classes(), 0);
    for (const std::uint32_t i : holes().observed()) is_there[response_->labels()[i]] = 1;
    return std::accumulate(is_there.begin(), is_there.end(), -1.0);
  }

  // --- The data's own responses, read at the observed rows ---------------------------------------

  double of_own_labels() {
    if (has_two_plain_classes()) return of_own_first_class();
    sums_.assign(response_->n_classes(), {});
    const std::uint32_t* const label = response_->labels().data();
    const double* const first = has_value() ? columns_.own_first().data() : holes().values().data();
    const double* const second = has_square() ? columns_.own_second().data() : first;
    for (std::uint32_t i = 0; i < holes().n_observed(); ++i) {
      Quadruple& sums = sums_[label[holes().observed()[i]]];
      sums.of[0] += first[i];
      sums.of[1] += second[i];
      sums.of[2] += 1.0;
    }
    if (columns_.have_absence() && !columns_.are_plain())
      for (std::uint32_t i = 0; i < response_->size(); ++i)
        sums_[label[i]].of[3] += columns_.absence()[i];
    HoleFormula::Parts parts;
    for (std::uint32_t k = 0; k < response_->n_classes(); ++k) {
      Quadruple& sums = sums_[k];
      if (!has_value()) sums.of[0] = 0.0;
      if (!has_square()) sums.of[1] = 0.0;
      if (columns_.have_absence() && columns_.are_plain())
        sums.of[3] = columns_.absence_sum(sums.of[2], response_->class_size(k));
      formula().add_class(parts, sums, k);
    }
    return formula().whole(parts);
  }

  double of_own_first_class() const {
    // By label, so that no branch asks; independent chains hide the latency of the additions.
    constexpr std::uint32_t kChains = 4;
    const std::uint32_t* const label = response_->labels().data();
    const std::uint32_t* const position = holes().observed().data();
    const double* const first = has_value() ? columns_.own_first().data() : holes().values().data();
    const double* const second = has_square() ? columns_.own_second().data() : first;
    std::uint32_t of_second_class = 0;
    double sums[kChains][2][2] = {};
    for (std::uint32_t i = 0; i < holes().n_observed(); ++i) {
      const std::uint32_t k = label[position[i]];
      of_second_class += k;
      sums[i % kChains][k][0] += first[i];
      sums[i % kChains][k][1] += second[i];
    }
    Pair own;
    for (const auto& chain : sums) own.first += chain[0][0], own.second += chain[0][1];
    if (!has_value()) own.first = 0.0;
    if (!has_square()) own.second = 0.0;
    return two_classes_.value(holes().n_observed() - of_second_class, own);
  }

  double of_own_scores() {
    const double* const y = response_->centred().data();
    if (!columns_.are_plain()) {
      columns_.lay_out();
      return of_scores(y);
    }
    const std::uint32_t n = holes().n_observed();
    own_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) own_[i] = y[holes().observed()[i]];
    const double* const first = has_value() ? columns_.own_first().data() : own_.data();
    const ProductSums sums = product_sums(first, own_.data(), n);
    const double second = has_square() ? dot(columns_.own_second().data(), own_.data(), n) : 0.0;
    return formula().of_products(sums.product, second, {sums.sum, sums.squares});
  }

  // --- What a draw puts at all positions ---------------------------------------------------------

  double of_scores(const double* y) const {
    const std::uint32_t n = response_->size();
    const double first = has_value() ? dot(columns_.first().data(), y, n) : 0.0;
    const double second = has_square() ? dot(columns_.second().data(), y, n) : 0.0;
    const MaskedSums sums = masked_sums(holes().indicator().data(), y, n);
    if (columns_.are_plain()) return formula().of_products(first, second, sums);
    double total = 0.0;
    if (has_value())
      total += formula().explained(
          first, second,
          columns_.blocks().exist() ? spread_in_blocks(y) : formula().spread_about_mean(sums));
    if (columns_.have_absence()) {
      const double product = dot(columns_.absence().data(), y, n);
      total += product * product / response_->squares_in_blocks();
    }
    return total;
  }

  /// The same in blocks about the means there.
  INFOREST_COLD double spread_in_blocks(const double* y) const {
    double spread = 0.0, all = 0.0;
    for (std::size_t b = 0; b < columns_.blocks().size(); ++b) {
      double sum = 0.0, squares = 0.0;
      for (const std::uint32_t i : columns_.blocks().members(b)) {
        const double value = y[holes().observed()[i]];
        sum += value, squares += value * value;
      }
      spread += squares - sum * sum / static_cast<double>(columns_.blocks().members(b).size());
      all += squares;
    }
    return HoleFormula::is_rounding(spread, all) ? 0.0 : spread;
  }

  double of_classes(const std::uint32_t* order) const {
    const std::uint32_t last = response_->n_classes() - 1;
    const HoleFormula formula = this->formula();
    const bool is_counted = columns_.have_absence() && columns_.are_plain();
    HoleFormula::Parts parts;
    // All but the counts add up to zero: the largest class is what the others leave.
    Quadruple left{{0.0, 0.0, static_cast<double>(holes().n_observed()), 0.0}};
    for (std::uint32_t k = 0; k < last; ++k) {
      const std::uint32_t size = response_->class_size(k);
      Quadruple sums = gathered_row_sum(rows_.data(), order + response_->class_begin(k), size);
      if (is_counted) sums.of[3] = columns_.absence_sum(sums.of[2], size);
      formula.add_class(parts, sums, k);
      for (std::size_t c = 0; c < 4; ++c) left.of[c] -= sums.of[c];
    }
    formula.add_class(parts, left, last);
    return formula.whole(parts);
  }

  /// Two classes without weights: the positions of the first.
  double of_first_class(const std::uint32_t* order) const {
    const std::uint32_t size = response_->class_size(0);
    const double count = gathered_sum(holes().indicator().data(), order, size);
    Pair sums;
    if (has_value()) sums.first = gathered_sum(columns_.first().data(), order, size);
    if (has_square()) sums.second = gathered_sum(columns_.second().data(), order, size);
    return two_classes_.value(static_cast<std::uint32_t>(count), sums);
  }

  /// The same by its mask.
  double of_mask(const std::uint64_t* mask) {
    if (observed_bits_.empty()) lay_bits();
    const std::uint32_t n = response_->size();
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < observed_bits_.size(); ++w)
      count += static_cast<std::uint32_t>(std::popcount(observed_bits_[w] & mask[w]));
    Pair sums;
    if (has_value()) sums.first = masked_sum(columns_.first().data(), mask, n);
    if (has_square()) sums.second = masked_sum(columns_.second().data(), mask, n);
    return two_classes_.value(count, sums);
  }

  /// Of every position: both columns, whether it is observed, and the column of the other part
  /// where that is more than a count.
  void lay_rows() {
    if (!rows_.empty()) return;
    rows_.assign(4 * std::size_t{response_->size()}, 0.0);
    for (std::size_t i = 0; i < response_->size(); ++i) {
      if (columns_.have_value()) rows_[4 * i] = columns_.first()[i];
      if (columns_.have_value() && columns_.have_square()) rows_[4 * i + 1] = columns_.second()[i];
      rows_[4 * i + 2] = holes().indicator()[i];
      if (columns_.have_absence() && !columns_.are_plain())
        rows_[4 * i + 3] = columns_.absence()[i];
    }
  }

  void lay_bits() {
    observed_bits_.assign(mask_words(response_->size()), 0);
    for (const std::uint32_t i : holes().observed())
      observed_bits_[i / kWordBits] |= std::uint64_t{1} << i % kWordBits;
  }

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  ResponseProjection projection_;
  double most_ = 1.0;
  HoleColumns columns_;
  TwoClassFormula two_classes_;
  ScoresToBound scores_to_bound_;
  ShortHoles short_draws_;
  std::vector<Quadruple> sums_;  ///< of each class
  std::vector<double> own_;      ///< scores of the observed rows
  std::vector<double> rows_;     ///< the columns side by side, for classes
  std::vector<std::uint64_t> observed_bits_;
};

}  // namespace inforest
