// SPDX-License-Identifier: BSD-3-Clause
/// Tests of whole columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "core/independence/arrangements.hpp"
#include "core/independence/feature_tests.hpp"
#include "core/independence/screen.hpp"
#include "core/independence/statistics.hpp"
#include "core/independence/tally.hpp"
#include "core/testing/single_test.hpp"
#include "problem.hpp"

using namespace inforest;

namespace {

/// Scores whose squared products with a unit column add up to the squared statistic.
std::vector<float> scores(const Problem& problem, std::int64_t& depth) {
  const auto n = static_cast<std::int64_t>(problem.y.size());
  const std::int32_t n_classes = problem.data.tested.n_labels;
  depth = n_classes > 0 ? n_classes : 1;
  std::vector<float> score;
  if (n_classes == 0) {
    const double mean = std::accumulate(problem.y.begin(), problem.y.end(), 0.0) / n;
    double squares = 0.0;
    for (const double y : problem.y) squares += (y - mean) * (y - mean);
    for (const double y : problem.y)
      score.push_back(static_cast<float>(squares > 0.0 ? (y - mean) / std::sqrt(squares) : 0.0));
    return score;
  }
  std::vector<int> count(static_cast<std::size_t>(n_classes), 0);
  for (const std::int32_t code : problem.code) ++count[static_cast<std::size_t>(code)];
  for (std::size_t k = 0; k < count.size(); ++k)
    for (std::size_t d = 0; d < count.size(); ++d)
      score.push_back(k == d && count[k] > 0 ? 1.0f / std::sqrt(static_cast<float>(count[k]))
                                             : 0.0f);
  return score;
}

}  // namespace

/// Single precision gives the counts of double precision, and so do two halves of the draws.
TEST(independence) {
  constexpr std::int64_t p = 4, n_draws = 30;
  const std::vector<std::int64_t> features = {2, 0, 3, 1};
  Interrupt interrupt;
  for (const std::int64_t n : {1, 2, 3, 6, 60})
    for (const std::int32_t n_classes : {0, 2, 4})
      for (int kind = 0; kind < 4; ++kind) {
        const Problem problem(n, p, n_classes, kind, 11);
        const std::vector<std::string> selector = {n_classes ? "mc" : "pc"};
        const TailScores tails = tail_scores(problem.data, selector, 5, interrupt);
        std::vector<double> mean, variance;
        for (const std::int64_t feature : features) {
          mean.push_back(tails.mean[static_cast<std::size_t>(feature)]);
          variance.push_back(tails.variance[static_cast<std::size_t>(feature)]);
        }
        const double lowest = -std::numeric_limits<double>::infinity();
        std::vector<double> kept[4];
        const auto maxima = [&](std::size_t run, std::size_t size) {
          kept[run].assign(size, lowest);
          return RunningMaxima(kept[run], mean.data(), variance.data());
        };
        RunningMaxima of_all = maxima(0, n_draws), of_screen = maxima(1, n_draws);
        RunningMaxima first = maxima(2, n_draws / 2), second = maxima(3, n_draws / 2);
        const DrawRange all{0, n_draws}, low{0, n_draws / 2}, high{n_draws / 2, n_draws};
        const Tally plain =
            tally_draws(problem.data, selector, features, all, 5, of_all, interrupt);
        const Tally a = tally_draws(problem.data, selector, features, low, 5, first, interrupt);
        const Tally b = tally_draws(problem.data, selector, features, high, 5, second, interrupt);
        for (std::size_t i = 0; i < features.size(); ++i)
          check(a.exceedances[i] + b.exceedances[i] == plain.exceedances[i] &&
                    a.step_down[i] + b.step_down[i] == plain.step_down[i],
                "halves add up");

        std::int64_t depth = 0;
        const std::vector<float> score = scores(problem, depth);
        std::vector<float> unit(static_cast<std::size_t>(p * n));
        std::vector<float> permuted(static_cast<std::size_t>(depth * n_draws * n));
        unit_columns(problem.data, features, unit.data());
        permuted_scores(problem.data, score.data(), depth, all, 5, permuted.data());
        std::vector<float> value;
        for (std::int64_t i = 0; i < p; ++i)
          for (std::int64_t row = 0; row < depth * n_draws; ++row)
            value.push_back(std::inner_product(unit.data() + i * n, unit.data() + (i + 1) * n,
                                               permuted.data() + row * n, 0.0f));
        const std::vector<double> natural = statistics(problem.data, selector, 5, interrupt);
        std::vector<double> observed;
        for (const std::int64_t feature : features)
          observed.push_back(natural[static_cast<std::size_t>(feature)]);
        const std::vector<double> slack(static_cast<std::size_t>(p), 1e-5);
        const Screen screen{value.data(), depth, observed.data(), slack.data()};
        const Tally screened =
            tally_screened(problem.data, selector, features, all, 5, screen, of_screen, interrupt);
        check(screened.exceedances == plain.exceedances, "single precision counts");
        check(screened.step_down == plain.step_down, "single precision steps down");
        check(kept[0] == kept[1], "single precision raises the same maxima");
        for (const std::string name : {n_classes ? "mi" : "dc", "rdc"}) {
          const TestPlan plan(0.1, n_draws, EarlyStopping::curtailed, 0.95);
          check(test_features(problem.data, {name}, features, plan, 5, interrupt).size() == 4,
                "one outcome per feature");
          if (n <= 6)
            for (const std::int64_t hits :
                 count_arrangements(problem.data, {name}, features, 5, interrupt))
              check(hits >= 1, "the observed arrangement is one of all");
        }
      }
}
