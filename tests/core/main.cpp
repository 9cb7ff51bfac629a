// SPDX-License-Identifier: BSD-3-Clause
/// The core's own tests: every combination of parts on small, nasty data, plain in `make test`
/// and under sanitizers in `make sanitize`. The statistics themselves are checked from Python, by
/// an oracle.
#include <atomic>
#include <cstdio>
#include <vector>

#include "check.hpp"

namespace {

struct Test {
  const char* name;
  void (*run)();
};

/// A function, because files register their tests before this one's variables may exist.
std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

const char* running = "";
std::atomic<int> n_passed = 0, n_failed = 0;

}  // namespace

RegisteredTest::RegisteredTest(const char* name, void (*run)()) {
  all_tests().push_back({name, run});
}

void check(bool holds, const std::string& what) {
  holds ? ++n_passed : ++n_failed;
  if (!holds) std::printf("FAILED %s: %s\n", running, what.c_str());
}

int main() {
  for (const Test& test : all_tests()) {
    running = test.name;
    test.run();
  }
  std::printf("%d passed, %d failed\n", n_passed.load(), n_failed.load());
  return n_failed == 0 && n_passed > 0 ? 0 : 1;
}
