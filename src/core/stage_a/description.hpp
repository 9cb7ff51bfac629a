// SPDX-License-Identifier: BSD-3-Clause
/// Statistics of weighted rows where nothing is tested: what rows that are there as often as they
/// weigh would give.
///
/// A test permutes the responses among rows whose weights stay, so its statistic is divided by what
/// no permutation changes. Where no test is made, the weighted statistic itself is compared.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/response.hpp"

namespace inforest {

/// A feature's values at a node, with what they weigh there.
class WeightedColumn {
 public:
  WeightedColumn(const Response& response, const double* x)
      : response_(response), values_(x, x + response.size()), weights_(response.size()) {
    for (std::uint32_t i = 0; i < response.size(); ++i) total_ += weights_[i] = response.weight(i);
    centre();
  }

  /// The square of it, without what is a linear function of it.
  WeightedColumn squared_beyond_itself() const {
    WeightedColumn square = *this;
    for (double& value : square.values_) value *= value;
    square.centre();
    const double along = inner(square.values_) / inner(values_);
    for (std::size_t i = 0; i < values_.size(); ++i) square.values_[i] -= along * values_[i];
    return square;
  }

  /// Sum of weighted squares.
  double squares() const { return inner(values_); }

  /// The squared correlation with the scores, or the squared correlation ratio over the classes.
  double explained() const {
    if (!(squares() > 0.0)) return 0.0;
    return (response_.has_labels() ? between_classes() : with_scores()) / squares();
  }

 private:
  void centre() {
    // What lies between blocks is not looked at here either.
    if (response_.blocks().exist())
      return response_.blocks().centre(values_.data(), weights_.data());
    const double origin = values_[0];
    double sum = 0.0;
    for (std::size_t i = 0; i < values_.size(); ++i) sum += weights_[i] * (values_[i] - origin);
    for (double& value : values_) value = (value - origin) - sum / total_;
  }

  /// Weighted sum of the products with this column.
  double inner(const std::vector<double>& other) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < values_.size(); ++i) sum += weights_[i] * values_[i] * other[i];
    return sum;
  }

  double between_classes() const {
    std::vector<double> sum(response_.n_classes(), 0.0), weight(sum.size(), 0.0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      sum[response_.labels()[i]] += weights_[i] * values_[i];
      weight[response_.labels()[i]] += weights_[i];
    }
    double between = 0.0;
    for (std::size_t k = 0; k < sum.size(); ++k) between += sum[k] * sum[k] / weight[k];
    return between;
  }

  double with_scores() const {
    const WeightedColumn y(response_, response_.centred().data());
    const double product = inner(y.values_);
    return y.squares() > 0.0 ? product * product / y.squares() : 0.0;
  }

  const Response& response_;
  std::vector<double> values_, weights_;
  double total_ = 0.0;
};

}  // namespace inforest
