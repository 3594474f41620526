// Turns of a listener on the pool: when one ends, what it leaves to the next, and the effect of
// Suspend, Resume and the bounds.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/testing/ticking_env.h"
#include "base/loop/testing/unserved_executor.h"
#include "cache/delivery/testing/listener_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using std::chrono::milliseconds;
using std::chrono::seconds;

class TurnsTest : public ListenerTest {
 protected:
  TurnsTest() { handler_->first_takes = Duration(0); }

  // Returns a listener for which each reading of the clock takes time, so that turns are long.
  std::shared_ptr<Listener> MakeSlow(ListenerConfig config, std::shared_ptr<RawHandler> handler) {
    return std::make_shared<Listener>(slow_, std::move(handler), std::move(config),
                                      std::weak_ptr<ListenerOwner>());
  }
  static std::vector<Notification> Many(std::size_t number) {
    std::vector<Notification> events;
    for (std::size_t i = 0; i < number; ++i) events.push_back(Add("p" + std::to_string(i), ""));
    return events;
  }
  // Runs until there is nothing to do. Returns the most events delivered in one turn.
  std::size_t LongestTurn() {
    std::size_t longest = 0;
    for (std::size_t before = handler_->words.size(); sim_.Step();
         before = handler_->words.size()) {
      longest = std::max(longest, handler_->words.size() - before);
    }
    return longest;
  }
  void ExpectAllInOrder(std::size_t number) {
    ASSERT_EQ(handler_->words.size(), number);
    for (std::size_t i = 0; i < number; ++i) {
      EXPECT_EQ(handler_->words[i], "+p" + std::to_string(i) + " ");
    }
  }

  base::TickingEnv slow_{sim_.env(), milliseconds(2)};
};

// ---- the end of a turn

TEST_F(TurnsTest, ATurnEndsAfterSomeCallbacks) {
  const auto listener = Make({});
  Push(*listener, Many(2000));
  EXPECT_EQ(LongestTurn(), 512U);
  ExpectAllInOrder(2000);
}

TEST_F(TurnsTest, ATurnEndsAfterSomeTime) {
  const auto listener = MakeSlow({}, handler_);
  Push(*listener, Many(200));
  EXPECT_EQ(LongestTurn(), 32U) << "as many as are taken at once";
  ExpectAllInOrder(200);
}

TEST_F(TurnsTest, AListIsDeliveredInTurnsToo) {
  const auto listener = MakeSlow({}, handler_);
  listener->PushReplay({.after = Version([&] {
                          for (int i = 0; i < 2000; ++i) {
                            store_.Put(MakePod("", "p" + std::to_string(i), "1"));
                          }
                        }),
                        .initial = true});
  listener->PushSynced();
  EXPECT_LE(LongestTurn(), 512U);
  EXPECT_EQ(handler_->words.size(), 2000U);
  EXPECT_TRUE(listener->HasSynced());
}

// ---- turns on the loop

// Records whether it is called on the loop.
class Prompt final : public RawHandler {
 public:
  Prompt(Env& env, bool prompt) : env_(env), prompt_(prompt) {}
  void Handle(const RawEvent& e) override {
    names.push_back(std::string(e.block->name()) + (env_.OnLoopThread() ? " loop" : " pool"));
  }
  [[nodiscard]] bool IsPrompt() const override { return prompt_; }
  Texts names{};

 private:
  Env& env_;
  const bool prompt_;
};

TEST_F(TurnsTest, AFewEventsOfAPromptHandlerAreDeliveredOnTheLoop) {
  const auto handler = std::make_shared<Prompt>(sim_.env(), true);
  const auto listener = Make({}, handler);
  Push(*listener, {Add("a", ""), Add("b", "")});
  EXPECT_EQ(handler->names, Texts()) << "not inside the push";
  sim_.RunReady();
  EXPECT_EQ(handler->names, (Texts{"a loop", "b loop"}));
  handler->names.clear();
  Push(*listener, Many(17));
  sim_.RunReady();
  EXPECT_EQ(handler->names.size(), 17U);
  EXPECT_EQ(handler->names.front(), "p0 pool") << "many";
  handler->names.clear();
  Push(*listener, {Update("a", "", "1")});
  Push(*listener, Many(17));
  sim_.RunReady();
  EXPECT_EQ(handler->names.front(), "a pool") << "many by the time of the turn";
  handler->names.clear();
  listener->PushReplay({.after = Version([&] { store_.Put(MakePod("", "p", "1")); })});
  sim_.RunReady();
  EXPECT_EQ(handler->names, (Texts{"p pool"})) << "a list";
}

TEST_F(TurnsTest, SlowOrTracedHandler_IsNotCalledOnLoop) {
  const auto slow = std::make_shared<Prompt>(sim_.env(), false);
  const auto listener = Make({}, slow);
  Push(*listener, {Add("a", "")});
  const auto traced = std::make_shared<Prompt>(sim_.env(), true);
  const auto with_trace = Make({.trace = [](const TraceEvent&) {}}, traced);
  Push(*with_trace, {Add("a", "")});
  sim_.RunReady();
  EXPECT_EQ(slow->names, (Texts{"a pool"}));
  EXPECT_EQ(traced->names, (Texts{"a pool"}));
}

// ---- between two turns

TEST_F(TurnsTest, Resume_ContinuesWhereSuspended) {
  // With 64 events, the second half is already taken at the end of the first turn.
  for (const std::size_t number : {std::size_t{64}, std::size_t{100}}) {
    handler_->words.clear();
    const auto listener = MakeSlow({}, handler_);
    Push(*listener, Many(number));
    while (handler_->words.empty()) ASSERT_TRUE(sim_.Step());
    ASSERT_EQ(handler_->words.size(), 32U);
    listener->Suspend();
    sim_.RunReady();
    EXPECT_EQ(handler_->words.size(), 32U);
    listener->Resume();
    sim_.RunReady();
    ExpectAllInOrder(number);
  }
}

TEST_F(TurnsTest, EventsWhileSuspended_FollowCarriedOverOnes) {
  const auto listener = MakeSlow({}, handler_);
  Push(*listener, Many(64));
  while (handler_->words.empty()) ASSERT_TRUE(sim_.Step());
  listener->Suspend();
  sim_.RunReady();
  Push(*listener, {Add("p64", "")});
  sim_.RunReady();
  EXPECT_EQ(handler_->words.size(), 32U);
  listener->Resume();
  sim_.RunReady();
  ExpectAllInOrder(65);
}

TEST_F(TurnsTest, ResumeWithNothingToDoPostsNothing) {
  const auto listener = Make({});
  listener->Suspend();
  listener->Resume();
  EXPECT_EQ(listener->Stats().behind_for, Duration(0));
  EXPECT_FALSE(sim_.Step());
}

// Fails if a callback starts before the previous one has returned.
class OneAtATime final : public RawHandler {
 public:
  explicit OneAtATime(Env& env) : env_(env) {}
  void Handle(const RawEvent& e) override {
    EXPECT_FALSE(std::exchange(inside_, true)) << e.block->name();
    env_.SleepFor(milliseconds(10));
    inside_ = false;
    names.emplace_back(e.block->name());
  }
  Texts names{};

 private:
  Env& env_;
  bool inside_ = false;
};

TEST_F(TurnsTest, SuspendAndResumeDuringACallbackStartNoSecondTurn) {
  const auto handler = std::make_shared<OneAtATime>(sim_.env());
  const auto listener = Make({}, handler);
  Texts expected;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "p" + std::to_string(i);
    expected.push_back(name);
    Push(*listener, {Add(name, "")});
    sim_.RunFor(milliseconds(3));
    listener->Suspend();
    if (i % 2 == 0) sim_.RunFor(milliseconds(9));
    listener->Resume();
  }
  sim_.RunFor(seconds(5));
  EXPECT_EQ(handler->names, expected);
}

// ---- bounds

// Calls a function for each event.
class Asking final : public RawHandler {
 public:
  void Handle(const RawEvent& /*event*/) override { ask(); }
  std::function<void()> ask{};
};

TEST_F(TurnsTest, BlockingQueue_IsFullUntilHalfIsTaken) {
  struct Row {
    std::size_t bound;
    bool full_at_first_event;  // when 32 have been taken
  };
  for (const Row& row : {Row{100, true}, Row{66, true}, Row{64, false}, Row{33, false}}) {
    SCOPED_TRACE(row.bound);
    const auto handler = std::make_shared<Asking>();
    int drained = 0;
    const auto listener =
        MakeSlow({.options = {.overflow = OverflowPolicy::kBlock, .max_events = row.bound},
                  .drained = [&] { ++drained; }},
                 handler);
    std::vector<bool> full;
    handler->ask = [&] { full.push_back(listener->Full()); };
    std::vector<Notification> events = Many(row.bound);
    const Notification last = events.back();
    events.pop_back();
    Push(*listener, events);
    EXPECT_FALSE(listener->Full());
    Push(*listener, {last});
    EXPECT_TRUE(listener->Full());
    EXPECT_EQ(drained, 0);
    sim_.RunReady();
    ASSERT_EQ(full.size(), row.bound);
    EXPECT_EQ(full.front(), row.full_at_first_event);
    EXPECT_FALSE(full.back());
    EXPECT_FALSE(listener->Full());
    EXPECT_EQ(drained, 1) << "once";
  }
}

TEST_F(TurnsTest, BlockingQueue_IsFilledByBytes) {
  const auto listener = Make(
      {.options = {.overflow = OverflowPolicy::kBlock, .max_events = 1000, .max_bytes = 10'000}});
  for (int i = 0; i < 1000 && !listener->Full(); ++i) {
    EXPECT_LT(listener->Stats().waiting_bytes, 10'000U);
    Push(*listener, {Update("p" + std::to_string(i), std::string(500, 'a'), "b")});
  }
  EXPECT_TRUE(listener->Full());
  EXPECT_GE(listener->Stats().waiting_bytes, 10'000U);
  EXPECT_LT(listener->Stats().waiting, 25U);
  sim_.RunReady();
  EXPECT_FALSE(listener->Full());
  EXPECT_EQ(listener->Stats().waiting_bytes, 0U);
}

// ---- the end of the initial list

class SyncedUnderPressure : public TurnsTest, public testing::WithParamInterface<OverflowPolicy> {};

TEST_P(SyncedUnderPressure, ComesOnceAllOfTheListHasBeenTold) {
  // Events exceed the bound while the list waits, or while it is delivered.
  for (const bool during : {false, true}) {
    SCOPED_TRACE(during);
    handler_->words.clear();
    std::vector<std::size_t> told;
    const auto listener = Make({.options = {.overflow = GetParam(), .max_events = 1},
                                .changed = [&] { told.push_back(handler_->words.size()); }});
    const auto pod = [](int i, int value) {
      return MakePod("", "p" + std::to_string(i), std::to_string(value), "", std::to_string(value));
    };
    const auto before = store_.Snapshot();
    const auto list = Version([&] {
      for (int i = 0; i < 3; ++i) store_.Put(pod(i, 1));
    });
    handler_->first_takes = seconds(1);
    if (!during) {
      Push(*listener, {Add("busy", "")}, before);
      sim_.RunReady();
    }
    listener->PushReplay({.after = list, .initial = true});
    listener->PushSynced();
    if (during) sim_.RunReady();
    ASSERT_EQ(handler_->words.size(), 1U) << "it is inside its first callback";
    for (int value = 2; value < 6; ++value) {
      const auto after = Version([&] { store_.Put(pod(0, value)); });
      Push(
          *listener,
          {{.type = EventType::kUpdated, .old_object = pod(0, value - 1), .object = pod(0, value)}},
          after);
      EXPECT_FALSE(listener->HasSynced());
    }
    sim_.RunFor(seconds(2));
    EXPECT_TRUE(listener->HasSynced());
    ASSERT_EQ(told.size(), 1U) << "once";
    const auto heard = [&](const std::string& name) {
      return std::find_if(handler_->words.begin(), handler_->words.end(),
                          [&](const std::string& word) { return word.starts_with("+" + name); }) -
             handler_->words.begin();
    };
    for (const char* name : {"p0", "p1", "p2"}) {
      EXPECT_LT(heard(name), static_cast<std::ptrdiff_t>(told.front())) << name;
    }
    const auto last =
        std::find_if(handler_->words.rbegin(), handler_->words.rend(),
                     [](const std::string& word) { return word.find("p0") != std::string::npos; });
    EXPECT_TRUE(last->ends_with("5") || last->ends_with("5!")) << *last;
    store_.Begin();
    for (int i = 0; i < 3; ++i) store_.Erase("", "p" + std::to_string(i));
    store_.Commit();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, SyncedUnderPressure,
                         testing::Values(OverflowPolicy::kCoalesce, OverflowPolicy::kBlock,
                                         OverflowPolicy::kDropAndResync));

// The pool may be held by a handler that does not return.
TEST_F(TurnsTest, ManyEventsOfARemovedHandlerAreDestroyedOnAnOwnThread) {
  for (const std::size_t number : {std::size_t{256}, std::size_t{257}}) {
    base::UnservedExecutor threads;
    base::UnservedExecutor pool;
    base::LoopWithOwnWork loop(sim_.env(), threads);
    base::EnvWithExecutors env(sim_.env(), loop, pool);
    const auto listener =
        std::make_shared<Listener>(env, handler_, ListenerConfig{}, std::weak_ptr<ListenerOwner>());
    listener->Suspend();  // otherwise the next turn would clean up
    Push(*listener, Many(number));
    listener->Discard();
    EXPECT_EQ(threads.posts, number > 256 ? 1 : 0) << number;
    EXPECT_EQ(pool.posts, 0);
  }
}

TEST_F(TurnsTest, WithoutAListItIsSyncedAtOnce) {
  const auto listener = Make({});
  listener->PushSynced();
  EXPECT_FALSE(listener->HasSynced()) << "on the pool";
  sim_.RunReady();
  EXPECT_TRUE(listener->HasSynced());
}

TEST_F(TurnsTest, SuspendedItDoesNotBecomeSynced) {
  const auto listener = Make({});
  listener->Suspend();
  listener->PushSynced();
  sim_.RunReady();
  EXPECT_FALSE(listener->HasSynced());
  listener->Resume();
  sim_.RunReady();
  EXPECT_TRUE(listener->HasSynced());
}

}  // namespace
}  // namespace kinformer::internal::cache
