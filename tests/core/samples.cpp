// SPDX-License-Identifier: BSD-3-Clause
/// Rows of very large tables: few of them are drawn, few of the others judge.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "core/data/few_rows.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/validate_splits.hpp"

using namespace inforest;

namespace {

constexpr std::int64_t kRows = 1'200'000;

}  // namespace

/// The same rows as with a count for every row, for one tree after the other.
TEST(few_rows) {
  for (const bool replace : {false, true})
    for (const std::int64_t quota : {1, 2, 999, 75'000}) {
      Sampling sampling{.n_samples = kRows, .quota = {quota}, .replace = replace};
      check(FewRows::suits(sampling), "few of many");
      FewRows few(sampling);
      for (const std::uint64_t key : {3u, 4u, 3u}) {
        const TreeRows rows = make_rows(sample_counts(sampling, key), 0.0, key);
        check(few.draw(key) == rows.structure, "the same rows");
      }
      sampling.quota = {kRows / 15};
      check(!FewRows::suits(sampling), "not so few");
    }
}

/// Above a million rows those that judge are a random part of the expected size.
TEST(unseen_rows) {
  std::vector<bool> in_bag(kRows, false);
  for (std::size_t row = 0; row < kRows; row += 6) in_bag[row] = true;
  std::vector<std::int64_t> counts(kRows, 1);
  counts[7] = 0;
  constexpr int kParts = 20;
  for (const std::size_t n_grown : {1'000u, 200'000u, 5'000'000u}) {
    const double wanted = std::clamp<double>(static_cast<double>(n_grown), 1e5, 1e6) * 5 / 6;
    double part[kParts] = {};
    for (const std::uint64_t key : {1u, 2u, 3u, 4u}) {
      const std::vector<std::int32_t> rows = UnseenRows(in_bag, n_grown, counts.data(), key).list();
      check(std::is_sorted(rows.begin(), rows.end()) &&
                std::adjacent_find(rows.begin(), rows.end()) == rows.end(),
            "each row once");
      check(std::none_of(rows.begin(), rows.end(),
                         [&](std::int32_t row) {
                           return row == 7 || in_bag[static_cast<std::size_t>(row)];
                         }),
            "rows that count, out of the bag");
      check(std::fabs(static_cast<double>(rows.size()) - wanted) < 5.0 * std::sqrt(wanted),
            "as many as wanted");
      for (const std::int32_t row : rows)
        part[static_cast<std::int64_t>(row) * kParts / kRows] += 1.0;
    }
    for (const double size : part)
      check(std::fabs(size - 4.0 * wanted / kParts) < 5.0 * std::sqrt(4.0 * wanted / kParts),
            "from everywhere");
  }
  std::vector<bool> small(1'000'000, false);
  check(UnseenRows(small, 1'000, nullptr, 1).list().size() == small.size(), "all of a million");
}
