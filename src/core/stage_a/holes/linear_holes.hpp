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

  double observed_contrasts() const {
    if (!response_->has_labels()) return 1.0;
    std::vector<std::uint8_t> is_there(response_->n_classes(), 0);
    for (const std::uint32_t i : holes().observed()) is_there[response_->labels()[i]] = 1;
    return std::accumulate(is_there.begin(), is_there.end(), -1.0);
  }

  double of_scores(const double* y) const {
    const std::uint32_t n = response_->size();
    double total = 0.0;
    if (columns_.have_value()) {
      const double spread = spread_of_observed(y);
      const double first = dot(columns_.first().data(), y, n);
      const double second = columns_.have_square() ? dot(columns_.second().data(), y, n) : 0.0;
      if (spread > 0.0)
        total +=
            columns_.value_weight() * std::min((first * first + second * second) / spread, 1.0);
    }
    if (columns_.have_absence()) {
      const double product = dot(columns_.absence().data(), y, n);
      total += product * product / response_->squares_in_blocks();
    }
    return total;
  }

  /// Sum of squares of the observed rows' y about their mean, in blocks about the means there; 0 if
  /// it is rounding.
  double spread_of_observed(const double* y) const {
    constexpr double kRounding = 1e-13;
    if (!columns_.blocks().exist()) {
      const MaskedSums sums = masked_sums(holes().indicator().data(), y, response_->size());
      const double spread = sums.squares - sums.sum * sums.sum / holes().n_observed();
      return spread > kRounding * sums.squares ? spread : 0.0;
    }
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

  double of_classes(const std::uint32_t* order) const {
    const std::uint32_t last = response_->n_classes() - 1;
    double value = 0.0, absence = 0.0;
    const auto add = [&](const Quadruple& sums, std::uint32_t k) {
      const auto& [first, second, observed, missing] = sums.of;
      if (observed > 0.0) value += (first * first + second * second) / observed;
      absence += missing * missing / response_->class_size(k);
    };
    // All but the counts add up to zero: the largest class is what the others leave.
    Quadruple left{{0.0, 0.0, static_cast<double>(holes().n_observed()), 0.0}};
    for (std::uint32_t k = 0; k < last; ++k) {
      const Quadruple sums = gathered_row_sum(rows_.data(), order + response_->class_begin(k),
                                              response_->class_size(k));
      add(sums, k);
      for (std::size_t c = 0; c < 4; ++c) left.of[c] -= sums.of[c];
    }
    add(left, last);
    return (columns_.value_weight() * value + absence) / most_;
  }

  /// The same of two classes by the mask of the first: what a class has of a column that adds up to
  /// zero is the negative of what the other has.
  double of_mask(const std::uint64_t* mask) const {
    const std::uint32_t n = response_->size();
    double value = 0.0, absence = 0.0;
    if (columns_.have_value()) {
      std::uint32_t count = 0;
      for (std::size_t w = 0; w < observed_bits_.size(); ++w)
        count += static_cast<std::uint32_t>(std::popcount(observed_bits_[w] & mask[w]));
      const double first = masked_sum(columns_.first().data(), mask, n);
      const double second =
          columns_.have_square() ? masked_sum(columns_.second().data(), mask, n) : 0.0;
      const double here = count, there = holes().n_observed() - here;
      if (here > 0.0 && there > 0.0)
        value = (first * first + second * second) * (1.0 / here + 1.0 / there);
    }
    if (columns_.have_absence()) {
      const double sum = masked_sum(columns_.absence().data(), mask, n);
      absence = sum * sum * (1.0 / response_->class_size(0) + 1.0 / response_->class_size(1));
    }
    return (columns_.value_weight() * value + absence) / most_;
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

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  ResponseProjection projection_;
  double most_ = 1.0;
  HoleColumns columns_;
  std::vector<double> rows_;  ///< the columns side by side, for classes
  std::vector<std::uint64_t> observed_bits_;
};

}  // namespace inforest
