// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_a/level_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_counts.hpp"
#include "core/inference/tilted_test.hpp"

namespace inforest {

double bound_by_classes(const Response& response, const std::vector<std::uint32_t>& sizes,
                        double observed) {
  const double n = response.size(), contrasts = response.n_classes() - 1.0;
  const auto n_levels = static_cast<std::uint32_t>(sizes.size());
  // Both terms of two classes are the same.
  const std::uint32_t n_terms = response.n_classes() > 2 ? response.n_classes() : 1;
  double bound = 0.0;
  for (std::uint32_t c = 0; c < n_terms; ++c) {
    const double size = response.class_size(c), share = (1.0 - size / n) / contrasts;
    bound += level_count_tail(n_levels, response.size(), response.class_size(c),
                              share * size * observed);
  }
  return std::min(bound, 1.0);
}

double bound_by_levels(const CentredColumn& y, const std::vector<std::uint32_t>& sizes,
                       double observed, double enough) {
  const auto size = static_cast<std::uint32_t>(y.values.size());
  const double k = static_cast<double>(sizes.size()), n = size;
  // Not even normal tails would do.
  if ((n - 1.0) * observed / (k - 1.0) < -2.0 * std::log(enough / k)) return 1.0;
  const double largest = largest_magnitude(y.values);
  double bound = 0.0;
  for (std::size_t level = 0; level < sizes.size() && bound <= enough; ++level) {
    const double g = sizes[level], share = (1.0 - g / n) / (k - 1.0);
    bound += subset_sum_tail(y.values.data(), size, sizes[level],
                             std::sqrt(share * g * observed * y.sum_of_squares), y.sum_of_squares,
                             largest, enough / k);
  }
  return std::min(bound, 1.0);
}

void finish_by_tables(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                      Interrupt& interrupt, const Response& response,
                      std::vector<std::uint32_t> sizes) {
  const std::uint32_t subset = response.class_size(0);
  const double first = subset, share = first / response.size();
  const double degrees = static_cast<double>(sizes.size()) - 1.0;
  // A candidate takes a number per level, a draw a step per row: so many candidates are no dearer.
  const double affordable =
      std::clamp(response.size() / (100.0 * static_cast<double>(sizes.size())), 0.3, 0.9);
  // Even Chernoff's bound of the limiting chi-square is too much: of candidates, which have the
  // right number of rows as often as the last level's count is the right one.
  const double reach = (response.size() - 1.0) * limit.low() / degrees;
  const double tail =
      reach > 1.0 ? std::exp(-0.5 * degrees * (reach - 1.0 - std::log(reach))) : 1.0;
  if (tail * std::sqrt(static_cast<double>(sizes.size())) > affordable) return;
  std::sort(sizes.begin(), sizes.end());
  const double factor = 1.0 / first + 1.0 / response.class_size(1);
  // One level may reach the limit by itself. How far beyond does not matter, but would make
  // candidates of tables that hardly ever are: with a rare class a level's tail is heavy.
  const double enough = limit.high() * (1.0 + 1e-6);
  std::vector<double> score;
  for (const std::uint32_t size : sizes)
    for (std::uint32_t count = 0; count <= std::min(size, subset); ++count) {
      const double off = count - share * size;
      score.push_back(std::min(off * off * factor / size, enough));
    }
  const TiltedCounts counts(sizes, response.size(), subset, std::move(score), limit.low(), true);
  const double q = counts.candidate_probability();
  if (!(q <= affordable)) return;
  const auto work = 8 * static_cast<std::int64_t>(sizes.size());
  finish_by_candidates(progress, plan, q, rng, interrupt, work, [&](Rng& stream) {
    const double excess = counts.excess(stream);
    return excess >= 0.0 &&
           (limit.low() + excess > limit.high() || limit.wins_tie(progress.n_draws()));
  });
}

}  // namespace inforest
