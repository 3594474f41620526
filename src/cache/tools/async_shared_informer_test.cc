#include "kinformer/cache/async_shared_informer.h"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/shared_informer.h"

#include "client/testing/fake_lister_watcher.h"
#include "client/testing/pod_view.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using Pods = SharedInformer<Pod>;

class AsyncSharedInformerTest : public testing::Test {
 protected:
  AsyncSharedInformerTest() : server_(sim_.env()), pods_(sim_.env(), server_.NewListerWatcher()) {}

  // Starts the task on the loop. Its result appears in the returned place.
  template <class T>
  std::shared_ptr<std::optional<T>> Start(Task<T> task) {
    auto result = std::make_shared<std::optional<T>>();
    Spawn<T>(sim_.env(), sim_.env().loop(), std::move(task),
             [result](T got) { result->emplace(std::move(got)); });
    sim_.RunReady();
    return result;
  }

  Simulation sim_;
  internal::client::FakeServer server_;
  Pods pods_;
};

TEST_F(AsyncSharedInformerTest, CacheSync_EndsWhenTheFirstListIsThere) {
  EXPECT_EQ((*Start(AsyncSharedInformer(pods_).WaitForCacheSync()))->error().reason(),
            Reason::kNotSynced)
      << "it would wait for ever";
  server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  pods_.Start();
  const auto one = Start(AsyncSharedInformer(pods_).WaitForCacheSync());
  const auto all = Start(AsyncWaitForCacheSync(sim_.env(), {pods_}));
  const auto late = Start(
      AsyncSharedInformer(pods_).WaitForCacheSync({}, {.timeout = std::chrono::milliseconds(1)}));
  std::stop_source stop;
  const auto stopped = Start(AsyncSharedInformer(pods_).WaitForCacheSync(stop.get_token()));
  EXPECT_FALSE(*one || *all || *late || *stopped);
  stop.request_stop();
  sim_.RunFor(std::chrono::milliseconds(2));
  EXPECT_EQ((*late)->error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ((*stopped)->error().reason(), Reason::kCanceled);
  EXPECT_FALSE(*one || *all);
  server_.down.reset();
  sim_.RunFor(seconds(60));
  EXPECT_TRUE((*one)->ok() && (*all)->ok());
  EXPECT_TRUE((*Start(AsyncSharedInformer(pods_).WaitForCacheSync()))->ok());
}

TEST_F(AsyncSharedInformerTest, AWait_EndsWithItsInformer) {
  server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  pods_.Start();
  const auto synced = Start(AsyncSharedInformer(pods_).WaitForCacheSync());
  pods_.Stop();
  sim_.RunReady();
  ASSERT_TRUE(*synced);
  EXPECT_EQ((*synced)->error().reason(), Reason::kStopped);
}

TEST_F(AsyncSharedInformerTest, HandlersSync_EndsWhenHandlersHaveReturnedFromTheList) {
  server_.Put("a", "1");
  int seen = 0;
  const auto handler =
      pods_.AddEventHandler({.on_add = [&](const Added<Pod>&) { ++seen; }}).OrExit().Scoped();
  pods_.Start();
  const auto synced = Start(AsyncSharedInformer(pods_).WaitForHandlersSync());
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(*synced && (*synced)->ok());
  EXPECT_EQ(seen, 1);
}

TEST_F(AsyncSharedInformerTest, ResourceVersion_IsReachedByAnEvent) {
  server_.Put("a", "1");
  pods_.Start();
  sim_.RunReady();
  const AsyncSharedInformer pods(pods_);
  EXPECT_EQ((*Start(pods.WaitForResourceVersion("none")))->error().reason(),
            Reason::kInvalidArgument);
  const std::string next = std::to_string(std::stoi(pods_.LastSyncResourceVersion()) + 1);
  const auto reached = Start(pods.WaitForResourceVersion(next));
  const auto late = Start(pods.WaitForResourceVersion(next, {}, seconds(1)));
  EXPECT_FALSE(*reached);
  sim_.RunFor(seconds(2));
  EXPECT_EQ((*late)->error().reason(), Reason::kDeadlineExceeded);
  server_.Put("b", "1");
  sim_.RunReady();
  ASSERT_TRUE(*reached);
  EXPECT_TRUE((*reached)->ok()) << (*reached)->error();
}

Task<Result<int>> Follow(Pods pods, std::vector<std::string>* keys, std::stop_token stop) {
  Result<void> synced = co_await AsyncSharedInformer(pods).WaitForCacheSync(stop);
  if (!synced) co_return synced.error();
  AsyncEventReader<Pod> reader(NewEventReader(pods).OrExit());
  int batches = 0;
  while (true) {
    const Result<std::vector<ReadEvent<Pod>>> batch = co_await reader.Next({}, stop);
    if (!batch && batch.error().reason() == Reason::kCanceled) co_return batches;
    if (!batch) co_return batch.error();
    ++batches;
    for (const ReadEvent<Pod>& event : *batch) keys->push_back(event.key);
  }
}

TEST_F(AsyncSharedInformerTest, AReader_IsFollowedInACoroutineOnTheLoop) {
  server_.Put("a", "1");
  pods_.Start();
  std::vector<std::string> keys;
  std::stop_source stop;
  const auto followed = Start(Follow(pods_, &keys, stop.get_token()));
  sim_.RunFor(seconds(1));
  server_.Put("b", "1");
  sim_.RunFor(seconds(1));
  server_.Put("b", "2");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(keys, (std::vector<std::string>{"default/a", "default/b", "default/b"}));
  EXPECT_FALSE(*followed);
  stop.request_stop();
  sim_.RunReady();
  ASSERT_TRUE(*followed);
  EXPECT_EQ(***followed, 3);
  EXPECT_EQ(pods_.Stats().handlers, 0U) << "the reader's handler is gone with it";
}

TEST_F(AsyncSharedInformerTest, AReader_EndsWithItsInformerAndAtItsDeadline) {
  pods_.Start();
  sim_.RunReady();
  AsyncEventReader<Pod> reader(NewEventReader(pods_).OrExit());
  const auto late = Start(reader.Next(sim_.env().Now() + seconds(1)));
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(*late);
  EXPECT_EQ((*late)->error().reason(), Reason::kDeadlineExceeded);
  const auto waits = Start(reader.Next());
  EXPECT_FALSE(*waits);
  EXPECT_TRUE(pods_.RemoveEventHandler(reader.registration()).ok());
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(*waits);
  EXPECT_EQ((*waits)->error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer
