// SPDX-License-Identifier: BSD-3-Clause
/// X of any number type, by rows, by columns or sparse, as the core reads it where it is.
#include "bind/convert.hpp"

namespace inforest::bind {

namespace {

NumberType type_of(nb::dlpack::dtype type) {
  const auto is = [&](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  using Code = nb::dlpack::dtype_code;
  if (is(Code::Float, 64)) return NumberType::f64;
  if (is(Code::Float, 32)) return NumberType::f32;
  if (is(Code::Int, 8)) return NumberType::i8;
  if (is(Code::UInt, 8) || is(Code::Bool, 8)) return NumberType::u8;
  if (is(Code::Int, 16)) return NumberType::i16;
  if (is(Code::UInt, 16)) return NumberType::u16;
  if (is(Code::Int, 32)) return NumberType::i32;
  if (is(Code::UInt, 32)) return NumberType::u32;
  if (is(Code::Int, 64)) return NumberType::i64;
  if (is(Code::UInt, 64)) return NumberType::u64;
  throw nb::value_error("X must hold real numbers of at most 64 bits");
}

Dataset to_columns(const Dense& x) {
  Dataset data{.n_samples = static_cast<std::int64_t>(x.shape(0)),
               .n_features = static_cast<std::int64_t>(x.shape(1))};
  data.stored = {x.data(), type_of(x.dtype()), x.stride(0), x.stride(1)};
  const bool by_columns = (x.stride(0) == 1 || data.n_samples <= 1) &&
                          (x.stride(1) == data.n_samples || data.n_features <= 1);
  if (data.stored.type == NumberType::f64 && by_columns)
    data.x = static_cast<const double*>(x.data());
  return data;
}

/// Refuses entries that lie outside, or not in order.
Dataset to_columns(const Sparse& x) {
  const auto& [values, rows, begin, n_rows] = x;
  if (begin.size() < 1) throw nb::value_error("sparse columns must begin somewhere");
  const auto n_features = static_cast<std::int64_t>(begin.size()) - 1;
  bool fits = n_rows >= 0 && values.size() == rows.size() && begin.data()[0] == 0 &&
              begin.data()[n_features] == static_cast<std::int64_t>(rows.size());
  for (std::int64_t j = 0; fits && j < n_features; ++j)
    fits = begin.data()[j] <= begin.data()[j + 1];
  for (std::int64_t j = 0; fits && j < n_features; ++j)
    for (std::int64_t k = begin.data()[j]; fits && k < begin.data()[j + 1]; ++k)
      fits = 0 <= rows.data()[k] && rows.data()[k] < n_rows &&
             (k == begin.data()[j] || rows.data()[k - 1] < rows.data()[k]);
  if (!fits)
    throw nb::value_error("the entries of a sparse X must be those of its rows, ascending");
  Dataset data{.n_samples = n_rows, .n_features = n_features};
  data.stored = {.values = values.data(),
                 .type = type_of(values.dtype()),
                 .begin = begin.data(),
                 .rows = rows.data()};
  return data;
}

}  // namespace

Dataset columns_of(const Columns& x, const Levels& n_levels) {
  Dataset data = std::visit([](const auto& columns) { return to_columns(columns); }, x);
  set_levels(data, n_levels);
  return data;
}

}  // namespace inforest::bind
