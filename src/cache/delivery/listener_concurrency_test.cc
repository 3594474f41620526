// A listener on real threads, to be run under ThreadSanitizer.

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/runtime.h"

#include "cache/delivery/listener.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
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
                                                   std::weak_ptr<ListenerOwner>());
  // Few enough to be taken at once: then none waits in the queue, and Resume must take those into
  // account that are being delivered.
  std::vector<Notification> events;
  for (int i = 0; i < 16; ++i) {
    events.push_back(
        {.type = EventType::kAdded, .object = MakePod("", "p" + std::to_string(i), "1")});
  }
  // This thread acts as the loop.
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

// One thread reads, another one acts as the loop and pushes, and a third reads the statistics.
TEST(ListenerConcurrency, AReaderMissesNothing) {
  Runtime runtime;
  std::atomic<std::uint64_t> wakes{0};
  const auto listener = std::make_shared<Listener>(
      runtime.env(), std::make_shared<PulledHandler>([&wakes] { ++wakes; }),
      ListenerConfig{.options = {.max_events = 100'000}}, std::weak_ptr<ListenerOwner>());
  constexpr int kEvents = 20'000;
  std::thread pushes([&] {
    for (int i = 0; i < kEvents; ++i) {
      const Notification event{.type = EventType::kAdded,
                               .object = MakePod("", "p" + std::to_string(i), "1")};
      listener->Push({&event, 1}, nullptr);
      if (i % 50 == 0) std::this_thread::yield();
    }
    listener->PushSynced();
  });
  std::jthread asks([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(listener->Stats());
  });
  int read = 0;
  std::vector<PulledEvent> events;
  while (read < kEvents) {
    events.clear();
    ASSERT_TRUE(
        listener->Pull(64, runtime.env().Now() + std::chrono::seconds(60), {}, events).ok());
    for (const PulledEvent& event : events) EXPECT_EQ(event.key, "p" + std::to_string(read++));
  }
  pushes.join();
  // The handler has synced when the reader asks for more.
  events.clear();
  EXPECT_FALSE(listener->Pull(64, runtime.env().Now(), {}, events).ok());
  EXPECT_TRUE(listener->HasSynced());
  EXPECT_GE(wakes.load(), 1U);
  // A waiting reader is woken at the end.
  std::thread ends([&] { listener->Discard(); });
  EXPECT_FALSE(listener->Pull(64, {}, {}, events).ok());
  ends.join();
}

// Suspends during a delivery; a drain must have delivered everything when the wait returns.
TEST(ListenerConcurrency, ADrainDeliversAllBeforeTheWaitIsOver) {
  for (int round = 0; round < 50; ++round) {
    Runtime runtime;
    const auto handler = std::make_shared<SlowHandler>();
    const auto listener = std::make_shared<Listener>(
        runtime.env(), handler,
        ListenerConfig{.options = {.max_events = 1000, .at_stop = AtStop::kDrain}},
        std::weak_ptr<ListenerOwner>());
    std::vector<Notification> events;
    for (int i = 0; i < 300; ++i) {
      events.push_back(
          {.type = EventType::kAdded, .object = MakePod("", "p" + std::to_string(i), "1")});
    }
    listener->Push(events, nullptr);
    listener->Suspend();
    listener->End();
    listener->WaitIdle();
    EXPECT_EQ(handler->calls.load(), events.size());
    EXPECT_TRUE(listener->removed());
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
