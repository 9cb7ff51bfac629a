// SPDX-License-Identifier: BSD-3-Clause
/// `quad` of a column that is taken where it lies, against the same of a copy.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/column_powers.hpp"
#include "core/stage_a/selectors/quadratic.hpp"
#include "problem.hpp"

using namespace inforest;

namespace {

static_assert(TakesColumns<Quadratic>);

bool is_near(double a, double b, double scale) { return std::fabs(a - b) <= 1e-10 * scale; }

/// Columns whose squares say much, little or nothing: skewed ones lose digits.
std::vector<double> column(const Problem& problem, std::int64_t n, int shape) {
  std::vector<double> x(problem.x.begin(), problem.x.begin() + n);
  if (shape == 1)
    for (double& value : x) value = std::exp(std::clamp(3.0 * value, -30.0, 30.0));
  if (shape == 2) std::fill(x.begin(), x.end(), 1.0), x[3] = 7.0;
  if (shape == 3)
    for (double& value : x) value = 1e6 + 1e-3 * value;
  return x;
}

}  // namespace

TEST(quad_of_a_taken_column) {
  int n_by_powers = 0;
  for (const std::int64_t n : {7, 31, 32, 45, 400})
    for (const std::int32_t n_classes : {0, 2, 5})
      for (int kind = 0; kind < 3; ++kind)
        for (int shape = 0; shape < 4; ++shape) {
          const Problem problem(n, 1, n_classes, kind, 33);
          Response response;
          response.gather(problem.data, all_rows(problem.data));
          if (response.is_constant()) continue;
          const std::vector<double> x = column(problem, n, shape);
          Quadratic plain, taking;
          plain.begin(response), taking.begin(response);
          const double observed = plain.bind(x.data());
          std::vector<double> place = x;
          const BoundColumn bound = taking.take(place.data());
          const std::string what = std::to_string(n) + " rows, " + std::to_string(n_classes) +
                                   " classes, shape " + std::to_string(shape);
          check(is_near(bound.observed, observed, 1.0), "the observed value: " + what);
          const PermutationMoments a = plain.moments(), b = taking.moments();
          check(is_near(a.mean, b.mean, a.mean) && is_near(a.variance, b.variance, a.mean * a.mean),
                "its moments: " + what);
          ColumnPowers powers;
          powers.make(bound.column);
          n_by_powers += n >= 32 && powers.are_precise();
          // Another column in between: the selector comes back to this one.
          std::vector<double> other(x.rbegin(), x.rend());
          taking.take(other.data());
          taking.use(bound.column);
          Draws draws;
          draws.begin(response, 5);
          for (std::int64_t draw = 0; draw < 20; ++draw)
            check(is_near(plain.evaluate(draws, draw), taking.evaluate(draws, draw), 1.0),
                  "a draw: " + what);
        }
  check(n_by_powers >= 20, "some columns are not written down");
}
