// DeltaFIFO<T> and RealFIFO<T>, as programs use them. delta_queue_test.cc tests the order and the
// contents of what they return.

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/real_fifo.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Ref<Pod> MakePod(const std::string& name, int version) {
  return Ref<Pod>(internal::client::MakePod("default", name, std::to_string(version)));
}

std::string Text(const Delta<Pod>& delta) {
  static const char* const kNames[] = {"Added", "Updated", "Deleted",  "Replaced",  "Sync",
                                       "All",   "SyncAll", "Bookmark", "Unreadable"};
  std::string text = kNames[static_cast<int>(delta.type)];
  if (delta.final_state_unknown) text += "?";
  if (!Queue<Pod>::KeyOf(delta).empty()) text += " " + Queue<Pod>::KeyOf(delta);
  if (delta.object) text += "@" + std::string(delta.object.object()->resourceVersion());
  if (delta.info == nullptr) return text;
  text += " [" + delta.info->resourceVersion;
  for (const Ref<Pod>& object : delta.info->objects) text += " " + object->name();
  for (const ObjectName& name : delta.info->unreadable) text += " !" + name.ToString();
  return text + "]";
}

// A queue that a test fills on its own thread, and pops on a simulated one.
template <class AQueue>
class PublicQueue : public testing::Test {
 protected:
  // Runs `body` on a thread that may call Pop.
  template <class F>
  void Blocking(F body) {
    ASSERT_TRUE(sim_.RunBlocking(body, minutes(1)));
  }
  // Returns the deltas of one Pop as text; the reason of its error if it fails.
  std::string PopText(Queue<Pod>& queue) {
    std::string text;
    Blocking([&] {
      const Result<void> popped = queue.Pop([&](const Deltas<Pod>& deltas, bool initial) {
        for (const Delta<Pod>& delta : deltas) text += (text.empty() ? "" : ", ") + Text(delta);
        if (initial) text = "i:" + text;
        return Result<void>();
      });
      if (!popped) text = ReasonName(popped.error().reason());
    });
    return text;
  }
  static Result<void> Nothing(const Deltas<Pod>&, bool) { return {}; }

  Simulation sim_;
};

using Queues = testing::Types<DeltaFIFO<Pod>, RealFIFO<Pod>>;
TYPED_TEST_SUITE(PublicQueue, Queues);

TYPED_TEST(PublicQueue, CloseWakesAllWhoWait_DF38_RF37) {
  TypeParam queue(this->sim_.env());
  std::vector<std::unique_ptr<Thread>> threads;
  int stopped = 0;
  for (int i = 0; i < 10; ++i) {
    threads.push_back(this->sim_.env().NewThread("popper", [&] {
      const Result<void> popped = queue.Pop(this->Nothing);
      stopped += !popped && popped.error().reason() == Reason::kStopped ? 1 : 0;
    }));
  }
  this->sim_.RunReady();
  EXPECT_EQ(stopped, 0);
  queue.Close();
  this->sim_.RunReady();
  EXPECT_EQ(stopped, 10);
  EXPECT_TRUE(queue.IsClosed());
}

TYPED_TEST(PublicQueue, Close_WaitingDeltasAreStillPopped) {
  TypeParam queue(this->sim_.env());
  queue.Add(MakePod("a", 1)).OrExit();
  queue.Close();
  queue.Add(MakePod("b", 1)).OrExit();
  EXPECT_EQ(this->PopText(queue), "Added default/a@1");
  EXPECT_EQ(this->PopText(queue), "Added default/b@1");
  EXPECT_EQ(this->PopText(queue), "Stopped");
}

TYPED_TEST(PublicQueue, AnObjectWithoutAKeyStaysOutsideAndEndsNoBatch_RF46_to_RF49) {
  TypeParam queue(this->sim_.env());
  const auto refused = [&](const Result<void>& result) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), Reason::kInvalidArgument) << result.error();
    EXPECT_NE(result.error().message().find("metadata.name"), std::string::npos);
  };
  refused(queue.Add(MakePod("", 1)));
  queue.Add(MakePod("a", 1)).OrExit();
  refused(queue.Update(MakePod("", 1)));
  refused(queue.Delete(MakePod("", 2)));
  queue.Add(MakePod("b", 1)).OrExit();
  refused(queue.Replace({.resourceVersion = "9", .objects = {MakePod("c", 1), MakePod("", 1)}}));
  std::size_t most = 0;
  Texts keys;
  this->Blocking([&] {
    while (keys.size() < 2) {
      const auto note = [&](const Deltas<Pod>& deltas, bool) {
        for (const Delta<Pod>& delta : deltas) keys.push_back(Queue<Pod>::KeyOf(delta));
        most = std::max(most, deltas.size());
        return Result<void>();
      };
      queue.PopBatch(note, note).OrExit();
    }
  });
  EXPECT_EQ(keys, (Texts{"default/a", "default/b"}));
  const bool batches = std::is_same_v<TypeParam, RealFIFO<Pod>>;
  EXPECT_EQ(most, batches ? 2U : 1U);
}

TYPED_TEST(PublicQueue, PopDoesNotWaitOnTheLoopNorForItself) {
  TypeParam queue(this->sim_.env());
  queue.Add(MakePod("a", 1)).OrExit();
  Reason on_loop{};
  this->sim_.env().loop().Post([&] { on_loop = queue.Pop(this->Nothing).error().reason(); });
  this->sim_.RunReady();
  EXPECT_EQ(on_loop, Reason::kWouldDeadlock);
  Reason inside{};
  this->Blocking([&] {
    static_cast<void>(queue.Pop([&](const Deltas<Pod>&, bool) {
      inside = queue.Pop(this->Nothing).error().reason();
      return Result<void>();
    }));
  });
  EXPECT_EQ(inside, Reason::kWouldDeadlock);
}

TYPED_TEST(PublicQueue, AFailureIsReturnedAndItsDeltasAreGone) {
  TypeParam queue(this->sim_.env());
  for (const char* name : {"a", "b", "c"}) queue.Add(MakePod(name, 1)).OrExit();
  this->Blocking([&] {
    const Result<void> popped = queue.Pop(
        [](const Deltas<Pod>&, bool) -> Result<void> { return Error(Reason::kConflict, "no"); });
    EXPECT_TRUE(!popped && IsConflict(popped.error()));
    EXPECT_THROW(static_cast<void>(queue.Pop([](const Deltas<Pod>&, bool) -> Result<void> {
                   throw std::runtime_error("no");
                 })),
                 std::runtime_error);
  });
  EXPECT_EQ(this->PopText(queue), "Added default/c@1");
}

TYPED_TEST(PublicQueue, ProducersDoNotWaitForTheProcessFunction) {
  TypeParam queue(this->sim_.env());
  queue.Add(MakePod("a", 1)).OrExit();
  Env& env = this->sim_.env();
  bool processed = false;
  bool added = false;
  const auto thread = env.NewThread("popper", [&] {
    static_cast<void>(queue.Pop([&](const Deltas<Pod>&, bool) {
      env.SleepFor(minutes(1));
      processed = true;
      return Result<void>();
    }));
  });
  this->sim_.RunReady();
  env.loop().Post([&] {
    queue.Add(MakePod("b", 1)).OrExit();
    added = true;
  });
  this->sim_.RunReady();
  EXPECT_TRUE(added && !processed);
  this->sim_.RunFor(minutes(2));
  EXPECT_TRUE(processed);
  EXPECT_EQ(this->PopText(queue), "Added default/b@1");
}

TYPED_TEST(PublicQueue, ConcurrentPops_RunOneProcessFunctionAtATime) {
  TypeParam queue(this->sim_.env());
  Env& env = this->sim_.env();
  for (int i = 0; i < 6; ++i) queue.Add(MakePod("p" + std::to_string(i), 1)).OrExit();
  int running = 0;
  int most = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 6; ++i) {
    threads.push_back(env.NewThread("popper", [&] {
      static_cast<void>(queue.Pop([&](const Deltas<Pod>&, bool) {
        most = std::max(most, ++running);
        env.SleepFor(seconds(1));
        --running;
        return Result<void>();
      }));
    }));
  }
  this->sim_.RunFor(minutes(1));
  EXPECT_EQ(most, 1);
}

// A list that arrives while the process function runs is compared with the known objects only after
// that function has returned.
TYPED_TEST(PublicQueue, AListThatComesDuringProcessingMeetsItsResult) {
  Env& env = this->sim_.env();
  Store<Pod> store(env);
  TypeParam queue(env, {.known_objects = std::make_shared<StoreKeys<Pod>>(store)});
  queue.Add(MakePod("a", 1)).OrExit();
  const auto thread = env.NewThread("popper", [&] {
    static_cast<void>(queue.Pop([&](const Deltas<Pod>& deltas, bool) {
      env.SleepFor(minutes(1));
      return store.Add(deltas.front().object);
    }));
  });
  this->sim_.RunReady();
  queue.Replace({.resourceVersion = "7"}).OrExit();
  this->sim_.RunFor(minutes(2));
  EXPECT_EQ(this->PopText(queue), "Deleted? default/a@1");
}

TYPED_TEST(PublicQueue, ObjectsNeedANameAndTombstonesAreTold) {
  TypeParam queue(this->sim_.env());
  const Result<void> refused = queue.Add(Ref<Pod>());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
  queue.Add(MakePod("a", 1)).OrExit();
  EXPECT_EQ(this->PopText(queue), "Added default/a@1");
  queue.Add(MakePod("b", 1)).OrExit();
  queue.Delete(DeletedFinalStateUnknown<Pod>{MakePod("b", 2)}).OrExit();
  queue.Close();
  std::string all;
  for (std::string text; (text = this->PopText(queue)) != "Stopped";) all += text + ";";
  EXPECT_TRUE(all.ends_with("Deleted? default/b@2;")) << all;
}

TYPED_TEST(PublicQueue, SyncedOnceTheFirstListIsProcessed) {
  Store<Pod> store(this->sim_.env());
  TypeParam queue(this->sim_.env(), {.known_objects = std::make_shared<StoreKeys<Pod>>(store)});
  EXPECT_FALSE(queue.HasSynced());
  queue.Replace({.resourceVersion = "7", .objects = {MakePod("a", 1), MakePod("b", 2)}}).OrExit();
  queue.Update(MakePod("c", 3)).OrExit();
  EXPECT_EQ(this->PopText(queue), "i:Replaced default/a@1");
  EXPECT_FALSE(queue.HasSynced());
  EXPECT_EQ(this->PopText(queue), "i:Replaced default/b@2");
  EXPECT_TRUE(queue.HasSynced());
  EXPECT_EQ(this->PopText(queue), "Updated default/c@3");

  TypeParam begins_with_a_change(this->sim_.env());
  begins_with_a_change.Add(MakePod("a", 1)).OrExit();
  EXPECT_TRUE(begins_with_a_change.HasSynced());
}

// The map of a consumer, written without a lock by the process function.
class OwnMap final : public KeyListerGetter<Pod> {
 public:
  [[nodiscard]] std::vector<std::string> ListKeys() const override {
    std::vector<std::string> keys;
    for (const auto& [key, pod] : pods) keys.push_back(key);
    return keys;
  }
  [[nodiscard]] Ref<Pod> GetByKey(std::string_view key) const override {
    const auto it = pods.find(std::string(key));
    return it == pods.end() ? Ref<Pod>() : it->second;
  }
  std::map<std::string, Ref<Pod>> pods{};
};

using PublicDeltaFIFO = PublicQueue<DeltaFIFO<Pod>>;
TEST_F(PublicDeltaFIFO, KnownObjects_DecideDeletionsResyncAndReplace) {
  auto known = std::make_shared<OwnMap>();
  known->pods["default/old"] = MakePod("old", 1);
  DeltaFIFO<Pod> queue(sim_.env(), {.known_objects = known});
  queue.Delete(MakePod("unheard-of", 1)).OrExit();
  queue.Update(MakePod("old", 2)).OrExit();
  queue.Delete(MakePod("old", 3)).OrExit();
  queue.Bookmark("4").OrExit();
  EXPECT_EQ(PopText(queue), "Updated default/old@2, Deleted default/old@3");
  queue.Resync().OrExit();
  EXPECT_EQ(PopText(queue), "Sync default/old@1");
  queue.Replace({.resourceVersion = "5", .objects = {MakePod("new", 5)}}).OrExit();
  EXPECT_EQ(PopText(queue), "Replaced default/new@5");
  EXPECT_EQ(PopText(queue), "Deleted? default/old@1");
  queue.Close();
  EXPECT_EQ(PopText(queue), "Stopped");
}

using PublicRealFIFO = PublicQueue<RealFIFO<Pod>>;
TEST_F(PublicRealFIFO, ListResyncAndBookmark_AreOneDeltaEach) {
  RealFIFO<Pod> queue(sim_.env());
  queue
      .Replace({.resourceVersion = "7",
                .objects = {MakePod("a", 1), MakePod("b", 2)},
                .unreadable = {{"default", "c"}}})
      .OrExit();
  queue.Resync().OrExit();
  queue.Bookmark("8").OrExit();
  queue.Unreadable({"default", "d"}, true).OrExit();
  EXPECT_EQ(PopText(queue), "i:All [7 a b !default/c]");
  EXPECT_EQ(PopText(queue), "SyncAll");
  EXPECT_EQ(PopText(queue), "Bookmark [8]");
  EXPECT_EQ(PopText(queue), "Unreadable? default/d [ !default/d]");
}

TEST_F(PublicRealFIFO, PopBatchTakesWhatGoesTogether) {
  RealFIFO<Pod> queue(sim_.env());
  for (const char* name : {"a", "b", "b"}) queue.Update(MakePod(name, 1)).OrExit();
  std::vector<std::string> calls;
  const auto note = [&](const char* what) {
    return [&calls, what](const Deltas<Pod>& deltas, bool) {
      calls.push_back(what + std::to_string(deltas.size()));
      return Result<void>();
    };
  };
  Blocking([&] {
    EXPECT_TRUE(queue.PopBatch(note("batch "), note("single ")).ok());
    EXPECT_TRUE(queue.PopBatch(note("batch "), note("single ")).ok());
  });
  EXPECT_EQ(calls, (std::vector<std::string>{"batch 2", "single 1"}));
}

TEST(Queue, KeysOfObjectsTombstonesAndDeltas) {
  const Ref<Pod> pod = MakePod("a", 1);
  EXPECT_EQ(Queue<Pod>::KeyOf(pod), "default/a");
  EXPECT_EQ(Queue<Pod>::KeyOf(DeletedFinalStateUnknown<Pod>{pod}), "default/a");
  EXPECT_EQ(Queue<Pod>::KeyOf(Deltas<Pod>{{DeltaType::kAdded, false, MakePod("b", 1), nullptr},
                                          {DeltaType::kDeleted, true, pod, nullptr}}),
            "default/a");
  EXPECT_EQ(Queue<Pod>::KeyOf(Delta<Pod>{.type = DeltaType::kSyncAll}), "");
}

}  // namespace
}  // namespace kinformer
