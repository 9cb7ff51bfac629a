// SPDX-License-Identifier: BSD-3-Clause
/// The cuts of a feature some of whose values are missing at the node.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/data/holes.hpp"
#include "core/stage_b/cuts.hpp"
#include "core/stage_b/thresholds.hpp"

namespace inforest {

/// Every threshold between observed values, with the missing ones right and with them left, and
/// what is observed against what is missing. Each is a partition of all rows of the node, so that
/// tests and Bonferroni's count know nothing of missing values.
///
///   order    [ observed, ascending | missing ]     missing right; the last cut is missing apart
///   turned   [ missing | observed, ascending ]     missing left
class MissingCuts {
 public:
  void build(const double* x, std::uint32_t size, const ThresholdOptions& options,
             std::uint64_t key) {
    part(x, size);
    threshold_.clear();
    left_size_.clear();
    const auto n_observed = static_cast<std::uint32_t>(observed_.size());
    // Whether a child is too small is a question of all rows.
    ThresholdOptions any_size = options;
    any_size.min_samples_leaf = 1;
    thresholds_.build(value_.data(), n_observed, any_size, key);
    const auto add = [&](double threshold, std::uint32_t left) {
      if (left < options.min_samples_leaf || size - left < options.min_samples_leaf) return;
      threshold_.push_back(threshold);
      left_size_.push_back(left);
    };
    for (std::size_t c = 0; c < thresholds_.size(); ++c)
      add(thresholds_.values()[c], thresholds_.left_sizes()[c]);
    add(std::numeric_limits<double>::infinity(), n_observed);
    first_turned_ = threshold_.size();
    for (std::size_t c = 0; c < thresholds_.size(); ++c)
      add(thresholds_.values()[c], n_missing() + thresholds_.left_sizes()[c]);
  }

  std::size_t size() const { return threshold_.size(); }
  const std::vector<std::uint32_t>& left_sizes() const { return left_size_; }
  Turn turn() const { return {first_turned_, n_missing()}; }
  double threshold(std::size_t cut) const { return threshold_[cut]; }
  bool missing_left(std::size_t cut) const { return cut >= first_turned_; }
  /// The observed ones.
  const std::vector<double>& values() const { return value_; }

  template <class Item, class ItemOf>
  void arrange(ItemOf item, Item* items) {
    thresholds_.arrange([&](std::uint32_t i) { return item(observed_[i]); }, items);
    items += observed_.size();
    for (const std::uint32_t position : missing_) *items++ = item(position);
  }

 private:
  std::uint32_t n_missing() const { return static_cast<std::uint32_t>(missing_.size()); }

  void part(const double* x, std::uint32_t size) {
    observed_.clear();
    missing_.clear();
    value_.clear();
    for (std::uint32_t i = 0; i < size; ++i) {
      (is_missing(x[i]) ? missing_ : observed_).push_back(i);
      if (!is_missing(x[i])) value_.push_back(x[i]);
    }
  }

  std::vector<std::uint32_t> observed_, missing_;  ///< positions
  std::vector<double> value_;                      ///< of the observed ones
  Thresholds thresholds_;                          ///< between those
  std::vector<double> threshold_;                  ///< of each cut
  std::vector<std::uint32_t> left_size_;
  std::size_t first_turned_ = 0;
};

}  // namespace inforest
