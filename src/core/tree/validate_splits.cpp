// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/validate_splits.hpp"

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

}  // namespace

void validate_splits(const Dataset& data, const std::vector<bool>& in_bag,
                     const std::int64_t* case_counts, Tree& tree) {
  const NodeLoss loss(data, tree);
  const Splits splits = tree.splits();
  std::vector<double> gain(tree.feature.size(), 0.0);
  for (std::int32_t row = 0; row < data.n_samples; ++row) {
    if (in_bag[static_cast<std::size_t>(row)]) continue;
    if (case_counts != nullptr && case_counts[row] == 0) continue;
    const double weight = data.weight(row);
    std::int32_t node = 0;
    double before = loss(node, row);
    while (!splits.is_leaf(node)) {
      const std::int32_t child = splits.child(node, data.column(splits.feature[node])[row]);
      const double after = loss(child, row);
      gain[static_cast<std::size_t>(node)] += weight * (before - after);
      node = child, before = after;
    }
  }
  tree.validated.resize(gain.size());
  for (std::size_t node = 0; node < gain.size(); ++node) tree.validated[node] = gain[node] > 0.0;
}

}  // namespace inforest
