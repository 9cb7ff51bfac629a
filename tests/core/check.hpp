// SPDX-License-Identifier: BSD-3-Clause
/// What a file of tests is made of: TEST(name) { check(holds, "what should hold"); }
#pragma once

#include <string>

/// Counts, and says what does not hold. Threads may check, too.
void check(bool holds, const std::string& what);

/// Tells main() of a test before it starts.
struct RegisteredTest {
  RegisteredTest(const char* name, void (*run)());
};

#define TEST(name)                                                    \
  static void test_##name();                                          \
  static const RegisteredTest registered_##name(#name, &test_##name); \
  static void test_##name()
