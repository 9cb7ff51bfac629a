// SPDX-License-Identifier: BSD-3-Clause
#include "core/data/response.hpp"

#include <algorithm>

namespace inforest {

void Response::gather(const Dataset& data, std::span<const std::int32_t> rows) {
  size_ = static_cast<std::uint32_t>(rows.size());
  kind_ = data.tested.kind();
  if (has_labels())
    gather_labels(data.tested, rows);
  else
    gather_scores(data.tested, data.n_samples, rows);
  gather_weights(data, rows);
  gather_blocks(data, rows);
}

void Response::gather_blocks(const Dataset& data, std::span<const std::int32_t> rows) {
  blocks_.gather(data, rows);
  if (!blocks_.exist()) return;
  if (has_labels()) {
    blocks_.find_moving([&](std::uint32_t i, std::uint32_t j) { return labels_[i] != labels_[j]; });
  } else {
    blocks_.find_moving([&](std::uint32_t i, std::uint32_t j) {
      for (std::size_t begin = 0; begin < centred_.size(); begin += size_)
        if (centred_[begin + i] != centred_[begin + j]) return true;
      return false;
    });
    squares_in_blocks_.clear();
    for (std::size_t begin = 0; begin < centred_.size(); begin += size_) {
      std::vector<double> inside(centred_.begin() + static_cast<std::ptrdiff_t>(begin),
                                 centred_.begin() + static_cast<std::ptrdiff_t>(begin + size_));
      blocks_.centre(inside.data());
      squares_in_blocks_.push_back(dot(inside.data(), inside.data(), size_));
    }
  }
  is_constant_ = !blocks_.any_moves();
}

void Response::gather_weights(const Dataset& data, std::span<const std::int32_t> rows) {
  weights_.clear();
  class_weights_.clear();
  if (data.weights != nullptr)
    for (const std::int32_t row : rows) weights_.push_back(data.weights[row]);
  if (data.label_weights != nullptr && has_labels())
    for (const std::uint32_t label : label_of_class_)
      class_weights_.push_back(data.label_weights[label]);
}

void Response::weigh_like(std::span<const double> weights, std::span<const std::uint32_t> source) {
  weights_.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights_[i] = weights[source[i]];
}

void Response::gather_labels(const Target& target, std::span<const std::int32_t> rows) {
  const auto n_labels = static_cast<std::size_t>(target.n_labels);
  labels_.resize(size_);
  // Two counters per class: the next sample need not wait for the last one's. The second has the
  // room of what is filled later.
  std::vector<std::uint32_t>& odd = present_of_label_;
  odd.assign(n_labels, 0);
  label_count_.assign(n_labels, 0);
  for (std::uint32_t i = 0; i < size_; ++i) {
    labels_[i] = static_cast<std::uint32_t>(target.labels[rows[i]]);
    ++(i % 2 == 0 ? label_count_ : odd)[labels_[i]];
  }
  for (std::size_t label = 0; label < n_labels; ++label) label_count_[label] += odd[label];

  std::vector<std::uint32_t>& present = label_of_class_;
  present.clear();
  for (std::uint32_t label = 0; label < n_labels; ++label)
    if (label_count_[label] > 0) present.push_back(label);
  std::sort(present.begin(), present.end(), [&](std::uint32_t a, std::uint32_t b) {
    return label_count_[a] != label_count_[b] ? label_count_[a] < label_count_[b] : a < b;
  });

  present_of_label_.assign(n_labels, 0);
  class_size_.clear();
  class_begin_.clear();
  std::uint32_t begin = 0;
  for (std::uint32_t k = 0; k < present.size(); ++k) {
    present_of_label_[present[k]] = k;
    class_size_.push_back(label_count_[present[k]]);
    class_begin_.push_back(begin);
    begin += class_size_.back();
  }
  is_constant_ = present.size() < 2;

  // The largest class has one place for all: a branch on the class would often be mispredicted.
  observed_order_.resize(n_placed() + 1);
  std::vector<std::uint32_t> next = class_begin_;
  const auto last = n_classes() - 1;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint32_t label = present_of_label_[labels_[i]];
    labels_[i] = label;
    observed_order_[next[label]] = i;
    next[label] += label != last;
  }
  observed_order_.pop_back();
}

void Response::gather_scores(const Target& target, std::int64_t n_samples,
                             std::span<const std::int32_t> rows) {
  const auto n_scores = static_cast<std::size_t>(target.n_scores);
  centred_.resize(n_scores * size_);
  centring_.resize(n_scores);
  is_constant_ = true;
  for (std::size_t q = 0; q < n_scores; ++q) {
    const double* score = target.scores + static_cast<std::int64_t>(q) * n_samples;
    double* column = centred_.data() + q * size_;
    for (std::uint32_t i = 0; i < size_; ++i) column[i] = score[rows[i]];
    is_constant_ = is_constant_ && std::all_of(column, column + size_,
                                               [&](double value) { return value == *column; });
    centring_[q] = centre(column, size_);
  }
}

}  // namespace inforest
