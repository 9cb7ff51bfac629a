// SPDX-License-Identifier: BSD-3-Clause
/// A splitter written as DESIGN.md says, without any hook: every strategy finds its cuts as often
/// as a plain enumeration of all arrangements says it should.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/workspace.hpp"
#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/stage_b/roster.hpp"
#include "core/stage_b/splitter.hpp"
#include "core/stage_b/threshold_search.hpp"

using namespace inforest;

namespace {

/// The share of samples that are not in their child's largest class.
class Errors {
 public:
  static constexpr const char* name = "errors";
  using Item = std::uint8_t;  ///< a present class

  void begin(const Response& response) {
    response_ = &response;
    total_.clear();
    for (std::uint32_t k = 0; k < response.n_classes(); ++k)
      total_.push_back(response.class_size(k));
  }

  Item item(std::uint32_t position) const {
    return static_cast<Item>(response_->labels()[position]);
  }

  double node_impurity() const { return errors(total_) / response_->size(); }

  void scan(const Item* items, const std::uint32_t* cuts, std::size_t n_cuts,
            double* impurity) const {
    std::vector<std::uint32_t> left(total_.size(), 0), right = total_;
    std::uint32_t i = 0;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (; i < cuts[c]; ++i) ++left[items[i]], --right[items[i]];
      impurity[c] = (errors(left) + errors(right)) / response_->size();
    }
  }

 private:
  static double errors(const std::vector<std::uint32_t>& count) {
    return std::accumulate(count.begin(), count.end(), 0u) -
           *std::max_element(count.begin(), count.end());
  }

  const Response* response_ = nullptr;
  std::vector<std::uint32_t> total_;
};

static_assert(Splitter<Errors>);
static_assert(!HasSide<Errors> && !HasCutCertificate<Errors>);
static_assert(!HasTwoClassTable<Errors> && !FinishesRareCut<Errors>);

// The hooks of the roster are found.
static_assert(HasSide<Gini> && HasCutCertificate<Gini> && HasTwoClassTable<Gini> &&
              FinishesRareCut<Gini>);
static_assert(HasSide<Entropy> && !HasCutCertificate<Entropy> && HasTwoClassTable<Entropy> &&
              FinishesRareCut<Entropy>);
static_assert(HasSide<Mse> && HasCutCertificate<Mse> && !HasTwoClassTable<Mse> &&
              FinishesRareCut<Mse>);
static_assert(!HasSide<Mae> && !HasCutCertificate<Mae> && !HasTwoClassTable<Mae> &&
              !FinishesRareCut<Mae>);

// Hooks that do not fit are not passed over.
struct SideWithoutSize : Errors {
  double of_side(const Item*) const { return 0.0; }
};
struct OtherTable : Errors {
  double of_table(std::uint32_t left) const { return left; }
};
struct MovingCertificate : Errors {
  double certificate(std::uint32_t, double, double) { return 1.0; }
};
static_assert(!Splitter<SideWithoutSize> && !Splitter<OtherTable> && !Splitter<MovingCertificate>);

constexpr std::size_t kCuts = 3;
constexpr std::int64_t kDraws = 24;
using Order = std::array<std::size_t, kCuts>;
using Impurities = std::array<double, kCuts>;
using Counts = std::array<std::int64_t, kCuts>;
/// Of each cut, and of none, to be chosen.
using Chances = std::array<double, kCuts + 1>;

/// P(X = count) for X binomial.
double binomial(std::int64_t count, std::int64_t n, double p) {
  if (p <= 0.0 || p >= 1.0) return count == (p <= 0.0 ? 0 : n);
  const auto k = static_cast<double>(count), size = static_cast<double>(n);
  return std::exp(std::lgamma(size + 1.0) - std::lgamma(k + 1.0) - std::lgamma(size - k + 1.0) +
                  k * std::log(p) + (size - k) * std::log1p(-p));
}

/// P(from <= X <= to).
double binomial(std::int64_t from, std::int64_t to, std::int64_t n, double p) {
  double sum = 0.0;
  for (std::int64_t count = from; count <= to; ++count) sum += binomial(count, n, p);
  return sum;
}

/// A node of three classes whose feature has four values: three cuts, each of which rejects now and
/// then, with the smaller child on either side.
struct Example {
  const std::vector<double> x = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3};
  const std::vector<std::int32_t> y = {0, 0, 1, 1, 0, 2, 1, 1, 2, 2, 0, 2, 2};
  const Counts left = {3, 5, 8};

  Impurities observed = impurities(y);
  Order order = {1, 2, 0};  ///< by impurity, the lower cut first among equals
  /// That the best impurity of a permutation is not above the observed one.
  double best_exceeds = 0.0;
  /// Of all draws of the tests, those that exceed at each cut: how likely these numbers are.
  std::map<Counts, double> exceedances;

  Example() {
    std::array<double, kCuts> exceeds{};
    double n_arrangements = 0.0;
    const double best = *std::min_element(observed.begin(), observed.end());
    std::vector<std::int32_t> arrangement = y;
    std::sort(arrangement.begin(), arrangement.end());
    do {
      const Impurities impurity = impurities(arrangement);
      for (std::size_t c = 0; c < kCuts; ++c) exceeds[c] += impurity[c] <= observed[c];
      best_exceeds += *std::min_element(impurity.begin(), impurity.end()) <= best;
      ++n_arrangements;
    } while (std::next_permutation(arrangement.begin(), arrangement.end()));
    best_exceeds /= n_arrangements;
    for (double& p_value : exceeds) p_value /= n_arrangements;
    count_exceedances(exceeds);
  }

  /// By the definition, in whole samples: those outside the largest class of their child.
  Impurities impurities(const std::vector<std::int32_t>& arrangement) const {
    Impurities errors{};
    for (std::size_t c = 0; c < kCuts; ++c) {
      std::array<std::array<int, 3>, 2> count{};
      for (std::size_t i = 0; i < arrangement.size(); ++i)
        ++count[static_cast<std::int64_t>(i) < left[c]][static_cast<std::size_t>(arrangement[i])];
      errors[c] = static_cast<double>(arrangement.size());
      for (const auto& child : count) errors[c] -= *std::max_element(child.begin(), child.end());
    }
    return errors;
  }

 private:
  /// Every cut has draws of its own: the numbers are independent and binomial.
  void count_exceedances(const std::array<double, kCuts>& p_value) {
    Counts counts{};
    for (counts[0] = 0; counts[0] <= kDraws; ++counts[0])
      for (counts[1] = 0; counts[1] <= kDraws; ++counts[1])
        for (counts[2] = 0; counts[2] <= kDraws; ++counts[2]) {
          double& chance = exceedances[counts] = 1.0;
          for (std::size_t c = 0; c < kCuts; ++c) chance *= binomial(counts[c], kDraws, p_value[c]);
        }
  }
};

Chances without_test(const Example& example) {
  Chances chances{};
  chances[example.order[0]] = 1.0;
  return chances;
}

// From here on `most` is the largest number of exceedances that rejects.

Chances test_of_best(const Example& example, std::int64_t most) {
  Chances chances{};
  chances[example.order[0]] = binomial(0, most, kDraws, example.best_exceeds);
  chances[kCuts] = 1.0 - chances[example.order[0]];
  return chances;
}

/// The first cut of this order that rejects.
Chances first_rejection(const Example& example, std::int64_t most, const Order& order) {
  Chances chances{};
  for (const auto& [counts, chance] : example.exceedances) {
    const auto rejects = [&, &counts = counts](std::size_t cut) { return counts[cut] <= most; };
    const auto first = std::find_if(order.begin(), order.end(), rejects);
    chances[first == order.end() ? kCuts : *first] += chance;
  }
  return chances;
}

/// The same, all orders being equally likely.
Chances first_rejection(const Example& example, std::int64_t most) {
  Order order = {0, 1, 2};
  Chances chances{};
  do {
    const Chances more = first_rejection(example, most, order);
    for (std::size_t i = 0; i <= kCuts; ++i) chances[i] += more[i] / 6.0;
  } while (std::next_permutation(order.begin(), order.end()));
  return chances;
}

/// The cut of the fewest exceedances, ties at random.
Chances fewest_exceedances(const Example& example, std::int64_t most) {
  Chances chances{};
  for (const auto& [counts, chance] : example.exceedances) {
    const std::int64_t fewest = *std::min_element(counts.begin(), counts.end());
    const auto n_ties = static_cast<double>(std::count(counts.begin(), counts.end(), fewest));
    for (std::size_t c = 0; c < kCuts; ++c)
      if (counts[c] == fewest) chances[fewest <= most ? c : kCuts] += chance / n_ties;
  }
  return chances;
}

/// Searches many nodes that differ in their key only: how often each cut is chosen lies in an exact
/// band at 1e-6.
void compare(const Example& example, const StageBOptions& options, const Chances& chances,
             const std::string& what) {
  constexpr std::int64_t kNodes = 4000;
  const auto n = static_cast<std::int64_t>(example.y.size());
  std::vector<std::int32_t> rows(example.y.size());
  std::iota(rows.begin(), rows.end(), 0);
  Response response;
  response.gather({.n_samples = n, .tested = Target::of_labels(example.y.data(), 3)}, rows);
  Errors splitter;
  splitter.begin(response);
  Interrupt interrupt;
  ThresholdSearch<Errors> search(options, interrupt);
  Workspace workspace;
  std::copy(example.x.begin(), example.x.end(), workspace.values.room<double>(example.x.size()));

  std::array<std::int64_t, kCuts + 1> chosen{};
  for (std::uint64_t key = 0; key < kNodes; ++key) {
    const ThresholdChoice choice = search.find(splitter, response, workspace, key);
    ++chosen[choice.found ? choice.cut : kCuts];
    check(choice.n_tests == (options.splitter_test == SplitterTest::max ? 1 : 3),
          what + ": the number of tests");
    if (!choice.found) continue;
    const double impurity = example.observed[choice.cut] / static_cast<double>(n);
    check(
        choice.threshold == choice.cut + 0.5 && std::fabs(choice.child_impurity - impurity) < 1e-12,
        what + ": the chosen cut");
  }
  for (std::size_t i = 0; i <= kCuts; ++i)
    check(binomial(0, chosen[i], kNodes, chances[i]) >= 0.5e-6 &&
              binomial(chosen[i], kNodes, kNodes, chances[i]) >= 0.5e-6,
          what + ": cut " + std::to_string(i) + " chosen " + std::to_string(chosen[i]) +
              " times, expected " + std::to_string(kNodes * chances[i]));
}

}  // namespace

TEST(splitter_recipe) {
  const Example example;
  StageBOptions options;
  options.splitter = Errors::name;
  options.splitting.adjustment = Adjustment::none;
  options.splitting.budget = {Budget::Kind::count, kDraws};
  for (const bool shortcuts : {true, false}) {
    options.shortcuts = shortcuts;
    const std::string rule = shortcuts ? "" : ", the plain rule";
    options.splitter_test = SplitterTest::none;
    compare(example, options, without_test(example), "no test" + rule);
    for (const std::int64_t most : {0, 2}) {
      options.splitting.alpha = (1.5 + static_cast<double>(most)) / (1.0 + kDraws);
      const std::string kind = ", " + std::to_string(most) + " exceedances at most" + rule;
      options.splitter_test = SplitterTest::max;
      options.splitting.early_stopping = EarlyStopping::curtailed;
      compare(example, options, test_of_best(example, most), "test of the best cut" + kind);

      options.splitter_test = SplitterTest::threshold;
      options.threshold_scanning = true;
      compare(example, options, first_rejection(example, most, example.order),
              "first rejection" + kind);
      options.threshold_scanning = false;
      compare(example, options, first_rejection(example, most),
              "first rejection in any order" + kind);
      options.splitting.early_stopping = EarlyStopping::none;
      compare(example, options, fewest_exceedances(example, most), "fixed budget" + kind);
    }
  }
}
