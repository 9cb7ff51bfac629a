// SPDX-License-Identifier: BSD-3-Clause
/// Draws of a number with holes that end once they cannot exceed (inference/short_draws.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/inference/limit.hpp"
#include "core/inference/short_draws.hpp"
#include "core/stage_a/holes/hole_columns.hpp"
#include "core/stage_a/holes/hole_formula.hpp"

namespace inforest {

/// Of one column, without weights or blocks. A draw first fills the positions without a value. Then
/// the responses of the observed rows are known as a whole, and with them the absence part, the
/// spread of their scores, and how many there are of each class. What is left is to permute them
/// among these rows, as without holes:
///
///   pc  y' = y - mean(y) on the observed rows, T = x1 . y1 + m2 mean(x2) mean(y2) + x2' . y2', and
///       what y2 adds up to is known;
///   mc  as it is, with the classes' sizes among the observed rows.
class ShortHoles {
 public:
  /// Forgets the column.
  void clear() {
    scores_.clear();
    labels_.clear();
  }

  /// Whether draws of this column had better be short.
  bool pay(const Draws& draws, const Response& response, const HoleColumns& columns, double limit) {
    const double n = columns.holes().n_observed(), weight = columns.value_weight();
    const CentredColumn own{columns.own_first(), 1.0};
    const std::uint32_t n_holes = columns.holes().n_missing();
    if (!response.has_labels()) {
      const auto hardly_exceeded = [&](const ShortDraws<double>::Look& look) {
        const double rest = squares_about_mean(look.squares, look.sum, look.left, 0.0);
        const double most = 2.0 / std::sqrt(n) + std::sqrt(rest * look.left / n);
        return weight * most * most;
      };
      return scores_.pay(draws, own, response.centred(), response.size(), limit, hardly_exceeded,
                         n_holes);
    }
    const double mean = (response.n_classes() - 1.0) / n;  // of the ratio
    const auto hardly_exceeded = [&](const ShortDraws<std::uint32_t>::Look& look) {
      const double rest = squares_about_mean(look.squares, look.sum, n, 0.0);
      const double most = std::sqrt(1.5 * mean * (1.0 - rest)) + std::sqrt(rest);
      return weight * most * most;
    };
    return labels_.pay(draws, own, response.labels(), response.n_placed(), limit, hardly_exceeded,
                       n_holes);
  }

  /// Makes draw b, for which it must pay; says whether it is an exceedance.
  bool reaches(Rng rng, std::int64_t b, const Limit& limit, const Response& response,
               const HoleColumns& columns, const HoleFormula& formula) {
    return response.has_labels() ? labels_reach(rng, b, limit, response, columns, formula)
                                 : scores_reach(rng, b, limit, response, columns, formula);
  }

 private:
  bool scores_reach(Rng rng, std::int64_t b, const Limit& limit, const Response& response,
                    const HoleColumns& columns, const HoleFormula& formula) {
    const double total = response.sum_of_squares(), n = columns.holes().n_observed();
    ProductSums filled;
    MaskedSums observed;
    return scores_.reaches(rng, [&](const double* x, const double* y, std::uint32_t count,
                                    const ShortDraws<double>::Look& look) {
      const ProductSums next = product_sums(x, y, count);
      if (is_first(look, count, columns)) {
        observed = {-next.sum, std::max(total - next.squares, 0.0)};
        return true;
      }
      filled += next;
      if (look.is_last()) {
        const double value = formula.of_products(filled.product, 0.0, {filled.sum, filled.squares});
        return limit.is_reached(value, b);
      }
      const double sum = observed.sum - filled.sum;  // of what is left
      const double left =
          squares_about_mean(observed.squares - filled.squares, sum, look.left, total);
      const double rest = squares_about_mean(look.squares, look.sum, look.left, 1.0);
      const double most = std::fabs(filled.product + look.sum / look.left * sum) +
                          std::sqrt(rest) * std::sqrt(left);
      const double spread = observed.squares - observed.sum * observed.sum / n - 1e-11 * total;
      const double wanted = limit.low() * (1.0 - 1e-9) - formula.absence_of_scores(observed.sum);
      return columns.value_weight() * most * most > wanted * std::max(spread, 0.0);
    });
  }

  bool labels_reach(Rng rng, std::int64_t b, const Limit& limit, const Response& response,
                    const HoleColumns& columns, const HoleFormula& formula) {
    const double n = columns.holes().n_observed();
    sums_.assign(response.n_classes(), {});
    return labels_.reaches(
        rng, [&](const double* x, const std::uint32_t* label, std::uint32_t count,
                 const ShortDraws<std::uint32_t>::Look& look) {
          if (is_first(look, count, columns)) {
            count_observed(label, count, response, columns);
            return true;
          }
          for (std::uint32_t i = 0; i < count; ++i) sums_[label[i]].of[0] += x[i];
          HoleFormula::Parts parts;
          for (std::uint32_t k = 0; k < sums_.size(); ++k) formula.add_class(parts, sums_[k], k);
          if (look.is_last()) return limit.is_reached(formula.whole(parts), b);
          const double most = std::sqrt(squares_about_mean(parts.value, look.sum, n, 1.0)) +
                              std::sqrt(squares_about_mean(look.squares, look.sum, n, 1.0));
          parts.value = most * most;
          return formula.whole(parts) > limit.low() * (1.0 - 1e-9);
        });
  }

  /// Whether the positions without a value have just been filled. Of few rows there may be another
  /// look at the same place, with nothing filled since.
  static bool is_first(const auto& look, std::uint32_t count, const HoleColumns& columns) {
    return look.end == columns.holes().n_missing() && count > 0;
  }

  /// From the labels of the missing rows: what the others have of each class.
  void count_observed(const std::uint32_t* missing, std::uint32_t n_missing,
                      const Response& response, const HoleColumns& columns) {
    for (std::uint32_t k = 0; k < sums_.size(); ++k) sums_[k].of[2] = response.class_size(k);
    for (std::uint32_t i = 0; i < n_missing; ++i) sums_[missing[i]].of[2] -= 1.0;
    if (!columns.have_absence()) return;
    for (std::uint32_t k = 0; k < sums_.size(); ++k)
      sums_[k].of[3] = columns.absence_sum(sums_[k].of[2], response.class_size(k));
  }

  ShortDraws<double> scores_;
  ShortDraws<std::uint32_t> labels_;
  std::vector<Quadruple> sums_;  ///< of each class
};

}  // namespace inforest
