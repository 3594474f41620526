// An idle informer takes little memory beside its objects, as a program may have a thousand of
// them. Reading from it allocates nothing.

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/lister.h"
#include "kinformer/object/unstructured.h"

#include "base/core/testing/counted_heap.h"
#include "cache/deltas/real_fifo.h"
#include "cache/deltas/testing/queue_steps.h"
#include "cache/store/coverage.h"
#include "cache/store/store_core.h"
#include "wire/watch_framer.h"

namespace kinformer::internal::cache {
namespace {

using kinformer::testing::heap;

std::vector<ObjectRef> Objects(int count) {
  std::vector<ObjectRef> objects;
  for (int i = 0; i < count; ++i) objects.push_back(Obj("pod-" + std::to_string(i), 1));
  return objects;
}

void Drain(DeltaQueue& queue) {
  DeltaBatch batch;
  while (queue.PopBatch(1000, batch)) queue.BatchDone();
}

TEST(QueueMemory, NothingWhileIdle) {
  const std::vector<ObjectRef> objects = Objects(5000);
  const std::size_t before = heap.bytes;
  RealFIFO queue;
  EXPECT_EQ(heap.bytes, before) << "when made";

  queue.Replace(objects, {{"", "unreadable"}}, "1");
  Drain(queue);
  EXPECT_EQ(heap.bytes, before) << "after a list";

  for (const ObjectRef& object : objects) queue.Update(object);
  queue.Bookmark("2");
  queue.Unreadable({"", "unreadable"}, true);
  EXPECT_GT(heap.bytes, before + (objects.size() * sizeof(Delta)));
  Drain(queue);
  EXPECT_EQ(heap.bytes, before) << "after a burst";
}

TEST(QueueMemory, GrowsWithWhatWaits) {
  const ObjectRef object = Obj("pod", 1);
  const std::size_t before = heap.bytes;
  RealFIFO queue;
  queue.Update(object);
  EXPECT_LT(heap.bytes, before + 300) << "one entry";
}

TEST(StoreMemory, CollectedStore_OldVersionListsAreFreed) {
  Simulation simulation;
  std::size_t base = 0;
  std::size_t written = 0;
  {
    const std::size_t before = heap.bytes;
    StoreCore store(simulation.env(), {.name = "empty"});
    base = heap.bytes - before;
  }
  {
    StoreCore store(simulation.env(), {.name = "written"});
    const std::size_t before = heap.bytes;
    for (int i = 0; i < 1000; ++i) {
      store.Begin();
      store.Put(Obj("pod", i));
      store.Commit();
    }
    while (store.CollectSome(1000)) {
    }
    store.CollectSome(1000);
    written = heap.bytes - before;
  }
  EXPECT_LT(base, 3300U);
  EXPECT_LT(written, 1700U);
}

TEST(StoreMemory, AGetAllocatesNothing) {
  Simulation simulation;
  Indexer<Unstructured> indexer(simulation.env());
  const std::string name(40, 'n');  // too long for std::string's internal buffer
  indexer.Add(Ref<Unstructured>(Obj(name, 1))).OrExit();
  const Lister<Unstructured> lister(indexer);
  const Snapshot<Unstructured> snapshot = indexer.Snapshot();
  ASSERT_TRUE(lister.Get("", name).ok());  // a thread's first look-up allocates its reader slot

  const std::size_t before = heap.calls;
  EXPECT_TRUE(lister.Get("", name).ok());
  EXPECT_TRUE(lister.Get(name).ok());
  EXPECT_TRUE(lister.GetByKey(name).ok());
  EXPECT_TRUE(indexer.GetByKey(name));
  EXPECT_TRUE(snapshot.Get("", name).has_value());
  EXPECT_TRUE(snapshot.GetByKey(name).has_value());
  EXPECT_EQ(heap.calls, before);
}

TEST(StoreMemory, AGetAllocatesNothingWhileOthersAreUnreadable) {
  Simulation simulation;
  StoreCore store(simulation.env(), {.name = "pods"});
  const std::string readable(40, 'r');
  const std::string unreadable(40, 'u');
  store.Begin();
  store.Put(Obj(readable, 1));
  store.SetCoverage(std::make_shared<const Coverage>(Coverage{
      .complete = true,
      .unreadable = std::make_shared<const NameSet>(NameSet{ObjectName{"", unreadable}})}));
  store.Commit();
  ASSERT_TRUE(store.Ask("", readable).object);

  const std::size_t before = heap.calls;
  EXPECT_TRUE(store.Ask("", readable).object);
  EXPECT_FALSE(store.Ask("", unreadable).object);
  EXPECT_EQ(heap.calls, before);
}

// Feeds pieces of a stream that split its events.
void Feed(wire::WatchFramer& framer, std::string_view stream) {
  struct : wire::WatchFramer::Sink {
    Result<void> OnFrame(const wire::WatchFrame&) override { return {}; }
  } sink;
  for (std::size_t at = 0; at < stream.size(); at += 1000) {
    ASSERT_TRUE(framer.Feed(stream.substr(at, 1000), sink).ok());
  }
}

TEST(WatchFramerMemory, NothingBetweenEvents) {
  const std::string text(3000, 'x');
  std::string json = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","data":")";
  json += text + "\"}}\n";
  std::string message = "k8s";
  message.push_back('\0');
  message += std::string("\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x00", 13);
  std::string event = std::string("\x0a\x05") + "ADDED";
  event += "\x12";
  event.push_back(static_cast<char>(message.size() + 2));
  event += "\x0a";
  event.push_back(static_cast<char>(message.size()));
  event += message;
  std::string protobuf(3, '\0');
  protobuf.push_back(static_cast<char>(event.size()));
  protobuf += event;

  const std::size_t before = heap.bytes;
  {
    wire::WatchFramer framer(internal::Encoding::kJson);
    Feed(framer, json);
    Feed(framer, json);
    const std::size_t after = heap.bytes - before;
    EXPECT_LT(after, 200U) << "the beginnings that events share stay";
  }
  wire::WatchFramer framer(internal::Encoding::kProtobuf);
  Feed(framer, std::string_view(protobuf).substr(0, 10));
  const std::size_t within = heap.bytes - before;
  Feed(framer, std::string_view(protobuf).substr(10));
  const std::size_t after = heap.bytes - before;
  EXPECT_GT(within, 0U);
  EXPECT_EQ(after, 0U);
}

}  // namespace
}  // namespace kinformer::internal::cache
