// Processor and HandlerSet on their own: which listeners get which events, which are due for a
// resync, and which period handlers get.

#include "cache/delivery/processor.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "base/core/testing/fields_log.h"
#include "cache/delivery/handler_set.h"
#include "cache/delivery/testing/listener_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// A listener and the notifications of its handler.
struct Told {
  std::shared_ptr<WordHandler> handler;
  std::shared_ptr<Listener> listener;
};

class ProcessorTest : public ListenerTest {
 protected:
  Told MakeTold(HandlerOptions options = {}) {
    auto handler = std::make_shared<WordHandler>(sim_.env());
    handler->first_takes = Duration(0);
    auto listener = Make({.options = std::move(options)}, handler);
    return {std::move(handler), std::move(listener)};
  }
  Told Added(Duration resync_period, HandlerOptions options = {}) {
    Told told = MakeTold(std::move(options));
    processor_.Add(told.listener, resync_period, nullptr, false);
    return told;
  }
  std::shared_ptr<const SnapshotCore> With(const std::string& name) {
    return Version([&] { store_.Put(MakePod("", name, "1")); });
  }
  void Distribute(const std::vector<Notification>& events) {
    processor_.Distribute(events, [this] {
      ++snapshots_;
      return store_.Snapshot();
    });
    sim_.RunReady();
  }
  // Returns the listeners that are due now.
  std::vector<const Listener*> Due() {
    std::vector<const Listener*> due;
    for (const auto& weak : processor_.DueForResync()) due.push_back(weak.lock().get());
    return due;
  }

  Processor processor_{sim_.env()};
  int snapshots_ = 0;
};

// ---- distribution

TEST_F(ProcessorTest, NewListener_ReceivesStoreContents) {
  const Told none = MakeTold();
  processor_.Add(none.listener, Duration(0), store_.Snapshot(), false);
  const Told some = MakeTold();
  processor_.Add(some.listener, Duration(0), With("a"), true);
  sim_.RunReady();
  EXPECT_THAT(none.handler->words, IsEmpty());
  EXPECT_FALSE(none.listener->HasSynced());
  EXPECT_THAT(some.handler->words, ElementsAre("+a !"));
  EXPECT_TRUE(some.listener->HasSynced());
  EXPECT_EQ(processor_.size(), 2U);
}

TEST_F(ProcessorTest, RemovedListener_ReceivesNothing) {
  EXPECT_TRUE(processor_.empty());
  const Told gone = MakeTold();
  gone.listener->Discard();
  processor_.Add(gone.listener, Duration(0), nullptr, false);
  EXPECT_TRUE(processor_.empty());
  const Told one = Added(Duration(0));
  const Told two = Added(Duration(0));
  processor_.Remove(one.listener.get());
  EXPECT_EQ(processor_.size(), 1U);
  Distribute({Add("a", "")});
  EXPECT_THAT(one.handler->words, IsEmpty());
  EXPECT_THAT(two.handler->words, ElementsAre("+a "));
}

// Snapshots hold memory, so one is taken only if a listener needs it.
TEST_F(ProcessorTest, TheStateAfterEventsIsForThosePoliciesThatNeedIt) {
  Added(Duration(0));
  Distribute({Add("a", "")});
  EXPECT_EQ(snapshots_, 0);
  Added(Duration(0), {.overflow = OverflowPolicy::kDropAndResync});
  Distribute({Add("b", "")});
  EXPECT_EQ(snapshots_, 1);
  Distribute({});
  EXPECT_EQ(snapshots_, 1);
}

TEST_F(ProcessorTest, ARelistTellsTheDifference) {
  const auto before = With("a");
  const auto after = With("b");
  const Told plain = Added(Duration(0));
  const Told resynced = Added(seconds(1));
  processor_.DistributeReplaced(before, after, false);
  sim_.RunReady();
  EXPECT_THAT(plain.handler->words, ElementsAre("+b "));
  EXPECT_THAT(resynced.handler->words, ElementsAre("+b ")) << "it is not due";
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Due(), ElementsAre(resynced.listener.get()));
  processor_.DistributeReplaced(nullptr, after, true);
  sim_.RunReady();
  processor_.DistributeReplaced(after, after, false);
  sim_.RunReady();
  EXPECT_THAT(plain.handler->words, ElementsAre("+b ", "+a !", "+b !"));
  EXPECT_EQ(resynced.handler->words.size(), 5U) << "the unchanged, too";
}

TEST_F(ProcessorTest, ResyncsAreForThoseWhoAreDue) {
  const auto current = With("a");
  const Told one = Added(seconds(1));
  const Told two = Added(seconds(2));
  sim_.RunFor(seconds(1));
  const auto due = processor_.DueForResync();
  processor_.Resync(due, current);
  sim_.RunReady();
  EXPECT_THAT(one.handler->words, ElementsAre("~a >"));
  EXPECT_THAT(two.handler->words, IsEmpty());
}

TEST_F(ProcessorTest, Processor_BlockedWhileListenerIsFull) {
  const Told told = Added(Duration(0), {.overflow = OverflowPolicy::kBlock, .max_events = 2});
  told.handler->first_takes = seconds(1);
  Added(Duration(0));
  EXPECT_FALSE(processor_.Blocked());
  Distribute({Add("busy", "")});
  Distribute({Add("a", ""), Add("b", "")});
  EXPECT_TRUE(processor_.Blocked());
  sim_.RunFor(seconds(2));
  EXPECT_FALSE(processor_.Blocked());
}

// ---- the end of the initial list, and lives

TEST_F(ProcessorTest, EachIsToldOnceThatItIsSynced) {
  std::vector<int> times(2);
  std::vector<std::shared_ptr<Listener>> listeners;
  for (int& told : times) {
    listeners.push_back(Make({.changed = [&told] { ++told; }}));
    processor_.Add(listeners.back(), Duration(0), nullptr, listeners.size() == 2);
  }
  sim_.RunReady();
  EXPECT_EQ(times, (std::vector<int>{0, 1})) << "one came when all was there";
  processor_.Synced();
  processor_.Synced();
  sim_.RunReady();
  EXPECT_EQ(times, (std::vector<int>{1, 1}));
  EXPECT_TRUE(listeners[0]->HasSynced());
  // Once in each life of the informer.
  processor_.Suspend();
  processor_.Resume();
  processor_.Synced();
  processor_.Synced();
  sim_.RunReady();
  EXPECT_EQ(times, (std::vector<int>{2, 2}));
}

TEST_F(ProcessorTest, SuspendedNobodyIsCalledUntilItGoesOn) {
  const Told before = Added(Duration(0));
  processor_.Suspend();
  const Told during = MakeTold();
  processor_.Add(during.listener, Duration(0), With("a"), false);
  Distribute({Add("b", "")});
  EXPECT_THAT(before.handler->words, IsEmpty());
  EXPECT_THAT(during.handler->words, IsEmpty());
  processor_.Resume();
  sim_.RunReady();
  EXPECT_THAT(before.handler->words, ElementsAre("+b "));
  EXPECT_THAT(during.handler->words, ElementsAre("+a !", "+b "));
  const Told after = Added(Duration(0));
  Distribute({Add("c", "")});
  EXPECT_THAT(after.handler->words, ElementsAre("+c "));
}

// ---- slow handlers

class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    processor_.Add(listener_, Duration(0), nullptr, false);
    handler_->first_takes = minutes(10);
  }
  // Lets all callbacks end, since no thread may wait for one at destruction.
  ~WatchTest() override { sim_.RunFor(minutes(30)); }
  std::shared_ptr<const SnapshotCore> With(const std::string& name) {
    static_cast<void>(store_.Put(MakePod("", name, "1")));
    return store_.Snapshot();
  }
  void Distribute(const std::string& name) {
    processor_.Distribute(std::vector<Notification>{Add(name, "")}, [] { return nullptr; });
  }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  StoreCore store_{sim_.env(), {}};
  const std::shared_ptr<WordHandler> handler_ = std::make_shared<WordHandler>(sim_.env());
  const std::shared_ptr<Listener> listener_ = std::make_shared<Listener>(
      sim_.env(), handler_, ListenerConfig{}, std::weak_ptr<ListenerOwner>());
  Processor processor_{sim_.env()};
};

TEST_F(WatchTest, HandlerStuckInEvent_IsLoggedOnce) {
  for (int second = 0; second < 16; ++second) {
    Distribute("p" + std::to_string(second));
    sim_.RunFor(seconds(1));
  }
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(WatchTest, HandlerStuckInInitialList_IsLoggedOnce) {
  handler_->first_takes = Duration(0);
  const auto late = std::make_shared<WordHandler>(sim_.env());
  late->first_takes = minutes(10);
  processor_.Add(std::make_shared<Listener>(sim_.env(), late, ListenerConfig{},
                                            std::weak_ptr<ListenerOwner>()),
                 Duration(0), With("a"), true);
  sim_.RunFor(seconds(16));
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(WatchTest, HandlerStuckInRelist_IsLoggedOnce) {
  processor_.DistributeReplaced(nullptr, With("a"), false);
  sim_.RunFor(seconds(16));
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(WatchTest, HandlerStuckInResync_IsLoggedOnce) {
  processor_.Resync({listener_}, With("a"));
  sim_.RunFor(seconds(16));
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(WatchTest, SuspendedHandlers_AreNotLoggedAsStuck) {
  Distribute("a");
  sim_.RunFor(seconds(6));
  processor_.Suspend();
  Distribute("b");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(log_->lines, IsEmpty());
}

// ---- resync periods

TEST_F(ProcessorTest, EachIsDueAtItsOwnPeriod) {
  Added(Duration(0));
  const Told one = Added(seconds(1));
  const Told three = Added(seconds(3));
  EXPECT_THAT(Due(), IsEmpty());
  sim_.RunFor(seconds(1) - Duration(1));
  EXPECT_THAT(Due(), IsEmpty());
  sim_.RunFor(Duration(1));
  EXPECT_THAT(Due(), ElementsAre(one.listener.get()));
  EXPECT_THAT(Due(), IsEmpty()) << "its next time is a period later";
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Due(), ElementsAre(one.listener.get(), three.listener.get()));
  sim_.RunFor(seconds(1) - Duration(1));
  EXPECT_THAT(Due(), IsEmpty());
}

TEST(ResyncPeriods, PeriodForHandler_FollowsInformers_SI06) {
  struct Row {
    Duration wanted;
    Duration informers;
    bool running;
    Duration gets;
    Duration informers_then;
  };
  const Duration none(0);
  for (const Row& row : {
           Row{none, seconds(5), false, none, seconds(5)},
           Row{-seconds(1), seconds(5), false, none, seconds(5)},
           Row{Duration(1), seconds(5), false, seconds(1), seconds(1)},
           Row{seconds(5), seconds(5), true, seconds(5), seconds(5)},
           Row{seconds(4), seconds(5), true, seconds(5), seconds(5)},
           // An informer without a check period cannot resync once it runs.
           Row{seconds(4), none, true, none, none},
           Row{seconds(4), none, false, seconds(4), none},
       }) {
    Duration check = row.informers;
    EXPECT_EQ(ResyncPeriods::ForHandler(row.wanted, check, row.running), row.gets);
    EXPECT_EQ(check, row.informers_then);
  }
}

// ---- the set

class HandlerSetTest : public ProcessorTest {
 protected:
  Duration AddTo(HandlerSet& set, std::optional<Duration> wanted, bool running = false) {
    return set.Add(MakeTold({.resync_period = wanted}).listener, running);
  }
};

TEST_F(HandlerSetTest, FirstHandlerWithPeriod_SetsCheckPeriod) {
  HandlerSet set(Duration(0));
  EXPECT_EQ(AddTo(set, std::nullopt), Duration(0));
  EXPECT_EQ(set.ResyncCheckPeriod(), Duration(0));
  EXPECT_EQ(AddTo(set, minutes(5)), minutes(5));
  EXPECT_EQ(set.ResyncCheckPeriod(), minutes(5));
  EXPECT_EQ(AddTo(set, minutes(9)), minutes(9));
  EXPECT_EQ(set.ResyncCheckPeriod(), minutes(5));
  EXPECT_EQ(AddTo(set, minutes(2)), minutes(2));
  EXPECT_EQ(AddTo(set, seconds(1), true), minutes(2));
  EXPECT_EQ(set.ResyncCheckPeriod(), minutes(2));
}

TEST_F(HandlerSetTest, RunningInformerWithoutResyncs_GetsNone) {
  HandlerSet set(Duration(0));
  EXPECT_EQ(AddTo(set, minutes(5), true), Duration(0));
  EXPECT_EQ(set.ResyncCheckPeriod(), Duration(0));
}

TEST_F(HandlerSetTest, TheInformersOwnPeriodIsTheDefault) {
  HandlerSet set(hours(1));
  EXPECT_EQ(set.ResyncCheckPeriod(), hours(1));
  EXPECT_EQ(AddTo(set, std::nullopt), hours(1));
  EXPECT_EQ(AddTo(set, Duration(0)), Duration(0));
  EXPECT_EQ(set.ResyncCheckPeriod(), hours(1));
}

TEST_F(HandlerSetTest, OptionsAreCompleted) {
  HandlerSet set(Duration(0));
  HandlerOptions named{.name = "mine", .max_events = 0, .max_bytes = 0};
  set.Complete(named);
  EXPECT_EQ(named.name, "mine");
  EXPECT_EQ(named.max_events, 1U);
  EXPECT_EQ(named.max_bytes, 1U);
  for (const char* const name : {"handler-1", "handler-2"}) {
    HandlerOptions options{.max_events = 7, .max_bytes = 8};
    set.Complete(options);
    EXPECT_EQ(options.name, name);
    EXPECT_EQ(options.max_events, 7U);
    EXPECT_EQ(options.max_bytes, 8U);
  }
}

class Throwing final : public RawHandler {
 public:
  void Handle(const RawEvent& /*event*/) override { throw std::runtime_error("no"); }
};

TEST_F(HandlerSetTest, HandlerExceptions_AreSummed) {
  HandlerSet set(Duration(0));
  for (int i = 1; i <= 2; ++i) {
    const auto listener = Make({}, std::make_shared<Throwing>());
    set.Add(listener, false);
    Push(*listener, {Add("a", "")});
    sim_.RunReady();
    InformerStats stats;
    set.AddTo(stats);
    EXPECT_EQ(stats.handler_exceptions, static_cast<std::uint64_t>(i));
  }
}

TEST_F(HandlerSetTest, Stats_AreSumsOverHandlers) {
  HandlerSet set(Duration(0));
  const Told drops = MakeTold({.overflow = OverflowPolicy::kDropAndResync, .max_events = 2});
  const Told joins = MakeTold({.max_events = 1});
  const auto before = store_.Snapshot();
  for (const Told* told : {&drops, &joins}) {
    set.Add(told->listener, false);
    told->handler->first_takes = seconds(1);
    Push(*told->listener, {Add("busy", "")}, before);
  }
  sim_.RunReady();
  Push(*joins.listener, {Update("a", "1", "2"), Update("a", "2", "3"), Update("a", "3", "4")});
  Push(*drops.listener, {Add("b", ""), Add("c", ""), Add("d", "")}, With("b"));
  sim_.RunFor(seconds(2));
  InformerStats stats;
  set.AddTo(stats);
  EXPECT_EQ(stats.handlers, 2U);
  EXPECT_EQ(stats.delivered, 2U + 1U + 1U);
  EXPECT_EQ(stats.coalesced, 2U);
  EXPECT_EQ(stats.dropped, 3U);
  set.AddTo(stats);
  EXPECT_EQ(stats.delivered, 2U * 4U) << "added to what is there";
  set.Remove(drops.listener);
  EXPECT_THAT(set.All(), ElementsAre(joins.listener));
  EXPECT_THAT(set.TakeAll(), ElementsAre(joins.listener));
  EXPECT_THAT(set.All(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::internal::cache
