// SPDX-License-Identifier: BSD-3-Clause
/// The border: arrays in, arrays out. The only file that knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/ranker.hpp"
#include "core/data/sampling.hpp"
#include "core/factory.hpp"
#include "core/independence/independence.hpp"
#include "core/independence/inspect.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_counts.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/tree/apply.hpp"
#include "core/tree/grow_tree.hpp"
#include "core/tree/permutation_importance.hpp"
#include "core/tree/validate_splits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace inforest;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using StopFlag = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The response: numbers, or class codes, which are read where they are.
using Target = std::variant<Vector<double>, Vector<std::int32_t>>;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
/// Two arrays of counts.
using CountPair = nb::typed<nb::tuple, Array<std::int64_t>, Array<std::int64_t>>;
using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

/// Hands a vector over to NumPy without a copy.
template <class Result, class T>
Result to_ndarray(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result(owned->data(), shape, owner);
}

template <class T>
Array<T> to_numpy(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_ndarray<Array<T>>(std::move(values), {size});
}

/// The same as rows of `columns` entries.
template <class T>
Table<T> to_table(std::vector<T>&& values, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : values.size() / columns;
  return to_ndarray<Table<T>>(std::move(values), {rows, columns});
}

/// The data as the core sees it; owns the class codes unless they came as such.
///
/// A regression target whose squares would overflow or vanish is multiplied by 2^-exponent, which
/// is exact; means and impurities are scaled back where they fit.
struct Training {
  std::vector<std::int32_t> codes;
  std::vector<double> scaled;
  int exponent = 0;
  Dataset data;

  Training(const Matrix& x, const Target& y, std::int32_t n_classes)
      : Training(x.data(), static_cast<std::int64_t>(x.shape(0)),
                 static_cast<std::int64_t>(x.shape(1)), y, n_classes) {}

  Training(const double* x, std::int64_t n_samples, std::int64_t n_features, const Target& y,
           std::int32_t n_classes)
      : data{x, nullptr, nullptr, n_samples, n_features, n_classes} {
    std::visit([&](const auto& numbers) { use(numbers); }, y);
    if (data.code == nullptr) return;
    for (std::int64_t i = 0; i < n_samples; ++i)
      if (data.code[i] < 0 || data.code[i] >= n_classes)
        throw nb::value_error("y holds an unknown class code");
  }

  Training(const Training&) = delete;

 private:
  void use(const Vector<double>& y) {
    check_size(y.size());
    if (data.n_classes > 0) {
      codes.assign(y.data(), y.data() + y.size());
      data.code = codes.data();
    } else {
      data.y = y.data();
      scale(y);
    }
  }

  void use(const Vector<std::int32_t>& y) {
    check_size(y.size());
    if (data.n_classes <= 0) throw nb::value_error("class codes need n_classes");
    data.code = y.data();
  }

  void check_size(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != data.n_samples)
      throw nb::value_error("y must have one entry per row of X");
  }

  void scale(const Vector<double>& y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::fabs(y.data()[i]));
    if (largest == 0.0 || (largest > 1e-100 && largest < 1e100)) return;
    std::frexp(largest, &exponent);
    scaled.assign(y.data(), y.data() + y.size());
    for (double& value : scaled) value = std::ldexp(value, -exponent);
    data.y = scaled.data();
  }
};

/// Asked now and then by the core: has Python set `stop`, or has the user pressed Ctrl-C?
Interrupt make_interrupt(std::uint8_t* stop) {
  return Interrupt([stop] {
    if (stop != nullptr && std::atomic_ref<std::uint8_t>(*stop).load()) return true;
    nb::gil_scoped_acquire gil;  // signals are handled by the main thread only; others see `stop`
    if (PyErr_CheckSignals() == 0) return false;
    return true;
  });
}

/// Runs the core without the GIL; turns an interrupt into KeyboardInterrupt.
template <class Work>
auto run(Work work) {
  try {
    nb::gil_scoped_release release;
    return work();
  } catch (const Interrupted&) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

Task task_named(const std::string& name) {
  if (name == "classification") return Task::classification;
  if (name == "regression") return Task::regression;
  throw nb::value_error("task must be 'classification' or 'regression'");
}

void check_name(const std::vector<std::string>& known, const std::string& name, const char* what) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  std::string message = std::string("unknown ") + what + " '" + name + "'; known:";
  for (const std::string& one : known) message += " " + one;
  throw nb::value_error(message.c_str());
}

std::vector<std::string> selector_names(Task task) {
  return with_task(task,
                   [](auto kind) { return roster::names<typename decltype(kind)::Selector>(); });
}

std::vector<std::string> splitter_names(Task task) {
  return with_task(task,
                   [](auto kind) { return roster::names<typename decltype(kind)::Splitter>(); });
}

void check_selectors(Task task, const std::vector<std::string>& names) {
  if (names.empty()) throw nb::value_error("at least one selector is needed");
  for (const std::string& name : names) check_name(selector_names(task), name, "selector");
}

double checked_level(double alpha) {
  if (!(alpha > 0.0 && alpha <= 1.0)) throw nb::value_error("a level must be in (0, 1]");
  return alpha;
}

Budget to_budget(nb::handle value) {
  if (value.is_none()) return {Budget::Kind::off, 0};
  if (nb::isinstance<nb::int_>(value)) {
    const auto count = nb::cast<std::int64_t>(value);
    if (count < 1) throw nb::value_error("n_resamples must be positive");
    return {Budget::Kind::count, count};
  }
  const auto name = nb::cast<std::string>(value);
  if (name == "minimum") return {Budget::Kind::minimum, 0};
  if (name == "maximum") return {Budget::Kind::maximum, 0};
  if (name == "auto") return {Budget::Kind::automatic, 0};
  throw nb::value_error("n_resamples must be 'minimum', 'maximum', 'auto', an int or None");
}

Adjustment to_adjustment(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value))
    return nb::cast<bool>(value) ? Adjustment::bonferroni : Adjustment::none;
  const auto name = nb::cast<std::string>(value);
  if (name == "bonferroni") return Adjustment::bonferroni;
  if (name == "maxt") return Adjustment::maxt;
  throw nb::value_error("adjust_alpha_selector must be a bool, 'bonferroni' or 'maxt'");
}

SizeRule to_size_rule(nb::handle value) {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::int_>(value))
    return {SizeRule::Kind::count, static_cast<double>(nb::cast<std::int64_t>(value))};
  if (nb::isinstance<nb::float_>(value)) return {SizeRule::Kind::share, nb::cast<double>(value)};
  if (nb::isinstance<nb::tuple>(value)) {
    const auto [share, cap] = nb::cast<std::pair<double, std::int64_t>>(value);
    return {SizeRule::Kind::share, share, static_cast<double>(cap)};
  }
  const auto name = nb::cast<std::string>(value);
  if (name == "sqrt") return {SizeRule::Kind::sqrt, 0.0};
  if (name == "log2") return {SizeRule::Kind::log2, 0.0};
  throw nb::value_error("expected None, an int, a float, (float, int), 'sqrt' or 'log2'");
}

EarlyStopping to_early_stopping(const std::optional<std::string>& value) {
  if (!value) return EarlyStopping::none;
  if (*value == "curtailed") return EarlyStopping::curtailed;
  if (*value == "adaptive") return EarlyStopping::adaptive;
  throw nb::value_error("early_stopping must be None, 'curtailed' or 'adaptive'");
}

Draws::Shared to_shared_draws(const std::string& name) {
  if (name == "all") return Draws::Shared::all;
  if (name == "first") return Draws::Shared::first;
  if (name == "none") return Draws::Shared::none;
  throw nb::value_error("shared_draws must be 'all', 'first' or 'none'");
}

ThresholdMethod to_threshold_method(const std::string& name) {
  if (name == "exact") return ThresholdMethod::exact;
  if (name == "random") return ThresholdMethod::random;
  if (name == "percentile") return ThresholdMethod::percentile;
  if (name == "histogram") return ThresholdMethod::histogram;
  throw nb::value_error("threshold_method must be 'exact', 'random', 'percentile' or 'histogram'");
}

SplitterTest to_splitter_test(const std::optional<std::string>& name) {
  if (!name) return SplitterTest::none;
  if (*name == "threshold") return SplitterTest::threshold;
  if (*name == "max") return SplitterTest::max;
  throw nb::value_error("splitter_test must be None, 'threshold' or 'max'");
}

using Counts = std::optional<Vector<std::int64_t>>;
using Strata = std::optional<Vector<std::int32_t>>;
using Seeds = Vector<std::uint64_t>;
using Ranks = std::optional<Vector<std::uint32_t>>;

/// The columns of X, without a response.
Dataset columns_of(const Matrix& x) {
  const auto n_samples = static_cast<std::int64_t>(x.shape(0));
  return {x.data(), nullptr, nullptr, n_samples, static_cast<std::int64_t>(x.shape(1)), 0};
}

Sampling to_sampling(std::int64_t n_samples, const Counts& case_counts, const Strata& strata,
                     const Counts& quota, bool replace) {
  Sampling sampling;
  sampling.n_samples = n_samples;
  sampling.replace = replace;
  const auto n = static_cast<std::size_t>(n_samples);
  if (case_counts) {
    if (case_counts->size() != n) throw nb::value_error("one case count per row");
    sampling.case_counts = case_counts->data();
  }
  const auto all_within = [](const auto& values, std::int64_t most) {
    return std::all_of(values.data(), values.data() + values.size(),
                       [&](std::int64_t v) { return v >= 0 && v <= most; });
  };
  constexpr std::int64_t kMostCases = std::numeric_limits<std::int32_t>::max();
  if (case_counts && !all_within(*case_counts, kMostCases))
    throw nb::value_error("case counts must be between 0 and 2^31 - 1");
  if (quota) {
    if (!all_within(*quota, kMostCases))
      throw nb::value_error("quotas must be between 0 and 2^31 - 1");
    sampling.quota.assign(quota->data(), quota->data() + quota->size());
  }
  if (strata) {
    if (strata->size() != n) throw nb::value_error("one stratum per row");
    if (quota && !all_within(*strata, static_cast<std::int64_t>(quota->size()) - 1))
      throw nb::value_error("one quota per stratum");
    sampling.strata = strata->data();
  } else if (quota && quota->size() != 1) {
    throw nb::value_error("one quota per stratum");
  }
  return sampling;
}

using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Refuses arrays that a walk from the roots could leave or never end in.
void check_trees(const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
                 const Vector<double>& threshold, const Vector<std::int32_t>& right,
                 std::size_t n_columns) {
  const auto n_nodes = static_cast<std::int64_t>(feature.size());
  bool fits = offset.size() > 1 && threshold.size() == feature.size() &&
              right.size() == feature.size() && offset.data()[0] == 0 &&
              offset.data()[offset.size() - 1] == n_nodes;
  for (std::size_t tree = 0; fits && tree + 1 < offset.size(); ++tree) {
    const std::int64_t begin = offset.data()[tree], end = offset.data()[tree + 1];
    fits = begin < end && end <= n_nodes;
    // Preorder: the left child follows its parent, the right one comes after that.
    for (std::int64_t i = begin; fits && i < end; ++i)
      if (feature.data()[i] >= 0)
        fits = feature.data()[i] < static_cast<std::int64_t>(n_columns) &&
               right.data()[i] > i - begin + 1 && right.data()[i] < end - begin;
  }
  if (!fits) throw nb::value_error("the arrays of the trees do not fit together, or X");
}

ForestView to_forest(const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
                     const Vector<double>& threshold, const Vector<std::int32_t>& right,
                     const Values& value, std::size_t n_columns) {
  check_trees(offset, feature, threshold, right, n_columns);
  if (value.shape(0) != feature.size() || value.shape(1) < 1)
    throw nb::value_error("one row of values per node");
  return {offset.data(),
          feature.data(),
          threshold.data(),
          right.data(),
          value.data(),
          static_cast<std::int64_t>(offset.size()) - 1,
          static_cast<std::int64_t>(value.shape(1))};
}

void check_conditioning(const Vector<std::int64_t>& begin, const Vector<std::int32_t>& feature,
                        std::size_t n_features) {
  bool fits = begin.size() == n_features + 1 && begin.data()[0] == 0 &&
              begin.data()[n_features] == static_cast<std::int64_t>(feature.size());
  for (std::size_t j = 0; fits && j < n_features; ++j)
    fits = begin.data()[j] <= begin.data()[j + 1];
  for (std::size_t i = 0; fits && i < feature.size(); ++i)
    fits = feature.data()[i] >= 0 && static_cast<std::size_t>(feature.data()[i]) < n_features;
  if (!fits) throw nb::value_error("the lists of conditioning features do not fit together");
}

MatrixView to_view(const AnyMatrix& x) {
  return {x.data(), static_cast<std::int64_t>(x.shape(0)), static_cast<std::int64_t>(x.shape(1)),
          x.stride(0), x.stride(1)};
}

/// Trees side by side, as Python keeps them.
class Collected {
 public:
  Collected(std::int64_t n_features, std::size_t n_trees)
      : n_trees_(n_trees), candidate_counts_(static_cast<std::size_t>(n_features), 0) {}

  /// Where the trees count how often each feature was a candidate, all of them together.
  std::int64_t* candidate_counts() { return candidate_counts_.data(); }

  void add(const Tree& tree) {
    const auto append = [&](auto& all, const auto& one) {
      // Room for as many of the first one's size and some more: to move them all would need twice
      // the memory, while pages not yet written need none.
      if (all.empty()) all.reserve(n_trees_ * one.size() / 4 * 5);
      all.insert(all.end(), one.begin(), one.end());
    };
    append(all_.feature, tree.feature);
    append(all_.threshold, tree.threshold);
    append(all_.left, tree.left);
    append(all_.right, tree.right);
    append(all_.value, tree.value);
    append(all_.n_samples, tree.n_samples);
    append(all_.impurity, tree.impurity);
    append(all_.p_value_feature, tree.p_value_feature);
    append(all_.p_value_threshold, tree.p_value_threshold);
    append(all_.n_draws_feature, tree.n_draws_feature);
    append(all_.n_draws_threshold, tree.n_draws_threshold);
    append(all_.n_tests_feature, tree.n_tests_feature);
    append(all_.n_tests_threshold, tree.n_tests_threshold);
    append(all_.stop_reason, tree.stop_reason);
    append(all_.validated, tree.validated);
    offset_.push_back(static_cast<std::int64_t>(all_.feature.size()));
    draws_selector_.push_back(tree.draws_selector);
    draws_splitter_.push_back(tree.draws_splitter);
  }

  void scale_values(int exponent) {
    if (exponent != 0)
      for (double& value : all_.value) value = std::ldexp(value, exponent);
  }

  Arrays to_python(std::size_t outputs) && {
    Arrays arrays;
    arrays["candidate_counts"] = to_numpy(std::move(candidate_counts_));
    arrays["offset"] = to_numpy(std::move(offset_));
    arrays["feature"] = to_numpy(std::move(all_.feature));
    arrays["threshold"] = to_numpy(std::move(all_.threshold));
    arrays["left"] = to_numpy(std::move(all_.left));
    arrays["right"] = to_numpy(std::move(all_.right));
    arrays["value"] = to_table(std::move(all_.value), outputs);
    arrays["n_samples"] = to_numpy(std::move(all_.n_samples));
    arrays["impurity"] = to_numpy(std::move(all_.impurity));
    arrays["p_value_feature"] = to_numpy(std::move(all_.p_value_feature));
    arrays["p_value_threshold"] = to_numpy(std::move(all_.p_value_threshold));
    arrays["n_draws_feature"] = to_numpy(std::move(all_.n_draws_feature));
    arrays["n_draws_threshold"] = to_numpy(std::move(all_.n_draws_threshold));
    arrays["n_tests_feature"] = to_numpy(std::move(all_.n_tests_feature));
    arrays["n_tests_threshold"] = to_numpy(std::move(all_.n_tests_threshold));
    arrays["stop_reason"] = to_numpy(std::move(all_.stop_reason));
    arrays["validated"] = to_numpy(std::move(all_.validated));
    arrays["draws_selector"] = to_numpy(std::move(draws_selector_));
    arrays["draws_splitter"] = to_numpy(std::move(draws_splitter_));
    return arrays;
  }

 private:
  std::size_t n_trees_;
  Tree all_;
  std::vector<std::int64_t> offset_{0}, draws_selector_, draws_splitter_, candidate_counts_;
};

Arrays grow_trees(
    const Matrix& x, const Target& y, std::int32_t n_classes, const Counts& case_counts,
    const Vector<std::uint64_t>& feature_keys, const Seeds& seeds, const StopFlag& stop,
    const Ranks& ranks, const Strata& strata, const Counts& quota, bool replace,
    const std::vector<std::string>& selector, const std::string& splitter, double alpha_selector,
    double alpha_splitter, nb::any adjust_alpha_selector, bool adjust_alpha_splitter,
    nb::any n_resamples_selector, nb::any n_resamples_splitter,
    const std::optional<std::string>& early_stopping_selector,
    const std::optional<std::string>& early_stopping_splitter,
    double early_stopping_confidence_selector, double early_stopping_confidence_splitter,
    bool feature_muting, bool feature_scanning, nb::any max_features,
    const std::string& threshold_method, bool threshold_scanning, nb::any max_thresholds,
    const std::optional<std::string>& splitter_test, std::optional<std::int64_t> max_depth,
    std::int64_t min_samples_split, std::int64_t min_samples_leaf, double min_impurity_decrease,
    bool honesty, double honesty_fraction, bool shortcuts) {
  Training training(x, y, n_classes);
  const Task task = training.data.task();
  check_selectors(task, selector);
  check_name(splitter_names(task), splitter, "splitter");
  if (ranks) {
    if (ranks->size() != x.size()) throw nb::value_error("one rank per value of X");
    training.data.ranks = ranks->data();
  }
  if (feature_keys.size() != x.shape(1)) throw nb::value_error("one feature key per column");
  if (stop.size() < 1) throw nb::value_error("stop must have one entry");

  // Impurities are in units of y, squared for mse.
  const int impurity_exponent = training.exponent * (splitter == "mse" ? 2 : 1);
  const Options options{
      .selectors = selector,
      .selection = {checked_level(alpha_selector), to_adjustment(adjust_alpha_selector),
                    to_budget(n_resamples_selector), to_early_stopping(early_stopping_selector),
                    early_stopping_confidence_selector},
      .feature_muting = feature_muting,
      .feature_scanning = feature_scanning,
      .max_features = to_size_rule(max_features),
      .stage_b = {.splitter = splitter,
                  .splitting = {checked_level(alpha_splitter),
                                adjust_alpha_splitter ? Adjustment::bonferroni : Adjustment::none,
                                to_budget(n_resamples_splitter),
                                to_early_stopping(early_stopping_splitter),
                                early_stopping_confidence_splitter},
                  .splitter_test = to_splitter_test(splitter_test),
                  .threshold_method = to_threshold_method(threshold_method),
                  .max_thresholds = to_size_rule(max_thresholds),
                  .threshold_scanning = threshold_scanning,
                  .min_samples_leaf = min_samples_leaf,
                  .shortcuts = shortcuts},
      .max_depth = max_depth.value_or(-1),
      .min_samples_split = min_samples_split,
      .min_impurity_decrease = std::ldexp(min_impurity_decrease, -impurity_exponent),
      .honesty = honesty,
      .honesty_fraction = honesty_fraction,
      .shortcuts = shortcuts,
  };
  Interrupt interrupt = make_interrupt(stop.data());
  const Sampling sampling =
      to_sampling(training.data.n_samples, case_counts, strata, quota, replace);
  Collected trees = run([&] {
    Collected collected(training.data.n_features, seeds.size());
    const RareRows rare_rows(training.data);
    const FeatureIndex features{feature_keys.data(), rare_rows, collected.candidate_counts()};
    const auto grower = make_grower(training.data, features, options, interrupt);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const std::uint64_t key = seeds.data()[i];
      RowCounts counts = sample_counts(sampling, key);
      TreeRows rows = make_rows(counts, options, key);
      const std::vector<bool> sampled = in_bag(counts);
      counts = RowCounts();  // growing needs the memory; {} would keep it
      if (rows.structure.empty()) throw nb::value_error("no rows to grow a tree from");
      Tree tree = grower->grow(std::move(rows), key);
      validate_splits(training.data, sampled, sampling.case_counts, tree);
      collected.add(tree);
    }
    return collected;
  });
  trees.scale_values(training.exponent);
  return std::move(trees).to_python(n_classes > 0 ? static_cast<std::size_t>(n_classes) : 1);
}

using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Features = Vector<std::int64_t>;

std::span<const std::int64_t> to_features(const Features& features, const Dataset& data) {
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features.data()[i] < 0 || features.data()[i] >= data.n_features)
      throw nb::value_error("features must be indices of columns of X");
  return {features.data(), features.size()};
}

DrawRange to_draws(std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin) throw nb::value_error("begin and end must bound draws");
  return {begin, end};
}

/// The running maxima of step-down maxT; none if nobody asks for it.
using Maxima = std::optional<nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

double* to_maxima(const Maxima& maxima, DrawRange draws) {
  if (!maxima) return nullptr;
  if (static_cast<std::int64_t>(maxima->size()) != draws.size())
    throw nb::value_error("one maximum per draw");
  return maxima->data();
}

CountPair to_python(Tally&& tally) {
  return nb::make_tuple(to_numpy(std::move(tally.exceedances)),
                        to_numpy(std::move(tally.step_down)));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of inforest: functions on arrays.";

  m.def(
      "selector_names", [](const std::string& task) { return selector_names(task_named(task)); },
      "task"_a, "Names of the Stage A statistics for 'classification' or 'regression'.");
  m.def(
      "splitter_names", [](const std::string& task) { return splitter_names(task_named(task)); },
      "task"_a, "Names of the Stage B impurities for 'classification' or 'regression'.");

  m.def(
      "feature_keys",
      [](const Matrix& x) { return to_numpy(run([&] { return feature_keys(columns_of(x)); })); },
      "X"_a, "A key per column that depends on its content, not on its place.");

  m.def(
      "column_ranks",
      [](const Matrix& x) { return to_numpy(run([&] { return column_ranks(columns_of(x)); })); },
      "X"_a, "Place of every value among the distinct ones of its column, column by column.");

  m.def(
      "statistics",
      [](const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, std::uint64_t seed) {
        const Training training(x, y, n_classes);
        check_selectors(training.data.task(), selectors);
        Interrupt interrupt = make_interrupt(nullptr);
        return to_numpy(run([&] { return statistics(training.data, selectors, seed, interrupt); }));
      },
      "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "seed"_a,
      "Observed Stage A statistic of every feature on all rows; 0 for a constant feature.");

  m.def(
      "rdc_weights",
      [](std::uint64_t seed) { return to_table(rdc_weights(seed), Projections::kCount); }, "seed"_a,
      "Slopes and offsets of the rdc projections of x, then of y.");

  m.def(
      "permutation_test",
      [](const Vector<double>& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, std::int64_t n_resamples, double tau,
         const std::optional<std::string>& early_stopping, double confidence, bool certify,
         const std::string& shared_draws, std::uint64_t seed) {
        const Training training(x.data(), static_cast<std::int64_t>(x.size()), 1, y, n_classes);
        check_selectors(training.data.task(), selectors);
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
      "Monte Carlo permutation test of one feature; shared draws depend on the seed and b only.");

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
      [](const Vector<double>& x, const Vector<double>& y, std::int32_t n_classes,
         const std::string& splitter, const Vector<double>& thresholds) {
        const Training training(x.data(), static_cast<std::int64_t>(x.size()), 1, y, n_classes);
        check_name(splitter_names(training.data.task()), splitter, "splitter");
        auto impurities = split_impurities(
            training.data, splitter,
            std::vector<double>(thresholds.data(), thresholds.data() + thresholds.size()));
        const int power = splitter == "mse" ? 2 : 1;
        for (double& value : impurities) value = std::ldexp(value, power * training.exponent);
        return to_numpy(std::move(impurities));
      },
      "x"_a, "y"_a, "n_classes"_a, "splitter"_a, "thresholds"_a,
      "Weighted child impurity of one feature at each threshold.");

  m.def(
      "impurity",
      [](const Vector<double>& y, std::int32_t n_classes, const std::string& splitter) {
        const Training training(nullptr, static_cast<std::int64_t>(y.size()), 0, y, n_classes);
        check_name(splitter_names(training.data.task()), splitter, "splitter");
        return std::ldexp(node_impurity(training.data, splitter),
                          (splitter == "mse" ? 2 : 1) * training.exponent);
      },
      "y"_a, "n_classes"_a, "splitter"_a, "Impurity of a node with these responses.");

  m.def(
      "two_class_tail",
      [](std::int64_t n_left, std::int64_t n_ones, std::int64_t n, std::int64_t ones_left,
         const std::string& splitter) {
        check_name(splitter_names(Task::classification), splitter, "splitter");
        if (n_left < 1 || n_left >= n || n_ones < 0 || n_ones > n || ones_left < 0 ||
            ones_left > std::min(n_left, n_ones) || n_left - ones_left > n - n_ones)
          throw nb::value_error("there is no such table of two classes and two children");
        return two_class_p_value(n, n_ones, n_left, ones_left, splitter);
      },
      "n_left"_a, "n_ones"_a, "n"_a, "ones_left"_a, "splitter"_a,
      "Exact permutation p-value of a cut with two classes.");

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

  m.def(
      "budget",
      [](nb::any n_resamples, double alpha, std::int64_t n_tests, bool adjust) {
        StageOptions stage;
        stage.alpha = checked_level(alpha);
        stage.adjustment = adjust ? Adjustment::bonferroni : Adjustment::none;
        stage.budget = to_budget(n_resamples);
        return TestPlan(stage, n_tests).n_draws();
      },
      "n_resamples"_a.none(), "alpha"_a, "n_tests"_a, "adjust"_a,
      "Number of permutations of one test.");

  m.def("grow_trees", &grow_trees, "X"_a, "y"_a, "n_classes"_a, "case_counts"_a.none(),
        "feature_keys"_a, "seeds"_a, "stop"_a, nb::kw_only(), "ranks"_a = nb::none(),
        "strata"_a = nb::none(), "quota"_a = nb::none(), "replace"_a = true, "selector"_a,
        "splitter"_a, "alpha_selector"_a, "alpha_splitter"_a, "adjust_alpha_selector"_a,
        "adjust_alpha_splitter"_a, "n_resamples_selector"_a.none(), "n_resamples_splitter"_a.none(),
        "early_stopping_selector"_a.none(), "early_stopping_splitter"_a.none(),
        "early_stopping_confidence_selector"_a, "early_stopping_confidence_splitter"_a,
        "feature_muting"_a, "feature_scanning"_a, "max_features"_a.none(), "threshold_method"_a,
        "threshold_scanning"_a, "max_thresholds"_a.none(), "splitter_test"_a.none(),
        "max_depth"_a.none(), "min_samples_split"_a, "min_samples_leaf"_a,
        "min_impurity_decrease"_a, "honesty"_a, "honesty_fraction"_a, "shortcuts"_a = true,
        "Grows one tree per seed; returns their nodes as flat arrays.");

  m.def(
      "sample_counts",
      [](std::int64_t n_samples, const Counts& case_counts, const Strata& strata,
         const Counts& quota, bool replace, std::uint64_t seed) {
        const RowCounts counts =
            sample_counts(to_sampling(n_samples, case_counts, strata, quota, replace), seed);
        return to_numpy(std::vector<std::int64_t>(counts.begin(), counts.end()));
      },
      "n_samples"_a, "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
      "seed"_a, "How often each row is in the sample of the tree with this seed.");

  m.def(
      "apply",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right) {
        check_trees(offset, feature, threshold, right, x.shape(1));
        const auto n_trees = static_cast<std::int64_t>(offset.size()) - 1;
        const ForestView forest{
            offset.data(), feature.data(), threshold.data(), right.data(), nullptr, n_trees, 0};
        std::vector<std::int32_t> leaf(x.shape(0) * static_cast<std::size_t>(n_trees));
        run([&] { return apply(to_view(x), forest, leaf.data()), 0; });
        return to_table(std::move(leaf), static_cast<std::size_t>(n_trees));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a,
      "Leaf of every sample in every tree, as node ids within the tree.");

  m.def(
      "predict",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right, const Values& value) {
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        std::vector<double> mean(x.shape(0) * value.shape(1));
        run([&] { return predict(to_view(x), forest, mean.data()), 0; });
        return to_table(std::move(mean), value.shape(1));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "value"_a,
      "Mean over the trees of the values of each sample's leaves.");

  m.def(
      "predict_oob",
      [](const AnyMatrix& x, const Vector<std::int64_t>& offset,
         const Vector<std::int32_t>& feature, const Vector<double>& threshold,
         const Vector<std::int32_t>&, const Vector<std::int32_t>& right, const Values& value,
         const Counts& case_counts, const Strata& strata, const Counts& quota, bool replace,
         const Seeds& seeds, std::int64_t begin, std::int64_t end) {
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        const Sampling sampling =
            to_sampling(static_cast<std::int64_t>(x.shape(0)), case_counts, strata, quota, replace);
        if (begin < 0 || end < begin || end > sampling.n_samples)
          throw nb::value_error("begin and end must bound rows of X");
        if (static_cast<std::int64_t>(seeds.size()) != forest.n_trees)
          throw nb::value_error("one seed per tree");
        MatrixView block = to_view(x);
        block.data += begin * block.row_stride;
        block.n_rows = end - begin;
        std::vector<double> total(static_cast<std::size_t>(block.n_rows) * value.shape(1));
        std::vector<std::int64_t> n_votes(static_cast<std::size_t>(block.n_rows));
        run([&] {
          return predict_out_of_bag(block, begin, forest, sampling, seeds.data(), total.data(),
                                    n_votes.data()),
                 0;
        });
        return std::pair(to_table(std::move(total), value.shape(1)), to_numpy(std::move(n_votes)));
      },
      "X"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "value"_a,
      "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a, "seeds"_a,
      "begin"_a, "end"_a,
      "Sums of leaf values over the trees that did not see a row, and the number of those trees.");

  m.def(
      "permutation_importance",
      [](const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const Vector<std::int64_t>& offset, const Vector<std::int32_t>& feature,
         const Vector<double>& threshold, const Vector<std::int32_t>&,
         const Vector<std::int32_t>& right, const Values& value, const Counts& case_counts,
         const Strata& strata, const Counts& quota, bool replace, const Seeds& seeds,
         const StopFlag& stop, std::int64_t n_repeats,
         const Vector<std::int64_t>& conditioning_begin, const Vector<std::int32_t>& conditioning,
         std::uint64_t random_seed) {
        Training training(x, y, n_classes);
        training.data.y = y.data();  // errors compare y with leaf values, both in their own unit
        const ForestView forest = to_forest(offset, feature, threshold, right, value, x.shape(1));
        const Sampling sampling =
            to_sampling(training.data.n_samples, case_counts, strata, quota, replace);
        if (static_cast<std::int64_t>(seeds.size()) != forest.n_trees)
          throw nb::value_error("one seed per tree");
        check_conditioning(conditioning_begin, conditioning, x.shape(1));
        if (stop.size() < 1) throw nb::value_error("stop must have one entry");
        if (n_repeats < 1) throw nb::value_error("n_repeats must be positive");
        if (n_classes > 0 && static_cast<std::size_t>(n_classes) != value.shape(1))
          throw nb::value_error("one value per class");
        Interrupt interrupt = make_interrupt(stop.data());
        return to_table(run([&] {
                          return permutation_importance(
                              training.data, forest, sampling, seeds.data(),
                              {conditioning_begin.data(), conditioning.data()}, n_repeats,
                              random_seed, interrupt);
                        }),
                        x.shape(1));
      },
      "X"_a, "y"_a, "n_classes"_a, "offset"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a,
      "value"_a, "case_counts"_a.none(), "strata"_a.none(), "quota"_a.none(), "replace"_a,
      "seeds"_a, "stop"_a, nb::kw_only(), "n_repeats"_a, "conditioning_begin"_a, "conditioning"_a,
      "random_seed"_a, "Out-of-bag permutation importance of every feature in every tree.");

  m.def(
      "tally_draws",
      [](const StopFlag& stop, const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, const Features& features, std::uint64_t seed,
         const Maxima& maxima, std::int64_t begin, std::int64_t end) {
        const Training training(x, y, n_classes);
        check_selectors(training.data.task(), selectors);
        const auto columns = to_features(features, training.data);
        const DrawRange draws = to_draws(begin, end);
        double* const running = to_maxima(maxima, draws);
        Interrupt interrupt = make_interrupt(stop.data());
        return to_python(run([&] {
          return tally_draws(training.data, selectors, columns, draws, seed, running, interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "maxima"_a.none(), "begin"_a, "end"_a,
      "Exceedances of each feature among the draws begin..end, and those of step-down maxT.");

  m.def(
      "tally_screened",
      [](const StopFlag& stop, const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, const Features& features, std::uint64_t seed,
         const Maxima& maxima, std::int64_t begin, std::int64_t end, const FloatMatrix& screen,
         const Vector<double>& observed, double slack) {
        const Training training(x, y, n_classes);
        check_selectors(training.data.task(), selectors);
        const auto columns = to_features(features, training.data);
        const DrawRange draws = to_draws(begin, end);
        double* const running = to_maxima(maxima, draws);
        const auto size = static_cast<std::int64_t>(screen.shape(1));
        if (screen.shape(0) != features.size() || observed.size() != features.size() ||
            draws.size() == 0 || size == 0 || size % draws.size() != 0)
          throw nb::value_error("the screen must have a row per feature, a column per draw");
        const Screen read{screen.data(), size / draws.size(), observed.data(), slack};
        Interrupt interrupt = make_interrupt(stop.data());
        return to_python(run([&] {
          return tally_screened(training.data, selectors, columns, draws, seed, read, running,
                                interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "maxima"_a.none(), "begin"_a, "end"_a, "screen"_a, "observed"_a, "slack"_a,
      "What tally_draws counts, helped by statistics in single precision.");

  m.def(
      "unit_columns",
      [](const Matrix& x, const Features& features) {
        const Dataset data{x.data(),
                           nullptr,
                           nullptr,
                           static_cast<std::int64_t>(x.shape(0)),
                           static_cast<std::int64_t>(x.shape(1)),
                           0};
        const auto columns = to_features(features, data);
        std::vector<float> unit(columns.size() * x.shape(0));
        run([&] { return unit_columns(data, columns, unit.data()), 0; });
        return to_table(std::move(unit), x.shape(0));
      },
      "X"_a, "features"_a, "Centred columns of unit length, one row per feature.");

  m.def(
      "permuted_scores",
      [](const Vector<double>& y, std::int32_t n_classes, const FloatMatrix& scores,
         std::uint64_t seed, std::int64_t begin, std::int64_t end) {
        const Training training(nullptr, static_cast<std::int64_t>(y.size()), 0, y, n_classes);
        const std::size_t levels = n_classes > 0 ? static_cast<std::size_t>(n_classes) : y.size();
        if (scores.shape(0) != levels)
          throw nb::value_error("one row of scores per class or sample");
        const DrawRange draws = to_draws(begin, end);
        const std::size_t depth = scores.shape(1);
        std::vector<float> out(depth * static_cast<std::size_t>(draws.size()) * y.size());
        run([&] {
          return permuted_scores(training.data, scores.data(), static_cast<std::int64_t>(depth),
                                 draws, seed, out.data()),
                 0;
        });
        return to_table(std::move(out), y.size());
      },
      "y"_a, "n_classes"_a, "scores"_a, "seed"_a, "begin"_a, "end"_a,
      "The samples' scores under each draw; a row per column of scores and draw.");

  m.def(
      "test_features",
      [](const StopFlag& stop, const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, const Features& features, std::uint64_t seed,
         std::int64_t n_resamples, double tau, const std::optional<std::string>& early_stopping,
         double confidence) -> CountPair {
        const Training training(x, y, n_classes);
        check_selectors(training.data.task(), selectors);
        const auto columns = to_features(features, training.data);
        const TestPlan plan(checked_level(tau), n_resamples, to_early_stopping(early_stopping),
                            confidence);
        Interrupt interrupt = make_interrupt(stop.data());
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
      "n_resamples"_a, "tau"_a, "early_stopping"_a.none(), "confidence"_a,
      "Exceedances and draws of each feature's own test, stopped by its rule.");

  m.def(
      "count_arrangements",
      [](const StopFlag& stop, const Matrix& x, const Vector<double>& y, std::int32_t n_classes,
         const std::vector<std::string>& selectors, const Features& features, std::uint64_t seed) {
        const Training training(x, y, n_classes);
        check_selectors(training.data.task(), selectors);
        const auto columns = to_features(features, training.data);
        Interrupt interrupt = make_interrupt(stop.data());
        return to_numpy(run([&] {
          return count_arrangements(training.data, selectors, columns, seed, interrupt);
        }));
      },
      "stop"_a, "X"_a, "y"_a, "n_classes"_a, "selectors"_a, "features"_a, "seed"_a,
      "How many distinct arrangements of y reach each feature's observed statistic.");
}
