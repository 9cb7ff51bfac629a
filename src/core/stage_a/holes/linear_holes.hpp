// SPDX-License-Identifier: BSD-3-Clause
/// `pc`, `mc` and `quad` of a number with holes (data/holes.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/holes/hole_bounds.hpp"
#include "core/stage_a/holes/part_of_response.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/square_columns.hpp"

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
    holes_.find(x, response_->size());
    bind_value();
    bind_absence();
    if (!response_->has_labels()) return of_scores(response_->centred().data());
    lay_rows();
    return of_classes(response_->observed_order().data());
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    if (!response_->has_labels()) return of_scores(draws.values(b));
    return draws.has_masks() ? of_mask(draws.mask(b)) : of_classes(draws.order(b));
  }

  /// Two classes without weights: then the absence part is a function of one count.
  double certificate(double limit, double enough) const {
    if (!response_->has_labels() || response_->n_classes() != 2 || response_->weights() != nullptr)
      return 1.0;
    if (holes_.n_observed() == 0 || holes_.n_missing() == 0) return 1.0;
    TwoClassHoles holes{.size = response_->size(),
                        .first_class = response_->class_size(0),
                        .n_observed = holes_.n_observed(),
                        .value_weight = has_value_ ? value_weight() : 0.0,
                        .absence_weight = has_absence_ ? 1.0 : 0.0,
                        .n_columns = has_square_ ? 2u : 1u,
                        .largest_entry = {}};
    if (has_value_) holes.largest_entry[0] = largest_magnitude(columns_.x());
    if (has_value_ && has_square_) holes.largest_entry[1] = largest_magnitude(columns_.z());
    return two_class_holes_tail(holes, limit * most_, enough);
  }

  double describe(const double* x) {
    holes_.find(x, response_->size());
    PartOfResponse part;
    part.begin(*response_);
    S selector;
    double value = 0.0;
    if (holes_.tests_value(rule_)) {
      selector.begin(part.observed(holes_.observed()));
      value += holes_.share() * selector.describe(holes_.values().data());
    }
    if (holes_.tests_absence(rule_)) {
      selector.begin(*response_);
      value += selector.describe(holes_.indicator().data());
    }
    return value;
  }

  /// What the formula for all rows gives for the observed ones, if they had the y of the node, and
  /// the same of the other part, which is nearly independent of it.
  PermutationMoments moments() {
    const double n = response_->size(), n_observed = holes_.n_observed();
    PermutationMoments sum;
    const auto add = [&](const PermutationMoments& part, double factor) {
      sum.mean += factor * part.mean / most_;
      sum.variance += factor * factor * part.variance / (most_ * most_);
    };
    if (has_value_) {
      Projection columns{1.0, 0.0}, responses = projection_.get();
      const auto size = static_cast<std::uint32_t>(first_.size());
      if (has_square_)
        columns = {2.0, fourth_powers(first_.data(), second_.data(), size)};
      else
        columns.squared_leverages = fourth_powers(first_.data(), size, 1.0);
      responses.squared_leverages *= n / n_observed;
      add(moments_of_trace(n_observed, columns, responses), value_weight());
    }
    if (has_absence_) add(moments_of_trace(n, onto_column(absence_, 1.0), projection_.get()), 1.0);
    return sum;
  }

  /// Of both parts together; classes that no observed row has add no degree of freedom.
  ChiSquare chi_square(double value) const {
    const double n = response_->size();
    const double rows = rule_ == MissingRule::ignore ? holes_.n_observed() : n;
    ChiSquare form{(rows - 1.0) * value * most_, 0.0};
    if (has_value_) form.degrees += (has_square_ ? 2.0 : 1.0) * observed_contrasts();
    if (has_absence_) form.degrees += response_->has_labels() ? response_->n_classes() - 1.0 : 1.0;
    return form;
  }

  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 6 * response_->size(); }

 private:
  /// Of the value part, beside the other one if there is one.
  double value_weight() const { return rule_ == MissingRule::incorporate ? holes_.share() : 1.0; }

  double observed_contrasts() const {
    if (!response_->has_labels()) return 1.0;
    std::vector<std::uint8_t> is_there(response_->n_classes(), 0);
    for (const std::uint32_t i : holes_.observed()) is_there[response_->labels()[i]] = 1;
    return std::accumulate(is_there.begin(), is_there.end(), -1.0);
  }

  /// Makes columns of unit length of the observed values, 0 where there is none.
  void bind_value() {
    has_value_ = holes_.tests_value(rule_);
    if (!has_value_) return;
    const std::uint32_t n = response_->size(), n_observed = holes_.n_observed();
    const double* weights = nullptr;
    if (response_->weights() != nullptr) {
      weights_.resize(n_observed);
      for (std::uint32_t i = 0; i < n_observed; ++i)
        weights_[i] = response_->weights()[holes_.observed()[i]];
      weights = weights_.data();
    }
    blocks_.part_of(response_->blocks(), holes_.observed());
    const auto centre_in_blocks = [&](double* column) {
      if (blocks_.exist()) blocks_.centre(column, weights);
    };
    values_ = holes_.values();
    centre_in_blocks(values_.data());
    columns_.make(values_.data(), n_observed, weights, centre_in_blocks, S::kColumns == 2);
    has_value_ = columns_.vary();
    has_square_ = columns_.have_square();
    if (has_value_) spread_out(columns_.x(), n, first_);
    if (has_square_) spread_out(columns_.z(), n, second_);
  }

  void spread_out(const std::vector<double>& column, std::uint32_t n, std::vector<double>& all) {
    all.assign(n, 0.0);
    for (std::size_t i = 0; i < column.size(); ++i) all[holes_.observed()[i]] = column[i];
  }

  void bind_absence() {
    has_absence_ = holes_.tests_absence(rule_);
    if (!has_absence_) return;
    absence_ = holes_.indicator();
    response_->centre_in_blocks(absence_.data());
    const double squares =
        centre(absence_.data(), response_->size(), response_->weights()).sum_of_squares;
    has_absence_ = squares > 0.0;
    if (!has_absence_) return;
    for (double& value : absence_) value /= std::sqrt(squares);
  }

  double of_scores(const double* y) const {
    const std::uint32_t n = response_->size();
    double total = 0.0;
    if (has_value_) {
      const double spread = spread_of_observed(y);
      const double first = dot(first_.data(), y, n);
      const double second = has_square_ ? dot(second_.data(), y, n) : 0.0;
      if (spread > 0.0)
        total += value_weight() * std::min((first * first + second * second) / spread, 1.0);
    }
    if (has_absence_) {
      const double product = dot(absence_.data(), y, n);
      total += product * product / response_->squares_in_blocks();
    }
    return total;
  }

  /// Sum of squares of the observed rows' y about their mean, in blocks about the means there; 0 if
  /// it is rounding.
  double spread_of_observed(const double* y) const {
    constexpr double kRounding = 1e-13;
    if (!blocks_.exist()) {
      const MaskedSums sums = masked_sums(holes_.indicator().data(), y, response_->size());
      const double spread = sums.squares - sums.sum * sums.sum / holes_.n_observed();
      return spread > kRounding * sums.squares ? spread : 0.0;
    }
    double spread = 0.0, all = 0.0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      double sum = 0.0, squares = 0.0;
      for (const std::uint32_t i : blocks_.members(b)) {
        const double value = y[holes_.observed()[i]];
        sum += value, squares += value * value;
      }
      spread += squares - sum * sum / static_cast<double>(blocks_.members(b).size());
      all += squares;
    }
    return spread > kRounding * all ? spread : 0.0;
  }

  double of_classes(const std::uint32_t* order) const {
    const std::uint32_t last = response_->n_classes() - 1;
    double value = 0.0, absence = 0.0;
    const auto add = [&](const Quadruple& sums, std::uint32_t k) {
      const auto& [first, second, observed, missing] = sums.of;
      if (observed > 0.0) value += (first * first + second * second) / observed;
      absence += missing * missing / response_->class_size(k);
    };
    // All but the counts add up to zero: the largest class is what the others leave.
    Quadruple left{{0.0, 0.0, static_cast<double>(holes_.n_observed()), 0.0}};
    for (std::uint32_t k = 0; k < last; ++k) {
      const Quadruple sums = gathered_row_sum(rows_.data(), order + response_->class_begin(k),
                                              response_->class_size(k));
      add(sums, k);
      for (std::size_t c = 0; c < 4; ++c) left.of[c] -= sums.of[c];
    }
    add(left, last);
    return (value_weight() * value + absence) / most_;
  }

  /// The same of two classes by the mask of the first: what a class has of a column that adds up to
  /// zero is the negative of what the other has.
  double of_mask(const std::uint64_t* mask) const {
    const std::uint32_t n = response_->size();
    double value = 0.0, absence = 0.0;
    if (has_value_) {
      std::uint32_t count = 0;
      for (std::size_t w = 0; w < observed_bits_.size(); ++w)
        count += static_cast<std::uint32_t>(std::popcount(observed_bits_[w] & mask[w]));
      const double first = masked_sum(first_.data(), mask, n);
      const double second = has_square_ ? masked_sum(second_.data(), mask, n) : 0.0;
      const double here = count, there = holes_.n_observed() - here;
      if (here > 0.0 && there > 0.0)
        value = (first * first + second * second) * (1.0 / here + 1.0 / there);
    }
    if (has_absence_) {
      const double sum = masked_sum(absence_.data(), mask, n);
      absence = sum * sum * (1.0 / response_->class_size(0) + 1.0 / response_->class_size(1));
    }
    return (value_weight() * value + absence) / most_;
  }

  /// Of every position: both columns, whether it is observed, and the column of the other part.
  void lay_rows() {
    rows_.assign(4 * std::size_t{response_->size()}, 0.0);
    observed_bits_.assign((std::size_t{response_->size()} + 63) / 64, 0);
    for (const std::uint32_t i : holes_.observed())
      observed_bits_[i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t i = 0; i < response_->size(); ++i) {
      if (has_value_) rows_[4 * i] = first_[i];
      if (has_value_ && has_square_) rows_[4 * i + 1] = second_[i];
      rows_[4 * i + 2] = holes_.indicator()[i];
      if (has_absence_) rows_[4 * i + 3] = absence_[i];
    }
  }

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  ResponseProjection projection_;
  double most_ = 1.0;
  Holes holes_;
  bool has_value_ = false, has_square_ = false, has_absence_ = false;
  Blocks blocks_;  ///< of the observed rows
  SquareColumns columns_;
  std::vector<double> weights_, values_;
  std::vector<double> first_, second_, absence_;  ///< of all positions
  std::vector<double> rows_;                      ///< the same side by side, for classes
  std::vector<std::uint64_t> observed_bits_;
};

}  // namespace inforest
