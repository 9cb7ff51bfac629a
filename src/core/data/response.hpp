// SPDX-License-Identifier: BSD-3-Clause
/// The responses of one node, gathered once and shared by every test of the node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"

namespace inforest {

/// Positions 0 .. n-1 are the node's rows in order.
///
/// Classification: the classes present are renumbered 0 .. K-1 by rising size, so the largest is
/// last: a draw need only place the members of classes 0 .. K-2, the rest follows.
class Response {
 public:
  void gather(const Dataset& data, std::span<const std::int32_t> rows);

  std::uint32_t size() const { return size_; }
  bool is_constant() const { return is_constant_; }

  // Classification
  std::uint32_t n_classes() const { return static_cast<std::uint32_t>(class_size_.size()); }
  std::uint32_t class_size(std::uint32_t k) const { return class_size_[k]; }
  std::uint32_t class_begin(std::uint32_t k) const { return class_begin_[k]; }
  /// Number of samples of each class code of the data, present or not.
  const std::vector<std::uint32_t>& code_count() const { return code_count_; }
  /// Present class of each position.
  const std::vector<std::uint32_t>& labels() const { return labels_; }
  /// Number of positions outside the largest class.
  std::uint32_t n_placed() const { return class_begin_.back(); }
  /// The arrangement of the data itself, in the form of a draw (see draws.hpp).
  const std::vector<std::uint32_t>& observed_order() const { return observed_order_; }

  // Regression
  /// y minus its mean.
  const std::vector<double>& centred() const { return centred_; }
  double mean() const { return mean_; }
  double sum_of_squares() const { return sum_of_squares_; }

 private:
  void gather_classes(const Dataset& data, std::span<const std::int32_t> rows);
  void gather_values(const Dataset& data, std::span<const std::int32_t> rows);

  std::uint32_t size_ = 0;
  bool is_constant_ = true;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> class_size_;
  std::vector<std::uint32_t> class_begin_;
  std::vector<std::uint32_t> code_count_, present_of_code_;
  std::vector<std::uint32_t> observed_order_;
  std::vector<double> centred_;
  double mean_ = 0.0;
  double sum_of_squares_ = 0.0;
};

}  // namespace inforest
