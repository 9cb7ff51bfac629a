// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/stored_column.hpp"

#include <algorithm>
#include <cstddef>

namespace inforest {

namespace {

/// Calls `use` with a null pointer to the type.
template <class Use>
decltype(auto) with_type(NumberType type, Use use) {
  switch (type) {
    case NumberType::f32:
      return use(static_cast<const float*>(nullptr));
    case NumberType::i8:
      return use(static_cast<const std::int8_t*>(nullptr));
    case NumberType::u8:
      return use(static_cast<const std::uint8_t*>(nullptr));
    case NumberType::i16:
      return use(static_cast<const std::int16_t*>(nullptr));
    case NumberType::u16:
      return use(static_cast<const std::uint16_t*>(nullptr));
    case NumberType::i32:
      return use(static_cast<const std::int32_t*>(nullptr));
    case NumberType::u32:
      return use(static_cast<const std::uint32_t*>(nullptr));
    case NumberType::i64:
      return use(static_cast<const std::int64_t*>(nullptr));
    case NumberType::u64:
      return use(static_cast<const std::uint64_t*>(nullptr));
    case NumberType::f64:
      break;
  }
  return use(static_cast<const double*>(nullptr));
}

/// The first place from `begin` on, where there is one less than `value`, that is not less; in
/// steps that double, so that a near one is found soon.
std::size_t first_not_less(std::span<const std::int32_t> ascending, std::size_t begin,
                           std::int32_t value) {
  std::size_t step = 1;
  while (begin + step < ascending.size() && ascending[begin + step] < value) {
    begin += step;
    step *= 2;
  }
  const auto from = ascending.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to =
      ascending.begin() + static_cast<std::ptrdiff_t>(std::min(begin + step + 1, ascending.size()));
  return static_cast<std::size_t>(std::lower_bound(from, to, value) - ascending.begin());
}

}  // namespace

double StoredColumn::read(std::int64_t row) const {
  return with_type(type_, [&]<class T>(const T*) {
    const T* values = static_cast<const T*>(values_);
    if (!is_sparse_) return static_cast<double>(values[row * stride_]);
    const auto place = std::lower_bound(rows_.begin(), rows_.end(), row);
    return place != rows_.end() && *place == row
               ? static_cast<double>(values[place - rows_.begin()])
               : 0.0;
  });
}

void StoredColumn::gather(std::span<const std::int32_t> rows, double* out) const {
  if (direct_ != nullptr) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = direct_[rows[i]];
    return;
  }
  with_type(type_, [&]<class T>(const T*) {
    const T* values = static_cast<const T*>(values_);
    if (is_sparse_) return gather_sparse(values, rows, out);
    if (stride_ == 1)
      for (std::size_t i = 0; i < rows.size(); ++i) out[i] = static_cast<double>(values[rows[i]]);
    else
      for (std::size_t i = 0; i < rows.size(); ++i)
        out[i] = static_cast<double>(values[rows[i] * stride_]);
  });
}

template <class T>
void StoredColumn::gather_sparse(const T* values, std::span<const std::int32_t> rows,
                                 double* out) const {
  if (!std::is_sorted(rows.begin(), rows.end())) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = read(rows[i]);
    return;
  }
  // A node's rows ascend, as partitions keep their order: both lists are walked once, and whoever
  // is behind leaps.
  std::fill_n(out, rows.size(), 0.0);
  for (std::size_t i = 0, k = 0; i < rows.size() && k < rows_.size();) {
    if (rows[i] < rows_[k])
      i = first_not_less(rows, i, rows_[k]);
    else if (rows_[k] < rows[i])
      k = first_not_less(rows_, k, rows[i]);
    else
      out[i++] = static_cast<double>(values[k]);  // a row may come again
  }
}

const double* StoredColumn::all(std::int64_t size, std::vector<double>& room) const {
  if (direct_ != nullptr) return direct_;
  const auto n = static_cast<std::size_t>(size);
  room.assign(n, 0.0);
  with_type(type_, [&]<class T>(const T*) {
    const T* values = static_cast<const T*>(values_);
    if (is_sparse_)
      for (std::size_t k = 0; k < rows_.size(); ++k)
        room[static_cast<std::size_t>(rows_[k])] = static_cast<double>(values[k]);
    else
      for (std::size_t i = 0; i < n; ++i)
        room[i] = static_cast<double>(values[static_cast<std::int64_t>(i) * stride_]);
  });
  return room.data();
}

StoredColumn StoredTable::column(std::int64_t feature) const {
  return with_type(type, [&]<class T>(const T*) {
    const T* first = static_cast<const T*>(values);
    if (begin == nullptr) return StoredColumn(first + feature * column_stride, type, row_stride);
    const auto size = static_cast<std::size_t>(begin[feature + 1] - begin[feature]);
    return StoredColumn(first + begin[feature], type, {rows + begin[feature], size});
  });
}

void copy_rows(const StoredTable& table, std::int64_t n_columns, std::span<const std::int32_t> rows,
               std::vector<std::uint8_t>& out) {
  with_type(table.type, [&]<class T>(const T*) {
    out.resize(rows.size() * static_cast<std::size_t>(n_columns) * sizeof(T));
    T* const block = reinterpret_cast<T*>(out.data());
    const T* const values = static_cast<const T*>(table.values);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::int64_t j = 0; j < n_columns; ++j)
        block[static_cast<std::size_t>(j) * rows.size() + i] =
            values[rows[i] * table.row_stride + j * table.column_stride];
  });
}

}  // namespace inforest
