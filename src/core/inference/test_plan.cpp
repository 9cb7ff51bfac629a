// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/test_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/special.hpp"

namespace inforest {

namespace {

constexpr std::int64_t kMostDraws = std::int64_t{1} << 62;

/// ceil, but 200.00000000000003 is 200: levels like 0.05 / 10 are not exact in binary.
std::int64_t ceiling(double value) {
  return static_cast<std::int64_t>(
      std::ceil(std::min(value, static_cast<double>(kMostDraws)) * (1.0 - 1e-12)));
}

/// P(theta < tau) for theta ~ Beta(1 + k, 1 + b - k).
double posterior_below(double tau, std::int64_t k, std::int64_t b) {
  return incomplete_beta(static_cast<double>(1 + k), static_cast<double>(1 + b - k), tau);
}

/// The smallest b in [low, high] for which `holds(b)`, which is monotone; high + 1 if none.
template <class Predicate>
std::int64_t first_where(std::int64_t low, std::int64_t high, Predicate holds) {
  std::int64_t end = high + 1;
  while (low < end) {
    const std::int64_t middle = low + (end - low) / 2;
    if (holds(middle))
      end = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

namespace {

/// The fewest draws, at least so many, of which some number of exceedances has a p-value of tau or
/// just below.
std::int64_t spending(double tau, double n_draws) {
  const double most = std::max(1.0, std::ceil((n_draws + 1.0) * tau * (1.0 - 1e-12)));
  return std::max<std::int64_t>(1, ceiling(most / tau) - 1);
}

}  // namespace

std::int64_t Budget::resolve(double tau, std::int64_t n_tests, bool stays_below) const {
  // A test at p = 0.6 tau rejects in 98 % of all runs then, one at 1.5 tau in 4 %.
  constexpr double kStable = 20.0;
  if (!stays_below && kind != Kind::off && kind != Kind::asymptotic && kind != Kind::count) {
    if (kind == Kind::minimum) return spending(tau, 0.0);
    if (kind == Kind::stable) return spending(tau, kStable / tau - 1.0);
    return spending(tau, static_cast<double>(resolve(tau, n_tests, true)) - 1.0);
  }
  const std::int64_t minimum = ceiling(1.0 / tau);
  switch (kind) {
    case Kind::off:
    case Kind::asymptotic:
      return 0;
    case Kind::minimum:
      return minimum;
    // Never below the minimum, where rejection would be impossible.
    case Kind::maximum:
      return std::max(minimum, ceiling(1.0 / (4.0 * tau * tau)));
    case Kind::automatic: {
      const double z = normal_quantile(1.0 - tau);
      return std::max(minimum, ceiling(z * z * (1.0 - tau) / tau));
    }
    case Kind::stable:
      return ceiling(kStable / tau);
    case Kind::count:
      return count * n_tests;
  }
  return minimum;
}

double StageOptions::level(std::int64_t n_tests) const {
  const auto n = static_cast<double>(n_tests);
  if (adjustment == Adjustment::bonferroni) return alpha / n;
  if (adjustment == Adjustment::sidak) return -std::expm1(std::log1p(-alpha) / n);
  return alpha;
}

TestPlan::TestPlan(const StageOptions& stage, std::int64_t n_tests) {
  const bool shares =
      stage.adjustment == Adjustment::bonferroni || stage.adjustment == Adjustment::sidak;
  const std::int64_t sharing = shares ? n_tests : 1;
  const double tau = stage.level(n_tests);
  *this = TestPlan(tau, stage.budget.resolve(tau, sharing, stage.stays_below), stage.early_stopping,
                   stage.confidence, stage.stays_below);
}

TestPlan::TestPlan(double tau, std::int64_t n_draws, EarlyStopping early_stopping,
                   double confidence, bool stays_below)
    : tau_(tau),
      n_draws_(std::max<std::int64_t>(n_draws, 1)),
      early_stopping_(early_stopping),
      confidence_(confidence),
      consulted_from_(ceiling(1.0 / tau)) {
  const auto rejects = [&](std::int64_t k) {
    const double p_value = static_cast<double>(1 + k) / static_cast<double>(1 + n_draws_);
    return stays_below ? p_value < tau : p_value <= tau * (1.0 + 1e-12);
  };
  most_ = static_cast<std::int64_t>(tau * static_cast<double>(1 + n_draws_)) - 1;
  most_ = std::clamp<std::int64_t>(most_, -1, n_draws_);
  while (most_ >= 0 && !rejects(most_)) --most_;
  while (most_ < n_draws_ && rejects(most_ + 1)) ++most_;
}

std::int64_t TestPlan::rejects_from(std::int64_t k) const {
  if (k > most_) return std::numeric_limits<std::int64_t>::max();
  if (early_stopping_ == EarlyStopping::none) return n_draws_;
  const std::int64_t curtailed = n_draws_ - (most_ - k);
  if (early_stopping_ == EarlyStopping::curtailed || consulted_from_ >= curtailed) return curtailed;
  return first_where(std::max(consulted_from_, k), curtailed - 1,
                     [&](std::int64_t b) { return posterior_below(tau_, k, b) >= confidence_; });
}

std::int64_t TestPlan::accepts_until(std::int64_t k) const {
  if (early_stopping_ == EarlyStopping::none) return -1;
  if (k > most_) return n_draws_;
  if (early_stopping_ == EarlyStopping::curtailed || consulted_from_ >= n_draws_) return -1;
  return first_where(
             std::max(consulted_from_, k), n_draws_,
             [&](std::int64_t b) { return posterior_below(tau_, k, b) > 1.0 - confidence_; }) -
         1;
}

void TestProgress::set_bounds() {
  bounds_ = plan_->bounds(exceedances_);
  next_decision_ = std::min(bounds_.rejects_from, plan_->n_draws());
  // Enough exceedances before the posterior may be asked: accept as soon as it may.
  if (bounds_.accepts_until >= plan_->consulted_from() && draws_ < plan_->consulted_from())
    next_decision_ = std::min(next_decision_, plan_->consulted_from());
}

bool TestProgress::advance(std::int64_t draws, bool last_exceeds) {
  const std::int64_t quiet = last_exceeds ? draws - 1 : draws;
  if (draws_ + quiet >= next_decision_) {
    draws_ = next_decision_;
    const bool at_end = draws_ >= plan_->n_draws();
    decide(draws_ >= bounds_.rejects_from || (at_end && exceedances_ <= plan_->most_exceedances()));
    return true;
  }
  draws_ += draws;
  if (!last_exceeds) return false;
  ++exceedances_;
  set_bounds();
  // More exceedances than any rejection allows settle the test at once; the posterior is asked
  // only from `consulted_from` draws on.
  const bool too_many = exceedances_ > plan_->most_exceedances() && bounds_.accepts_until >= 0;
  if (too_many || (draws_ >= plan_->consulted_from() && draws_ <= bounds_.accepts_until) ||
      draws_ >= plan_->n_draws())
    decide(!too_many && draws_ >= plan_->n_draws() && exceedances_ <= plan_->most_exceedances());
  return decided_;
}

}  // namespace inforest
