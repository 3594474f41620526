// cache/store/testing/readers.h
//
// Readers: threads that repeat one operation while the test's own thread runs.

#ifndef KINFORMER_CACHE_STORE_TESTING_READERS_H_
#define KINFORMER_CACHE_STORE_TESTING_READERS_H_

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace kinformer::internal::cache {

// Each thread calls `body(random)` until the destructor, which waits for them.
class Readers {
 public:
  template <class Body>
  Readers(int count, const Body& body) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, body, i] {
        std::mt19937 random(static_cast<std::uint32_t>(i));
        while (!stop_.load(std::memory_order_relaxed)) {
          body(random);
          rounds_.fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
  }
  ~Readers() {
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
  }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> rounds_{0};
  std::vector<std::thread> threads_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_TESTING_READERS_H_
