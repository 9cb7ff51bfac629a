// SPDX-License-Identifier: BSD-3-Clause
/// A list of selectors: the largest of their values on the common [0, 1] scale, taken anew inside
/// every permutation, so one test covers the whole list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/inference/draws.hpp"

namespace inforest {

/// Draws a selector's random projections, if it has any.
template <class Selector>
void project(Selector& selector, std::uint64_t key) {
  if constexpr (requires { selector.project(key); }) selector.project(key);
}

template <class SelectorVariant>
class Maximum {
 public:
  static constexpr const char* name = "maximum";

  explicit Maximum(std::vector<SelectorVariant> members) : members_(std::move(members)) {}

  void project(std::uint64_t key) {
    for (auto& member : members_) std::visit([&](auto& s) { inforest::project(s, key); }, member);
  }

  void begin(const Response& response) {
    for (auto& member : members_) std::visit([&](auto& s) { s.begin(response); }, member);
  }

  double bind(const double* x) {
    return largest([&](auto& s) { return s.bind(x); });
  }

  double evaluate(Draws& draws, std::int64_t b) {
    return largest([&](auto& s) { return s.evaluate(draws, b); });
  }

  double certificate(double, double) const { return 1.0; }
  double natural(double value) const { return value; }
  double unit(double value) const { return value; }

  std::int64_t work() const {
    std::int64_t total = 0;
    for (const auto& member : members_)
      total += std::visit([](const auto& s) { return s.work(); }, member);
    return total;
  }

 private:
  template <class Value>
  double largest(Value value) {
    double result = 0.0;
    for (auto& member : members_)
      result = std::max(result, std::visit([&](auto& s) { return s.unit(value(s)); }, member));
    return result;
  }

  std::vector<SelectorVariant> members_;
};

}  // namespace inforest
