// SPDX-License-Identifier: BSD-3-Clause
/// Harrell's concordance: how well a risk orders times some of which are censored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace inforest {

/// A pair is comparable if it is known who was first: i had an event, and j has a later time or was
/// censored at the same one. Pairs weigh the product of their weights.
struct Concordance {
  double comparable = 0.0;
  double concordant = 0.0;  ///< the earlier one has the higher risk
  double tied = 0.0;        ///< both have the same risk

  /// NaN where no pair is comparable.
  double index() const { return (concordant + 0.5 * tied) / comparable; }
};

/// Counts pairs in O(n log n): from the last time to the first, in a Fenwick tree over the risks.
/// An object may be asked again and keeps its memory.
class ConcordanceCounter {
 public:
  /// `time` may be anything that is ordered as the times are. `weight` may be empty.
  Concordance operator()(std::span<const double> time, std::span<const std::uint8_t> event,
                         std::span<const double> risk, std::span<const double> weight);

 private:
  void rank(std::span<const double> risk);
  void add(std::uint32_t rank, double weight);
  double below(std::uint32_t rank) const;

  std::vector<std::uint32_t> order_, rank_;
  std::vector<double> sum_;  ///< Fenwick tree over the ranks
  std::vector<double> at_;   ///< weight at each rank
};

}  // namespace inforest
