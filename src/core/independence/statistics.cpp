// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/statistics.hpp"

#include <limits>

#include "core/base/column.hpp"
#include "core/base/rng.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "core/stage_a/scale.hpp"

namespace inforest {

std::vector<double> statistics(const Dataset& data, const std::vector<std::string>& selectors,
                               std::uint64_t seed, Interrupt& interrupt) {
  const std::vector<std::int32_t> rows = all_rows(data);
  Response response;
  response.gather(data, rows);
  std::vector<double> result(static_cast<std::size_t>(data.n_features), 0.0);
  if (response.is_constant()) return result;
  with_root_selectors(data, selectors, seed, response, [&](auto& by_kind) {
    std::vector<double> column(rows.size());
    for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
      interrupt.spend(10 * data.n_samples);
      if (!gather_tested(data, feature, rows, response, column)) continue;
      result[static_cast<std::size_t>(feature)] = by_kind.visit(
          kind_of(data, feature, column),
          [&](auto& selector) { return natural_of(selector, selector.bind(column.data())); });
    }
  });
  return result;
}

ChiSquares chi_squares(const Dataset& data, const std::vector<std::string>& selectors,
                       std::uint64_t seed, Interrupt& interrupt) {
  const auto p = static_cast<std::size_t>(data.n_features);
  ChiSquares forms{std::vector<double>(p, 0.0), std::vector<double>(p, 0.0)};
  Root root(data);
  with_root_selectors(data, selectors, seed, root.response(), [&](auto& by_kind) {
    for (std::size_t feature = 0; feature < p; ++feature) {
      interrupt.spend(10 * data.n_samples);
      if (!root.gather(static_cast<std::int64_t>(feature))) continue;
      by_kind.visit(root.kind(), [&]<Selector S>(S& selector) {
        const double value = selector.bind(root.column().data());
        if constexpr (HasChiSquare<S>) {
          const ChiSquare form = selector.chi_square(value);
          forms.statistic[feature] = form.statistic;
          forms.degrees[feature] = form.degrees;
        }
      });
    }
  });
  return forms;
}

TailScores tail_scores(const Dataset& data, const std::vector<std::string>& selectors,
                       std::uint64_t seed, Interrupt& interrupt) {
  const auto p = static_cast<std::size_t>(data.n_features);
  TailScores scores{std::vector<double>(p, -std::numeric_limits<double>::infinity()),
                    std::vector<double>(p, 0.0), std::vector<double>(p, 0.0)};
  Root root(data);
  with_root_selectors(data, selectors, seed, root.response(), [&](auto& by_kind) {
    Draws pilots;
    pilots.begin(root.response(), derive_key(seed, Stream::selector_pilots));
    for (std::size_t feature = 0; feature < p; ++feature) {
      if (!root.gather(static_cast<std::int64_t>(feature))) continue;
      by_kind.visit(root.kind(), [&](auto& selector) {
        const double value = selector.bind(root.column().data());
        const PermutationMoments moments = moments_of(selector, pilots);
        scores.score[feature] = TailScale(moments).comparable(value);
        scores.mean[feature] = moments.mean;
        scores.variance[feature] = moments.variance;
      });
      interrupt.spend(20 * data.n_samples);
    }
  });
  return scores;
}

}  // namespace inforest
