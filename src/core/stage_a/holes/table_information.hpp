// SPDX-License-Identifier: BSD-3-Clause
/// Mutual information between an indicator and the class: the part of `mi` that the absence of a
/// value has. By the chain rule it and the value's, times the share of rows with a value, add up to
/// what value and absence say together.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/column.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

class TableInformation {
 public:
  static constexpr const char* name = "mi of a table";
  static constexpr auto kServes = ResponseKind::labels;

  void begin(const Response& response) { response_ = &response; }

  /// `indicator` is 0 or 1; returns the information in nats.
  double bind(const double* indicator) {
    indicator_.assign(indicator, indicator + response_->size());
    ones_ = 0.0;
    for (const double one : indicator_) ones_ += one;
    return information(response_->observed_order().data());
  }

  double evaluate(Draws& draws, std::int64_t b) const { return information(draws.order(b)); }
  std::int64_t work() const { return 2 * response_->n_placed(); }

 private:
  double information(const std::uint32_t* order) const {
    const double n = response_->size();
    const std::uint32_t last = response_->n_classes() - 1;
    double sum = 0.0, left = ones_;
    const auto add = [&](double count, double row, double column) {
      if (count > 0.0) sum += count * std::log(count * n / (row * column));
    };
    for (std::uint32_t k = 0; k <= last; ++k) {
      const std::uint32_t size = response_->class_size(k);
      const double count =
          k == last ? left
                    : gathered_sum(indicator_.data(), order + response_->class_begin(k), size);
      left -= count;
      add(count, ones_, size);
      add(size - count, n - ones_, size);
    }
    return std::fmax(sum / n, 0.0);
  }

  const Response* response_ = nullptr;
  std::vector<double> indicator_;
  double ones_ = 0.0;
};

}  // namespace inforest
