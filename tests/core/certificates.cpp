// SPDX-License-Identifier: BSD-3-Clause
/// Bounds that stand for draws.
#include <algorithm>
#include <cmath>
#include <functional>

#include "check.hpp"
#include "core/draws.hpp"
#include "core/response.hpp"
#include "core/root.hpp"
#include "core/selectors/quadratic.hpp"
#include "problem.hpp"

using namespace inforest;

/// No level of the value is reached by more draws than the certificate allows.
TEST(certificate_of_quad) {
  constexpr std::int64_t n_draws = 4000;
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
        for (const int rank : {40, 400, 2000}) {
          const double share = (rank - 5.0 * std::sqrt(rank)) / n_draws;  // five standard errors
          check(selector.certificate(values[static_cast<std::size_t>(rank - 1)], 1e-9) >= share,
                "the certificate of quad is a bound");
        }
      }
}
