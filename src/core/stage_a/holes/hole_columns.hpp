// SPDX-License-Identifier: BSD-3-Clause
/// What the linear statistics of a number with holes multiply with responses (data/holes.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/blocks.hpp"
#include "core/data/dataset.hpp"
#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/square_columns.hpp"

namespace inforest {

/// Columns of all positions, of unit length: x and perhaps its square among the observed ones, 0
/// where there is none, and the indicator of the absence.
class HoleColumns {
 public:
  void make(const double* x, const Response& response, MissingRule rule, bool wants_square) {
    rule_ = rule;
    holes_.find(x, response.size());
    make_value(response, wants_square);
    make_absence(response);
  }

  const Holes& holes() const { return holes_; }
  /// Those of the observed rows.
  const Blocks& blocks() const { return blocks_; }

  /// Which parts can be tested.
  bool have_value() const { return has_value_; }
  bool have_square() const { return has_square_; }
  bool have_absence() const { return has_absence_; }
  const std::vector<double>& first() const { return first_; }
  const std::vector<double>& second() const { return second_; }
  const std::vector<double>& absence() const { return absence_; }

  /// Of x and its square among the observed rows.
  double n_value() const { return has_square_ ? 2.0 : 1.0; }
  double largest_first() const { return largest_magnitude(columns_.x()); }
  double largest_second() const { return largest_magnitude(columns_.z()); }
  /// Of the value part, beside the other one if there is one.
  double value_weight() const { return rule_ == MissingRule::incorporate ? holes_.share() : 1.0; }

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
      const auto size = static_cast<std::uint32_t>(first_.size());
      if (has_square_)
        columns = {2.0, fourth_powers(first_.data(), second_.data(), size)};
      else
        columns.squared_leverages = fourth_powers(first_.data(), size, 1.0);
      observed.squared_leverages *= n / n_observed;
      add(moments_of_trace(n_observed, columns, observed), value_weight());
    }
    if (has_absence_) add(moments_of_trace(n, onto_column(absence_, 1.0), response), 1.0);
    return sum;
  }

 private:
  void make_value(const Response& response, bool wants_square) {
    has_value_ = holes_.tests_value(rule_);
    has_square_ = false;
    if (!has_value_) return;
    const std::uint32_t n = response.size(), n_observed = holes_.n_observed();
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
    has_value_ = columns_.vary();
    has_square_ = columns_.have_square();
    if (has_value_) spread_out(columns_.x(), n, first_);
    if (has_square_) spread_out(columns_.z(), n, second_);
  }

  void spread_out(const std::vector<double>& column, std::uint32_t n, std::vector<double>& all) {
    all.assign(n, 0.0);
    for (std::size_t i = 0; i < column.size(); ++i) all[holes_.observed()[i]] = column[i];
  }

  void make_absence(const Response& response) {
    has_absence_ = holes_.tests_absence(rule_);
    if (!has_absence_) return;
    absence_ = holes_.indicator();
    response.centre_in_blocks(absence_.data());
    const double squares =
        centre(absence_.data(), response.size(), response.weights()).sum_of_squares;
    has_absence_ = squares > 0.0;
    if (!has_absence_) return;
    for (double& value : absence_) value /= std::sqrt(squares);
  }

  MissingRule rule_ = MissingRule::incorporate;
  Holes holes_;
  bool has_value_ = false, has_square_ = false, has_absence_ = false;
  Blocks blocks_;
  SquareColumns columns_;
  std::vector<double> weights_, values_;
  std::vector<double> first_, second_, absence_;
};

}  // namespace inforest
