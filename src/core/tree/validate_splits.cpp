// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/validate_splits.hpp"

#include <algorithm>
#include <cmath>

namespace inforest {

namespace {

/// Squared error of a node's value for one row, up to a term that is the same for all nodes.
class NodeLoss {
 public:
  NodeLoss(const Dataset& data, const Tree& tree)
      : data_(data),
        value_(tree.value.data()),
        outputs_(tree.value.size() / tree.feature.size()),
        squares_(tree.feature.size(), 0.0) {
    for (std::size_t i = 0; i < tree.value.size(); ++i)
      squares_[i / outputs_] += tree.value[i] * tree.value[i];
  }

  double operator()(std::int32_t number, std::int32_t row) const {
    const auto node = static_cast<std::size_t>(number);
    const double* value = value_ + node * outputs_;
    const Target& kept = data_.kept;
    if (kept.has_labels()) return squares_[node] - 2.0 * value[kept.labels[row]];
    double loss = 0.0;
    for (std::int64_t q = 0; q < kept.n_scores; ++q) {
      const double error = kept.scores[q * data_.n_samples + row] - value[q];
      loss += error * error;
    }
    return loss;
  }

 private:
  const Dataset& data_;
  const double* value_;
  std::size_t outputs_;
  std::vector<double> squares_;
};

/// What unseen rows on one side of a split add up to.
struct Side {
  double weight = 0.0;
  double along = 0.0;  ///< responses, along the difference of the children's values
};

/// The responses of unseen rows along the difference of two children's values.
class Contrasts {
 public:
  Contrasts(const Dataset& data, const Tree& tree)
      : data_(data), outputs_(tree.value.size() / tree.feature.size()), size_(tree.feature.size()) {
    difference_.resize(tree.value.size());
    for (std::size_t node = 0; node < size_.size(); ++node) {
      if (tree.feature[node] < 0) continue;
      const auto left = static_cast<std::size_t>(tree.left[node]) * outputs_;
      const auto right = static_cast<std::size_t>(tree.right[node]) * outputs_;
      double square = 0.0;
      for (std::size_t q = 0; q < outputs_; ++q) {
        const double d = tree.value[left + q] - tree.value[right + q];
        difference_[node * outputs_ + q] = d, square += d * d;
      }
      size_[node] = std::sqrt(square);
    }
  }

  double size(std::size_t node) const { return size_[node]; }

  double along(std::size_t node, std::int32_t row) const {
    const double* difference = difference_.data() + node * outputs_;
    const Target& kept = data_.kept;
    if (kept.has_labels()) return difference[kept.labels[row]];
    double sum = 0.0;
    for (std::int64_t q = 0; q < kept.n_scores; ++q)
      sum += kept.scores[q * data_.n_samples + row] * difference[q];
    return sum;
  }

 private:
  const Dataset& data_;
  std::size_t outputs_;
  std::vector<double> difference_;
  std::vector<double> size_;
};

/// Sum of the squared deviations of the rows' responses from their means.
double squared_deviations(const Dataset& data, const std::vector<std::int32_t>& rows) {
  const Target& kept = data.kept;
  double total = 0.0;
  for (const std::int32_t row : rows) total += data.weight(row);
  if (!(total > 0.0)) return 0.0;
  if (kept.has_labels()) {
    std::vector<double> of_class(static_cast<std::size_t>(kept.n_labels), 0.0);
    for (const std::int32_t row : rows)
      of_class[static_cast<std::size_t>(kept.labels[row])] += data.weight(row);
    double sum = total;
    for (const double weight : of_class) sum -= weight * (weight / total);
    return sum;
  }
  double sum = 0.0;
  for (std::int64_t q = 0; q < kept.n_scores; ++q) {
    const double* scores = kept.scores + q * data.n_samples;
    double mean = 0.0;
    for (const std::int32_t row : rows) mean += data.weight(row) / total * scores[row];
    for (const std::int32_t row : rows) {
      const double deviation = scores[row] - mean;
      sum += data.weight(row) * deviation * deviation;
    }
  }
  return sum;
}

double effect(const Side& left, const Side& right, double contrast, double deviations) {
  if (!(left.weight > 0.0 && right.weight > 0.0 && contrast > 0.0 && deviations > 0.0)) return 0.0;
  const double gap = left.along / left.weight - right.along / right.weight;
  const double effective = left.weight / (left.weight + right.weight) * right.weight;
  // A correlation, but for rounding.
  return std::clamp(std::sqrt(effective / deviations) * (gap / contrast), -1.0, 1.0);
}

}  // namespace

std::vector<std::int32_t> UnseenRows::list() const {
  const std::size_t n = in_bag_.size();
  std::vector<std::int32_t> rows;
  const auto look_at = [&](std::size_t row) {
    if (is_one(row)) rows.push_back(static_cast<std::int32_t>(row));
  };
  if (n <= kMany) {
    for (std::size_t row = 0; row < n; ++row) look_at(row);
    return rows;
  }
  // Every row is looked at with the same chance, by itself: gaps between them are geometric.
  const auto wanted = static_cast<double>(std::clamp(n_grown_, kFew, kMany));
  const double scale = 1.0 / std::log1p(-wanted / static_cast<double>(n));
  Rng rng(key_);
  const auto gap = [&] { return std::floor(scale * std::log(rng.uniform())); };
  const auto end = static_cast<double>(n);
  for (double row = gap(); row < end; row += 1.0 + gap()) look_at(static_cast<std::size_t>(row));
  return rows;
}

void validate_splits(const Dataset& data, const UnseenRows& rows, Tree& tree) {
  const NodeLoss loss(data, tree);
  const Contrasts contrasts(data, tree);
  const Splits splits = tree.splits();
  std::vector<double> gain(tree.feature.size(), 0.0);
  std::vector<Side> side(2 * tree.feature.size());  // of every node, left and right
  const std::vector<std::int32_t> unseen = rows.list();
  for (const std::int32_t row : unseen) {
    const double weight = data.weight(row);
    std::int32_t node = 0;
    double before = loss(node, row);
    while (!splits.is_leaf(node)) {
      const auto at = static_cast<std::size_t>(node);
      const std::int32_t child = splits.child(node, data.column(splits.feature[node])[row]);
      const double after = loss(child, row);
      gain[at] += weight * (before - after);
      Side& reached = side[2 * at + (child == tree.left[at] ? 0 : 1)];
      reached.weight += weight;
      reached.along += weight * contrasts.along(at, row);
      node = child, before = after;
    }
  }
  const double deviations = squared_deviations(data, unseen);
  for (std::size_t node = 0; node < gain.size(); ++node) {
    tree.validated[node] = gain[node] > 0.0;
    tree.unseen_effect[node] =
        effect(side[2 * node], side[2 * node + 1], contrasts.size(node), deviations);
  }
}

}  // namespace inforest
