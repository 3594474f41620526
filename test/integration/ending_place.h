// test/integration/ending_place.h
//
// EndingPlace: the one function of a program in which something is ended, once.

#ifndef KINFORMER_TEST_INTEGRATION_ENDING_PLACE_H_
#define KINFORMER_TEST_INTEGRATION_ENDING_PLACE_H_

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::testing {

// Thread-safe, once it is armed. Outlives the program whose functions call it.
class EndingPlace {
 public:
  explicit EndingPlace(std::string function) : function_(std::move(function)) {}

  // Lets the next call of the function run `end`.
  void Arm(std::function<void()> end) {
    end_ = std::move(end);
    armed_.store(true, std::memory_order_release);
  }
  // Reports a call. Each function of the program begins with it.
  void Reach(std::string_view function) {
    calls_.fetch_add(1);
    if (function != function_ || !armed_.load(std::memory_order_acquire)) return;
    if (reached_.exchange(true)) return;
    end_();
    ended_ = true;
  }

  [[nodiscard]] bool Is(std::string_view function) const { return function == function_; }
  [[nodiscard]] bool reached() const { return reached_; }
  // Returns true when `end` has returned.
  [[nodiscard]] bool ended() const { return ended_; }
  // Returns the number of calls of all functions.
  [[nodiscard]] int calls() const { return calls_; }

 private:
  const std::string function_;
  std::function<void()> end_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> reached_{false};
  std::atomic<bool> ended_{false};
  std::atomic<int> calls_{0};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_ENDING_PLACE_H_
