// The queues of an idle informer take no memory: a program may have a thousand of them.

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>
#include <string>
#include <vector>

#include "cache/pipeline/delta_fifo.h"
#include "cache/pipeline/real_fifo.h"
#include "cache/pipeline/testing/queue_steps.h"

namespace {

// Bytes that operator new has given out and that were not given back.
std::atomic<std::size_t> allocated{0};

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  allocated += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  allocated -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace kinformer::internal::cache {
namespace {

template <class Queue>
class QueueMemory : public testing::Test {};
using Queues = testing::Types<RealFIFO, DeltaFIFO>;
TYPED_TEST_SUITE(QueueMemory, Queues);

std::vector<ObjectRef> Objects(int count) {
  std::vector<ObjectRef> objects;
  for (int i = 0; i < count; ++i) objects.push_back(Obj("pod-" + std::to_string(i), 1));
  return objects;
}

void Drain(DeltaQueue& queue) {
  DeltaBatch batch;
  while (queue.PopBatch(1000, batch)) queue.BatchDone();
}

TYPED_TEST(QueueMemory, NothingWhileIdle) {
  const std::vector<ObjectRef> objects = Objects(5000);
  const std::size_t before = allocated;
  TypeParam queue;
  EXPECT_EQ(allocated, before) << "when made";

  queue.Replace(objects, {{"", "unreadable"}}, "1");
  Drain(queue);
  EXPECT_EQ(allocated, before) << "after a list";

  for (const ObjectRef& object : objects) queue.Update(object);
  queue.Bookmark("2");
  queue.Unreadable({"", "unreadable"}, true);
  EXPECT_GT(allocated, before + (objects.size() * sizeof(Delta)));
  Drain(queue);
  EXPECT_EQ(allocated, before) << "after a burst";
}

TEST(QueueMemory, GrowsWithWhatWaits) {
  const ObjectRef object = Obj("pod", 1);
  const std::size_t before = allocated;
  RealFIFO queue;
  queue.Update(object);
  EXPECT_LT(allocated, before + 300) << "one entry";
}

}  // namespace
}  // namespace kinformer::internal::cache
