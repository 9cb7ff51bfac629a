// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/screen.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/multiversion.hpp"
#include "core/base/rng.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"
#include "core/inference/permutation_test.hpp"

namespace inforest {

namespace {

INFOREST_MULTIVERSION
std::int32_t count_above(const float* values, std::int64_t size, float limit) {
  std::int32_t count = 0;
  for (std::int64_t b = 0; b < size; ++b) count += values[b] > limit;
  return count;
}

INFOREST_MULTIVERSION
void sum_of_squares(const float* values, std::int64_t depth, std::int64_t size, float* out) {
  for (std::int64_t b = 0; b < size; ++b) out[b] = values[b] * values[b];
  for (std::int64_t d = 1; d < depth; ++d)
    for (std::int64_t b = 0; b < size; ++b) out[b] += values[d * size + b] * values[d * size + b];
}

/// A square in single precision that lies surely below `root` squared; `above` for surely above.
float square_below(double root) {
  return root <= 0.0 ? -1.0f : static_cast<float>(root * root * (1.0 - 1e-6));
}
float square_above(double root) { return static_cast<float>(root * root * (1.0 + 1e-6)); }

/// One feature after the other: which draws of the screen need another look, and their counts.
template <class Selector>
class ScreenReader {
 public:
  ScreenReader(Root& root, Selector& selector, DrawRange draws, std::uint64_t seed,
               const Screen& screen, RunningMaxima& maxima)
      : root_(root), selector_(selector), range_(draws), screen_(screen), maxima_(maxima) {
    draws_.begin(root.response(), derive_key(seed, Stream::selector_draws));
    squares_.resize(static_cast<std::size_t>(draws.size()));
  }

  /// Counts for the screen's feature `i`, which is column `feature` of the data.
  void read(std::int64_t i, std::int64_t feature, Tally& tally, Interrupt& interrupt) {
    is_bound_ = false;
    feature_ = feature;
    const std::int64_t n = range_.size();
    sum_of_squares(screen_.value + i * screen_.depth * n, screen_.depth, n, squares_.data());
    const double observed = screen_.observed[i];
    slack_ = screen_.slack[i];
    limit_ = tie_limit(observed * observed);
    const float surely = square_above(observed + slack_);
    const float perhaps = square_below(std::sqrt(std::max(limit_, 0.0)) - slack_);
    const std::int32_t sure = count_above(squares_.data(), n, surely);
    std::int64_t exceedances = sure;
    if (count_above(squares_.data(), n, perhaps) > sure)
      for (std::int64_t b = 0; b < n; ++b)
        if (squares_[b] > perhaps && !(squares_[b] > surely)) {
          const double value = evaluate(b, interrupt);
          exceedances += value >= limit_;
        }
    tally.exceedances.push_back(exceedances);
    if (!maxima_.are_wanted()) return;
    maxima_.begin(static_cast<std::size_t>(i));
    raise_maxima(interrupt);
    tally.step_down.push_back(maxima_.count_at_least(limit_));
  }

 private:
  double evaluate(std::int64_t b, Interrupt& interrupt) {
    if (!is_bound_) {
      root_.gather(feature_);
      limit_ = tie_limit(selector_.bind(root_.column().data()));
      is_bound_ = true;
    }
    interrupt.spend(work_of(selector_, draws_.size()));
    return selector_.evaluate(draws_, range_.begin + b);
  }

  /// Only a value near or above a running maximum can raise it, and few are.
  void raise_maxima(Interrupt& interrupt) {
    const std::int64_t n = range_.size();
    const float bar = square_below(std::sqrt(std::max(maxima_.bar(), 0.0)) - slack_);
    if (count_above(squares_.data(), n, bar) == 0) return;
    for (std::int64_t b = 0; b < n; ++b)
      if (squares_[b] > bar &&
          maxima_.would_raise(b, square_above(std::sqrt(squares_[b]) + slack_)))
        maxima_.raise(b, evaluate(b, interrupt));
  }

  Root& root_;
  Selector& selector_;
  DrawRange range_;
  const Screen& screen_;
  RunningMaxima& maxima_;
  Draws draws_;
  std::vector<float> squares_;
  std::int64_t feature_ = 0;
  double limit_ = 0.0, slack_ = 0.0;
  bool is_bound_ = false;
};

}  // namespace

Tally tally_screened(const Dataset& data, const std::vector<std::string>& selectors,
                     std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                     const Screen& screen, RunningMaxima& maxima, Interrupt& interrupt) {
  Root root(data);
  Tally tally;
  with_root_selectors(data, selectors, seed, root.response(), [&](auto& by_kind) {
    by_kind.visit(FeatureKind::number, [&](auto& selector) {
      ScreenReader reader(root, selector, draws, seed, screen, maxima);
      for (std::size_t i = 0; i < features.size(); ++i) {
        interrupt.spend(draws.size());
        // A feature that varies may have the observed value 0, a constant one has no other.
        if (screen.observed[i] > 0.0 || root.gather(features[i]))
          reader.read(static_cast<std::int64_t>(i), features[i], tally, interrupt);
        else
          tally.add_constant(draws, maxima.are_wanted());
      }
    });
  });
  return tally;
}

void unit_columns(const Dataset& data, std::span<const std::int64_t> features, float* out) {
  const std::vector<std::int32_t> rows = all_rows(data);
  std::vector<double> column(rows.size());
  for (const std::int64_t feature : features) {
    gather_column(data.column(feature), rows, column.data());
    const double squares =
        centre(column.data(), static_cast<std::uint32_t>(rows.size()), data.weights).sum_of_squares;
    const double factor = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
    for (const double value : column) *out++ = static_cast<float>(value * factor);
  }
}

void permuted_scores(const Dataset& data, const float* score, std::int64_t depth, DrawRange range,
                     std::uint64_t seed, float* out) {
  Response response;
  response.gather(data, all_rows(data));
  Draws draws;
  draws.begin(response, derive_key(seed, Stream::selector_draws));
  const std::int64_t n = data.n_samples;
  if (!response.has_labels()) {
    for (std::int64_t b = 0; b < range.size(); ++b) {
      const std::uint32_t* order = draws.order(range.begin + b);
      for (std::int64_t d = 0; d < depth; ++d) {
        float* row = out + (d * range.size() + b) * n;
        for (std::int64_t i = 0; i < n; ++i) row[i] = score[order[i] * depth + d];
      }
    }
    return;
  }
  // The response numbers its classes by size.
  std::vector<std::int64_t> label(response.n_classes());
  for (std::int64_t i = 0; i < n; ++i)
    label[response.labels()[static_cast<std::size_t>(i)]] = data.tested.labels[i];
  const std::uint32_t last = response.n_classes() - 1;
  for (std::int64_t b = 0; b < range.size(); ++b) {
    const std::uint32_t* order = draws.order(range.begin + b);
    for (std::int64_t d = 0; d < depth; ++d) {
      float* row = out + (d * range.size() + b) * n;
      std::fill_n(row, n, score[label[last] * depth + d]);
      for (std::uint32_t k = 0; k < last; ++k) {
        const std::uint32_t* member = order + response.class_begin(k);
        for (std::uint32_t i = 0; i < response.class_size(k); ++i)
          row[member[i]] = score[label[k] * depth + d];
      }
    }
  }
}

}  // namespace inforest
