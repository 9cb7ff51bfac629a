// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/response.hpp"

#include <algorithm>

#include "core/base/column.hpp"

namespace inforest {

void Response::gather(const Dataset& data, std::span<const std::int32_t> rows) {
  size_ = static_cast<std::uint32_t>(rows.size());
  if (data.task() == Task::classification)
    gather_classes(data, rows);
  else
    gather_values(data, rows);
}

void Response::gather_classes(const Dataset& data, std::span<const std::int32_t> rows) {
  const auto n_codes = static_cast<std::size_t>(data.n_classes);
  labels_.resize(size_);
  // Two counters per class: the next sample need not wait for the last one's.
  std::vector<std::uint32_t> odd(n_codes, 0);
  code_count_.assign(n_codes, 0);
  for (std::uint32_t i = 0; i < size_; ++i) {
    labels_[i] = static_cast<std::uint32_t>(data.code[rows[i]]);
    ++(i % 2 == 0 ? code_count_ : odd)[labels_[i]];
  }
  for (std::size_t code = 0; code < n_codes; ++code) code_count_[code] += odd[code];

  std::vector<std::uint32_t> present;
  for (std::uint32_t code = 0; code < n_codes; ++code)
    if (code_count_[code] > 0) present.push_back(code);
  std::stable_sort(present.begin(), present.end(), [&](std::uint32_t a, std::uint32_t b) {
    return code_count_[a] < code_count_[b];
  });

  present_of_code_.assign(n_codes, 0);
  class_size_.clear();
  class_begin_.clear();
  std::uint32_t begin = 0;
  for (std::uint32_t k = 0; k < present.size(); ++k) {
    present_of_code_[present[k]] = k;
    class_size_.push_back(code_count_[present[k]]);
    class_begin_.push_back(begin);
    begin += class_size_.back();
  }
  is_constant_ = present.size() < 2;

  // The largest class has one place for all: a branch on the class would often be mispredicted.
  observed_order_.resize(n_placed() + 1);
  std::vector<std::uint32_t> next = class_begin_;
  const auto last = n_classes() - 1;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint32_t label = present_of_code_[labels_[i]];
    labels_[i] = label;
    observed_order_[next[label]] = i;
    next[label] += label != last;
  }
  observed_order_.pop_back();
}

void Response::gather_values(const Dataset& data, std::span<const std::int32_t> rows) {
  centred_.resize(size_);
  for (std::uint32_t i = 0; i < size_; ++i) centred_[i] = data.y[rows[i]];
  is_constant_ = std::all_of(centred_.begin(), centred_.end(),
                             [&](double value) { return value == centred_.front(); });
  const Centring centring = centre(centred_.data(), size_);
  mean_ = centring.mean;
  sum_of_squares_ = centring.sum_of_squares;
}

}  // namespace inforest
