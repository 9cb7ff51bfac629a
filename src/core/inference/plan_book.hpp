// SPDX-License-Identifier: BSD-3-Clause
/// Test plans by number of tests: nodes with as many candidates share one.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/inference/test_plan.hpp"

namespace inforest {

class PlanBook {
 public:
  explicit PlanBook(const StageOptions& stage) : stage_(stage) {}

  const TestPlan& plan(std::int64_t n_tests) {
    const auto found = plans_.find(n_tests);
    if (found != plans_.end()) return found->second;
    return plans_.emplace(n_tests, TestPlan(stage_, n_tests)).first->second;
  }

 private:
  StageOptions stage_;
  std::unordered_map<std::int64_t, TestPlan> plans_;
};

}  // namespace inforest
