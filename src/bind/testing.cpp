// SPDX-License-Identifier: BSD-3-Clause
/// `_core_testing`: the engine's parts one at a time, for tests only. Wheels do not hold it.
#include <algorithm>
#include <numeric>

#include "bind/convert.hpp"
#include "core/base/column.hpp"
#include "core/base/special.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_counts.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/stage_a/selectors/rdc.hpp"
#include "core/stage_b/thresholds.hpp"
#include "core/testing/attained_level.hpp"
#include "core/testing/impurities.hpp"
#include "core/testing/single_test.hpp"

using namespace inforest;
using namespace inforest::bind;
namespace nb = nanobind;
using namespace nb::literals;

namespace {

Draws::Shared to_shared_draws(const std::string& name) {
  if (name == "all") return Draws::Shared::all;
  if (name == "first") return Draws::Shared::first;
  if (name == "none") return Draws::Shared::none;
  throw nb::value_error("shared_draws must be 'all', 'first' or 'none'");
}

/// Stage A's test of one feature.
void add_single_test(nb::module_& m) {
  m.def(
      "rdc_weights",
      [](std::uint64_t seed) { return to_table(rdc_weights(seed), Projections::kCount); }, "seed"_a,
      "Slopes and offsets of the rdc projections of x, then of y.");

  m.def(
      "permutation_test",
      [](const Vector<double>& x, const AnyTarget& y, std::int32_t n_classes,
         const Names& selectors, std::int64_t n_resamples, double tau,
         const std::optional<std::string>& early_stopping, double confidence, bool certify,
         const std::string& shared_draws, std::uint64_t seed, const Weights& weights,
         const BlockCodes& blocks, const Levels& n_levels, const std::string& missing) {
        Training training(x.data(), static_cast<std::int64_t>(x.size()), 1, y, n_classes, weights);
        set_blocks(training.data, blocks);
        set_levels(training.data, n_levels);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        const TestPlan plan(checked_level(tau), n_resamples, to_early_stopping(early_stopping),
                            confidence);
        const Draws::Shared shared = to_shared_draws(shared_draws);
        Interrupt interrupt = make_interrupt(nullptr);
        const SingleTest test = run([&] {
          return test_feature(training.data, selectors, plan, certify, shared, seed, interrupt);
        });
        Arrays result;
        result["statistic"] = test.statistic;
        result["p_value"] = test.outcome.p_value;
        result["n_exceedances"] = test.outcome.n_exceedances;
        result["n_draws"] = test.outcome.n_draws;
        result["rejected"] = test.outcome.rejected;
        return result;
      },
      "x"_a, "y"_a, "n_classes"_a, "selectors"_a, nb::kw_only(), "n_resamples"_a, "tau"_a,
      "early_stopping"_a.none(), "confidence"_a, "certify"_a, "shared_draws"_a = "all", "seed"_a,
      "weights"_a = nb::none(), "blocks"_a = nb::none(), "n_levels"_a = nb::none(),
      "missing"_a = "incorporate",
      "Monte Carlo permutation test of one feature; shared draws depend on the seed and b only.");
}

/// What a test's rule promises, whatever it tests.
void add_attained_level(nb::module_& m) {
  m.def(
      "attained_level",
      [](std::int64_t n_resamples, double tau, const std::optional<std::string>& early_stopping,
         double confidence) {
        return attained_level(TestPlan(checked_level(tau), n_resamples,
                                       to_early_stopping(early_stopping), confidence));
      },
      nb::kw_only(), "n_resamples"_a, "tau"_a, "early_stopping"_a.none(), "confidence"_a,
      "Probability with which a test rejects where the permutation p-value is uniform.");
}

/// Stage B: thresholds and impurities.
void add_impurities(nb::module_& m) {
  m.def(
      "thresholds",
      [](const Vector<double>& x, const std::string& method, nb::any max_thresholds,
         std::uint32_t min_samples_leaf, std::uint64_t seed) {
        Thresholds thresholds;
        thresholds.build(
            x.data(), static_cast<std::uint32_t>(x.size()),
            {to_threshold_method(method), to_size_rule(max_thresholds), min_samples_leaf},
            derive_key(seed, Stream::thresholds));
        return to_numpy(std::vector<double>(thresholds.values()));
      },
      "x"_a, nb::kw_only(), "method"_a, "max_thresholds"_a.none(), "min_samples_leaf"_a, "seed"_a,
      "Stage B's candidate thresholds of one feature, ascending.");

  m.def(
      "split_impurities",
      [](const Vector<double>& x, const AnyTarget& y, std::int32_t n_classes,
         const std::string& splitter, const Vector<double>& thresholds, const Weights& weights,
         const Weights& class_weight) {
        const Training training(x.data(), static_cast<std::int64_t>(x.size()), 1, y, n_classes,
                                weights, class_weight);
        check_splitter(training.data.tested.kind(), splitter);
        auto impurities = split_impurities(
            training.data, splitter,
            std::vector<double>(thresholds.data(), thresholds.data() + thresholds.size()));
        return to_numpy(std::move(impurities));
      },
      "x"_a, "y"_a, "n_classes"_a, "splitter"_a, "thresholds"_a, "weights"_a = nb::none(),
      "class_weight"_a = nb::none(), "Weighted child impurity of one feature at each threshold.");

  m.def(
      "impurity",
      [](const AnyTarget& y, std::int32_t n_classes, const std::string& splitter,
         const Weights& weights, const Weights& class_weight) {
        const Training training(nullptr, size_of(y), 0, y, n_classes, weights, class_weight);
        check_splitter(training.data.tested.kind(), splitter);
        return node_impurity(training.data, splitter);
      },
      "y"_a, "n_classes"_a, "splitter"_a, "weights"_a = nb::none(), "class_weight"_a = nb::none(),
      "Impurity of a node with these responses.");

  m.def(
      "two_class_tail",
      [](std::int64_t n_left, std::int64_t n_ones, std::int64_t n, std::int64_t ones_left,
         const std::string& splitter) {
        check_splitter(ResponseKind::labels, splitter);
        if (n_left < 1 || n_left >= n || n_ones < 0 || n_ones > n || ones_left < 0 ||
            ones_left > std::min(n_left, n_ones) || n_left - ones_left > n - n_ones)
          throw nb::value_error("there is no such table of two classes and two children");
        return two_class_p_value(n, n_ones, n_left, ones_left, splitter);
      },
      "n_left"_a, "n_ones"_a, "n"_a, "ones_left"_a, "splitter"_a,
      "Exact permutation p-value of a cut with two classes.");
}

/// Bounds on tails, which make draws unnecessary.
void add_tail_bounds(nb::module_& m) {
  m.def("log_chi_square_tail", &log_chi_square_tail, "statistic"_a, "degrees"_a,
        "log P(X >= statistic) of chi-square.");

  m.def(
      "subset_sum_tail",
      [](const Vector<double>& values, std::uint32_t subset, double deviation, double enough) {
        std::vector<double> centred(values.data(), values.data() + values.size());
        const auto size = static_cast<std::uint32_t>(centred.size());
        const double squares = centre(centred.data(), size).sum_of_squares;
        return subset_sum_tail(centred.data(), size, subset, deviation, squares,
                               largest_magnitude(centred), enough);
      },
      "values"_a, "subset"_a, "deviation"_a, "enough"_a,
      "Bound on P(|sum over a random subset - its mean| >= deviation).");

  m.def(
      "class_count_tail",
      [](const Vector<std::uint32_t>& class_size, std::uint32_t subset, double squares,
         double enough) {
        std::uint32_t size = 0;
        for (std::size_t k = 0; k < class_size.size(); ++k) size += class_size.data()[k];
        return class_count_tail(class_size.data(), class_size.size(), size, subset, squares,
                                enough);
      },
      "class_size"_a, "subset"_a, "squares"_a, "enough"_a,
      "Bound on P(sum of squared deviations of a random subset's class counts >= squares).");

  m.def(
      "level_count_tail",
      [](std::uint32_t n_levels, std::uint32_t size, std::uint32_t subset, double squares) {
        return level_count_tail(n_levels, size, subset, squares);
      },
      "n_levels"_a, "size"_a, "subset"_a, "squares"_a);
  m.def(
      "permutation_sum_tail",
      [](const Vector<double>& x, const Vector<double>& y, double deviation, double enough) {
        std::vector<double> a(x.data(), x.data() + x.size()), b(y.data(), y.data() + y.size());
        if (a.size() != b.size()) throw nb::value_error("x and y must have the same length");
        const auto size = static_cast<std::uint32_t>(a.size());
        const double squares = centre(a.data(), size).sum_of_squares;
        centre(b.data(), size);
        std::sort(b.begin(), b.end());
        return permutation_sum_tail(b.data(), size, deviation, squares, largest_magnitude(a),
                                    enough);
      },
      "x"_a, "y"_a, "deviation"_a, "enough"_a,
      "Bound on P(|sum of x_i y_pi(i) - its mean| >= deviation) over random permutations.");
}

/// Rare exceedances, drawn where they are.
void add_tilted_draws(nb::module_& m) {
  m.def(
      "tilted_exceedances",
      [](const Vector<double>& values, std::uint32_t subset, double deviation, std::int64_t n_draws,
         std::uint64_t seed) {
        std::vector<double> centred(values.data(), values.data() + values.size());
        const auto size = static_cast<std::uint32_t>(centred.size());
        centre(centred.data(), size);
        const TiltedTails tails(centred.data(), size, subset, deviation);
        Interrupt interrupt;
        const TestPlan plan(0.5, n_draws, EarlyStopping::none, 0.95);
        const double q = tails.candidate_probability();
        const auto exceeds = [&](Rng& stream) { return tails.is_exceedance(stream); };
        return std::pair(
            q,
            q < 1.0 ? candidate_test(plan, q, Rng(seed), interrupt, 1, exceeds).n_exceedances : -1);
      },
      "values"_a, "subset"_a, "deviation"_a, "n_draws"_a, "seed"_a,
      "Candidate probability, and exceedances |sum over a random subset - its mean| >= deviation "
      "among n_draws (-1 if candidates are certain).");

  m.def(
      "tilted_count_exceedances",
      [](const std::vector<std::uint32_t>& class_size, std::uint32_t subset,
         const std::vector<double>& score, double limit, std::int64_t n_draws, std::uint64_t seed) {
        const auto size = std::accumulate(class_size.begin(), class_size.end(), 0u);
        std::size_t n_counts = 0;
        for (const std::uint32_t members : class_size) n_counts += std::min(members, subset) + 1u;
        if (subset == 0 || subset >= size || score.size() != n_counts)
          throw nb::value_error("one score per class and count, for a proper subset");
        const TiltedCounts counts(class_size, size, subset, score, limit);
        Interrupt interrupt;
        const TestPlan plan(0.5, n_draws, EarlyStopping::none, 0.95);
        const double q = counts.candidate_probability();
        const auto exceeds = [&](Rng& stream) { return counts.is_exceedance(stream); };
        return std::pair(
            q,
            q < 1.0 ? candidate_test(plan, q, Rng(seed), interrupt, 1, exceeds).n_exceedances : -1);
      },
      "class_size"_a, "subset"_a, "score"_a, "limit"_a, "n_draws"_a, "seed"_a,
      "Candidate probability, and exceedances sum of the scores of a random subset's class counts "
      ">= limit among n_draws (-1 if candidates are certain).");
}

}  // namespace

NB_MODULE(_core_testing, m) {
  m.doc() = "Parts of the C++ core, one at a time, for its tests.";
  add_single_test(m);
  add_attained_level(m);
  add_impurities(m);
  add_tail_bounds(m);
  add_tilted_draws(m);
}
