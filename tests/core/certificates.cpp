// SPDX-License-Identifier: BSD-3-Clause
/// Bounds that stand for draws.
#include <algorithm>
#include <functional>

#include "check.hpp"
#include "core/base/special.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/selectors/quadratic.hpp"
#include "problem.hpp"

using namespace inforest;

/// No level of the value is reached by more draws than the certificate allows: by how many of them
/// it is reached would be an accident of 1e-6 if each did so with a smaller probability.
TEST(certificate_of_quad) {
  constexpr std::int64_t n_draws = 100'000;
  int n_informative = 0;
  for (const std::int64_t n : {8, 40, 200})
    for (const std::int32_t n_classes : {0, 2, 4})
      for (int kind = 0; kind < 3; ++kind) {
        const Problem problem(n, 1, n_classes, kind, 21);
        Response response;
        response.gather(problem.data, all_rows(problem.data));
        if (response.is_constant()) continue;
        Quadratic selector;
        selector.begin(response);
        selector.bind(problem.x.data());
        Draws draws;
        draws.begin(response, 5);
        std::vector<double> values;
        for (std::int64_t b = 0; b < n_draws; ++b) values.push_back(selector.evaluate(draws, b));
        std::sort(values.begin(), values.end(), std::greater<>());
        for (const int rank : {10, 100, 1000}) {
          const double level = values[static_cast<std::size_t>(rank - 1)];
          const double bound = selector.certificate(level, 0.5);
          n_informative += bound < 1.0;
          // P(Binomial(n_draws, bound) >= rank).
          check(incomplete_beta(rank, n_draws - rank + 1, bound) >= 1e-6,
                "the certificate of quad is a bound");
        }
      }
  check(n_informative >= 5, "some certificates of quad say more than nothing");
}
