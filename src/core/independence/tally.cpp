// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/tally.hpp"

#include <algorithm>

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

void Tally::add_step_down(std::span<const double> maxima, double limit) {
  step_down.push_back(
      count_at_least(maxima.data(), static_cast<std::int64_t>(maxima.size()), limit));
}

Tally tally_draws(const Dataset& data, const std::vector<std::string>& selectors,
                  std::span<const std::int64_t> features, DrawRange range, std::uint64_t seed,
                  double* maxima, Interrupt& interrupt) {
  Root root(data);
  Tally tally;
  with_root_selector(data, selectors, seed, root.response(), [&](auto& selector) {
    Draws draws;
    draws.begin(root.response(), derive_key(seed, Stream::selector_draws));
    for (const std::int64_t feature : features) {
      if (!root.gather(feature)) {
        tally.add_constant(range, maxima != nullptr);
        continue;
      }
      const double limit = tie_limit(selector.bind(root.column().data()));
      std::int64_t exceedances = 0;
      for (std::int64_t b = 0; b < range.size(); ++b) {
        const double value = selector.evaluate(draws, range.begin + b);
        exceedances += value >= limit;
        if (maxima != nullptr) maxima[b] = std::max(maxima[b], value);
        interrupt.spend(work_of(selector, draws.size()));
      }
      tally.exceedances.push_back(exceedances);
      if (maxima != nullptr)
        tally.add_step_down({maxima, static_cast<std::size_t>(range.size())}, limit);
    }
  });
  return tally;
}

}  // namespace inforest
