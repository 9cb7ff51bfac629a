// SPDX-License-Identifier: BSD-3-Clause
/// Stage B: where to cut the chosen feature, and whether the cut is worth it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/response.hpp"
#include "core/inference/bernoulli_test.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/plan_book.hpp"
#include "core/inference/two_class.hpp"
#include "core/stage_b/options.hpp"
#include "core/stage_b/splitter.hpp"
#include "core/stage_b/thresholds.hpp"

namespace inforest {

struct ThresholdChoice {
  bool found = false;
  double threshold = 0.0;
  double child_impurity = 0.0;
  TestOutcome test{.p_value = std::numeric_limits<double>::quiet_NaN()};
  std::int32_t n_tests = 0;  ///< admissible thresholds
  std::int64_t draws_read = 0;
};

template <Splitter S>
class ThresholdSearch {
 public:
  using Item = typename S::Item;

  ThresholdSearch(const StageBOptions& options, Interrupt& interrupt)
      : options_(options), plans_(options.splitting), interrupt_(interrupt) {}

  /// `splitter` has begun the node; the workspace holds the feature's values at the node's
  /// positions, and gets the items.
  ThresholdChoice find(S& splitter, const Response& response, Workspace& workspace,
                       std::uint64_t node_key) {
    splitter_ = &splitter;
    size_ = response.size();
    key_ = node_key;
    thresholds_.build(workspace.values.held<double>(), size_,
                      {options_.threshold_method, options_.max_thresholds,
                       static_cast<std::uint32_t>(std::min<std::int64_t>(options_.min_samples_leaf,
                                                                         size_ + std::int64_t{1}))},
                      derive_key(node_key, Stream::thresholds));
    choice_ = ThresholdChoice{};
    choice_.n_tests = static_cast<std::int32_t>(n_cuts());
    if (n_cuts() == 0) return choice_;
    items_ = workspace.items<Item>().template room<Item>(size_);
    thresholds_.arrange([&](std::uint32_t position) { return splitter.item(position); }, items_);
    observed_.resize(n_cuts());
    splitter.scan(items_, thresholds_.cuts().data(), n_cuts(), observed_.data());

    if (options_.splitter_test == SplitterTest::none || !options_.splitting.tests())
      choose(best_cut());
    else if (options_.splitter_test == SplitterTest::max)
      test_best_cut();
    else
      test_each_cut(response);
    return choice_;
  }

 private:
  std::size_t n_cuts() const { return thresholds_.size(); }

  /// The lowest cut among those that share the smallest impurity, up to rounding.
  std::size_t best_cut() const {
    const double smallest = *std::min_element(observed_.begin(), observed_.end());
    const double tie = smallest + 1e-12 * splitter_->node_impurity();
    return static_cast<std::size_t>(
        std::find_if(observed_.begin(), observed_.end(), [&](double v) { return v <= tie; }) -
        observed_.begin());
  }

  void choose(std::size_t cut) {
    choice_.found = true;
    choice_.threshold = thresholds_.values()[cut];
    choice_.child_impurity = observed_[cut];
  }

  double limit(double observed) const {
    return impurity_limit(splitter_->node_impurity(), observed);
  }

  double score_limit(std::uint32_t cut) const {
    return hook::score_of(*splitter_, thresholds_.cuts()[cut], limit(observed_[cut]));
  }

  /// One test of the best impurity over all cuts, found anew in every permutation.
  void test_best_cut() {
    choice_.n_tests = 1;
    const std::size_t best = best_cut();
    const double best_limit = limit(observed_[best]);
    TestProgress progress(plans_.plan(1));
    Rng rng(derive_key(key_, Stream::splitter_draws));
    impurity_.resize(n_cuts());
    while (!progress.decided()) {
      rng.shuffle(items_, size_);
      splitter_->scan(items_, thresholds_.cuts().data(), n_cuts(), impurity_.data());
      const double smallest = *std::min_element(impurity_.begin(), impurity_.end());
      progress.record(smallest <= best_limit);
      spend();
    }
    finish(progress, best);
  }

  /// The paper's rule: a test per cut, at a level divided by their number.
  void test_each_cut(const Response& response) {
    const TestPlan& plan = plans_.plan(static_cast<std::int64_t>(n_cuts()));
    order_cuts();
    if constexpr (HasTwoClassTable<S>) {
      if (response.n_classes() == 2 && options_.shortcuts) {
        test_exactly(plan, response);
        return;
      }
    }
    if (!options_.splitting.sequential())
      test_exhaustively(plan);
    else if (!test_front(plan) && plan.most_exceedances() >= 0)  // else nothing can reject
      test_jointly(plan, 1);
  }

  /// Scan order: by observed impurity, or at random; natural order when every cut gets all draws.
  void order_cuts() {
    scan_order_.resize(n_cuts());
    std::iota(scan_order_.begin(), scan_order_.end(), 0u);
    if (!options_.splitting.sequential()) return;
    if (options_.threshold_scanning)
      std::stable_sort(
          scan_order_.begin(), scan_order_.end(),
          [&](std::uint32_t a, std::uint32_t b) { return observed_[a] < observed_[b]; });
    else
      Rng(derive_key(key_, Stream::threshold_order))
          .shuffle(scan_order_.data(), static_cast<std::uint32_t>(n_cuts()));
  }

  /// Two classes: every cut's permutation p-value is a hypergeometric tail.
  void test_exactly(const TestPlan& plan, const Response& response) {
    if constexpr (HasTwoClassTable<S>) {
      const Rng stream(derive_key(key_, Stream::splitter_draws));
      const auto p_value = [&](std::uint32_t cut, double enough) {
        const std::uint32_t left = thresholds_.cuts()[cut];
        const auto impurity = [&](std::int64_t count) {
          return splitter_->of_table(left, static_cast<std::uint32_t>(count));
        };
        return two_class_tail(Hypergeometric{size_, response.class_size(0), left}, impurity,
                              limit(observed_[cut]), enough);
      };
      if (!options_.splitting.sequential()) {
        choose_smallest_exact(plan, stream, p_value);
        return;
      }
      const double critical = critical_p_value(plan, stream);
      for (const std::uint32_t cut : scan_order_) {
        // A partial sum at the critical value already settles the test.
        const double p = p_value(cut, critical);
        if (p >= critical) continue;
        choice_.test = bernoulli_test(plan, p, stream);
        if (choice_.test.rejected) return choose(cut);
      }
      // For the record, the test of the cut that looked best.
      choice_.test = bernoulli_test(plan, p_value(scan_order_[0], 2.0), stream);
    }
  }

  /// Fixed budget with known p-values: the smallest count of exceedances wins, ties at random.
  template <class PValue>
  void choose_smallest_exact(const TestPlan& plan, const Rng& stream, PValue p_value) {
    std::vector<double> p(n_cuts());
    for (std::uint32_t cut = 0; cut < n_cuts(); ++cut) p[cut] = p_value(cut, 2.0);
    std::sort(scan_order_.begin(), scan_order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return p[a] < p[b]; });
    // Counts grow with p under one stream, so the ties come first.
    const TestOutcome smallest = bernoulli_test(plan, p[scan_order_[0]], stream);
    std::size_t n_ties = 1;
    while (n_ties < n_cuts() &&
           bernoulli_test(plan, p[scan_order_[n_ties]], stream).n_exceedances ==
               smallest.n_exceedances)
      ++n_ties;
    choice_.test = smallest;
    const auto pick =
        Rng(derive_key(key_, Stream::splitter_ties)).below(static_cast<std::uint32_t>(n_ties));
    if (smallest.rejected) choose(scan_order_[pick]);
  }

  /// The first cut in scan order alone: a certificate, else draws of its smaller child only.
  bool test_front(const TestPlan& plan) {
    const std::uint32_t cut = scan_order_[0];
    const auto certified = certify(plan, cut);
    choice_.test = certified ? *certified
                             : draw_alone(plan, cut, Rng(derive_key(key_, Stream::splitter_front)));
    if (choice_.test.rejected) choose(cut);
    return choice_.found;
  }

  /// The test of one cut by a proven bound, if there is one.
  std::optional<TestOutcome> certify(const TestPlan& plan, std::uint32_t cut) const {
    if (!options_.shortcuts || plan.most_exceedances() < 0) return std::nullopt;
    const double enough = certificate_limit(plan);
    const double q =
        hook::certificate(*splitter_, thresholds_.cuts()[cut], limit(observed_[cut]), enough);
    if (!(q <= enough)) return std::nullopt;
    // One number for all cuts of the node.
    Rng rng(derive_key(key_, Stream::splitter_certificate));
    return certified_rejection(plan, q, rng.uniform());
  }

  /// The test of one cut by draws of its smaller child, without those that cannot exceed where that
  /// is quicker.
  ///
  /// If the last draw exceeds, and `keeps_exceeding`, its smaller child is left as the first items.
  TestOutcome draw_alone(const TestPlan& plan, std::uint32_t cut, Rng rng,
                         bool keeps_exceeding = false) {
    const std::uint32_t left = thresholds_.cuts()[cut];
    const double cut_limit = limit(observed_[cut]);
    Item* const exceeding = keeps_exceeding ? items_ : nullptr;
    if (options_.shortcuts)
      if (const auto test =
              hook::test_rare(*splitter_, plan, left, cut_limit, rng, exceeding, interrupt_))
        return *test;
    const std::uint32_t side = std::min(left, size_ - left);
    TestProgress progress(plan);
    while (!progress.decided()) {
      rng.partial_shuffle(items_, size_, side);
      progress.record(hook::of_side(*splitter_, items_, side) <= cut_limit);
      interrupt_.spend(2 * side);
    }
    choice_.draws_read += progress.n_draws();
    return progress.outcome();
  }

  /// The cuts from scan position `begin` on, all read from the same permutations; the first in scan
  /// order that rejects wins.
  void test_jointly(const TestPlan& plan, std::size_t begin) {
    struct Running {
      std::uint32_t place;  ///< in scan order
      std::uint32_t cut;
      double limit;  ///< the score that is an exceedance
      TestProgress progress;
    };
    std::vector<Running> open;
    for (std::size_t place = begin; place < n_cuts(); ++place)
      open.push_back({static_cast<std::uint32_t>(place), scan_order_[place],
                      score_limit(scan_order_[place]), TestProgress(plan)});
    sort_by_end(open);

    Rng rng(derive_key(key_, Stream::splitter_draws));
    std::uint32_t winner = std::numeric_limits<std::uint32_t>::max();
    set_children(open);
    while (!open.empty()) {
      ++choice_.draws_read;
      draw(rng);
      bool any_decided = false;
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (!open[i].progress.record(score_[i] >= open[i].limit)) continue;
        any_decided = true;
        const bool wins = open[i].progress.rejected() && open[i].place < winner;
        if (wins) winner = open[i].place;
        // Without a winner the record is the smallest p-value met.
        if (wins || (winner > n_cuts() && open[i].progress.p_value() < choice_.test.p_value))
          record(open[i].progress);
      }
      if (!any_decided) continue;
      // Only cuts that come before the winner still matter.
      std::erase_if(open, [&](const Running& test) {
        return test.progress.decided() || test.place > winner;
      });
      set_children(open);
    }
    if (winner < n_cuts()) choose(scan_order_[winner]);
  }

  /// Every cut gets exactly B draws, the same for all; the smallest p-value wins, ties at random.
  ///
  /// A random order of the cuts decides ties beforehand. No p-value is smaller than that of a cut
  /// without exceedances, so the first such cut in this order wins whatever the others are, and
  /// they need no more draws.
  void test_exhaustively(const TestPlan& plan) {
    Rng(derive_key(key_, Stream::splitter_ties))
        .shuffle(scan_order_.data(), static_cast<std::uint32_t>(n_cuts()));
    counts_.assign(n_cuts(), DrawCount{});
    open_.clear();
    for (std::uint32_t cut = 0; cut < n_cuts(); ++cut) open_.push_back({cut, score_limit(cut)});
    sort_by_end(open_);
    set_children(open_);
    Rng rng(derive_key(key_, Stream::splitter_draws));
    const std::int64_t most = plan.most_exceedances();
    if (!options_.shortcuts || most < 0) {
      draw_until(plan.n_draws(), plan.n_draws(), rng);
      return choose_fewest_exceedances(plan);
    }
    // A few draws show an exceedance at most cuts that have many.
    constexpr std::int64_t kFew = 16;
    draw_until(std::min(kFew, plan.n_draws()), most, rng);
    for (const std::uint32_t cut : scan_order_)
      if (counts_[cut].n_exceedances == 0 && stays_without_exceedance(plan, cut, rng))
        return settle(plan, cut);
    draw_until(plan.n_draws(), most, rng);
    if (open_.empty())
      record_best_cut(plan);
    else
      choose_fewest_exceedances(plan);
  }

  /// Tests a cut without exceedances so far for all draws to come, alone, by what is quickest.
  ///
  /// If the first exceedance is at draw t, the draws before t are made for all open cuts as draws
  /// that do not exceed at this cut, and draw t is the one that does. So the draws of all cuts are
  /// the same i.i.d. permutations as if they had been made without looking ahead. (A certified
  /// rejection that is given back leaves no such trace; it closes the cut, one time in a thousand.)
  bool stays_without_exceedance(const TestPlan& plan, std::uint32_t cut, Rng& rng) {
    const std::int64_t made = counts_[cut].n_draws, n_left = plan.n_draws() - made;
    if (n_left == 0) return true;
    const TestPlan rest = TestPlan::without_exceedance(n_left);
    if (const auto certified = certify(rest, cut)) {
      counts_[cut] = {plan.n_draws(), certified->rejected ? 0 : plan.most_exceedances() + 1};
      close_beyond(plan.most_exceedances());
      return certified->rejected;
    }
    const TestOutcome test =
        draw_alone(rest, cut, Rng(derive_key(key_, Stream::splitter_front), cut), true);
    if (test.rejected) {
      counts_[cut].n_draws = plan.n_draws();
      return true;
    }
    complete_permutation(cut);
    exceeding_.assign(items_, items_ + size_);
    draw_until(made + test.n_draws - 1, plan.most_exceedances(), rng, cut);
    std::copy(exceeding_.begin(), exceeding_.end(), items_);
    read();
    score_[place_of(cut)] = std::numeric_limits<double>::infinity();  // whatever rounding says
    count_exceedances(plan.most_exceedances());
    return false;
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Makes draws for the open cuts until they have `n_draws`; those that come to more exceedances
  /// than `most` are closed. Draws that exceed at the cut `barred` are made again.
  void draw_until(std::int64_t n_draws, std::int64_t most, Rng& rng, std::uint32_t barred = kNone) {
    while (!open_.empty() && counts_[open_[0].cut].n_draws < n_draws) {
      ++choice_.draws_read;
      draw(rng);
      if (barred == kNone || !exceeds(place_of(barred))) count_exceedances(most);
    }
  }

  /// Where an open cut stands among them.
  std::size_t place_of(std::uint32_t cut) const {
    return static_cast<std::size_t>(
        std::find_if(open_.begin(), open_.end(),
                     [&](const Open& test) { return test.cut == cut; }) -
        open_.begin());
  }

  /// Whether the last draw exceeds at this open cut.
  bool exceeds(std::size_t place) const { return score_[place] >= open_[place].limit; }

  void count_exceedances(std::int64_t most) {
    bool closes = false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      DrawCount& count = counts_[open_[i].cut];
      ++count.n_draws;
      count.n_exceedances += exceeds(i);
      closes |= count.n_exceedances > most;
    }
    if (closes) close_beyond(most);
  }

  void close_beyond(std::int64_t most) {
    std::erase_if(open_, [&](const Open& test) { return counts_[test.cut].n_exceedances > most; });
    set_children(open_);
  }

  /// Given the smaller child of a cut as the first items, a permutation with this child.
  void complete_permutation(std::uint32_t cut) {
    const std::uint32_t left = thresholds_.cuts()[cut], side = std::min(left, size_ - left);
    Rng rng(derive_key(key_, Stream::splitter_completion), cut);
    rng.shuffle(items_, side);
    rng.shuffle(items_ + side, size_ - side);
    if (!is_near(left)) std::rotate(items_, items_ + side, items_ + size_);
  }

  /// Nothing can reject any more: the record is the test of the cut that looked best, whose p-value
  /// is about the smallest. To know that, all cuts would have to be drawn to the end.
  void record_best_cut(const TestPlan& plan) {
    const auto cut = static_cast<std::uint32_t>(best_cut());
    const std::int64_t n_left = plan.n_draws() - counts_[cut].n_draws;
    if (n_left > 0)
      counts_[cut].add(draw_alone(TestPlan::all_of(n_left), cut,
                                  Rng(derive_key(key_, Stream::splitter_completion))));
    settle(plan, cut);
  }

  /// Of the open cuts, which have all draws.
  void choose_fewest_exceedances(const TestPlan& plan) {
    std::int64_t fewest = plan.n_draws();
    for (const Open& test : open_) fewest = std::min(fewest, counts_[test.cut].n_exceedances);
    for (const std::uint32_t cut : scan_order_)
      if (counts_[cut].n_exceedances == fewest && place_of(cut) < open_.size())
        return settle(plan, cut);
  }

  void settle(const TestPlan& plan, std::uint32_t cut) {
    choice_.test = counts_[cut].outcome(plan);
    if (choice_.test.rejected) choose(cut);
  }

  /// Puts the cuts whose left child is the smaller first, ascending, then the others by ascending
  /// right child: so `draw` reads them.
  template <class Test>
  void sort_by_end(std::vector<Test>& tests) const {
    const auto left = [&](const Test& test) { return thresholds_.cuts()[test.cut]; };
    std::sort(tests.begin(), tests.end(), [&](const Test& a, const Test& b) {
      const bool a_near = is_near(left(a)), b_near = is_near(left(b));
      if (a_near != b_near) return a_near;
      return a_near ? left(a) < left(b) : left(a) > left(b);
    });
  }

  bool is_near(std::uint32_t left) const { return left <= size_ - left; }

  /// From now on these cuts are read. A score follows from the responses of either child, so it is
  /// the smaller ones that count.
  template <class Test>
  void set_children(const std::vector<Test>& tests) {
    near_.clear();
    far_.clear();
    for (const Test& test : tests) {
      const std::uint32_t left = thresholds_.cuts()[test.cut];
      if (is_near(left))
        near_.push_back(left);
      else
        far_.push_back(size_ - left);
    }
  }

  /// One permutation, as far as the children need it, and their scores in it: the left children are
  /// drawn from the near end, the right ones from the far end, which never meet.
  void draw(Rng& rng) {
    const std::uint32_t near = near_.empty() ? 0 : near_.back();
    const std::uint32_t far = far_.empty() ? 0 : far_.back();
    rng.partial_shuffle(items_, size_, std::min(near + far, size_ - 1));
    score(items_, items_ + near);
    interrupt_.spend(3 * static_cast<std::int64_t>(near + far) +
                     static_cast<std::int64_t>(near_.size() + far_.size()));
  }

  /// The children's scores in the permutation that the items are.
  void read() {
    reversed_.assign(std::make_reverse_iterator(items_ + size_),
                     std::make_reverse_iterator(items_));
    score(items_, reversed_.data());
  }

  void score(const Item* near, const Item* far) {
    score_.resize(near_.size() + far_.size());
    hook::score(*splitter_, near, near_.data(), near_.size(), score_.data());
    hook::score(*splitter_, far, far_.data(), far_.size(), score_.data() + near_.size());
  }

  void record(const TestProgress& progress) { choice_.test = progress.outcome(); }

  void finish(const TestProgress& progress, std::size_t cut) {
    record(progress);
    choice_.draws_read += progress.n_draws();
    if (progress.rejected()) choose(cut);
  }

  void spend() {
    interrupt_.spend(3 * static_cast<std::int64_t>(size_) + static_cast<std::int64_t>(n_cuts()));
  }

  const StageBOptions& options_;
  PlanBook plans_;
  Interrupt& interrupt_;
  Thresholds thresholds_;

  S* splitter_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint64_t key_ = 0;
  ThresholdChoice choice_;
  Item* items_ = nullptr;  ///< responses in threshold order; permutations shuffle them in place
  std::vector<double> observed_, impurity_, score_;
  std::vector<std::uint32_t> scan_order_;

  struct Open {
    std::uint32_t cut;
    double limit;  ///< the score that is an exceedance
  };
  // Where every cut gets all draws: the cuts that are still read, and the draws of each.
  std::vector<Open> open_;
  std::vector<DrawCount> counts_;
  std::vector<Item> exceeding_, reversed_;  ///< permutations
  std::vector<std::uint32_t> near_, far_;   ///< sizes of the children that `draw` reads
};

}  // namespace inforest
