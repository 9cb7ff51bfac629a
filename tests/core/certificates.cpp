// SPDX-License-Identifier: BSD-3-Clause
/// Bounds that stand for draws.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "check.hpp"
#include "core/base/special.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/holes/linear_holes.hpp"
#include "core/stage_a/selectors/correlation_ratio.hpp"
#include "core/stage_a/selectors/pearson.hpp"
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

namespace {

/// Every third value, or the large ones, are missing.
std::vector<double> with_gaps(const Problem& problem, std::int64_t n, bool by_value) {
  std::vector<double> x(problem.x.begin(), problem.x.begin() + n), sorted = x;
  std::sort(sorted.begin(), sorted.end());
  const double high = sorted[static_cast<std::size_t>(2 * n / 3)];
  for (std::size_t i = 0; i < x.size(); ++i)
    if (by_value ? x[i] > high : i % 3 == 0) x[i] = std::numeric_limits<double>::quiet_NaN();
  return x;
}

template <class S>
int informative_certificates_with_holes(MissingRule rule, std::int32_t n_classes) {
  constexpr std::int64_t n_draws = 50'000;
  int n_informative = 0;
  for (const std::int64_t n : {20, 60, 300})
    for (int kind = 0; kind < 3; ++kind)
      for (const bool by_value : {false, true}) {
        const Problem problem(n, 1, n_classes, kind, 22);
        const std::vector<double> x = with_gaps(problem, n, by_value);
        Response response;
        response.gather(problem.data, all_rows(problem.data));
        if (response.is_constant()) continue;
        LinearHoles<S> selector(rule);
        selector.begin(response);
        selector.bind(x.data());
        Draws draws;
        draws.begin(response, 6);
        std::vector<double> values;
        for (std::int64_t b = 0; b < n_draws; ++b) values.push_back(selector.evaluate(draws, b));
        std::sort(values.begin(), values.end(), std::greater<>());
        for (const int rank : {10, 100, 1000}) {
          const double level = values[static_cast<std::size_t>(rank - 1)];
          const double bound = selector.certificate(level, 0.5);
          n_informative += bound < 1.0;
          check(incomplete_beta(rank, n_draws - rank + 1, bound) >= 1e-6,
                "the certificate with holes is a bound");
        }
      }
  return n_informative;
}

}  // namespace

TEST(certificates_with_holes) {
  for (const MissingRule rule :
       {MissingRule::incorporate, MissingRule::ignore, MissingRule::alone}) {
    int n_informative = informative_certificates_with_holes<CorrelationRatio>(rule, 2);
    n_informative += informative_certificates_with_holes<Quadratic>(rule, 2);
    check(n_informative >= 5, "some certificates with holes say more than nothing");
  }
}

/// Of scores and many classes they are for what draws never see, and for many rows: here they are
/// bounds, there they say enough.
TEST(certificates_with_holes_by_counts) {
  for (const MissingRule rule : {MissingRule::incorporate, MissingRule::ignore}) {
    informative_certificates_with_holes<CorrelationRatio>(rule, 3);
    informative_certificates_with_holes<Quadratic>(rule, 4);
    informative_certificates_with_holes<Pearson>(rule, 0);
    informative_certificates_with_holes<Quadratic>(rule, 0);
  }
}

TEST(certificates_with_holes_of_clear_associations) {
  constexpr std::int64_t n = 3000;
  const Problem problem(n, 1, 0, 0, 24);
  const std::vector<double> x = with_gaps(problem, n, false);
  std::vector<double> y(problem.x.begin(), problem.x.begin() + n);
  std::vector<std::int32_t> label;
  for (std::size_t i = 0; i < y.size(); ++i) {
    label.push_back(y[i] < -0.5 ? 0 : y[i] < 0.5 ? 1 : 2);
    y[i] += 0.5 * problem.y[i];
  }
  const auto certificate = [&](auto selector, const Target& target) {
    Dataset data = problem.data;
    data.tested = data.kept = target;
    Response response;
    response.gather(data, all_rows(data));
    selector.begin(response);
    return selector.certificate(selector.bind(x.data()), 1e-6);
  };
  for (const MissingRule rule : {MissingRule::incorporate, MissingRule::ignore}) {
    const Target scores = Target::of_scores(y.data()), labels = Target::of_labels(label.data(), 3);
    check(certificate(LinearHoles<Pearson>(rule), scores) <= 1e-6, "pc is certified");
    check(certificate(LinearHoles<CorrelationRatio>(rule), labels) <= 1e-6, "mc is certified");
    check(certificate(LinearHoles<Quadratic>(rule), labels) <= 1e-6, "quad is certified");
  }
}

/// A draw says the same by its mask and by the positions of the first class.
TEST(masks_and_orders_with_holes) {
  bool any_masks = false;
  for (const std::int64_t n : {64, 150, 600}) {
    const Problem problem(n, 1, 2, 0, 23);
    const std::vector<double> x = with_gaps(problem, n, false);
    Response response;
    response.gather(problem.data, all_rows(problem.data));
    Draws draws;
    draws.begin(response, 7);
    any_masks = any_masks || draws.has_masks();
    for (std::int64_t b = 0; draws.has_masks() && b < 50; ++b) {
      LinearHoles<Quadratic> selector;
      selector.begin(response);
      selector.bind(x.data());
      const double by_mask = selector.evaluate(draws, b);
      // The same labels as data.
      std::vector<std::int32_t> labels(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i] = (draws.mask(b)[i / 64] >> i % 64 & 1) != 0 ? 0 : 1;
      Dataset data = problem.data;
      data.tested = data.kept = Target::of_labels(labels.data(), 2);
      Response drawn;
      drawn.gather(data, all_rows(data));
      selector.begin(drawn);
      check(std::fabs(selector.bind(x.data()) - by_mask) < 1e-12, "masks agree with labels");
    }
  }
  check(any_masks, "some nodes have masks");
}
