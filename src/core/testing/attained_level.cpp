// SPDX-License-Identifier: BSD-3-Clause
#include "core/testing/attained_level.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace inforest {

namespace {

/// The urn after some draws: how probable each number of exceedances is among undecided tests.
class Urn {
 public:
  explicit Urn(std::int64_t most) : open_(static_cast<std::size_t>(most) + 2) { open_[0] = 1.0; }

  bool is_empty() const { return first_ > last_; }

  /// The b-th draw.
  void draw(std::int64_t b) {
    const double share = 1.0 / static_cast<double>(1 + b);
    ++last_;
    for (std::int64_t k = last_ - 1; k >= first_; --k) {
      const double exceeds = at(k) * static_cast<double>(1 + k) * share;
      at(k) -= exceeds;
      at(k + 1) += exceeds;
    }
  }

  /// Takes out the tests that `rejects(k)`, few exceedances first; returns their probability.
  template <class Predicate>
  double reject(Predicate rejects) {
    double level = 0.0;
    for (; first_ <= last_ && rejects(first_); ++first_) level += take(first_);
    return level;
  }

  /// Takes out the tests that `accepts(k)`, many exceedances first.
  template <class Predicate>
  void accept(Predicate accepts) {
    for (; first_ <= last_ && accepts(last_); --last_) take(last_);
  }

 private:
  double& at(std::int64_t k) { return open_[static_cast<std::size_t>(k)]; }
  double take(std::int64_t k) { return std::exchange(at(k), 0.0); }

  std::vector<double> open_;
  std::int64_t first_ = 0, last_ = 0;
};

}  // namespace

double attained_level(const TestPlan& plan) {
  const std::int64_t most = plan.most_exceedances();
  if (most < 0) return 0.0;
  Urn urn(most);
  double level = 0.0;
  for (std::int64_t b = 1; b <= plan.n_draws() && !urn.is_empty(); ++b) {
    urn.draw(b);
    level += urn.reject([&](std::int64_t k) { return b >= plan.bounds(k).rejects_from; });
    // An exhaustive test goes on with too many exceedances, too, but will not reject any more.
    urn.accept([&](std::int64_t k) {
      return k > most || (b >= plan.consulted_from() && b <= plan.bounds(k).accepts_until);
    });
  }
  return level;
}

}  // namespace inforest
