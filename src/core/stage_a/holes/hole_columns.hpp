// SPDX-License-Identifier: BSD-3-Clause
/// What the linear statistics of a number with holes multiply with responses (data/holes.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/cold.hpp"
#include "core/base/column.hpp"
#include "core/data/blocks.hpp"
#include "core/data/dataset.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/square_columns.hpp"

namespace inforest {

/// Columns of unit length: x and perhaps its square among the observed rows, and the indicator of
/// the absence. Those of all positions, 0 where there is no value, are for draws: most candidates
/// never need them.
class HoleColumns {
 public:
  void make(const double* x, const Response& response, MissingRule rule, bool wants_square) {
    rule_ = rule;
    is_plain_ = response.weights() == nullptr && !response.blocks().exist();
    is_laid_out_ = false;
    if (blocks_.exist()) blocks_ = Blocks();
    holes_.find(x, response.size());
    observed_share_ = holes_.n_observed() / static_cast<double>(response.size());
    value_weight_ = rule == MissingRule::incorporate ? holes_.share() : 1.0;
    make_value(response, wants_square);
    make_absence(response);
  }

  void lay_out() {
    if (is_laid_out_) return;
    is_laid_out_ = true;
    if (has_value_) spread_out(columns_.x(), first_);
    if (has_square_) spread_out(columns_.z(), second_);
  }
  void lay_out_absence() {
    if (!has_absence_ || !is_plain_) return;
    absence_ = holes_.indicator();
    for (double& value : absence_) value = absence_sum(value, 1.0);
  }

  const Holes& holes() const { return holes_; }
  /// Neither weights nor blocks: the indicator's column is a function of the numbers of rows.
  bool are_plain() const { return is_plain_; }
  /// Those of the observed rows.
  const Blocks& blocks() const { return blocks_; }

  /// Which parts can be tested.
  bool have_value() const { return has_value_; }
  bool have_square() const { return has_square_; }
  bool have_absence() const { return has_absence_; }

  // Of the observed rows.
  const std::vector<double>& own_first() const { return columns_.x(); }
  const std::vector<double>& own_second() const { return columns_.z(); }
  // Of all positions, once they are laid out.
  const std::vector<double>& first() const { return first_; }
  const std::vector<double>& second() const { return second_; }
  /// Laid out by itself, or with weights or blocks.
  const std::vector<double>& absence() const { return absence_; }
  /// What a plain column of the absence adds up to over `size` rows, so many of them observed.
  double absence_sum(double n_observed, double size) const {
    return (n_observed - size * observed_share_) * absence_scale_;
  }
  /// `absence_product` of 1, 0 without such a part.
  double absence_scale() const { return has_absence_ ? absence_scale_ : 0.0; }
  /// The same where the responses of all rows add up to 0: `sum` is that of the observed ones.
  double absence_product(double sum) const { return sum * absence_scale_; }

  /// Of x and its square among the observed rows.
  double n_value() const { return has_square_ ? 2.0 : 1.0; }
  double largest_first() const { return largest_magnitude(columns_.x()); }
  double largest_second() const { return largest_magnitude(columns_.z()); }
  /// Of the value part, beside the other one if there is one.
  double value_weight() const { return value_weight_; }

  /// Of the sum of both parts, divided by `most`: what the formula for all rows gives for the
  /// observed ones, if they had the y of the node, and the same of the other part, which is nearly
  /// independent of it.
  PermutationMoments moments(const Projection& response, double n, double most) const {
    PermutationMoments sum;
    const auto add = [&](const PermutationMoments& part, double factor) {
      sum.mean += factor * part.mean / most;
      sum.variance += factor * factor * part.variance / (most * most);
    };
    if (has_value_) {
      const double n_observed = holes_.n_observed();
      Projection columns{1.0, 0.0}, observed = response;
      const double *first = columns_.x().data(), *second = columns_.z().data();
      if (has_square_)
        columns = {2.0, fourth_powers(first, second, holes_.n_observed())};
      else
        columns.squared_leverages = fourth_powers(first, holes_.n_observed(), 1.0);
      observed.squared_leverages *= n / n_observed;
      add(moments_of_trace(n_observed, columns, observed), value_weight());
    }
    if (has_absence_) add(moments_of_trace(n, onto_absence(), response), 1.0);
    return sum;
  }

 private:
  void make_value(const Response& response, bool wants_square) {
    has_value_ = holes_.tests_value(rule_);
    has_square_ = false;
    if (!has_value_) return;
    if (is_plain_)
      columns_.make(
          holes_.values().data(), holes_.n_observed(), nullptr, [](double*) {}, wants_square);
    else
      make_weighted_value(response, wants_square);
    has_value_ = columns_.vary();
    has_square_ = columns_.have_square();
  }

  INFOREST_COLD void make_weighted_value(const Response& response, bool wants_square) {
    const std::uint32_t n_observed = holes_.n_observed();
    const double* weights = nullptr;
    if (response.weights() != nullptr) {
      weights_.resize(n_observed);
      for (std::uint32_t i = 0; i < n_observed; ++i)
        weights_[i] = response.weights()[holes_.observed()[i]];
      weights = weights_.data();
    }
    blocks_.part_of(response.blocks(), holes_.observed());
    const auto centre_in_blocks = [&](double* column) {
      if (blocks_.exist()) blocks_.centre(column, weights);
    };
    values_ = holes_.values();
    centre_in_blocks(values_.data());
    columns_.make(values_.data(), n_observed, weights, centre_in_blocks, wants_square);
  }

  void spread_out(const std::vector<double>& column, std::vector<double>& all) {
    all.assign(holes_.indicator().size(), 0.0);
    for (std::size_t i = 0; i < column.size(); ++i) all[holes_.observed()[i]] = column[i];
  }

  void make_absence(const Response& response) {
    has_absence_ = holes_.tests_absence(rule_);
    if (!has_absence_) return;
    if (!is_plain_) return make_weighted_absence(response);
    const double n_observed = holes_.n_observed(), n = response.size();
    absence_scale_ = 1.0 / std::sqrt(n_observed * holes_.n_missing() / n);
  }

  INFOREST_COLD void make_weighted_absence(const Response& response) {
    absence_ = holes_.indicator();
    response.centre_in_blocks(absence_.data());
    const double squares =
        centre(absence_.data(), response.size(), response.weights()).sum_of_squares;
    has_absence_ = squares > 0.0;
    if (!has_absence_) return;
    for (double& value : absence_) value /= std::sqrt(squares);
  }

  Projection onto_absence() const {
    if (!is_plain_) return onto_column(absence_, 1.0);
    const double there = absence_sum(1.0, 1.0), away = absence_sum(0.0, 1.0);
    return {1.0, holes_.n_observed() * std::pow(there, 4) + holes_.n_missing() * std::pow(away, 4)};
  }

  MissingRule rule_ = MissingRule::incorporate;
  Holes holes_;
  bool is_plain_ = true, is_laid_out_ = false;
  bool has_value_ = false, has_square_ = false, has_absence_ = false;
  double absence_scale_ = 0.0, observed_share_ = 0.0, value_weight_ = 1.0;
  Blocks blocks_;  ///< made with weights or blocks only
  SquareColumns columns_;
  std::vector<double> weights_, values_;
  std::vector<double> first_, second_, absence_;
};

}  // namespace inforest
