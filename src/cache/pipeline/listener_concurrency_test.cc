// A listener on real threads: for the thread sanitizer.

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/runtime.h"

#include "cache/pipeline/listener.h"
#include "cache/pipeline/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

class SlowHandler final : public RawHandler {
 public:
  void Handle(const RawEvent&) override {
    calls.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::yield();
  }
  std::atomic<std::uint64_t> calls{0};
};

TEST(ListenerConcurrency, SuspendAndResumeWhileItDelivers) {
  Runtime runtime;
  const auto handler = std::make_shared<SlowHandler>();
  const auto listener = std::make_shared<Listener>(runtime.env(), handler, ListenerConfig{},
                                                   std::weak_ptr<InformerCore::Impl>());
  // So few that they are taken at once: then none waits, and Resume has to know of those that are
  // being delivered.
  std::vector<Notification> events;
  for (int i = 0; i < 16; ++i) {
    events.push_back(
        {.kind = EventKind::kAdd, .object = MakePod("", "p" + std::to_string(i), "1")});
  }
  // This thread stands for the loop.
  constexpr std::uint64_t kRounds = 200;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    listener->Push(events, nullptr);
    for (int i = 0; i < 20; ++i) {
      listener->Suspend();
      std::this_thread::yield();
      listener->Resume();
    }
  }
  listener->PushSynced();
  EXPECT_TRUE(listener->WaitForSync({}, std::chrono::seconds(60)).ok());
  EXPECT_EQ(handler->calls.load() + listener->Stats().coalesced, kRounds * events.size());
  EXPECT_TRUE(listener->Remove().ok());
}

}  // namespace
}  // namespace kinformer::internal::cache
