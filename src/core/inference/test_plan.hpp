// SPDX-License-Identifier: BSD-3-Clause
/// One Monte Carlo test's level, budget and stopping rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/inference/limit.hpp"

namespace inforest {

enum class EarlyStopping { none, curtailed, adaptive };

/// How many permutations a test may use; `asymptotic`: it makes none and takes the tail of a known
/// distribution.
struct Budget {
  enum class Kind { off, minimum, maximum, automatic, stable, count, asymptotic };
  Kind kind = Kind::minimum;
  std::int64_t count = 0;  ///< with Kind::count: permutations per test before multiplicity

  /// The number of draws B at level `tau` among `n_tests` tests that share one alpha. Where tests
  /// need not stay below their level, a B that is not given is one for which (B + 1) tau is whole,
  /// or just above: then the level can be spent.
  std::int64_t resolve(double tau, std::int64_t n_tests, bool stays_below) const;
};

/// How the tests of a node share its alpha.
enum class Adjustment {
  none,
  bonferroni,  ///< every test at alpha / n_tests
  sidak,       ///< every test at 1 - (1 - alpha)^(1 / n_tests), which independent tests may spend
  maxt,        ///< one test at alpha of the largest statistic (Westfall & Young 1993)
};

/// What a stage of the tree asks of its tests.
struct StageOptions {
  double alpha = 0.05;
  Adjustment adjustment = Adjustment::bonferroni;
  Budget budget;
  EarlyStopping early_stopping = EarlyStopping::curtailed;
  double confidence = 0.95;
  Ties ties = Ties::count;
  /// The paper's rule: a test must come out below its level. Else it may come out at it.
  bool stays_below = true;

  bool tests() const { return budget.kind != Budget::Kind::off; }
  bool is_asymptotic() const { return budget.kind == Budget::Kind::asymptotic; }
  /// The level of one of so many tests that share alpha.
  double level(std::int64_t n_tests) const;
  bool sequential() const { return early_stopping != EarlyStopping::none; }
};

/// The rule of one test: reject iff (1 + exceedances) / (1 + B) < tau or, unless it `stays_below`
/// its level, <= tau.
///
/// `curtailed` stops when the remaining draws cannot change that decision. `adaptive` also stops
/// when a Beta(1 + k, 1 + b - k) posterior puts `confidence` on one side of tau, consulted from
/// ceil(1 / tau) draws on. With B = ceil(1 / tau) it is never consulted before the end.
class TestPlan {
 public:
  TestPlan() = default;
  TestPlan(const StageOptions& stage, std::int64_t n_tests);
  TestPlan(double tau, std::int64_t n_draws, EarlyStopping early_stopping, double confidence,
           bool stays_below = true);

  /// So many draws, whatever they are; rejects never.
  static TestPlan all_of(std::int64_t n_draws) {
    return TestPlan(0.0, n_draws, EarlyStopping::none, 0.95);
  }
  /// Rejects with at most so many exceedances among so many draws.
  static TestPlan at_most(std::int64_t exceedances, std::int64_t n_draws) {
    const double tau = (static_cast<double>(exceedances) + 1.5) / static_cast<double>(1 + n_draws);
    return TestPlan(tau, n_draws, EarlyStopping::curtailed, 0.95);
  }

  double tau() const { return tau_; }
  std::int64_t n_draws() const { return n_draws_; }
  /// The largest number of exceedances that still rejects; -1 if none does.
  std::int64_t most_exceedances() const { return most_; }

  struct Bounds {
    std::int64_t rejects_from;   ///< the fewest draws that with so many exceedances mean rejection
    std::int64_t accepts_until;  ///< the most draws that mean acceptance; -1: never before the end
  };
  /// Worked out once per number of exceedances (the posterior's take a search); all numbers too
  /// large for a rejection are alike.
  const Bounds& bounds(std::int64_t exceedances) const {
    exceedances = std::min(exceedances, most_ + 1);
    while (static_cast<std::int64_t>(bounds_.size()) <= exceedances) {
      const auto next = static_cast<std::int64_t>(bounds_.size());
      bounds_.push_back({rejects_from(next), accepts_until(next)});
    }
    return bounds_[static_cast<std::size_t>(exceedances)];
  }
  /// Whether every test takes all draws.
  bool is_exhaustive() const { return early_stopping_ == EarlyStopping::none; }
  /// Draws before which the posterior is not consulted (adaptive only).
  std::int64_t consulted_from() const { return consulted_from_; }

 private:
  std::int64_t rejects_from(std::int64_t exceedances) const;
  std::int64_t accepts_until(std::int64_t exceedances) const;

  double tau_ = 0.05;
  std::int64_t n_draws_ = 0;
  std::int64_t most_ = -1;
  EarlyStopping early_stopping_ = EarlyStopping::none;
  double confidence_ = 0.95;
  std::int64_t consulted_from_ = 0;
  mutable std::vector<Bounds> bounds_;
};

struct TestOutcome {
  bool rejected = false;
  double p_value = 1.0;
  std::int64_t n_exceedances = 0;
  std::int64_t n_draws = 0;
};

/// The running state of one test; feed it draws until it is decided.
class TestProgress {
 public:
  explicit TestProgress(const TestPlan& plan) : plan_(&plan) {
    set_bounds();
    // No number of exceedances would reject: nothing to wait for.
    if (plan.most_exceedances() < 0 && bounds_.accepts_until >= 0) decide(false);
  }

  /// Records one draw; returns true once the decision is made.
  bool record(bool exceeds) {
    if (!exceeds && draws_ + 1 < next_decision_) [[likely]] {
      ++draws_;
      return false;
    }
    return advance(1, exceeds);
  }

  /// Records `draws` draws of which only the last may exceed.
  bool advance(std::int64_t draws, bool last_exceeds);

  bool decided() const { return decided_; }
  bool rejected() const { return rejected_; }
  std::int64_t n_draws() const { return draws_; }
  std::int64_t n_exceedances() const { return exceedances_; }
  /// (1 + k) / (1 + b) at the stopping time b (Phipson & Smyth 2010 when b = B).
  double p_value() const {
    return static_cast<double>(1 + exceedances_) / static_cast<double>(1 + draws_);
  }
  TestOutcome outcome() const { return {rejected_, p_value(), exceedances_, draws_}; }

 private:
  void set_bounds();
  void decide(bool rejected) { decided_ = true, rejected_ = rejected; }

  const TestPlan* plan_;
  std::int64_t draws_ = 0;
  std::int64_t exceedances_ = 0;
  TestPlan::Bounds bounds_{0, -1};
  std::int64_t next_decision_ = 0;
  bool decided_ = false;
  bool rejected_ = false;
};

}  // namespace inforest
