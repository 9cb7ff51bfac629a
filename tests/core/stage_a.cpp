// SPDX-License-Identifier: BSD-3-Clause
/// Stage A with selectors made here, against a plain computation: one that follows the recipe of
/// stage_a/selector.hpp word by word, and two kinds of features in one node.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "check.hpp"
#include "core/base/workspace.hpp"
#include "core/data/dataset.hpp"
#include "core/data/feature_pool.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/factory.hpp"
#include "core/stage_a/feature_selection.hpp"
#include "core/stage_a/roster.hpp"
#include "core/stage_a/selectors/maximum.hpp"
#include "plain_selection.hpp"

using namespace inforest;

namespace {

// Hooks are found by their concepts: a slip of the pen would lose one without a word.
static_assert(TakesColumns<CorrelationRatio> && GoesTogether<CorrelationRatio> &&
              FinishesRare<CorrelationRatio> && TellsExceedances<CorrelationRatio>);
static_assert(TakesColumns<Pearson> && TellsExceedances<Pearson> && TellsExceedances<Rdc>);
static_assert(ReadsRanks<Rdc> && HasProjections<Rdc> && HasProjections<Maximum<LabelSelector>>);
static_assert(HasMoments<CorrelationRatio> && HasMoments<Pearson> && HasMoments<Quadratic>);
static_assert(Certifies<CorrelationRatio> && Certifies<Pearson> && Certifies<Rdc> &&
              Certifies<Quadratic> && HasUnit<MutualInformation>);
static_assert(HasNatural<CorrelationRatio> && HasNatural<Pearson> && HasNatural<Rdc> &&
              HasNatural<Quadratic> && HasNatural<DistanceCorrelation>);
static_assert(
    std::same_as<LabelSelector, std::variant<CorrelationRatio, MutualInformation, Rdc, Quadratic>>);
static_assert(
    std::same_as<ScoreSelector, std::variant<Pearson, DistanceCorrelation, Rdc, Quadratic>>);

/// How far the rows above x's mean are from having an average response; 0 to 1.
double upper_gap(const Numbers& x, const Numbers& y) {
  const double middle = mean(x), average = mean(y);
  double gap = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    gap += x[i] > middle ? y[i] - average : 0.0;
    whole += std::fabs(y[i] - average);
  }
  return std::fabs(gap) / whole;
}

/// A selector by the recipe: what the contract asks for and nothing else.
class UpperGap {
 public:
  static constexpr const char* name = "gap";

  void begin(const Response& response) { response_ = &response; }

  double bind(const double* x) {
    x_.assign(x, x + response_->size());
    return upper_gap(x_, observed_response(*response_));
  }

  double evaluate(Draws& draws, std::int64_t b) {
    return upper_gap(x_, permuted_response(*response_, draws, b));
  }

 private:
  const Response* response_ = nullptr;
  Numbers x_;
};
static_assert(Selector<UpperGap>);
static_assert(!TakesColumns<UpperGap> && !TellsExceedances<UpperGap> && !Certifies<UpperGap> &&
              !KnowsWork<UpperGap> && !HasNatural<UpperGap> && !HasUnit<UpperGap> &&
              !HasMoments<UpperGap> && !HasProjections<UpperGap> && !ReadsRanks<UpperGap> &&
              !ServesOneKind<UpperGap>);

struct HookInAnotherForm : UpperGap {
  std::int64_t work(int) const { return 1; }
};
static_assert(!Selector<HookInAnotherForm>);

/// The share of y's variance between the groups of x.
double between_groups(const Numbers& x, const Numbers& y) {
  const double average = mean(y);
  double between = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0.0, count = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (x[j] == x[i]) sum += y[j] - average, ++count;
    between += sum / count * (sum / count);
    whole += (y[i] - average) * (y[i] - average);
  }
  return between / whole;
}

/// The projection on the indicators of x's groups.
Projection onto_groups(const Numbers& x) {
  Projection groups;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto size = static_cast<double>(std::count(x.begin(), x.end(), x[i]));
    const double leverage = 1.0 / size - 1.0 / static_cast<double>(x.size());
    groups.rank += leverage;  // the trace
    groups.squared_leverages += leverage * leverage;
  }
  return groups;
}

/// The projection on a column of numbers.
Projection onto_numbers(Numbers x) {
  const double middle = mean(x);
  double squares = 0.0;
  for (double& value : x) value -= middle, squares += value * value;
  return onto_column(x, squares);
}

PermutationMoments moments_of_groups(const Numbers& x, const Numbers& y) {
  return moments_of_trace(static_cast<double>(x.size()), onto_groups(x), onto_numbers(y));
}

/// A statistic for categories, on a scale of its own that is seven times too large.
class BetweenGroups {
 public:
  static constexpr const char* name = "groups";
  static constexpr FeatureKind kFeatureKind = FeatureKind::category;

  void begin(const Response& response) { response_ = &response; }
  double bind(const double* x) {
    x_.assign(x, x + response_->size());
    return kScale * between_groups(x_, observed_response(*response_));
  }
  double evaluate(Draws& draws, std::int64_t b) {
    return kScale * between_groups(x_, permuted_response(*response_, draws, b));
  }
  PermutationMoments moments() const {
    const PermutationMoments plain = moments_of_groups(x_, observed_response(*response_));
    return {kScale * plain.mean, kScale * kScale * plain.variance};
  }

 private:
  static constexpr double kScale = 7.0;
  const Response* response_ = nullptr;
  Numbers x_;
};
static_assert(Selector<BetweenGroups> && HasMoments<BetweenGroups>);

/// A selector without its hooks: certificates and draws of its own would not be the node's draws.
template <Selector S>
class Bare {
 public:
  static constexpr const char* name = S::name;
  void begin(const Response& response) { selector_.begin(response); }
  double bind(const double* x) { return selector_.bind(x); }
  double evaluate(Draws& draws, std::int64_t b) { return selector_.evaluate(draws, b); }
  PermutationMoments moments() { return selector_.moments(); }

 private:
  S selector_;
};

/// The share of x's variance between the classes, or the squared correlation: `mc` and `pc`.
double explained(const Numbers& x, const Numbers& y, bool has_labels) {
  if (has_labels) return between_groups(y, x);
  const double x_mean = mean(x), y_mean = mean(y);
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - x_mean) * (y[i] - y_mean);
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
  }
  return xy * xy / (xx * yy);
}

template <Selector... S>
Answer select(const Node& node, const StageAOptions& options, S... selectors) {
  Interrupt interrupt;
  const std::vector<std::uint64_t> keys = feature_keys(node.data);
  const RareRows rare_rows(node.data);
  const RowPositions positions;
  const FeaturePool pool(node.data, keys.data(), rare_rows, positions);
  Answer answer;
  answer.muted.assign(static_cast<std::size_t>(node.n_features), 0);
  Workspace workspace;
  FeatureSelection<S...> selection(node.data, options, {std::move(selectors)...}, interrupt,
                                   workspace);
  answer.choice =
      selection.select(node.response, node.rows, node.candidates, pool, node.key, answer.muted);
  return answer;
}

/// The four strategies, by the options that lead to them.
struct Strategy {
  std::string name;
  StageAOptions options;
};

std::vector<Strategy> strategies() {
  StageAOptions base;
  base.selection.alpha = 0.2;
  base.selection.budget = {Budget::Kind::count, 59};
  base.feature_scanning = FeatureScanning::tail;
  std::vector<Strategy> all = {{"no test", base},
                               {"first rejection", base},
                               {"first rejection, not scanned", base},
                               {"smallest p-value", base},
                               {"maxT", base},
                               {"maxT with all draws", base}};
  all[0].options.selection.budget = {Budget::Kind::off, 0};
  all[2].options.feature_scanning = FeatureScanning::none;
  all[3].options.selection.early_stopping = EarlyStopping::none;
  all[4].options.selection.adjustment = all[5].options.selection.adjustment = Adjustment::maxt;
  all[5].options.selection.early_stopping = EarlyStopping::none;
  return all;
}

bool is_same(const Answer& a, const Answer& b) {
  const TestOutcome &s = a.choice.test, &t = b.choice.test;
  return a.choice.feature == b.choice.feature && a.muted == b.muted && s.rejected == t.rejected &&
         s.n_draws == t.n_draws && s.n_exceedances == t.n_exceedances &&
         (s.p_value == t.p_value || (std::isnan(s.p_value) && std::isnan(t.p_value)));
}

/// Checks a strategy at many nodes, where it must find something and find nothing;
/// `is_right(node, options)` says whether the answer is the plain one and leaves it in its place.
template <class Right>
void check_strategy(const Strategy& strategy, bool mixed, const std::string& what, Right is_right) {
  int n_found = 0, n_found_nothing = 0;
  for (const std::int32_t n_labels : {0, 2, 3})
    for (const double strength : {0.0, 0.3, 1.0})
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Node node(n_labels, strength, mixed, seed);
        Answer answer;
        check(is_right(node, strategy.options, answer), what + ": " + strategy.name);
        ++(answer.choice.feature >= 0 ? n_found : n_found_nothing);
      }
  check(n_found > 5, strategy.name + " finds something");
  check(n_found_nothing > 5 || !strategy.options.selection.tests(),
        strategy.name + " finds nothing");
}

}  // namespace

TEST(selector_by_the_recipe) {
  const Plain plain = [](std::int32_t, const Numbers& x, const Numbers& y) {
    return upper_gap(x, y);
  };
  for (const Strategy& strategy : strategies())
    check_strategy(strategy, false, "a selector of four members",
                   [&](const Node& node, const StageAOptions& options, Answer& answer) {
                     answer = select(node, options, UpperGap());
                     return is_same(answer, PlainSelection(node, options, plain).answer());
                   });
}

/// A list is the largest of its members on the unit scale, which is the value itself by default.
TEST(selector_by_the_recipe_in_a_list) {
  const Plain plain = [](std::int32_t, const Numbers& x, const Numbers& y) {
    return std::max(upper_gap(x, y), std::sqrt(explained(x, y, true)));
  };
  using Member = std::variant<UpperGap, CorrelationRatio>;
  const Strategy strategy = strategies()[3];
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Node node(3, 0.3, false, seed);
    const Maximum<Member> list({UpperGap(), CorrelationRatio()});
    check(is_same(select(node, strategy.options, list),
                  PlainSelection(node, strategy.options, plain).answer()),
          "a list with a selector of four members");
  }
}

TEST(kinds_of_features_in_one_node) {
  for (const Strategy& strategy : strategies())
    check_strategy(
        strategy, true, "numbers and categories",
        [&](const Node& node, const StageAOptions& options, Answer& answer) {
          const bool has_labels = node.response.has_labels();
          const Plain plain = [&](std::int32_t feature, const Numbers& x, const Numbers& y) {
            return node.data.kind(feature) == FeatureKind::category ? between_groups(x, y)
                                                                    : explained(x, y, has_labels);
          };
          const bool stops_early = options.selection.sequential();
          if (has_labels)
            answer = stops_early ? select(node, options, Bare<CorrelationRatio>(), BetweenGroups())
                                 : select(node, options, CorrelationRatio(), BetweenGroups());
          else
            answer = stops_early ? select(node, options, Bare<Pearson>(), BetweenGroups())
                                 : select(node, options, Pearson(), BetweenGroups());
          const Moments moments = [&](std::int32_t feature, const Numbers& x) {
            const Numbers y = observed_response(node.response);
            if (node.data.kind(feature) == FeatureKind::category) return moments_of_groups(x, y);
            return moments_of_trace(static_cast<double>(x.size()), onto_numbers(x),
                                    has_labels ? onto_groups(y) : onto_numbers(y));
          };
          return is_same(answer, PlainSelection(node, options, plain, moments).answer());
        });
}
