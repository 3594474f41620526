#include "cache/store/reclamation.h"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

namespace kinformer::internal::cache {
namespace {

TEST(Reclamation, AGuardHoldsUpWhatIsUnlinkedWhileItIsThere) {
  const std::uint64_t before = StampRetired();
  EXPECT_GT(SafeToFree(), before);
  std::uint64_t meanwhile = 0;
  {
    const ReadGuard guard;
    meanwhile = StampRetired();
    EXPECT_GT(meanwhile, before);
    EXPECT_LE(SafeToFree(), meanwhile);
    EXPECT_GT(SafeToFree(), before) << "it came later";
    {
      const ReadGuard inner;
      EXPECT_LE(SafeToFree(), meanwhile);
    }
    EXPECT_LE(SafeToFree(), meanwhile) << "the outer one is still there";
  }
  EXPECT_GT(SafeToFree(), meanwhile);
}

TEST(Reclamation, SeveralGuards_OldestCounts) {
  std::atomic<int> step{0};
  const auto reach = [&](int number) {
    step = number;
    step.notify_all();
  };
  const auto await = [&](int number) {
    for (int now = step; now < number; now = step) step.wait(now);
  };
  const ReaderSlot* other_slot = nullptr;
  std::thread other([&] {
    {
      const ReadGuard guard;
      other_slot = this_thread_reader_slot;
      reach(1);
      await(2);
    }
    reach(3);
    await(4);
  });
  await(1);
  const std::uint64_t first = StampRetired();
  {
    const ReadGuard guard;
    EXPECT_NE(this_thread_reader_slot, other_slot);
    EXPECT_LE(SafeToFree(), first);
    reach(2);
    await(3);
    EXPECT_GT(SafeToFree(), first) << "this one came later";
    EXPECT_LE(SafeToFree(), StampRetired());
  }
  reach(4);
  other.join();
  EXPECT_GT(SafeToFree(), first);
}

}  // namespace
}  // namespace kinformer::internal::cache
