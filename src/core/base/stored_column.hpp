// SPDX-License-Identifier: BSD-3-Clause
/// A column of the data as it lies in memory: of any number type, with any stride, or the entries
/// that are not 0. Whoever reads it gets numbers in double precision, and exactly those of a copy
/// in double precision, so results do not depend on how X is stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace inforest {

/// As NumPy calls them.
enum class NumberType : std::uint8_t { f64, f32, i8, u8, i16, u16, i32, u32, i64, u64 };

class StoredColumn {
 public:
  /// One number after the other in double precision.
  StoredColumn(const double* values) : direct_(values), values_(values) {}  // NOLINT: is one
  /// Numbers that lie `stride` numbers apart.
  StoredColumn(const void* values, NumberType type, std::int64_t stride)
      : values_(values), stride_(stride), type_(type) {
    if (type == NumberType::f64 && stride == 1) direct_ = static_cast<const double*>(values);
  }
  /// The value of rows[k], which ascend, is values[k]; of all other rows it is 0.
  StoredColumn(const void* values, NumberType type, std::span<const std::int32_t> rows)
      : values_(values), rows_(rows), is_sparse_(true), type_(type) {}

  double operator[](std::int64_t row) const {
    return direct_ != nullptr ? direct_[row] : read(row);
  }

  /// out[i] = the value of rows[i].
  void gather(std::span<const std::int32_t> rows, double* out) const;

  /// The values of the first `size` rows: where they lie, or in `room`.
  const double* all(std::int64_t size, std::vector<double>& room) const;

 private:
  double read(std::int64_t row) const;
  template <class T>
  void gather_sparse(const T* values, std::span<const std::int32_t> rows, double* out) const;

  const double* direct_ = nullptr;  ///< where it is plain
  const void* values_ = nullptr;
  std::int64_t stride_ = 1;
  std::span<const std::int32_t> rows_ = {};
  bool is_sparse_ = false;
  NumberType type_ = NumberType::f64;
};

/// The columns of a table that is not plain.
struct StoredTable {
  const void* values = nullptr;
  NumberType type = NumberType::f64;
  std::int64_t row_stride = 0, column_stride = 0;  ///< in numbers
  /// Of a sparse table, where each column's entries begin, and their rows; else null.
  const std::int64_t* begin = nullptr;
  const std::int32_t* rows = nullptr;

  StoredColumn column(std::int64_t feature) const;
  /// Whether the numbers of a column are far apart.
  bool is_by_rows() const { return begin == nullptr && row_stride != 1; }
};

/// Copies some rows of a table by rows, column after column and of the same type; `out` has room
/// for them.
void copy_rows(const StoredTable& table, std::int64_t n_columns, std::span<const std::int32_t> rows,
               std::vector<std::uint8_t>& out);

}  // namespace inforest
