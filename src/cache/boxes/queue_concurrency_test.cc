// The public queues and the controller on real threads, to be run under ThreadSanitizer.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/cache/controller.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/real_fifo.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

template <class AQueue>
class QueueConcurrency : public testing::Test {
 protected:
  Runtime runtime_;
};
using Queues = testing::Types<DeltaFIFO<Pod>, RealFIFO<Pod>>;
TYPED_TEST_SUITE(QueueConcurrency, Queues);

Ref<Pod> MakePod(const std::string& name, int version) {
  return Ref<Pod>(internal::client::MakePod("", name, std::to_string(version)));
}

TYPED_TEST(QueueConcurrency, TwoProducersKeepTheirOrder_DF01_RF01) {
  constexpr int kEach = 500;
  TypeParam queue(this->runtime_.env());
  std::vector<std::thread> producers;
  for (const char* name : {"a", "b"}) {
    producers.emplace_back([&queue, name] {
      for (int i = 1; i <= kEach; ++i) queue.Update(MakePod(name, i)).OrExit();
    });
  }
  std::map<std::string, int> last;
  int seen = 0;
  while (seen < 2 * kEach) {
    queue
        .Pop([&](const Deltas<Pod>& deltas, bool) {
          for (const Delta<Pod>& delta : deltas) {
            const int version = std::stoi(std::string(delta.object.object()->resourceVersion()));
            EXPECT_EQ(version, ++last[delta.object->name()]);
            ++seen;
          }
          return Result<void>();
        })
        .OrExit();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(last, (std::map<std::string, int>{{"a", kEach}, {"b", kEach}}));
}

TYPED_TEST(QueueConcurrency, ItsEndWakesAllWhoWait_DF38_RF37) {
  std::vector<std::thread> poppers;
  std::atomic<int> inside{0};
  {
    TypeParam queue(this->runtime_.env());
    for (int i = 0; i < 10; ++i) {
      poppers.emplace_back([&] {
        ++inside;
        const Result<void> popped =
            queue.Pop([](const Deltas<Pod>&, bool) { return Result<void>(); });
        EXPECT_TRUE(!popped && popped.error().reason() == Reason::kStopped);
        --inside;
      });
    }
    while (inside < 10) std::this_thread::yield();
    queue.Close();
    while (inside > 0) std::this_thread::yield();
  }
  for (std::thread& popper : poppers) popper.join();
}

TEST(CacheControllerConcurrency, AStoreFollowsWhileReadersRead) {
  Runtime runtime;
  Env& env = runtime.env();
  internal::client::FakeServer server(env);
  std::atomic<int> heard{0};
  auto [store, controller] = NewInformer<Pod>(env, server.NewListerWatcher(),
                                              {.on_add = [&](const Added<Pod>&) { ++heard; },
                                               .on_update = [&](const Updated<Pod>&) { ++heard; }});
  std::stop_source stop;
  std::thread run([&] { controller->Run(stop.get_token()).OrExit(); });
  std::thread read([&] {
    while (!stop.stop_requested()) {
      for (const Pod pod : store.List()) EXPECT_FALSE(pod.name().empty());
      static_cast<void>(controller->HasSynced());
      static_cast<void>(controller->LastSyncResourceVersion());
    }
  });
  constexpr int kChanges = 500;
  for (int i = 0; i < kChanges; ++i) {
    env.loop().Post([&, i] { server.Put("p" + std::to_string(i % 17), std::to_string(i)); });
  }
  const std::string last = std::to_string(kChanges);
  while (store.LastStoreSyncResourceVersion() != last) std::this_thread::yield();
  stop.request_stop();
  run.join();
  read.join();
  EXPECT_EQ(store.List().size(), 17U);
  EXPECT_GE(heard.load(), 17);
}

}  // namespace
}  // namespace kinformer
