// SPDX-License-Identifier: BSD-3-Clause
/// The responses of some of a node's rows, as the data have them or as a draw puts them there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

class PartOfResponse {
 public:
  /// The node's response must outlive what is asked for.
  void begin(const Response& node) {
    node_ = &node;
    data_ = {.n_samples = node.size()};
    labels_.assign(node.labels().begin(), node.labels().end());
    class_weights_.clear();
    if (node.class_weights() != nullptr)
      class_weights_.assign(node.class_weights(), node.class_weights() + node.n_classes());
    data_.weights = node.weights();
    data_.label_weights = class_weights_.empty() ? nullptr : class_weights_.data();
    if (!node.blocks().exist()) return;
    codes_.resize(node.size());
    for (std::size_t b = 0; b < node.blocks().size(); ++b)
      for (const std::uint32_t i : node.blocks().members(b))
        codes_[i] = static_cast<std::int32_t>(b);
    data_.blocks = codes_.data();
    data_.n_blocks = static_cast<std::int32_t>(node.blocks().size());
  }

  /// Those of the data; valid until the next call.
  const Response& observed(std::span<const std::uint32_t> positions) {
    rows_.assign(positions.begin(), positions.end());
    if (node_->has_labels()) {
      labels_.assign(node_->labels().begin(), node_->labels().end());
      return gather(Target::of_labels(labels_.data(), n_labels()));
    }
    return gather(Target::of_scores(node_->centred().data(), node_->n_scores()));
  }

  /// Those of draw b, at the positions that were last asked for.
  const Response& drawn(Draws& draws, std::int64_t b) {
    if (!node_->has_labels() && node_->n_scores() > 1)
      return gather(several_scores(draws.order(b)));
    if (!node_->has_labels()) return gather(Target::of_scores(draws.values(b)));
    const std::uint32_t last = node_->n_classes() - 1;
    const std::uint32_t* order = draws.order(b);
    std::fill(labels_.begin(), labels_.end(), static_cast<std::int32_t>(last));
    for (std::uint32_t k = 0; k < last; ++k)
      for (std::uint32_t i = 0; i < node_->class_size(k); ++i)
        labels_[order[node_->class_begin(k) + i]] = static_cast<std::int32_t>(k);
    return gather(Target::of_labels(labels_.data(), n_labels()));
  }

 private:
  std::int32_t n_labels() const { return static_cast<std::int32_t>(node_->n_classes()); }

  /// Every score of position i is that of position order[i].
  Target several_scores(const std::uint32_t* order) {
    const std::size_t n = node_->size();
    scores_.resize(node_->centred().size());
    for (std::size_t begin = 0; begin < scores_.size(); begin += n)
      for (std::size_t i = 0; i < n; ++i) scores_[begin + i] = node_->centred()[begin + order[i]];
    return Target::of_scores(scores_.data(), node_->n_scores());
  }

  const Response& gather(const Target& target) {
    data_.tested = data_.kept = target;
    part_.gather(data_, rows_);
    return part_;
  }

  const Response* node_ = nullptr;
  Dataset data_;
  std::vector<std::int32_t> labels_, codes_, rows_;
  std::vector<double> class_weights_, scores_;
  Response part_;
};

}  // namespace inforest
