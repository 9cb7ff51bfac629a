// SPDX-License-Identifier: BSD-3-Clause
#include "core/stage_b/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/rng.hpp"

namespace inforest {

namespace {

/// Up to this many distinct values are found by hashing.
constexpr std::size_t kHashed = 4096;

/// With at most this many distinct values every midpoint is used, whatever the method.
constexpr std::size_t kFewDistinct = 4;

/// Between a < b, never equal to b even where no number lies between them, safe from overflow.
double midpoint(double a, double b) {
  const double middle = a / 2.0 + b / 2.0;
  return middle < b && middle >= a ? middle : a;
}

/// `count` equally spaced numbers from `first` to `last`, both included.
double spaced(double first, double last, std::size_t index, std::size_t count) {
  if (index + 1 == count) return last;
  const double share = static_cast<double>(index) / static_cast<double>(count - 1);
  const double width = last - first;
  return std::isfinite(width) ? first + share * width : first * (1.0 - share) + last * share;
}

}  // namespace

void Thresholds::build(const double* x, std::uint32_t size, const ThresholdOptions& options,
                       std::uint64_t key) {
  // With a fixed number of bins, columns of few distinct values need no sort of all samples, and
  // columns of many need only their extremes.
  const bool counts_bins = options.method == ThresholdMethod::histogram &&
                           options.max_thresholds.kind == SizeRule::Kind::count;
  const auto n_bins = static_cast<std::size_t>(std::min(options.max_thresholds.amount, 1e9));
  const std::size_t limit = std::max(n_bins, kFewDistinct);
  if (counts_bins && limit <= kHashed) {
    if (distinct_.collect(x, size, limit, bin_))
      choose_midpoints(options, key);
    else
      equal_width_edges(x, size, n_bins);
  } else {
    distinct_.sort(x, size, bin_);
    choose_midpoints(options, key);
  }
  keep_admissible(options.min_samples_leaf);
}

void Thresholds::use(const double* x, std::uint32_t size, const std::vector<double>& thresholds) {
  distinct_.sort(x, size, bin_);
  value_ = thresholds;
  bin_distinct();
  keep_admissible(1);
}

void Thresholds::equal_width_edges(const double* x, std::uint32_t size, std::size_t n_bins) {
  double lowest = x[0], highest = x[0];
  for (std::uint32_t i = 1; i < size; ++i) {
    lowest = std::min(lowest, x[i]);
    highest = std::max(highest, x[i]);
  }
  double second = highest, last_but_one = lowest;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (x[i] > lowest) second = std::min(second, x[i]);
    if (x[i] < highest) last_but_one = std::max(last_but_one, x[i]);
  }
  const double first = midpoint(lowest, second), last = midpoint(last_but_one, highest);
  value_.resize(n_bins + 1);
  for (std::size_t k = 0; k <= n_bins; ++k) value_[k] = spaced(first, last, k, n_bins + 1);
  value_.erase(std::unique(value_.begin(), value_.end()), value_.end());

  const auto n_edges = value_.size();
  const double per_unit = static_cast<double>(n_edges - 1) / (last - first);
  const bool guessable = std::isfinite(per_unit) && per_unit > 0.0;
  bin_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!guessable) {
      bin_[i] = static_cast<std::uint32_t>(std::lower_bound(value_.begin(), value_.end(), x[i]) -
                                           value_.begin());
      continue;
    }
    // A guess by arithmetic, corrected against the edges themselves.
    const double guess = std::clamp((x[i] - first) * per_unit, 0.0, static_cast<double>(n_edges));
    auto bin = static_cast<std::size_t>(guess);
    while (bin > 0 && x[i] <= value_[bin - 1]) --bin;
    while (bin < n_edges && x[i] > value_[bin]) ++bin;
    bin_[i] = static_cast<std::uint32_t>(bin);
  }
}

void Thresholds::choose_midpoints(const ThresholdOptions& options, std::uint64_t key) {
  const std::vector<double>& distinct = distinct_.values();
  midpoint_.clear();
  for (std::size_t i = 1; i < distinct.size(); ++i)
    midpoint_.push_back(midpoint(distinct[i - 1], distinct[i]));
  const std::size_t n_midpoints = midpoint_.size(), n_distinct = distinct.size();
  const auto n_wanted = std::min<std::size_t>(
      static_cast<std::size_t>(
          options.max_thresholds.resolve(static_cast<std::int64_t>(n_distinct))),
      n_midpoints);

  value_ = midpoint_;
  if (n_distinct > kFewDistinct) switch (options.method) {
      case ThresholdMethod::exact:
        break;
      case ThresholdMethod::random:
        Rng(key).partial_shuffle(value_.data(), static_cast<std::uint32_t>(n_midpoints),
                                 static_cast<std::uint32_t>(n_wanted));
        value_.resize(n_wanted);
        std::sort(value_.begin(), value_.end());
        break;
      case ThresholdMethod::percentile:
        value_.resize(n_wanted);
        for (std::size_t k = 0; k < n_wanted; ++k) {
          const double place = n_wanted == 1
                                   ? 0.0
                                   : static_cast<double>(k) / static_cast<double>(n_wanted - 1) *
                                         static_cast<double>(n_midpoints - 1);
          const auto below = std::min(static_cast<std::size_t>(place), n_midpoints - 1);
          const auto above = std::min(below + 1, n_midpoints - 1);
          const double share = place - static_cast<double>(below);
          value_[k] = midpoint_[below] * (1.0 - share) + midpoint_[above] * share;
        }
        break;
      case ThresholdMethod::histogram:
        value_.resize(n_wanted + 1);
        for (std::size_t k = 0; k <= n_wanted; ++k)
          value_[k] = spaced(midpoint_.front(), midpoint_.back(), k, n_wanted + 1);
        break;
    }
  bin_distinct();
}

void Thresholds::bin_distinct() {
  std::vector<std::uint32_t> bin_of_value(distinct_.values().size());
  std::uint32_t bin = 0;
  for (std::size_t i = 0; i < bin_of_value.size(); ++i) {
    while (bin < value_.size() && distinct_.values()[i] > value_[bin]) ++bin;
    bin_of_value[i] = bin;
  }
  for (std::uint32_t& bin_or_value : bin_) bin_or_value = bin_of_value[bin_or_value];
}

void Thresholds::keep_admissible(std::uint32_t min_leaf) {
  const auto size = static_cast<std::uint32_t>(bin_.size());
  bin_begin_.assign(value_.size() + 2, 0);
  for (const std::uint32_t bin : bin_) ++bin_begin_[bin + 1];
  std::partial_sum(bin_begin_.begin(), bin_begin_.end(), bin_begin_.begin());
  left_size_.assign(bin_begin_.begin() + 1, bin_begin_.end() - 1);

  std::size_t kept = 0;
  std::uint32_t previous = 0;
  for (std::size_t c = 0; c < value_.size(); ++c) {
    const std::uint32_t left = left_size_[c];
    if (left == previous || left < min_leaf || size - left < min_leaf || left == size) continue;
    value_[kept] = value_[c];
    left_size_[kept++] = previous = left;
  }
  value_.resize(kept);
  left_size_.resize(kept);
}

}  // namespace inforest
