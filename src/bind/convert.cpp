// SPDX-License-Identifier: BSD-3-Clause
#include "bind/convert.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/tree/by_kind.hpp"

namespace inforest::bind {

Training::Training(const Columns& x, const AnyTarget& y, std::int32_t n_classes,
                   const Weights& weights, const Weights& class_weight, const Levels& n_levels)
    : data(columns_of(x, n_levels)) {
  begin(y, n_classes, weights, class_weight);
}

Training::Training(const double* x, std::int64_t n_samples, std::int64_t n_features,
                   const AnyTarget& y, std::int32_t n_classes, const Weights& weights,
                   const Weights& class_weight)
    : data{.x = x, .n_samples = n_samples, .n_features = n_features} {
  begin(y, n_classes, weights, class_weight);
}

void Training::begin(const AnyTarget& y, std::int32_t n_classes, const Weights& weights,
                     const Weights& class_weight) {
  data.tested = data.kept = to_target(y, n_classes);
  data.weights = to_weights(weights, data.n_samples);
  data.label_weights = to_weights(class_weight, n_classes);
}

Target Training::to_target(const AnyTarget& y, std::int32_t n_classes) {
  const std::int64_t size = size_of(y);
  if (size != data.n_samples) throw nb::value_error("y must have one entry per row of X");
  if (const auto* columns = std::get_if<Matrix>(&y)) {
    if (n_classes > 0 || columns->shape(1) < 1) throw nb::value_error("y must hold scores");
    return Target::of_scores(columns->data(), static_cast<std::int64_t>(columns->shape(1)));
  }
  const auto* codes = std::get_if<Vector<std::int32_t>>(&y);
  if (n_classes <= 0) {
    if (codes != nullptr) throw nb::value_error("class codes need n_classes");
    return Target::of_scores(std::get<Vector<double>>(y).data());
  }
  if (codes == nullptr) {
    const auto& values = std::get<Vector<double>>(y);
    labels.assign(values.data(), values.data() + size);
  }
  const std::int32_t* all = codes != nullptr ? codes->data() : labels.data();
  if (!std::all_of(all, all + size, [&](std::int32_t k) { return 0 <= k && k < n_classes; }))
    throw nb::value_error("y holds an unknown class code");
  return Target::of_labels(all, n_classes);
}

void Training::keep(const Kept& kept) {
  if (!kept) return;
  if (static_cast<std::int64_t>(kept->shape(0)) != data.n_samples || kept->shape(1) < 1)
    throw nb::value_error("kept must have a row per row of X");
  data.kept = Target::of_scores(kept->data(), static_cast<std::int64_t>(kept->shape(1)));
}

const double* to_weights(const Weights& weights, std::int64_t size) {
  if (!weights) return nullptr;
  if (static_cast<std::int64_t>(weights->size()) != size)
    throw nb::value_error("there must be one weight per row, or per class");
  for (std::int64_t i = 0; i < size; ++i)
    if (!(weights->data()[i] >= 0.0 && std::isfinite(weights->data()[i])))
      throw nb::value_error("a weight must be finite and not negative");
  return weights->data();
}

void set_blocks(Dataset& data, const BlockCodes& blocks) {
  if (!blocks) return;
  const std::span<const std::int32_t> codes{blocks->data(), blocks->size()};
  if (static_cast<std::int64_t>(codes.size()) != data.n_samples)
    throw nb::value_error("one block per row");
  const auto is_code = [&](std::int32_t code) { return 0 <= code && code < data.n_samples; };
  if (!std::all_of(codes.begin(), codes.end(), is_code))
    throw nb::value_error("blocks must be numbered from 0, with no more numbers than rows");
  data.blocks = codes.data();
  data.n_blocks = codes.empty() ? 0 : *std::max_element(codes.begin(), codes.end()) + 1;
}

void set_missing_rule(Dataset& data, const std::string& rule) {
  data.missing_follow = rule == "majority";
  if (rule == "incorporate")
    data.missing = MissingRule::incorporate;
  else if (rule == "ignore" || rule == "majority")
    data.missing = MissingRule::ignore;
  else if (rule == "alone")
    data.missing = MissingRule::alone;
  else
    throw nb::value_error("missing must be 'incorporate', 'ignore', 'majority' or 'alone'");
}

void set_holes(Dataset& data, const HoleFlags& holes, const std::string& rule) {
  set_missing_rule(data, rule);
  if (!holes) return;
  if (static_cast<std::int64_t>(holes->size()) != data.n_features)
    throw nb::value_error("one flag per column says whether it has holes");
  data.holes = holes->data();
}

void set_levels(Dataset& data, const Levels& n_levels) {
  if (!n_levels) return;
  if (static_cast<std::int64_t>(n_levels->size()) != data.n_features)
    throw nb::value_error("one number of levels per column");
  data.n_levels = n_levels->data();
  std::vector<double> room;
  for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
    const std::int32_t most = data.n_levels[feature];
    if (most < 0) throw nb::value_error("a number of levels must not be negative");
    if (most == 0) continue;
    const double* column = data.column(feature).all(data.n_samples, room);
    if (!std::all_of(column, column + data.n_samples, [&](double level) {
          return std::isnan(level) || (0.0 <= level && level < most && level == std::floor(level));
        }))
      throw nb::value_error(
          "the values of a category must be 0, 1, ... below its number of "
          "levels, or NaN");
  }
}

Sampling to_sampling(std::int64_t n_samples, const Counts& case_counts, const Strata& groups,
                     const Strata& strata, const Counts& quota, bool replace) {
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
  if (groups) {
    if (groups->size() != n || !all_within(*groups, n_samples - 1))
      throw nb::value_error("one group per row, numbered from 0");
    sampling.groups = groups->data();
  }
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

MatrixView to_view(const AnyMatrix& x) {
  return {x.data(), static_cast<std::int64_t>(x.shape(0)), static_cast<std::int64_t>(x.shape(1)),
          x.stride(0), x.stride(1)};
}

std::span<const std::int64_t> to_features(const Features& features, const Dataset& data) {
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features.data()[i] < 0 || features.data()[i] >= data.n_features)
      throw nb::value_error("features must be indices of columns of X");
  return {features.data(), features.size()};
}

Interrupt make_interrupt(std::uint8_t* stop) {
  return Interrupt([stop] {
    if (stop != nullptr && std::atomic_ref<std::uint8_t>(*stop).load()) return true;
    nb::gil_scoped_acquire gil;  // signals are handled by the main thread only; others see `stop`
    if (PyErr_CheckSignals() == 0) return false;
    return true;
  });
}

Interrupt make_interrupt(const StopFlag& stop) {
  if (stop.size() < 1) throw nb::value_error("stop must have one entry");
  return make_interrupt(stop.data());
}

ResponseKind to_kind(const std::string& name) {
  if (name == "labels") return ResponseKind::labels;
  if (name == "scores") return ResponseKind::scores;
  if (name == "columns") return ResponseKind::columns;
  throw nb::value_error("kind must be 'labels', 'scores' or 'columns'");
}

namespace {

void check_name(const std::vector<std::string>& known, const std::string& name, const char* what) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  std::string message = std::string("unknown ") + what + " '" + name + "'; known:";
  for (const std::string& one : known) message += " " + one;
  throw nb::value_error(message.c_str());
}

}  // namespace

Names selector_names(ResponseKind kind) {
  return with_kind(kind, [](auto of) { return roster::names<typename decltype(of)::Selector>(); });
}

Names splitter_names(ResponseKind kind) {
  return with_kind(kind, [](auto of) { return roster::names<typename decltype(of)::Splitter>(); });
}

namespace {

bool takes_weights(ResponseKind kind, const std::string& name) {
  bool takes = true;
  with_selector(kind, {name}, [&](auto selector) { takes = !TakesNoWeights<decltype(selector)>; });
  return takes;
}

}  // namespace

void check_selectors(const Dataset& data, const Names& names) {
  const ResponseKind kind = data.tested.kind();
  if (names.empty()) throw nb::value_error("at least one selector is needed");
  for (const std::string& name : names) check_name(selector_names(kind), name, "selector");
  if (data.weights == nullptr) return;
  for (const std::string& name : names)
    if (!takes_weights(kind, name))
      throw nb::value_error(
          ("the selector '" + name +
           "' does not take sample_weight, which has no meaning for its statistic; choose another "
           "selector, or leave the weights out")
              .c_str());
}

void check_asymptotic(ResponseKind kind, const Names& names) {
  bool has_limit = false;
  with_selector(kind, names, [&](auto selector) { has_limit = HasChiSquare<decltype(selector)>; });
  if (!has_limit)
    throw nb::value_error("n_resamples_selector='asymptotic' needs a selector with a known limit");
}

void check_splitter(ResponseKind kind, const std::string& name) {
  check_name(splitter_names(kind), name, "splitter");
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
  if (name == "stable") return {Budget::Kind::stable, 0};
  if (name == "asymptotic") return {Budget::Kind::asymptotic, 0};
  throw nb::value_error(
      "n_resamples must be 'minimum', 'maximum', 'auto', 'stable', 'asymptotic', an int or None");
}

Adjustment to_adjustment(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value))
    return nb::cast<bool>(value) ? Adjustment::bonferroni : Adjustment::none;
  const auto name = nb::cast<std::string>(value);
  if (name == "bonferroni") return Adjustment::bonferroni;
  if (name == "sidak") return Adjustment::sidak;
  if (name == "maxt") return Adjustment::maxt;
  throw nb::value_error("adjust_alpha_selector must be a bool, 'bonferroni', 'sidak' or 'maxt'");
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

FeatureScanning to_feature_scanning(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value))
    return nb::cast<bool>(value) ? FeatureScanning::tail : FeatureScanning::none;
  if (nb::cast<std::string>(value) == "statistic") return FeatureScanning::statistic;
  throw nb::value_error("feature_scanning must be a bool or 'statistic'");
}

Ties to_ties(const std::string& name) {
  if (name == "random") return Ties::random;
  if (name == "count") return Ties::count;
  throw nb::value_error("ties must be 'random' or 'count'");
}

EarlyStopping to_early_stopping(const std::optional<std::string>& value) {
  if (!value) return EarlyStopping::none;
  if (*value == "curtailed") return EarlyStopping::curtailed;
  if (*value == "adaptive") return EarlyStopping::adaptive;
  throw nb::value_error("early_stopping must be None, 'curtailed' or 'adaptive'");
}

ThresholdMethod to_threshold_method(const std::string& name) {
  if (name == "exact") return ThresholdMethod::exact;
  if (name == "random") return ThresholdMethod::random;
  if (name == "percentile") return ThresholdMethod::percentile;
  if (name == "histogram") return ThresholdMethod::histogram;
  throw nb::value_error("threshold_method must be 'exact', 'random', 'percentile' or 'histogram'");
}

bool to_threshold_at_value(const std::string& name) {
  if (name != "midpoint" && name != "value")
    throw nb::value_error("threshold_at must be 'midpoint' or 'value'");
  return name == "value";
}

SmallestChild to_smallest_child(nb::handle value) {
  if (nb::isinstance<nb::int_>(value)) return {nb::cast<std::int64_t>(value), 0.0};
  const auto [share, least] = nb::cast<std::pair<double, std::int64_t>>(value);
  return {least, share};
}

SplitterTest to_splitter_test(const std::optional<std::string>& name) {
  if (!name) return SplitterTest::none;
  if (*name == "threshold") return SplitterTest::threshold;
  if (*name == "max") return SplitterTest::max;
  throw nb::value_error("splitter_test must be None, 'threshold' or 'max'");
}

}  // namespace inforest::bind
