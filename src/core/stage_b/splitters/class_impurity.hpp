// SPDX-License-Identifier: BSD-3-Clause
/// `gini` and `entropy`: impurities of class counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/data/response.hpp"
#include "core/inference/tail_bound.hpp"
#include "core/inference/tilted_counts.hpp"
#include "core/inference/tilted_test.hpp"
#include "core/stage_b/weighted/class_impurity.hpp"

namespace inforest {

/// Both impurities need only Q = sum of term(count) over the classes of a child; moving one sample
/// changes one term, so a whole scan of the cuts is one pass.
template <class Measure>
class ClassImpurity {
 public:
  static constexpr const char* name = Measure::name;
  using Item = std::uint32_t;  ///< a present class
  using Weighted = WeightedClassImpurity<typename Measure::Weighted>;

  void begin(const Response& response) {
    response_ = &response;
    measure_.begin(response.size());
    total_.resize(response.n_classes());
    whole_ = 0;
    for (std::uint32_t k = 0; k < response.n_classes(); ++k) {
      total_[k] = response.class_size(k);
      whole_ += measure_.term(total_[k]);
    }
    left_.resize(total_.size());
  }

  Item item(std::uint32_t position) const { return response_->labels()[position]; }

  double node_impurity() const { return summed(size(), whole_) / size(); }

  /// Weighted child impurity at each cut (ascending sizes of the left child).
  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, double* impurity) {
    each_cut(items, cuts, n_cuts, [&](std::size_t c, Sum q_left, Sum q_right) {
      impurity[c] = weighted(cuts[c], q_left, q_right);
    });
  }

  /// Weighted child impurity when one child holds exactly these items.
  double of_side(const Item* side, std::uint32_t side_size) {
    std::fill(left_.begin(), left_.end(), 0u);
    Sum q_left = 0, q_right = 0;
    if (side_size < left_.size()) {  // fewer samples than classes: a term per sample
      q_right = whole_;
      for (std::uint32_t i = 0; i < side_size; ++i) add(side[i], q_left, q_right);
      return weighted(side_size, q_left, q_right);
    }
    for (std::uint32_t i = 0; i < side_size; ++i) ++left_[side[i]];
    sum_terms(q_left, q_right);
    return weighted(side_size, q_left, q_right);
  }

  /// With two classes: weighted child impurity when the left child of `left` samples holds `ones`
  /// samples of class 0.
  double of_table(std::uint32_t left, std::uint32_t ones) const {
    const std::uint32_t right_ones = total_[0] - ones, right = size() - left;
    return weighted(left, measure_.term(ones) + measure_.term(left - ones),
                    measure_.term(right_ones) + measure_.term(right - right_ones));
  }

  /// A bound on the p-value of one cut: P(impurity <= limit). The decrease of gini is the sum over
  /// classes of (count - expected)^2, divided by left * right.
  double certificate(std::uint32_t left, double limit, double enough) const
    requires(Measure::is_quadratic)
  {
    const double decrease = std::max(node_impurity() - limit, 0.0);
    return class_count_tail(total_.data(), total_.size(), size(), left,
                            decrease * left * (size() - left), enough);
  }

  /// Goes on with the test of one cut without the draws that cannot exceed, if that is quicker.
  void finish_rare(TestProgress& progress, const TestPlan& plan, std::uint32_t left, double limit,
                   double bound, const Rng& rng, Interrupt& interrupt) const {
    const std::uint32_t side = std::min(left, size() - left), other = size() - side;
    // Measured: the tilt costs about 30 n steps of a shuffle, a candidate about 8 per class.
    const auto remaining = static_cast<double>(plan.n_draws() - progress.n_draws());
    if (bound >= 1.0 && remaining * side < 60.0 * size()) return;
    std::vector<double> score;
    for (const std::uint32_t members : total_)
      for (std::uint32_t count = 0; count <= std::min(members, side); ++count)
        score.push_back(measure_.gain(side, measure_.term(count)) +
                        measure_.gain(other, measure_.term(members - count)));
    const TiltedCounts counts(total_, size(), side, std::move(score),
                              measure_.worst(side) + measure_.worst(other) - size() * limit);
    const double q = counts.candidate_probability();
    const double affordable = std::min(0.5, 0.1 * side / static_cast<double>(total_.size()));
    if (!(q <= (bound < 1.0 ? bound : affordable))) return;
    const auto work = 8 * static_cast<std::int64_t>(total_.size());
    finish_by_candidates(progress, plan, q, rng, interrupt, work,
                         [&](Rng& stream) { return counts.is_exceedance(stream); });
  }

 private:
  using Sum = typename Measure::Sum;

  std::uint32_t size() const { return response_->size(); }

  /// Calls use(c, Q of the left child, Q of the right child) at each cut c.
  template <class Use>
  void each_cut(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts, Use use) {
    std::fill(left_.begin(), left_.end(), 0u);
    Sum q_left = 0, q_right = whole_;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      if (cuts[c] - i > 2 * left_.size()) {  // many samples: count first, then a term per class
        for (; i < cuts[c]; ++i) ++left_[items[i]];
        sum_terms(q_left, q_right);
      }
      for (; i < cuts[c]; ++i) add(items[i], q_left, q_right);
      use(c, q_left, q_right);
    }
  }

  /// Both children's Q from their counts.
  void sum_terms(Sum& q_left, Sum& q_right) const {
    q_left = q_right = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      q_left += measure_.term(left_[k]);
      q_right += measure_.term(total_[k] - left_[k]);
    }
  }

  /// One more sample of class k to the left.
  void add(Item k, Sum& q_left, Sum& q_right) {
    const std::uint32_t before = left_[k]++, right = total_[k] - before;
    q_left += measure_.growth(before);
    q_right -= measure_.growth(right - 1);
  }

  double weighted(std::uint32_t left, Sum q_left, Sum q_right) const {
    return (summed(left, q_left) + summed(size() - left, q_right)) / size();
  }

  /// Size times impurity of a child.
  double summed(std::uint32_t child, Sum q) const {
    return measure_.worst(child) - measure_.gain(child, q);
  }

  const Response* response_ = nullptr;
  Measure measure_;
  std::vector<std::uint32_t> total_, left_;
  Sum whole_ = 0;
};

// A measure says what size times impurity is: `worst(size)` minus `gain(size, Q)`, linear in Q.
// `growth(count)` is what one more sample adds to the term of its class.

/// 1 - sum of p^2.
struct GiniMeasure {
  static constexpr const char* name = "gini";
  using Weighted = WeightedGiniMeasure;
  static constexpr bool is_quadratic = true;
  using Sum = std::int64_t;
  void begin(std::uint32_t) {}
  Sum term(std::uint32_t count) const { return static_cast<Sum>(count) * count; }
  Sum growth(std::uint32_t count) const { return 2 * static_cast<Sum>(count) + 1; }
  double worst(std::uint32_t size) const { return size; }
  double gain(std::uint32_t size, Sum q) const {
    return size == 0 ? 0.0 : static_cast<double>(q) / size;
  }
};

/// - sum of p log2 p.
struct EntropyMeasure {
  static constexpr const char* name = "entropy";
  using Weighted = WeightedEntropyMeasure;
  static constexpr bool is_quadratic = false;
  using Sum = double;
  void begin(std::uint32_t size) {
    for (auto count = static_cast<std::uint32_t>(table_.size()); count <= size; ++count)
      table_.push_back(count == 0 ? 0.0 : count * std::log2(static_cast<double>(count)));
  }
  double term(std::uint32_t count) const { return table_[count]; }
  double growth(std::uint32_t count) const { return table_[count + 1] - table_[count]; }
  double worst(std::uint32_t size) const { return table_[size]; }
  double gain(std::uint32_t, double q) const { return q; }

 private:
  std::vector<double> table_;  ///< count * log2(count)
};

using Gini = ClassImpurity<GiniMeasure>;
using Entropy = ClassImpurity<EntropyMeasure>;

}  // namespace inforest
