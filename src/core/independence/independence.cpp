// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/independence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/column.hpp"
#include "core/base/multiversion.hpp"
#include "core/independence/root.hpp"
#include "core/inference/draws.hpp"

namespace inforest {

namespace {

/// A data set as one node, its columns gathered one at a time.
class Root {
 public:
  explicit Root(const Dataset& data) : data_(data), rows_(all_rows(data)), column_(rows_.size()) {
    response_.gather(data, rows_);
  }

  const Response& response() const { return response_; }
  const std::vector<double>& column() const { return column_; }

  /// Gathers a feature's column; false if nothing can be associated because nothing varies.
  bool gather(std::int64_t feature) {
    gather_column(data_.column(feature), rows_, column_.data());
    return !response_.is_constant() && !is_constant(column_);
  }

 private:
  const Dataset& data_;
  std::vector<std::int32_t> rows_;
  Response response_;
  std::vector<double> column_;
};

/// Draws whose running maximum reaches the limit.
INFOREST_MULTIVERSION
std::int64_t count_at_least(const double* values, std::int64_t size, double limit) {
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < size; ++b) count += values[b] >= limit;
  return count;
}

INFOREST_MULTIVERSION
std::int32_t count_above(const float* values, std::int64_t size, float limit) {
  std::int32_t count = 0;
  for (std::int64_t b = 0; b < size; ++b) count += values[b] > limit;
  return count;
}

INFOREST_MULTIVERSION
std::int32_t count_above_each(const float* values, const float* limits, std::int64_t size) {
  std::int32_t count = 0;
  for (std::int64_t b = 0; b < size; ++b) count += values[b] > limits[b];
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
               const Screen& screen, double* maxima)
      : root_(root), selector_(selector), range_(draws), screen_(screen), maxima_(maxima) {
    draws_.begin(root.response(), derive_key(seed, Stream::selector_draws));
    squares_.resize(static_cast<std::size_t>(draws.size()));
    if (maxima_ == nullptr) return;
    bars_.resize(squares_.size());
    for (std::size_t b = 0; b < bars_.size(); ++b) set_bar(b);
  }

  /// Counts for the screen's feature `i`, which is column `feature` of the data.
  void read(std::int64_t i, std::int64_t feature, Tally& tally, Interrupt& interrupt) {
    is_bound_ = false;
    feature_ = feature;
    const std::int64_t n = range_.size();
    sum_of_squares(screen_.value + i * screen_.depth * n, screen_.depth, n, squares_.data());
    const double observed = screen_.observed[i];
    limit_ = tie_limit(observed * observed);
    const float surely = square_above(observed + screen_.slack);
    const float perhaps = square_below(std::sqrt(std::max(limit_, 0.0)) - screen_.slack);
    const std::int32_t sure = count_above(squares_.data(), n, surely);
    std::int64_t exceedances = sure;
    if (count_above(squares_.data(), n, perhaps) > sure)
      for (std::int64_t b = 0; b < n; ++b)
        if (squares_[b] > perhaps && !(squares_[b] > surely)) {
          const double value = evaluate(b, interrupt);
          exceedances += value >= limit_;
        }
    tally.exceedances.push_back(exceedances);
    if (maxima_ == nullptr) return;
    // Only a value near or above the running maximum can raise it, and few are.
    if (count_above_each(squares_.data(), bars_.data(), n) > 0)
      for (std::int64_t b = 0; b < n; ++b)
        if (squares_[b] > bars_[b]) raise(b, evaluate(b, interrupt));
    tally.step_down.push_back(count_at_least(maxima_, n, limit_));
  }

 private:
  double evaluate(std::int64_t b, Interrupt& interrupt) {
    if (!is_bound_) {
      root_.gather(feature_);
      limit_ = tie_limit(selector_.bind(root_.column().data()));
      is_bound_ = true;
    }
    interrupt.spend(selector_.work());
    return selector_.evaluate(draws_, range_.begin + b);
  }

  void raise(std::int64_t b, double value) {
    if (value <= maxima_[b]) return;
    maxima_[b] = value;
    set_bar(static_cast<std::size_t>(b));
  }
  void set_bar(std::size_t b) { bars_[b] = square_below(std::sqrt(maxima_[b]) - screen_.slack); }

  Root& root_;
  Selector& selector_;
  DrawRange range_;
  const Screen& screen_;
  double* maxima_;
  Draws draws_;
  std::vector<float> squares_, bars_;
  std::int64_t feature_ = 0;
  double limit_ = 0.0;
  bool is_bound_ = false;
};

/// Where nothing varies every draw ties.
void tally_constant(DrawRange draws, bool step_down, Tally& tally) {
  tally.exceedances.push_back(draws.size());
  if (step_down) tally.step_down.push_back(draws.size());
}

}  // namespace

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
        tally_constant(range, maxima != nullptr, tally);
        continue;
      }
      const double limit = tie_limit(selector.bind(root.column().data()));
      std::int64_t exceedances = 0;
      for (std::int64_t b = 0; b < range.size(); ++b) {
        const double value = selector.evaluate(draws, range.begin + b);
        exceedances += value >= limit;
        if (maxima != nullptr) maxima[b] = std::max(maxima[b], value);
        interrupt.spend(selector.work());
      }
      tally.exceedances.push_back(exceedances);
      if (maxima != nullptr) tally.step_down.push_back(count_at_least(maxima, range.size(), limit));
    }
  });
  return tally;
}

Tally tally_screened(const Dataset& data, const std::vector<std::string>& selectors,
                     std::span<const std::int64_t> features, DrawRange draws, std::uint64_t seed,
                     const Screen& screen, double* maxima, Interrupt& interrupt) {
  Root root(data);
  Tally tally;
  with_root_selector(data, selectors, seed, root.response(), [&](auto& selector) {
    ScreenReader reader(root, selector, draws, seed, screen, maxima);
    for (std::size_t i = 0; i < features.size(); ++i) {
      interrupt.spend(draws.size());
      // A feature that varies may have the observed value 0, a constant one has no other.
      if (screen.observed[i] > 0.0 || root.gather(features[i]))
        reader.read(static_cast<std::int64_t>(i), features[i], tally, interrupt);
      else
        tally_constant(draws, maxima != nullptr, tally);
    }
  });
  return tally;
}

void unit_columns(const Dataset& data, std::span<const std::int64_t> features, float* out) {
  const std::vector<std::int32_t> rows = all_rows(data);
  std::vector<double> column(rows.size());
  for (const std::int64_t feature : features) {
    gather_column(data.column(feature), rows, column.data());
    const double squares =
        centre(column.data(), static_cast<std::uint32_t>(rows.size())).sum_of_squares;
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

std::vector<TestOutcome> test_features(const Dataset& data,
                                       const std::vector<std::string>& selectors,
                                       std::span<const std::int64_t> features, const TestPlan& plan,
                                       std::uint64_t seed, Interrupt& interrupt) {
  Root root(data);
  std::vector<TestOutcome> outcomes;
  with_root_selector(data, selectors, seed, root.response(), [&](auto& selector) {
    Draws draws;
    draws.begin(root.response(), derive_key(seed, Stream::selector_draws));
    for (const std::int64_t feature : features) {
      outcomes.push_back({false, 1.0, plan.n_draws(), plan.n_draws()});
      if (!root.gather(feature)) continue;
      const double observed = selector.bind(root.column().data());
      outcomes.back() = permutation_test(selector, observed, draws, plan, interrupt);
    }
  });
  return outcomes;
}

namespace {

/// The responses as numbers 0, 1, ... of their distinct values, one per sample.
std::vector<std::uint32_t> levels(const Response& response) {
  if (response.has_labels()) return response.labels();
  std::vector<double> distinct = response.centred();
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> level;
  for (const double y : response.centred())
    level.push_back(static_cast<std::uint32_t>(
        std::lower_bound(distinct.begin(), distinct.end(), y) - distinct.begin()));
  return level;
}

/// Visits every distinct arrangement, as the sample whose x comes to each place: to give the
/// responses to other samples is to give the x to other responses.
template <class Visit>
void for_each_arrangement(const std::vector<std::uint32_t>& level, Visit visit) {
  const std::size_t n = level.size();
  std::vector<std::uint32_t> arranged = level;
  std::sort(arranged.begin(), arranged.end());
  std::vector<std::uint32_t> size(arranged.back() + 1, 0), begin(size.size() + 1, 0);
  for (const std::uint32_t one : level) ++size[one];
  for (std::size_t k = 0; k < size.size(); ++k) begin[k + 1] = begin[k] + size[k];
  // The samples of one level, in order; any order would do.
  std::vector<std::uint32_t> places(n), next(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i) places[next[level[i]]++] = i;
  std::vector<std::uint32_t> source(n);
  do {
    next.assign(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i) source[places[next[arranged[i]]++]] = i;
    visit(source);
  } while (std::next_permutation(arranged.begin(), arranged.end()));
}

}  // namespace

std::vector<std::int64_t> count_arrangements(const Dataset& data,
                                             const std::vector<std::string>& selectors,
                                             std::span<const std::int64_t> features,
                                             std::uint64_t seed, Interrupt& interrupt) {
  Root root(data);
  std::vector<std::int64_t> hits;
  const std::vector<std::uint32_t> level = levels(root.response());
  with_root_selector(data, selectors, seed, root.response(), [&](auto& selector) {
    std::vector<double> moved(level.size());
    for (const std::int64_t feature : features) {
      const bool varies = root.gather(feature);
      const double limit = varies ? tie_limit(selector.bind(root.column().data())) : 0.0;
      std::int64_t count = 0;
      for_each_arrangement(level, [&](const std::vector<std::uint32_t>& source) {
        if (varies) {
          for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = root.column()[source[i]];
          count += selector.bind(moved.data()) >= limit;
        } else {
          ++count;
        }
        interrupt.spend(2 * selector.work());
      });
      hits.push_back(count);
    }
  });
  return hits;
}

}  // namespace inforest
