// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/tilted_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/special.hpp"

namespace inforest {

namespace {

double log_choose(std::int64_t n, std::int64_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

TiltedCounts::TiltedCounts(const std::vector<std::uint32_t>& class_size, std::uint32_t size,
                           std::uint32_t subset, std::vector<double> score, double limit)
    : TiltedCounts(class_size, size, subset, std::move(score), limit, false) {}

TiltedCounts::TiltedCounts(const std::vector<std::uint32_t>& class_size, std::uint32_t size,
                           std::uint32_t subset, std::vector<double> score, double limit,
                           bool are_heavy)
    : subset_(subset), score_(std::move(score)), limit_(limit) {
  const double log_odds = std::log(static_cast<double>(subset) / (size - subset));
  log_scale_ = -log_choose(size, subset) - subset * log_odds;
  begin_.push_back(0);
  log_base_.reserve(score_.size());
  for (const std::uint32_t members : class_size) {
    // Scores and weights are taken relative to those of a likely count: no overflow.
    const auto likely = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{members} * subset / size, subset));
    const double origin = score_[begin_.back() + likely];
    const double at_likely = log_choose(members, likely) + likely * log_odds;
    limit_ -= origin;
    log_scale_ += at_likely;
    for (std::uint32_t count = 0; count <= std::min(members, subset); ++count) {
      score_[log_base_.size()] -= origin;
      log_base_.push_back(log_choose(members, count) + count * log_odds - at_likely);
    }
    begin_.push_back(log_base_.size());
  }
  cumulative_.resize(score_.size());

  const Moments untilted = weigh(0.0);
  if (!(limit_ > untilted.mean) || !(untilted.variance > 0.0)) return;
  // Where the score is like a multiple of chi-square, this tilt is the best one. Every tilt is
  // valid, so the search may stop anywhere.
  double next = untilted.mean / untilted.variance * (1.0 - untilted.mean / limit_);
  double best = std::numeric_limits<double>::infinity(), weighed = 0.0;
  for (int step = 0; step < 6 && next > 0.0; ++step) {
    const Moments here = weigh(weighed = next);
    if (!(here.log_q < best)) break;
    const bool has_settled = best - here.log_q < 0.05;
    best = here.log_q, lambda_ = weighed;
    if (has_settled || !(here.variance > 0.0)) break;
    next = lambda_ + (limit_ - here.mean) / here.variance;
    if (are_heavy && !(next > 0.0)) next = 0.5 * lambda_;
  }
  if (weighed != lambda_) weigh(lambda_);
  probability_ = std::exp(best);
}

TiltedCounts::Moments TiltedCounts::weigh(double lambda) {
  Moments moments;
  moments.log_q = log_scale_ - lambda * limit_;
  for (std::size_t k = 0; k + 1 < begin_.size(); ++k) {
    double total = 0.0, first = 0.0, second = 0.0, largest = 0.0;
    for (std::size_t i = begin_[k]; i < begin_[k + 1]; ++i) {
      const double weight = std::exp(log_base_[i] + lambda * score_[i]);
      total += weight;
      first += weight * score_[i];
      second += weight * score_[i] * score_[i];
      largest = std::max(largest, weight);
      cumulative_[i] = total;
    }
    const double mean = first / total;
    moments.mean += mean;
    moments.variance += std::max(second / total - mean * mean, 0.0);
    const bool is_last = k + 2 == begin_.size();
    moments.log_q += std::log(is_last ? largest : total);
    if (is_last) largest_last_ = largest;
  }
  return moments;
}

std::size_t TiltedCounts::draw_count(std::size_t k, Rng& rng) const {
  const auto begin = cumulative_.begin() + static_cast<std::ptrdiff_t>(begin_[k]);
  const auto end = cumulative_.begin() + static_cast<std::ptrdiff_t>(begin_[k + 1]);
  const double target = rng.uniform() * end[-1];
  return static_cast<std::size_t>(std::lower_bound(begin, end - 1, target) - begin);
}

double TiltedCounts::excess(Rng& rng) const {
  constexpr double kNone = -1.0;
  const std::size_t last = begin_.size() - 2;
  std::size_t rest = subset_;
  double score = 0.0;
  for (std::size_t k = 0; k < last; ++k) {
    const std::size_t count = draw_count(k, rng);
    if (count > rest) return kNone;
    rest -= count;
    score += score_[begin_[k] + count];
  }
  const std::size_t i = begin_[last] + rest;
  if (i >= begin_[last + 1]) return kNone;
  score += score_[i];
  if (!(score >= limit_)) return kNone;
  const double kept = std::exp(log_base_[i] + lambda_ * (score_[i] - (score - limit_)));
  return rng.uniform() * largest_last_ < kept ? score - limit_ : kNone;
}

}  // namespace inforest
