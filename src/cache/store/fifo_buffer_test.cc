#include "cache/store/fifo_buffer.h"

#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace kinformer::internal::cache {
namespace {

TEST(FifoBuffer, IsADequeInWhatItShows) {
  std::mt19937 random(7);
  FifoBuffer<std::string> buffer;
  std::deque<std::string> deque;
  for (int i = 0; i < 20000; ++i) {
    // The buffer grows and shrinks in turns.
    const bool grow = random() % 16 < (i / 1000 % 2 == 0 ? 9U : 6U);
    if (grow || deque.empty()) {
      buffer.push_back("item number " + std::to_string(i));
      deque.push_back("item number " + std::to_string(i));
    } else {
      buffer.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(buffer.size(), deque.size());
    ASSERT_EQ(buffer.empty(), deque.empty());
    if (deque.empty()) continue;
    ASSERT_EQ(buffer.front(), deque.front());
    ASSERT_EQ(buffer.back(), deque.back());
    if (i % 100 == 0) {
      ASSERT_TRUE(std::equal(buffer.begin(), buffer.end(), deque.begin(), deque.end()));
    }
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
