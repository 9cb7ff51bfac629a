// SPDX-License-Identifier: BSD-3-Clause
/// What crosses the border: arrays of NumPy as the core sees them, and words as its options.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/size_rule.hpp"
#include "core/data/dataset.hpp"
#include "core/data/sampling.hpp"
#include "core/inference/test_plan.hpp"
#include "core/tree/apply.hpp"
#include "core/tree/options.hpp"

namespace inforest::bind {

namespace nb = nanobind;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
/// X in memory of any number type and with any strides.
using Dense = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
/// X by columns, its values but zeros: values, their rows, where columns begin, number of rows.
using SparseValues = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Sparse = std::tuple<
    SparseValues, nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>,
    nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>, std::int64_t>;
using Columns = std::variant<Dense, Sparse>;
using AnyMatrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using StopFlag = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = std::optional<Vector<std::int64_t>>;
using Weights = std::optional<Vector<double>>;
using Strata = std::optional<Vector<std::int32_t>>;
using Seeds = Vector<std::uint64_t>;
using Features = Vector<std::int64_t>;
using Names = std::vector<std::string>;
/// Of each feature how many levels it has, 0 of a number; none: all are numbers.
using Levels = std::optional<Vector<std::int32_t>>;

/// The response: numbers, class codes, which are read where they are, or several numbers per row.
using AnyTarget = std::variant<Vector<double>, Vector<std::int32_t>, Matrix>;
/// What leaves keep, if that is something else: a column per number.
using Kept = std::optional<Matrix>;

inline std::int64_t size_of(const AnyTarget& y) {
  return std::visit([](const auto& values) { return static_cast<std::int64_t>(values.shape(0)); },
                    y);
}

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

/// The data as the core sees them; owns the labels unless they came as such.
struct Training {
  std::vector<std::int32_t> labels;
  Dataset data;

  /// `weights` of the rows, `class_weight` of the labels.
  Training(const Columns& x, const AnyTarget& y, std::int32_t n_classes,
           const Weights& weights = {}, const Weights& class_weight = {},
           const Levels& n_levels = {});
  /// A single column, or none.
  Training(const double* x, std::int64_t n_samples, std::int64_t n_features, const AnyTarget& y,
           std::int32_t n_classes, const Weights& weights = {}, const Weights& class_weight = {});
  Training(const Training&) = delete;

  /// Says what leaves keep.
  void keep(const Kept& kept);

 private:
  void begin(const AnyTarget& y, std::int32_t n_classes, const Weights& weights,
             const Weights& class_weight);
  Target to_target(const AnyTarget& y, std::int32_t n_classes);
};

/// A block per row, or none.
using BlockCodes = std::optional<Vector<std::int32_t>>;
/// Tells the data in which blocks responses are permuted.
void set_blocks(Dataset& data, const BlockCodes& blocks);

/// Per feature, not 0 if any of its values is missing; none: all values are there.
using HoleFlags = std::optional<Vector<std::uint8_t>>;
void set_holes(Dataset& data, const HoleFlags& holes, const std::string& rule);
void set_missing_rule(Dataset& data, const std::string& rule);

/// The columns of X, without a response.
Dataset columns_of(const Columns& x, const Levels& n_levels = {});
/// Tells the data which features are categories; refuses values that are none of their levels.
void set_levels(Dataset& data, const Levels& n_levels);

/// Refuses weights that are none, or not one for each of these.
const double* to_weights(const Weights& weights, std::int64_t size);

Sampling to_sampling(std::int64_t n_samples, const Counts& case_counts, const Strata& groups,
                     const Strata& strata, const Counts& quota, bool replace);
MatrixView to_view(const AnyMatrix& x);

/// Refuses indices that are no columns.
std::span<const std::int64_t> to_features(const Features& features, const Dataset& data);

/// Asked now and then by the core: has Python set `stop`, or has the user pressed Ctrl-C?
Interrupt make_interrupt(std::uint8_t* stop);
/// The same of a flag that Python hands over.
Interrupt make_interrupt(const StopFlag& stop);

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

// Words. All of them are checked in Python, too, where the message names the parameter.
ResponseKind to_kind(const std::string& name);
Names selector_names(ResponseKind kind);
Names splitter_names(ResponseKind kind);
/// Also refuses statistics without a weighted form where the rows have weights.
void check_selectors(const Dataset& data, const Names& names);
/// Refuses statistics without a known limit.
void check_asymptotic(ResponseKind kind, const Names& names);
void check_splitter(ResponseKind kind, const std::string& name);
double checked_level(double alpha);
Budget to_budget(nb::handle value);
Adjustment to_adjustment(nb::handle value);
SizeRule to_size_rule(nb::handle value);
FeatureScanning to_feature_scanning(nb::handle value);
Ties to_ties(const std::string& name);
EarlyStopping to_early_stopping(const std::optional<std::string>& value);
ThresholdMethod to_threshold_method(const std::string& name);
bool to_threshold_at_value(const std::string& name);
/// What a child must have: so many samples, and such a share of its parent's.
struct SmallestChild {
  std::int64_t least;
  double share;
};
SmallestChild to_smallest_child(nb::handle value);
SplitterTest to_splitter_test(const std::optional<std::string>& name);

// The parts of the module.
void add_growing(nb::module_& m);
void add_trees(nb::module_& m);
void add_leaf_rows(nb::module_& m);
void add_independence(nb::module_& m);
void add_survival(nb::module_& m);

}  // namespace inforest::bind
