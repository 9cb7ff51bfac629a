// SPDX-License-Identifier: BSD-3-Clause
/// `mi`: mutual information between a continuous feature and the class (Ross 2014, k = 3).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/position_sorter.hpp"
#include "core/base/special.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

/// For each sample: the distance to its k-th neighbour inside its class, then the number m of
/// samples of any class nearer than that. MI = psi(n) + <psi(k)> - <psi(class size)> - <psi(m)>.
/// A class of one sample has no neighbours; its sample takes no part.
class MutualInformation {
 public:
  static constexpr const char* name = "mi";
  static constexpr bool kTakesNoWeights = true;
  static constexpr auto kServes = ResponseKind::labels;

  void begin(const Response& response) {
    response_ = &response;
    const std::uint32_t n = response.size();
    n_used_ = 0;
    constant_ = 0.0;
    for (std::uint32_t k = 0; k < response.n_classes(); ++k) {
      const std::uint32_t size = response.class_size(k);
      if (size < 2) continue;
      n_used_ += size;
      constant_ += size * (digamma(std::min(kNeighbours, size - 1)) - digamma(size));
    }
    constant_ = n_used_ == 0 ? 0.0 : digamma(n_used_) + constant_ / n_used_;
    label_.resize(n);
    by_class_.resize(n);
    used_.resize(n);
    sorted_.resize(n);
    place_.resize(n);
  }

  /// Returns the observed information in nats.
  double bind(const double* x) {
    const std::uint32_t n = response_->size();
    const auto& sorted = sorter_.sort(x, n);
    for (std::uint32_t i = 0; i < n; ++i) {
      sorted_[i] = sorted[i].value;
      place_[sorted[i].position] = i;
    }
    return information(response_->observed_order().data());
  }

  double evaluate(Draws& draws, std::int64_t b) { return information(draws.order(b)); }

  /// Linfoot's informational correlation.
  double unit(double value) const { return std::sqrt(-std::expm1(-2.0 * std::max(value, 0.0))); }
  std::int64_t work() const { return 30 * response_->size(); }

 private:
  static constexpr std::uint32_t kNeighbours = 3;

  double information(const std::uint32_t* order) {
    const std::uint32_t n = response_->size(), last = response_->n_classes() - 1;
    if (n_used_ == 0) return 0.0;
    // label_[i]: class of the i-th smallest value.
    std::fill(label_.begin(), label_.end(), last);
    for (std::uint32_t k = 0; k < last; ++k)
      for (std::uint32_t i = 0; i < response_->class_size(k); ++i)
        label_[place_[order[response_->class_begin(k) + i]]] = k;
    // used_: the values that take part, sorted; by_class_: their ranks, class by class.
    next_.resize(last + 1);
    for (std::uint32_t k = 0; k <= last; ++k) next_[k] = response_->class_begin(k);
    std::uint32_t n_used = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t k = label_[i];
      if (response_->class_size(k) < 2) continue;
      used_[n_used] = sorted_[i];
      by_class_[next_[k]++] = n_used++;
    }
    double sum = 0.0;
    for (std::uint32_t k = 0; k <= last; ++k)
      if (response_->class_size(k) > 1)
        sum += log_neighbourhoods(by_class_.data() + response_->class_begin(k),
                                  response_->class_size(k));
    return std::max(0.0, constant_ - sum / n_used_);
  }

  /// Sum of psi(m) over the members of one class, given by their ranks among the used values.
  double log_neighbourhoods(const std::uint32_t* member, std::uint32_t size) const {
    const std::uint32_t k = std::min(kNeighbours, size - 1);
    double sum = 0.0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double centre = used_[member[i]];
      // The k nearest members are k consecutive others: try every window of k + 1 that holds i.
      const std::uint32_t first = i > k ? i - k : 0, end = std::min(i, size - 1 - k);
      double radius = std::numeric_limits<double>::infinity();
      for (std::uint32_t w = first; w <= end; ++w)
        radius =
            std::min(radius, std::max(centre - used_[member[w]], used_[member[w + k]] - centre));
      sum += digamma(count_within(member[i], centre, std::nextafter(radius, 0.0)));
    }
    return sum;
  }

  std::uint32_t count_within(std::uint32_t rank, double centre, double radius) const {
    const double* begin = used_.data();
    const double* end = begin + n_used_;
    const double* low =
        std::partition_point(begin, begin + rank, [&](double v) { return centre - v > radius; });
    const double* high =
        std::partition_point(begin + rank, end, [&](double v) { return v - centre <= radius; });
    return static_cast<std::uint32_t>(high - low);
  }

  const Response* response_ = nullptr;
  std::uint32_t n_used_ = 0;
  double constant_ = 0.0;
  PositionSorter sorter_;
  std::vector<double> sorted_;        ///< the feature, ascending
  std::vector<double> used_;          ///< those of them that take part in this draw
  std::vector<std::uint32_t> place_;  ///< of each position: its rank
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> by_class_;
  std::vector<std::uint32_t> next_;
};

}  // namespace inforest
