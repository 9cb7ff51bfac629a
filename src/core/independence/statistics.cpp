// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/statistics.hpp"

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/independence/root.hpp"

namespace inforest {

std::vector<double> statistics(const Dataset& data, const std::vector<std::string>& selectors,
                               std::uint64_t seed, Interrupt& interrupt) {
  const std::vector<std::int32_t> rows = all_rows(data);
  Response response;
  response.gather(data, rows);
  std::vector<double> result(static_cast<std::size_t>(data.n_features), 0.0);
  if (response.is_constant()) return result;
  with_root_selector(data, selectors, seed, response, [&](auto& selector) {
    std::vector<double> column(rows.size());
    for (std::int64_t feature = 0; feature < data.n_features; ++feature) {
      interrupt.spend(10 * data.n_samples);
      if (gather_tested(data, feature, rows, response, column))
        result[static_cast<std::size_t>(feature)] =
            natural_of(selector, bind_in_place(selector, column.data()).observed);
    }
  });
  return result;
}

}  // namespace inforest
