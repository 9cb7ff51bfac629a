// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/leaf_values.hpp"

#include <algorithm>
#include <limits>

#include "core/tree/route.hpp"

namespace inforest {

void LeafValues::append(std::span<const std::int32_t> rows, const Response& tested,
                        std::vector<double>& value) {
  if (keeps_what_is_tested_) return append(tested, value);
  Dataset kept = data_;
  kept.tested = data_.kept;
  kept.blocks = nullptr;  // nothing is permuted
  kept_.gather(kept, rows);
  append(kept_, value);
}

void LeafValues::append(const Response& response, std::vector<double>& value) {
  if (response.has_weights()) return append_weighted(response, value);
  if (response.has_labels())
    for (const double count : response.label_count()) value.push_back(count / response.size());
  else
    for (std::uint32_t q = 0; q < response.n_scores(); ++q) value.push_back(response.mean(q));
}

void LeafValues::append_weighted(const Response& response, std::vector<double>& value) {
  double total = 0.0;
  for (std::uint32_t i = 0; i < response.size(); ++i) total += response.weight(i);
  if (!response.has_labels()) {
    for (std::uint32_t q = 0; q < response.n_scores(); ++q) {
      const double* centred = response.centred().data() + std::size_t{q} * response.size();
      double sum = 0.0;
      for (std::uint32_t i = 0; i < response.size(); ++i) sum += response.weight(i) * centred[i];
      value.push_back(response.mean(q) + sum / total);
    }
    return;
  }
  std::vector<double> weight(response.label_count().size(), 0.0);
  for (std::uint32_t i = 0; i < response.size(); ++i)
    weight[response.label_of_class(response.labels()[i])] += response.weight(i);
  for (const double one : weight) value.push_back(one / total);
}

void LeafValues::add(std::int32_t row, const double* origin, double* sum) const {
  const Target& kept = data_.kept;
  const double weight = data_.weight(row);
  if (kept.has_labels())
    sum[kept.labels[row]] += weight;
  else
    for (std::int64_t q = 0; q < kept.n_scores; ++q)
      sum[q] += weight * (kept.scores[q * data_.n_samples + row] - origin[q]);
}

LeafValues::Range LeafValues::range(const std::vector<std::int32_t>& rows) const {
  const auto outputs = static_cast<std::size_t>(data_.kept.n_outputs());
  if (data_.kept.has_labels())
    return {std::vector<double>(outputs, 0.0), std::vector<double>(outputs, 1.0)};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Range found{std::vector<double>(outputs, kInfinity), std::vector<double>(outputs, -kInfinity)};
  for (std::size_t q = 0; q < outputs; ++q) {
    const double* scores = data_.kept.scores + static_cast<std::int64_t>(q) * data_.n_samples;
    for (const std::int32_t row : rows) {
      found.low[q] = std::min(found.low[q], scores[row]);
      found.high[q] = std::max(found.high[q], scores[row]);
    }
  }
  return found;
}

void LeafValues::estimate(const std::vector<std::int32_t>& rows, Tree& tree) const {
  const auto outputs = static_cast<std::size_t>(data_.kept.n_outputs());
  std::vector<double> origin(outputs, 0.0);
  if (!data_.kept.has_labels())
    origin.assign(tree.value.begin(), tree.value.begin() + static_cast<std::ptrdiff_t>(outputs));
  const auto [low, high] = range(rows);
  std::vector<double> sum(tree.value.size(), 0.0);
  std::vector<double> count(static_cast<std::size_t>(tree.size()), 0.0);
  const Splits splits = tree.splits();
  for (const std::int32_t row : rows) {
    std::int32_t node = 0;
    while (true) {
      const auto at = static_cast<std::size_t>(node);
      count[at] += data_.weight(row);
      add(row, origin.data(), sum.data() + at * outputs);
      if (splits.is_leaf(node)) break;
      node = splits.child(node, data_.column(splits.feature[node])[row]);
    }
  }
  std::vector<std::size_t> parent(count.size(), 0);
  for (std::size_t at = 0; at < count.size(); ++at) {
    for (std::size_t k = 0; k < outputs; ++k)
      tree.value[at * outputs + k] =
          count[at] > 0.0
              ? std::clamp(sum[at * outputs + k] / count[at] + origin[k], low[k], high[k])
              : tree.value[parent[at] * outputs + k];
    if (tree.feature[at] < 0) continue;
    // Preorder: a parent comes before its children.
    parent[static_cast<std::size_t>(tree.left[at])] = at;
    parent[static_cast<std::size_t>(tree.right[at])] = at;
  }
}

}  // namespace inforest
