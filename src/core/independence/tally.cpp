// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/tally.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/multiversion.hpp"
#include "core/base/rng.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/permutation_test.hpp"

namespace inforest {

namespace {

INFOREST_MULTIVERSION
std::int64_t count_at_least(const double* values, std::int64_t size, double limit) {
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < size; ++b) count += values[b] >= limit;
  return count;
}

}  // namespace

void Tally::add_constant(DrawRange draws, bool steps_down) {
  exceedances.push_back(draws.size());
  if (steps_down) step_down.push_back(draws.size());
}

void RunningMaxima::begin(std::size_t i) {
  if (!are_wanted()) return;
  scale_ = TailScale({mean_[i], variance_[i]});
  const double lowest = *std::min_element(maxima_.begin(), maxima_.end());
  bar_ = std::isfinite(lowest) ? scale_.value_at(lowest) : -1.0;
}

std::int64_t RunningMaxima::count_at_least(double value) const {
  return inforest::count_at_least(maxima_.data(), static_cast<std::int64_t>(maxima_.size()),
                                  scale_.comparable(value));
}

Tally tally_draws(const Dataset& data, const std::vector<std::string>& selectors,
                  std::span<const std::int64_t> features, DrawRange range, std::uint64_t seed,
                  RunningMaxima& maxima, Interrupt& interrupt) {
  Root root(data);
  Tally tally;
  with_root_selectors(data, selectors, seed, root.response(), [&](auto& by_kind) {
    Draws draws;
    draws.begin(root.response(), derive_key(seed, Stream::selector_draws));
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (!root.gather(features[i])) {
        tally.add_constant(range, maxima.are_wanted());
        continue;
      }
      maxima.begin(i);
      by_kind.visit(root.kind(), [&](auto& selector) {
        const double limit = tie_limit(selector.bind(root.column().data()));
        std::int64_t exceedances = 0;
        for (std::int64_t b = 0; b < range.size(); ++b) {
          const double value = selector.evaluate(draws, range.begin + b);
          exceedances += value >= limit;
          if (maxima.are_wanted() && value > maxima.bar()) maxima.raise(b, value);
          interrupt.spend(work_of(selector, draws.size()));
        }
        tally.exceedances.push_back(exceedances);
        if (maxima.are_wanted()) tally.step_down.push_back(maxima.count_at_least(limit));
      });
    }
  });
  return tally;
}

}  // namespace inforest
