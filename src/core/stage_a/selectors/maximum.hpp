// SPDX-License-Identifier: BSD-3-Clause
/// A list of selectors: the largest of their values on the common [0, 1] scale, taken anew inside
/// every permutation, so one test covers the whole list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/inference/draws.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

template <class SelectorVariant>
class Maximum {
 public:
  static constexpr const char* name = "maximum";
  static constexpr FeatureKind kFeatureKind =
      feature_kind_of<std::variant_alternative_t<0, SelectorVariant>>();

  explicit Maximum(std::vector<SelectorVariant> members) : members_(std::move(members)) {}

  void project(std::uint64_t key) {
    for (auto& member : members_) std::visit([&](auto& s) { inforest::project(s, key); }, member);
  }

  void begin(const Response& response) {
    size_ = response.size();
    for (auto& member : members_) std::visit([&](auto& s) { s.begin(response); }, member);
  }

  double bind(const double* x) {
    return largest([&](auto& s) { return s.bind(x); });
  }

  double evaluate(Draws& draws, std::int64_t b) {
    return largest([&](auto& s) { return s.evaluate(draws, b); });
  }

  const std::vector<SelectorVariant>& members() const { return members_; }

  std::int64_t work() const {
    std::int64_t total = 0;
    for (const auto& member : members_)
      total += std::visit([&](const auto& s) { return work_of(s, size_); }, member);
    return total;
  }

 private:
  template <class Value>
  double largest(Value value) {
    double result = 0.0;
    for (auto& member : members_)
      result = std::max(result, std::visit([&](auto& s) { return unit_of(s, value(s)); }, member));
    return result;
  }

  std::vector<SelectorVariant> members_;
  std::int64_t size_ = 0;
};

}  // namespace inforest
