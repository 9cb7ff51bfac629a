// SPDX-License-Identifier: BSD-3-Clause
/// Lets long work stop within a second: workers report what they spend and are told to quit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace inforest {

struct Interrupted {};

class Interrupt {
 public:
  Interrupt() = default;
  /// `asked` is called at most every 50 ms of work and says whether to stop.
  explicit Interrupt(std::function<bool()> asked) : asked_(std::move(asked)) {}

  /// Reports `work` elementary steps (about a nanosecond each); throws Interrupted when asked to.
  void spend(std::int64_t work) {
    if ((budget_ -= work) < 0) [[unlikely]]
      poll();
  }

 private:
  static constexpr std::int64_t kPollWork = 1'000'000;

  void poll() {
    budget_ = kPollWork;
    if (!asked_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (asked_()) throw Interrupted{};
  }

  std::function<bool()> asked_;
  std::int64_t budget_ = kPollWork;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace inforest
