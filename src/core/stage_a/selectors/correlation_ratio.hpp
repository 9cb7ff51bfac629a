// SPDX-License-Identifier: BSD-3-Clause
/// `mc`: the correlation ratio sqrt(SSB / SST) of a feature over the classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/column.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/short_draws.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/stage_a/description.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// Bounds P(SSB / SST >= observed) of a centred column whose sum of squares is `total`.
inline double correlation_ratio_tail(const Response& response, std::span<const double> x,
                                     double total, double observed, double enough) {
  const std::uint32_t n = response.size(), n_classes = response.n_classes();
  const double largest = largest_magnitude(x);
  if (n_classes == 2) {
    const double g = response.class_size(0);
    return subset_sum_tail(x.data(), n, response.class_size(0),
                           std::sqrt(observed * total * g * (n - g) / n), total, largest, enough);
  }
  // SSB is a sum over classes: it cannot reach the observed value unless some class's term
  // reaches its share. Shares are the terms' expectations under the null; they add up to one.
  double bound = 0.0;
  for (std::uint32_t k = 0; k < n_classes && bound <= enough; ++k) {
    const double g = response.class_size(k), share = (1.0 - g / n) / (n_classes - 1);
    bound += subset_sum_tail(x.data(), n, response.class_size(k),
                             std::sqrt(share * g * observed * total), total, largest,
                             enough / n_classes);
  }
  return std::min(bound, 1.0);
}

class CorrelationRatio {
 public:
  static constexpr const char* name = "mc";
  static constexpr std::uint32_t kColumns = 1;
  static constexpr auto kServes = ResponseKind::labels;

  void begin(const Response& response) {
    response_ = &response;
    projection_.begin(response);
    sum_.resize(response.n_classes());
    inverse_size_.resize(response.n_classes());
    for (std::uint32_t k = 0; k < response.n_classes(); ++k)
      inverse_size_[k] = 1.0 / response.class_size(k);
  }

  /// Returns the observed value SSB / SST.
  double bind(const double* x) {
    own_.assign(x, x + response_->size());
    return take(own_.data()).observed;
  }

  /// The same in place, without a copy.
  BoundColumn take(double* x) {
    const double total = centre(x, response_->size(), response_->weights()).sum_of_squares;
    use({{x, response_->size()}, total});
    return {ratio(response_->observed_order().data()), column_};
  }

  double describe(const double* x) const { return WeightedColumn(*response_, x).explained(); }

  void use(const CentredColumn& column) {
    column_ = column;
    inverse_total_ = 1.0 / column.sum_of_squares;  // gathering keeps it away from overflow
    short_draws_.clear();
  }

  double evaluate(Draws& draws, std::int64_t b) const {
    if (!draws.has_masks()) return ratio(draws.order(b));
    if (!(column_.sum_of_squares > 0.0)) return 0.0;
    // The centred values add up to zero, so the other class's sum is the negative.
    const double sum = masked_sum(column_.values.data(), draws.mask(b), response_->size());
    return sum * sum * (inverse_size_[0] + inverse_size_[1]) * inverse_total_;
  }

  /// Several columns side by side, whose values of a draw are found together.
  class Together {
   public:
    Together(const Response& response, std::span<const CentredColumn* const> columns)
        : rows_(std::size_t{kTogether} * response.size()) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const CentredColumn& column = *columns[c];
        for (std::size_t j = 0; j < column.values.size(); ++j)
          rows_[kTogether * j + c] = column.values[j];
        if (column.sum_of_squares > 0.0) inverse_total_[c] = 1.0 / column.sum_of_squares;
      }
    }

    void evaluate(const CorrelationRatio& selector, const std::uint32_t* order,
                  double (&values)[kTogether]) const {
      const Response& response = *selector.response_;
      const std::uint32_t last = response.n_classes() - 1;
      SumsTogether placed;
      for (std::uint32_t k = 0; k < last; ++k)
        add_rows_together(rows_.data(), order + response.class_begin(k), response.class_size(k),
                          selector.inverse_size_[k], placed);
      for (std::uint32_t c = 0; c < kTogether; ++c)
        values[c] =
            (placed.squares[c] + placed.sum[c] * placed.sum[c] * selector.inverse_size_[last]) *
            inverse_total_[c];
    }

   private:
    std::vector<double> rows_;
    double inverse_total_[kTogether] = {};
  };

  bool exceeds(Draws& draws, std::int64_t b, const Limit& limit) {
    if (!draws.is_own(b) || !has_short_draws(draws, limit.low()))
      return limit.is_reached(evaluate(draws, b), b);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    const double n = response_->size(), total = column_.sum_of_squares;
    return short_draws_.reaches(
        draws.stream(b), [&](const double* x, const std::uint32_t* label, std::uint32_t count,
                             const ShortDraws<std::uint32_t>::Look& look) {
          for (std::uint32_t i = 0; i < count; ++i) sum_[label[i]] += x[i];
          double between = 0.0;
          for (std::size_t k = 0; k < sum_.size(); ++k)
            between += sum_[k] * sum_[k] * inverse_size_[k];
          if (look.is_last()) return limit.is_reached(between * inverse_total_, b);
          const double most = std::sqrt(squares_about_mean(between, look.sum, n, total)) +
                              std::sqrt(squares_about_mean(look.squares, look.sum, n, total));
          return most * most * inverse_total_ > limit.low() * (1.0 - 1e-9);
        });
  }

  /// Goes on with a long test of two classes without the draws that cannot exceed, where most
  /// cannot.
  void finish_rare(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                   Interrupt& interrupt) const {
    if (response_->n_classes() != 2) return;
    const std::uint32_t n = response_->size(), subset = response_->class_size(0);
    const double inverse = inverse_size_[0] + inverse_size_[1];
    const auto tails = TiltedTails::if_rare(
        column_.values.data(), n, subset, std::sqrt(limit.low() * column_.sum_of_squares / inverse),
        column_.sum_of_squares / (inverse * n), 0.1);
    if (!tails) return;
    finish_by_candidates(
        progress, plan, tails->candidate_probability(), rng, interrupt, n, [&](Rng& stream) {
          const double sum = tails->exceeding_sum(stream);
          const double value = sum * sum * inverse * inverse_total_;
          return sum > 0.0 && (value > limit.high() || limit.wins_tie(progress.n_draws()));
        });
  }

  double certificate(double observed, double enough) const {
    return correlation_ratio_tail(*response_, column_.values, column_.sum_of_squares, observed,
                                  enough);
  }
  PermutationMoments moments() {
    return moments_of_trace(response_->size(), onto_column(column_.values, column_.sum_of_squares),
                            projection_.get());
  }
  ChiSquare chi_square(double value) const {
    return {(response_->size() - 1.0) * value, response_->n_classes() - 1.0};
  }
  double natural(double value) const { return std::sqrt(std::max(value, 0.0)); }
  std::int64_t work() const { return 2 * response_->n_placed(); }

 private:
  double ratio(const std::uint32_t* order) const {
    if (!(column_.sum_of_squares > 0.0)) return 0.0;
    const std::uint32_t last = response_->n_classes() - 1;
    // The centred values add up to zero, so the largest class is what the others leave.
    double placed = 0.0, between = 0.0;
    for (std::uint32_t k = 0; k < last; ++k) {
      const double sum = gathered_sum(column_.values.data(), order + response_->class_begin(k),
                                      response_->class_size(k));
      between += sum * sum * inverse_size_[k];
      placed += sum;
    }
    return (between + placed * placed * inverse_size_[last]) * inverse_total_;
  }

  bool has_short_draws(const Draws& draws, double limit) {
    // With two classes a whole draw is quicker.
    if (sum_.size() == 2 || !(column_.sum_of_squares > 0.0)) return false;
    return short_draws_.pay(
        draws, column_, response_->labels(), response_->n_placed(), limit,
        [&](const ShortDraws<std::uint32_t>::Look& look) {
          const double n = response_->size();
          const double mean = (response_->n_classes() - 1.0) / n;  // of the ratio
          const double rest = squares_about_mean(look.squares, look.sum, n, 0.0) * inverse_total_;
          const double most = std::sqrt(1.5 * mean * (1.0 - rest)) + std::sqrt(rest);
          return most * most;
        });
  }

  const Response* response_ = nullptr;
  ResponseProjection projection_;
  CentredColumn column_;
  ShortDraws<std::uint32_t> short_draws_;
  double inverse_total_ = 0.0;
  std::vector<double> own_, inverse_size_, sum_;
};

}  // namespace inforest
