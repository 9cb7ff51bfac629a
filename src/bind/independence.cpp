// SPDX-License-Identifier: BSD-3-Clause
/// Statistics and tests of whole columns.
#include <nanobind/stl/tuple.h>

#include "bind/convert.hpp"
#include "core/independence/arrangements.hpp"
#include "core/independence/feature_tests.hpp"
#include "core/independence/screen.hpp"
#include "core/independence/sparse_products.hpp"
#include "core/independence/statistics.hpp"
#include "core/independence/tally.hpp"

namespace inforest::bind {

using namespace nb::literals;

namespace {

DrawRange to_draws(std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin) throw nb::value_error("begin and end must bound draws");
  return {begin, end};
}

/// Of step-down maxT: the running maxima, mean and variance of the features' statistics; none if
/// nobody asks for it.
using Maxima =
    std::optional<std::tuple<nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>,
                             Vector<double>, Vector<double>>>;

RunningMaxima to_maxima(const Maxima& maxima, DrawRange draws, const Features& features) {
  if (!maxima) return {};
  const auto& [running, mean, variance] = *maxima;
  if (static_cast<std::int64_t>(running.size()) != draws.size())
    throw nb::value_error("one maximum per draw");
  if (mean.size() != features.size() || variance.size() != features.size())
    throw nb::value_error("one mean and one variance per feature");
  return {{running.data(), running.size()}, mean.data(), variance.data()};
}

CountPair to_python(Tally&& tally) {
  return nb::make_tuple(to_numpy(std::move(tally.exceedances)),
                        to_numpy(std::move(tally.step_down)));
}

/// Statistics of features, and how often draws reach them.
void add_tallies(nb::module_& m) {
  m.def(
      "statistics",
      [](const Columns& x, const AnyTarget& y, std::int32_t n_classes, const Names& selectors,
         std::uint64_t seed, const Weights& weights, const BlockCodes& blocks,
         const Levels& n_levels, const std::string& missing) {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        Interrupt interrupt = make_interrupt(nullptr);
        return to_numpy(run([&] { return statistics(training.data, selectors, seed, interrupt); }));
      },
      "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "seed"_a, "weights"_a = nb::none(),
      "blocks"_a = nb::none(), "n_levels"_a = nb::none(), "missing"_a = "incorporate",
      "Observed Stage A statistic of every feature on all rows; 0 for a constant feature.");

  m.def(
      "chi_squares",
      [](const Columns& x, const AnyTarget& y, std::int32_t n_classes, const Names& selectors,
         std::uint64_t seed, const Weights& weights, const BlockCodes& blocks,
         const Levels& n_levels, const std::string& missing) {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        Interrupt interrupt = make_interrupt(nullptr);
        ChiSquares forms =
            run([&] { return chi_squares(training.data, selectors, seed, interrupt); });
        return nb::typed<nb::tuple, Array<double>, Array<double>>(nb::make_tuple(
            to_numpy(std::move(forms.statistic)), to_numpy(std::move(forms.degrees))));
      },
      "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "seed"_a, "weights"_a = nb::none(),
      "blocks"_a = nb::none(), "n_levels"_a = nb::none(), "missing"_a = "incorporate",
      "Of every feature the chi-square statistic and its degrees of freedom, 0 where nothing can "
      "be tested.");

  m.def(
      "tail_scores",
      [](const Columns& x, const AnyTarget& y, std::int32_t n_classes, const Names& selectors,
         std::uint64_t seed, const Weights& weights, const BlockCodes& blocks,
         const Levels& n_levels, const std::string& missing) {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        Interrupt interrupt = make_interrupt(nullptr);
        TailScores scores =
            run([&] { return tail_scores(training.data, selectors, seed, interrupt); });
        return nb::typed<nb::tuple, Array<double>, Array<double>, Array<double>>(
            nb::make_tuple(to_numpy(std::move(scores.score)), to_numpy(std::move(scores.mean)),
                           to_numpy(std::move(scores.variance))));
      },
      "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "seed"_a, "weights"_a = nb::none(),
      "blocks"_a = nb::none(), "n_levels"_a = nb::none(), "missing"_a = "incorporate",
      "How far out every feature's statistic lies in its own permutation distribution, as a normal "
      "quantile (-inf for a constant feature), and that distribution's mean and variance.");

  m.def(
      "tally_draws",
      [](const StopFlag& stop, const Columns& x, const AnyTarget& y, std::int32_t n_classes,
         const Names& selectors, const Features& features, std::uint64_t seed, const Maxima& maxima,
         std::int64_t begin, std::int64_t end, const Weights& weights, const BlockCodes& blocks,
         const Levels& n_levels, const std::string& missing) {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        const auto columns = to_features(features, training.data);
        const DrawRange draws = to_draws(begin, end);
        RunningMaxima running = to_maxima(maxima, draws, features);
        Interrupt interrupt = make_interrupt(stop);
        return to_python(run([&] {
          return tally_draws(training.data, selectors, columns, draws, seed, running, interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "maxima"_a.none(), "begin"_a, "end"_a, "weights"_a = nb::none(), "blocks"_a = nb::none(),
      "n_levels"_a = nb::none(), "missing"_a = "incorporate",
      "Exceedances of each feature among the draws begin..end, and those of step-down maxT.");

  m.def(
      "tally_screened",
      [](const StopFlag& stop, const Columns& x, const AnyTarget& y, std::int32_t n_classes,
         const Names& selectors, const Features& features, std::uint64_t seed, const Maxima& maxima,
         std::int64_t begin, std::int64_t end, const FloatMatrix& screen,
         const Vector<double>& observed, const Vector<double>& slack, const Weights& weights,
         const Levels& n_levels) {
        const Training training(x, y, n_classes, weights, {}, n_levels);
        check_selectors(training.data, selectors);
        const auto columns = to_features(features, training.data);
        const DrawRange draws = to_draws(begin, end);
        RunningMaxima running = to_maxima(maxima, draws, features);
        const auto size = static_cast<std::int64_t>(screen.shape(1));
        if (screen.shape(0) != features.size() || observed.size() != features.size() ||
            slack.size() != features.size() || draws.size() == 0 || size == 0 ||
            size % draws.size() != 0)
          throw nb::value_error("the screen must have a row per feature, a column per draw");
        const Screen read{screen.data(), size / draws.size(), observed.data(), slack.data()};
        Interrupt interrupt = make_interrupt(stop);
        return to_python(run([&] {
          return tally_screened(training.data, selectors, columns, draws, seed, read, running,
                                interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "maxima"_a.none(), "begin"_a, "end"_a, "screen"_a, "observed"_a, "slack"_a,
      "weights"_a = nb::none(), "n_levels"_a = nb::none(),
      "What tally_draws counts, helped by statistics in single precision.");
}

/// What a product of matrices needs to screen draws.
void add_screen(nb::module_& m) {
  m.def(
      "unit_columns",
      [](const Columns& x, const Features& features, const Weights& weights) {
        Dataset data = columns_of(x);
        data.weights = to_weights(weights, data.n_samples);
        const auto columns = to_features(features, data);
        const auto n_samples = static_cast<std::size_t>(data.n_samples);
        std::vector<float> unit(columns.size() * n_samples);
        run([&] { return unit_columns(data, columns, unit.data()), 0; });
        return to_table(std::move(unit), n_samples);
      },
      "X"_a, "features"_a, "weights"_a = nb::none(),
      "Centred (and weighed) columns of unit length, one row per feature.");

  m.def(
      "sparse_products",
      [](const Columns& x, const Features& features, const FloatMatrix& responses) {
        const Dataset data = columns_of(x);
        if (data.stored.begin == nullptr) throw nb::value_error("X must be sparse");
        if (static_cast<std::int64_t>(responses.shape(1)) != data.n_samples)
          throw nb::value_error("responses must have a column per row of X");
        const auto columns = to_features(features, data);
        std::vector<float> products(columns.size() * responses.shape(0));
        std::vector<double> growth(columns.size());
        run([&] {
          return sparse_products(data, columns, responses.data(),
                                 static_cast<std::int64_t>(responses.shape(0)), products.data(),
                                 growth.data()),
                 0;
        });
        return nb::typed<nb::tuple, Table<float>, Array<double>>(nb::make_tuple(
            to_table(std::move(products), responses.shape(0)), to_numpy(std::move(growth))));
      },
      "X"_a, "features"_a, "responses"_a,
      "Products of sparse columns, centred and of unit length, with rows of permuted scores, and "
      "by "
      "what factor errors in single precision are larger than those of centred columns.");

  m.def(
      "permuted_scores",
      [](const AnyTarget& y, std::int32_t n_classes, const FloatMatrix& scores, std::uint64_t seed,
         std::int64_t begin, std::int64_t end) {
        const Training training(nullptr, size_of(y), 0, y, n_classes);
        const auto n_samples = static_cast<std::size_t>(training.data.n_samples);
        const std::size_t levels = n_classes > 0 ? static_cast<std::size_t>(n_classes) : n_samples;
        if (scores.shape(0) != levels)
          throw nb::value_error("one row of scores per class or sample");
        const DrawRange draws = to_draws(begin, end);
        const std::size_t depth = scores.shape(1);
        std::vector<float> out(depth * static_cast<std::size_t>(draws.size()) * n_samples);
        run([&] {
          return permuted_scores(training.data, scores.data(), static_cast<std::int64_t>(depth),
                                 draws, seed, out.data()),
                 0;
        });
        return to_table(std::move(out), n_samples);
      },
      "y"_a, "n_classes"_a, "scores"_a, "seed"_a, "begin"_a, "end"_a,
      "The samples' scores under each draw; a row per column of scores and draw.");
}

/// Tests of a feature alone.
void add_tests(nb::module_& m) {
  m.def(
      "test_features",
      [](const StopFlag& stop, const Columns& x, const AnyTarget& y, std::int32_t n_classes,
         const Names& selectors, const Features& features, std::uint64_t seed,
         std::int64_t n_resamples, double tau, const std::optional<std::string>& early_stopping,
         double confidence, const Weights& weights, const BlockCodes& blocks,
         const Levels& n_levels, const std::string& missing) -> CountPair {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        const auto columns = to_features(features, training.data);
        const TestPlan plan(checked_level(tau), n_resamples, to_early_stopping(early_stopping),
                            confidence);
        Interrupt interrupt = make_interrupt(stop);
        const auto outcomes = run([&] {
          return test_features(training.data, selectors, columns, plan, seed, interrupt);
        });
        std::vector<std::int64_t> exceedances, n_draws;
        for (const TestOutcome& outcome : outcomes) {
          exceedances.push_back(outcome.n_exceedances);
          n_draws.push_back(outcome.n_draws);
        }
        return nb::make_tuple(to_numpy(std::move(exceedances)), to_numpy(std::move(n_draws)));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a, nb::kw_only(),
      "n_resamples"_a, "tau"_a, "early_stopping"_a.none(), "confidence"_a, "weights"_a.none(),
      "blocks"_a.none(), "n_levels"_a.none(), "missing"_a,
      "Exceedances and draws of each feature's own test, stopped by its rule.");

  m.def(
      "count_arrangements",
      [](const StopFlag& stop, const Columns& x, const AnyTarget& y, std::int32_t n_classes,
         const Names& selectors, const Features& features, std::uint64_t seed,
         const Weights& weights, const BlockCodes& blocks, const Levels& n_levels,
         const std::string& missing) {
        Training training(x, y, n_classes, weights, {}, n_levels);
        set_blocks(training.data, blocks);
        set_missing_rule(training.data, missing);
        check_selectors(training.data, selectors);
        const auto columns = to_features(features, training.data);
        Interrupt interrupt = make_interrupt(stop);
        return to_numpy(run([&] {
          return count_arrangements(training.data, selectors, columns, seed, interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "weights"_a = nb::none(), "blocks"_a = nb::none(), "n_levels"_a = nb::none(),
      "missing"_a = "incorporate",
      "How many distinct arrangements of y reach each feature's observed statistic.");
}

}  // namespace

void add_independence(nb::module_& m) {
  add_tallies(m);
  add_screen(m);
  add_tests(m);
}

}  // namespace inforest::bind
