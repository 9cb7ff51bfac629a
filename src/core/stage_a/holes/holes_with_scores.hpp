// SPDX-License-Identifier: BSD-3-Clause
/// `pc` and `quad` of a number with holes and several scores (data/holes.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/data/score_basis.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/holes/hole_columns.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// The value part is Pillai's trace on the observed rows, t' S^+ t for every column with t its
/// products with the scores there and S theirs with each other about their means there: what a draw
/// has put on these rows, as with a single score, whose S is the spread. The scores are those of a
/// basis (score_basis.hpp): nothing depends on their units, and S is far from singular unless few
/// rows make it so.
template <bool kWithSquare>
class HolesWithScores {
 public:
  static constexpr const char* name = kWithSquare ? "quad" : "pc";
  static constexpr auto kServes = ResponseKind::columns;
  static constexpr FeatureKind kFeatureKind = FeatureKind::number_with_holes;

  HolesWithScores() = default;
  explicit HolesWithScores(MissingRule rule) : rule_(rule) {}

  void begin(const Response& response) {
    response_ = &response;
    has_basis_ = false;
  }

  double bind(const double* x) {
    if (!has_basis_) basis_.build(*response_);
    has_basis_ = true;
    most_ = std::clamp<double>(basis_.rank(), 1.0, kWithSquare ? 2.0 : 1.0);
    columns_.make(x, *response_, rule_, kWithSquare);
    columns_.lay_out();
    columns_.lay_out_absence();
    const double observed = explained([](std::uint32_t position) { return position; });
    observed_rank_ = drawn_rank_;
    return observed;
  }

  double evaluate(Draws& draws, std::int64_t b) {
    return explained([order = draws.order(b)](std::uint32_t position) { return order[position]; });
  }

  PermutationMoments moments() const {
    return columns_.moments(onto_scores(basis_), response_->size(), most_);
  }

  /// Of both parts together; scores that do not vary among the observed rows add no degree.
  ChiSquare chi_square(double value) const {
    const double rows =
        rule_ == MissingRule::ignore ? columns_.holes().n_observed() : response_->size();
    ChiSquare form{(rows - 1.0) * value * most_, 0.0};
    if (columns_.have_value()) form.degrees += columns_.n_value() * observed_rank_;
    if (columns_.have_absence()) form.degrees += basis_.rank();
    return form;
  }

  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const {
    const std::int64_t rank = basis_.rank();
    return (6 + 4 * rank + rank * rank) * response_->size();
  }

 private:
  /// Of a score's squares among the observed rows: a smaller share left by its mean and by others
  /// is rounding, or a combination of them.
  static constexpr double kDependent = 1e-10;

  /// With the scores of `source(i)` at position i.
  template <class Source>
  double explained(Source source) {
    double total = 0.0;
    if (columns_.have_value()) {
      gather_observed(source);
      total += columns_.value_weight() * std::min(trace_of_observed(), columns_.n_value());
    }
    if (columns_.have_absence()) total += squared_products(source);
    return total / most_;
  }

  template <class Source>
  double squared_products(Source source) {
    const std::uint32_t n = response_->size(), rank = basis_.rank();
    products_.assign(rank, 0.0);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t q = 0; q < rank; ++q)
        products_[q] += columns_.absence()[i] * basis_.row(source(i))[q];
    return dot(products_.data(), products_.data(), rank);
  }

  /// Sums over the observed rows: of the columns times the scores, and of the scores' products
  /// with each other about their means, in blocks about the means there.
  template <class Source>
  void gather_observed(Source source) {
    const std::uint32_t rank = basis_.rank();
    products_.assign(2 * std::size_t{rank}, 0.0);
    squares_.assign(std::size_t{rank} * rank, 0.0);
    sum_.assign(rank, 0.0);
    for (const std::uint32_t position : observed()) add_row(position, basis_.row(source(position)));
    whole_.resize(rank);
    for (std::uint32_t q = 0; q < rank; ++q) whole_[q] = squares_[q * rank + q];
    if (!columns_.blocks().exist()) return take_off_mean(static_cast<double>(observed().size()));
    for (std::size_t b = 0; b < columns_.blocks().size(); ++b) {
      const auto members = columns_.blocks().members(b);
      sum_.assign(rank, 0.0);
      for (const std::uint32_t i : members)
        for (std::uint32_t q = 0; q < rank; ++q) sum_[q] += basis_.row(source(observed()[i]))[q];
      take_off_mean(static_cast<double>(members.size()));
    }
  }

  void add_row(std::uint32_t position, const double* scores) {
    const std::uint32_t rank = basis_.rank();
    for (std::uint32_t q = 0; q < rank; ++q) {
      sum_[q] += scores[q];
      products_[2 * q] += columns_.first()[position] * scores[q];
      if (columns_.have_square()) products_[2 * q + 1] += columns_.second()[position] * scores[q];
      for (std::uint32_t r = 0; r <= q; ++r) squares_[q * rank + r] += scores[q] * scores[r];
    }
  }

  void take_off_mean(double n_rows) {
    const std::uint32_t rank = basis_.rank();
    for (std::uint32_t q = 0; q < rank; ++q)
      for (std::uint32_t r = 0; r <= q; ++r) squares_[q * rank + r] -= sum_[q] * sum_[r] / n_rows;
  }

  /// t' S^+ t summed over the columns, by elimination with the largest pivot first.
  double trace_of_observed() {
    const std::uint32_t rank = basis_.rank();
    for (std::uint32_t q = 0; q < rank; ++q)
      for (std::uint32_t r = 0; r < q; ++r) squares_[r * rank + q] = squares_[q * rank + r];
    is_left_.assign(rank, 1);
    double trace = 0.0;
    for (drawn_rank_ = 0; drawn_rank_ < rank; ++drawn_rank_) {
      const std::uint32_t p = largest_left();
      const double pivot = squares_[p * rank + p];
      if (!(pivot > kDependent * whole_[p])) break;
      is_left_[p] = 0;
      const double *row = squares_.data() + p * rank, *own = products_.data() + 2 * p;
      trace += (own[0] * own[0] + own[1] * own[1]) / pivot;
      for (std::uint32_t q = 0; q < rank; ++q) {
        if (is_left_[q] == 0) continue;
        const double factor = squares_[q * rank + p] / pivot;
        for (std::uint32_t c = 0; c < 2; ++c) products_[2 * q + c] -= factor * own[c];
        for (std::uint32_t r = 0; r < rank; ++r) squares_[q * rank + r] -= factor * row[r];
      }
    }
    return trace;
  }

  /// The score with the largest share of its squares left.
  std::uint32_t largest_left() const {
    const std::uint32_t rank = basis_.rank();
    std::uint32_t best = 0;
    double most = -1.0;
    for (std::uint32_t q = 0; q < rank; ++q) {
      const double share = whole_[q] > 0.0 ? squares_[q * rank + q] / whole_[q] : 0.0;
      if (is_left_[q] != 0 && share > most) best = q, most = share;
    }
    return best;
  }

  std::span<const std::uint32_t> observed() const { return columns_.holes().observed(); }

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  ScoreBasis basis_;  ///< made when first asked for
  bool has_basis_ = false;
  double most_ = 1.0;
  HoleColumns columns_;
  std::uint32_t observed_rank_ = 0, drawn_rank_ = 0;
  std::vector<double> products_;  ///< pairs, of the value and its square; then of the absence
  std::vector<double> squares_, whole_, sum_;
  std::vector<std::uint8_t> is_left_;
};

}  // namespace inforest
