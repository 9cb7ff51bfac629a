// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_b/level_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace inforest {

void LevelCuts::build(const double* values, const Response& response,
                      std::uint32_t min_samples_leaf) {
  min_samples_leaf_ = min_samples_leaf;
  levels_.gather(values, response.size());
  restore(response);
}

void LevelCuts::restore(const Response& response) {
  source_.resize(response.size());
  std::iota(source_.begin(), source_.end(), 0u);
  sort(response);
}

void LevelCuts::permute(const Response& response, Rng& rng) {
  if (response.blocks().exist())
    response.blocks().shuffle(rng, source_.data());
  else
    rng.shuffle(source_.data(), static_cast<std::uint32_t>(source_.size()));
  sort(response);
}

void LevelCuts::sort(const Response& response) {
  if (response.kind() == ResponseKind::columns ||
      (response.has_labels() && response.n_classes() > 2))
    score_by_component(response);
  else
    score_by_mean(response);
  order_.resize(levels_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return score_[a] < score_[b]; });
  find_cuts();
}

void LevelCuts::divide(const std::vector<bool>& goes_left) {
  std::stable_partition(order_.begin(), order_.end(),
                        [&](std::uint32_t level) { return goes_left[level]; });
  find_cuts();
  std::uint32_t left = 0;
  for (std::uint32_t level = 0; level < levels_.size(); ++level)
    if (goes_left[level]) left += levels_.counts()[level];
  left_size_.assign(1, left);
}

void LevelCuts::find_cuts() {
  const auto n = static_cast<std::uint32_t>(source_.size());
  begin_.resize(levels_.size());
  left_size_.clear();
  std::uint32_t left = 0;
  for (const std::uint32_t level : order_) {
    if (left >= min_samples_leaf_ && n - left >= min_samples_leaf_ && left > 0)
      left_size_.push_back(left);
    begin_[level] = left;
    left += levels_.counts()[level];
  }
}

namespace {

/// What the response of position `source` weighs at the place `place`.
double weight_at(const Response& response, std::uint32_t place, std::uint32_t source) {
  const double own = response.weights() == nullptr ? 1.0 : response.weights()[place];
  return response.class_weights() == nullptr
             ? own
             : own * response.class_weights()[response.labels()[source]];
}

/// The present class with the highest label of the data: shares of it rise to the right.
std::uint32_t highest_class(const Response& response) {
  std::uint32_t highest = 0;
  for (std::uint32_t c = 1; c < response.n_classes(); ++c)
    if (response.label_of_class(c) > response.label_of_class(highest)) highest = c;
  return highest;
}

}  // namespace

void LevelCuts::score_by_mean(const Response& response) {
  const std::vector<std::uint32_t>& level = levels_.of_position();
  score_.assign(levels_.size(), 0.0);
  const auto divide = [&](auto weight_of) {
    for (std::uint32_t k = 0; k < levels_.size(); ++k)
      score_[k] = weight_of(k) > 0.0 ? score_[k] / weight_of(k) : 0.0;
  };
  const std::uint32_t highest = response.has_labels() ? highest_class(response) : 0;
  const auto value = [&](std::uint32_t position) {
    return response.has_labels() ? (response.labels()[position] == highest ? 1.0 : 0.0)
                                 : response.centred()[position];
  };
  if (!response.has_weights()) {
    for (std::uint32_t i = 0; i < level.size(); ++i) score_[level[i]] += value(source_[i]);
    return divide([&](std::uint32_t k) { return static_cast<double>(levels_.counts()[k]); });
  }
  weight_.assign(levels_.size(), 0.0);
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    const double weight = weight_at(response, i, source_[i]);
    score_[level[i]] += weight * value(source_[i]);
    weight_[level[i]] += weight;
  }
  divide([&](std::uint32_t k) { return weight_[k]; });
}

/// By power iterations, whose number is fixed: it is the same function of the data and of every
/// permutation, which is all that a test needs; where two components are nearly as large, any
/// direction between them is as good.
void LevelCuts::score_by_component(const Response& response) {
  constexpr int kSteps = 20;
  gather_means(response);
  const std::size_t n_means = axis_.size(), n_levels = levels_.size();
  const auto along_axis = [&](std::size_t k) {
    return std::inner_product(axis_.begin(), axis_.end(), mean_.begin() + k * n_means, 0.0);
  };
  // The first direction: the class whose share varies most, or the score.
  turned_.assign(n_means, 0.0);
  for (std::size_t k = 0; k < n_levels; ++k)
    for (std::size_t c = 0; c < n_means; ++c)
      turned_[c] += weight_[k] * mean_[k * n_means + c] * mean_[k * n_means + c];
  const auto most =
      static_cast<std::size_t>(std::max_element(turned_.begin(), turned_.end()) - turned_.begin());
  axis_.assign(n_means, 0.0);
  axis_[most] = 1.0;
  for (int step = 0; step < kSteps; ++step) {
    std::fill(turned_.begin(), turned_.end(), 0.0);
    for (std::size_t k = 0; k < n_levels; ++k) {
      const double part = weight_[k] * along_axis(k);
      for (std::size_t c = 0; c < n_means; ++c) turned_[c] += part * mean_[k * n_means + c];
    }
    const double length =
        std::sqrt(std::inner_product(turned_.begin(), turned_.end(), turned_.begin(), 0.0));
    if (!(length > 0.0)) break;  // all levels have the same means
    for (std::size_t c = 0; c < n_means; ++c) axis_[c] = turned_[c] / length;
  }
  const std::size_t rising = response.has_labels() ? highest_class(response) : most;
  const double sign = axis_[rising] < 0.0 ? -1.0 : 1.0;
  score_.resize(n_levels);
  for (std::size_t k = 0; k < n_levels; ++k) score_[k] = sign * along_axis(k);
}

void LevelCuts::gather_means(const Response& response) {
  const bool has_labels = response.has_labels();
  const std::size_t n_means = has_labels ? response.n_classes() : response.n_scores();
  const std::vector<std::uint32_t>& level = levels_.of_position();
  mean_.assign(levels_.size() * n_means, 0.0);
  weight_.assign(levels_.size(), 0.0);
  axis_.assign(n_means, 0.0);  // the sums of all together, at first
  double total = 0.0;
  const auto add = [&](std::uint32_t k, std::size_t c, double value) {
    mean_[k * n_means + c] += value;
    axis_[c] += value;
  };
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    const double weight = weight_at(response, i, source_[i]);
    weight_[level[i]] += weight;
    total += weight;
    if (has_labels)
      add(level[i], response.labels()[source_[i]], weight);
    else
      for (std::size_t c = 0; c < n_means; ++c)
        add(level[i], c, weight * response.centred()[c * response.size() + source_[i]]);
  }
  for (std::size_t k = 0; k < levels_.size(); ++k)
    for (std::size_t c = 0; c < n_means; ++c) {
      double& mean = mean_[k * n_means + c];
      mean = weight_[k] > 0.0 ? mean / weight_[k] - axis_[c] / total : 0.0;
    }
}

}  // namespace inforest
