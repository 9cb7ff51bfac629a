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
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/holes/hole_bounds.hpp"
#include "core/stage_a/holes/hole_columns.hpp"
#include "core/stage_a/holes/part_of_response.hpp"
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
  }

  double bind(const double* x) {
    columns_.make(x, *response_, rule_, S::kColumns == 2);
    return response_->has_labels() ? of_own_labels() : of_own_scores();
  }

  double evaluate(Draws& draws, std::int64_t b) {
    if (!columns_.are_laid_out()) lay_out();
    if (!response_->has_labels()) return of_scores(draws.values(b));
    const bool has_mask = draws.has_masks() && columns_.are_plain();
    return has_mask ? of_mask(draws.mask(b)) : of_classes(draws.order(b));
  }

  /// Two classes without weights: then the absence part is a function of one count.
  double certificate(double limit, double enough) const {
    if (!response_->has_labels() || response_->n_classes() != 2 || !columns_.are_plain())
      return 1.0;
    if (holes().n_observed() == 0 || holes().n_missing() == 0) return 1.0;
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
  bool has_value() const { return columns_.have_value(); }
  bool has_square() const { return columns_.have_square(); }

  double observed_contrasts() const {
    if (!response_->has_labels()) return 1.0;
    std::vector<std::uint8_t> is_there(response_->n_classes(), 0);
    for (const std::uint32_t i : holes().observed()) is_there[response_->labels()[i]] = 1;
    return std::accumulate(is_there.begin(), is_there.end(), -1.0);
  }

  // --- The data's own responses, read at the observed rows ---------------------------------------

  double of_own_labels() {
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
    Parts parts;
    for (std::uint32_t k = 0; k < response_->n_classes(); ++k) {
      Quadruple& sums = sums_[k];
      if (!has_value()) sums.of[0] = 0.0;
      if (!has_square()) sums.of[1] = 0.0;
      if (columns_.have_absence() && columns_.are_plain())
        sums.of[3] = columns_.absence_sum(sums.of[2], response_->class_size(k));
      add_class(parts, sums, k);
    }
    return whole(parts);
  }

  double of_own_scores() {
    const double* const y = response_->centred().data();
    if (!columns_.are_plain()) {
      lay_out();
      return of_scores(y);
    }
    const std::uint32_t n = holes().n_observed();
    own_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) own_[i] = y[holes().observed()[i]];
    const double* const first = has_value() ? columns_.own_first().data() : own_.data();
    const ProductSums sums = product_sums(first, own_.data(), n);
    const double second = has_square() ? dot(columns_.own_second().data(), own_.data(), n) : 0.0;
    return of_products(sums.product, second, {sums.sum, sums.squares});
  }

  // --- What a draw puts at all positions ---------------------------------------------------------

  void lay_out() {
    columns_.lay_out();
    if (response_->has_labels()) lay_rows();
  }

  double of_scores(const double* y) const {
    const std::uint32_t n = response_->size();
    const double first = has_value() ? dot(columns_.first().data(), y, n) : 0.0;
    const double second = has_square() ? dot(columns_.second().data(), y, n) : 0.0;
    const MaskedSums sums = masked_sums(holes().indicator().data(), y, n);
    if (columns_.are_plain()) return of_products(first, second, sums);
    double total = 0.0;
    if (has_value())
      total += explained(first, second,
                         columns_.blocks().exist() ? spread_in_blocks(y) : spread_about_mean(sums));
    if (columns_.have_absence()) {
      const double product = dot(columns_.absence().data(), y, n);
      total += product * product / response_->squares_in_blocks();
    }
    return total;
  }

  /// From the products of both columns with y, and the sums of y and y^2 over the observed rows.
  double of_products(double first, double second, const MaskedSums& y) const {
    double total = has_value() ? explained(first, second, spread_about_mean(y)) : 0.0;
    if (columns_.have_absence()) {
      const double product = columns_.absence_product(y.sum);
      total += product * product / response_->sum_of_squares();
    }
    return total;
  }

  double explained(double first, double second, double spread) const {
    if (!(spread > 0.0)) return 0.0;
    return columns_.value_weight() * std::min((first * first + second * second) / spread, 1.0);
  }

  /// Sum of squares of the observed rows' y about their mean; 0 if it is rounding.
  double spread_about_mean(const MaskedSums& y) const {
    const double spread = y.squares - y.sum * y.sum / holes().n_observed();
    return spread > kRounding * y.squares ? spread : 0.0;
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
    return spread > kRounding * all ? spread : 0.0;
  }

  struct Parts {
    double value = 0.0, absence = 0.0;
  };

  /// `sums` of class k: both columns, the number of observed rows, the column of the absence.
  void add_class(Parts& parts, const Quadruple& sums, std::uint32_t k) const {
    const auto& [first, second, observed, missing] = sums.of;
    if (observed > 0.0) parts.value += (first * first + second * second) / observed;
    parts.absence += missing * missing / response_->class_size(k);
  }

  double whole(const Parts& parts) const {
    return (columns_.value_weight() * parts.value + parts.absence) / most_;
  }

  double of_classes(const std::uint32_t* order) const {
    const std::uint32_t last = response_->n_classes() - 1;
    Parts parts;
    // All but the counts add up to zero: the largest class is what the others leave.
    Quadruple left{{0.0, 0.0, static_cast<double>(holes().n_observed()), 0.0}};
    for (std::uint32_t k = 0; k < last; ++k) {
      const Quadruple sums = gathered_row_sum(rows_.data(), order + response_->class_begin(k),
                                              response_->class_size(k));
      add_class(parts, sums, k);
      for (std::size_t c = 0; c < 4; ++c) left.of[c] -= sums.of[c];
    }
    add_class(parts, left, last);
    return whole(parts);
  }

  /// The same of two classes by the mask of the first, without weights: what a class has of a
  /// column that adds up to zero is the negative of what the other has.
  double of_mask(const std::uint64_t* mask) const {
    const std::uint32_t n = response_->size();
    const double size = response_->class_size(0), other = response_->class_size(1);
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < observed_bits_.size(); ++w)
      count += static_cast<std::uint32_t>(std::popcount(observed_bits_[w] & mask[w]));
    const double here = count, there = holes().n_observed() - here;
    Parts parts;
    if (has_value() && here > 0.0 && there > 0.0) {
      const double first = masked_sum(columns_.first().data(), mask, n);
      const double second = has_square() ? masked_sum(columns_.second().data(), mask, n) : 0.0;
      parts.value = (first * first + second * second) * (1.0 / here + 1.0 / there);
    }
    if (columns_.have_absence()) {
      const double sum = columns_.absence_sum(here, size);
      parts.absence = sum * sum * (1.0 / size + 1.0 / other);
    }
    return whole(parts);
  }

  /// Of every position: both columns, whether it is observed, and the column of the other part.
  void lay_rows() {
    rows_.assign(4 * std::size_t{response_->size()}, 0.0);
    observed_bits_.assign((std::size_t{response_->size()} + 63) / 64, 0);
    for (const std::uint32_t i : holes().observed())
      observed_bits_[i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t i = 0; i < response_->size(); ++i) {
      if (columns_.have_value()) rows_[4 * i] = columns_.first()[i];
      if (columns_.have_value() && columns_.have_square()) rows_[4 * i + 1] = columns_.second()[i];
      rows_[4 * i + 2] = holes().indicator()[i];
      if (columns_.have_absence()) rows_[4 * i + 3] = columns_.absence()[i];
    }
  }

  static constexpr double kRounding = 1e-13;

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  ResponseProjection projection_;
  double most_ = 1.0;
  HoleColumns columns_;
  std::vector<Quadruple> sums_;  ///< of each class
  std::vector<double> own_;      ///< scores of the observed rows
  std::vector<double> rows_;     ///< the columns side by side, for classes
  std::vector<std::uint64_t> observed_bits_;
};

}  // namespace inforest
