// SPDX-License-Identifier: BSD-3-Clause
/// Columns of any type, stride and sparsity against plain ones.
#include <algorithm>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "core/base/rng.hpp"
#include "core/base/stored_column.hpp"

using namespace inforest;

TEST(sparse_columns_are_gathered_like_plain_ones) {
  Rng rng(7);
  constexpr std::int32_t kRows = 200;
  for (const std::uint32_t fill : {0u, 3u, 50u, 199u, 200u}) {
    std::vector<std::int32_t> all(kRows);
    std::iota(all.begin(), all.end(), 0);
    rng.partial_shuffle(all.data(), kRows, fill);
    std::vector<std::int32_t> stored(all.begin(), all.begin() + fill);
    std::sort(stored.begin(), stored.end());
    std::vector<float> values(fill);
    std::vector<double> plain(kRows, 0.0);
    for (std::uint32_t k = 0; k < fill; ++k) {
      values[k] = 1.0f + static_cast<float>(k);
      plain[static_cast<std::size_t>(stored[k])] = values[k];
    }
    const StoredColumn column(values.data(), NumberType::f32, stored);
    std::vector<double> room;
    check(std::equal(plain.begin(), plain.end(), column.all(kRows, room)), "the whole column");
    for (const std::uint32_t size : {0u, 1u, 2u, 17u, 200u, 500u})
      for (const bool ascend : {true, false}) {
        std::vector<std::int32_t> rows(size);
        for (std::int32_t& row : rows) row = static_cast<std::int32_t>(rng.below(kRows));
        if (ascend) std::sort(rows.begin(), rows.end());
        std::vector<double> out(size, -1.0);
        column.gather(rows, out.data());
        bool same = true;
        for (std::uint32_t i = 0; i < size; ++i)
          same &= out[i] == plain[static_cast<std::size_t>(rows[i])] && column[rows[i]] == out[i];
        check(same, "some rows, any of them twice");
      }
  }
}

TEST(rows_of_a_table_are_copied_by_columns) {
  std::vector<std::int16_t> table(40 * 3);
  std::iota(table.begin(), table.end(), std::int16_t{-50});
  const StoredTable stored{table.data(), NumberType::i16, 3, 1};
  const std::vector<std::int32_t> rows{2, 5, 39};
  std::vector<std::uint8_t> block;
  copy_rows(stored, 3, rows, block);
  const StoredTable copy{block.data(), NumberType::i16, 1, 3};
  for (std::int64_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      check(copy.column(j)[static_cast<std::int64_t>(i)] == stored.column(j)[rows[i]],
            "the same number");
}
