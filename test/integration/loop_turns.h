// integration/loop_turns.h
//
// LoopTurns: measures the turns of a server's loop in CPU time of its thread, which is the delay
// for other requests, independent of the load of the machine.

#ifndef KINFORMER_TEST_INTEGRATION_LOOP_TURNS_H_
#define KINFORMER_TEST_INTEGRATION_LOOP_TURNS_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <future>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::testing {

// CPU time of the calling thread.
inline std::chrono::nanoseconds ThreadCpuTime() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Keeps the loop spinning while it exists, and records the cost of each turn.
class LoopTurns {
 public:
  explicit LoopTurns(Env& env) : env_(env) { Next(); }
  ~LoopTurns() { (void)Longest(); }
  LoopTurns(const LoopTurns&) = delete;
  LoopTurns& operator=(const LoopTurns&) = delete;

  // Returns the longest turn since the beginning, and ends the measurement.
  std::chrono::nanoseconds Longest() {
    if (!ended_.exchange(true)) done_.get_future().wait();
    return longest_;
  }

 private:
  void Next() {
    env_.loop().Post([this] {
      const auto now = ThreadCpuTime();
      if (begun_) longest_ = std::max(longest_, now - last_);
      begun_ = true;
      last_ = now;
      if (ended_) return done_.set_value();
      Next();
    });
  }

  Env& env_;
  std::atomic<bool> ended_{false};
  std::promise<void> done_{};
  // Used on the loop only, until done_.
  bool begun_ = false;
  std::chrono::nanoseconds last_{0};
  std::chrono::nanoseconds longest_{0};
};

// Returns 10 ms, multiplied by how much slower this build is than a release build. Measured with
// work of the library that takes a release build about a millisecond and a half.
inline std::chrono::nanoseconds LongestTurnAllowed() {
  static const double slower = [] {
    std::string text = "[";
    for (int i = 0; i < 20'000; ++i) {
      text += (i == 0 ? "" : ",") + (R"({"k":)" + std::to_string(i)) + "}";
    }
    text += "]";
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 5; ++i) {
      const auto before = ThreadCpuTime();
      (void)json::Parse(text).OrExit();
      least = std::min(least, ThreadCpuTime() - before);
    }
    return std::max(1.0, std::chrono::duration<double, std::milli>(least).count() / 6.0);
  }();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      slower * std::chrono::duration<double, std::milli>(10));
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_LOOP_TURNS_H_
