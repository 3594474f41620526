// Lists and resyncs on their way to a handler: their order, merging, and number of look-ups.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/delivery/testing/listener_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using std::chrono::seconds;

TEST_F(ListenerTest, ListsDoNotPileUpBehindASlowHandler) {
  const auto listener = Make({.options = {.name = "h"}});
  const auto v0 = store_.Snapshot();
  const auto v1 = Version([&] { store_.Put(MakePod("", "a", "1", "", "1")); });
  const auto v2 = Version([&] {
    store_.Put(MakePod("", "a", "2", "", "2"));
    store_.Put(MakePod("", "b", "2", "", "2"));
  });
  const auto v3 = Version([&] { store_.Erase("", "a"); });
  KeepBusy(*listener);
  listener->PushReplay({.before = v0, .after = v1, .initial = true});
  listener->PushSynced();
  listener->PushReplay({.before = v1, .after = v2});
  listener->PushReplay({.before = v2, .after = v3});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words, (Texts{"+busy ", "+b 2!"}));
  EXPECT_TRUE(listener->HasSynced());
}

// ---- kBlock

TEST_F(ListenerTest, WithBlockEventsBeforeAListAreDeliveredAsTheyHappened) {
  const auto listener = Make({.options = {.name = "h", .overflow = OverflowPolicy::kBlock}});
  const auto v1 = Version([&] { store_.Put(MakePod("", "a", "1", "", "1")); });
  const auto v4 = Version([&] {
    store_.Put(MakePod("", "a", "4", "", "4"));
    store_.Put(MakePod("", "b", "4", "", "4"));
  });
  const auto v5 = Version([&] { store_.Erase("", "b"); });
  KeepBusy(*listener);
  listener->PushReplay({.after = v1, .initial = true});
  listener->PushSynced();
  Push(*listener, {Update("a", "1", "2"), Update("a", "2", "4"), Add("b", "3")});
  Push(*listener, {Update("b", "3", "4")});
  listener->PushReplay({.before = v4, .after = v5});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words,
            (Texts{"+busy ", "+a 1!", "~a 1>2", "~a 2>4", "+b 3", "~b 3>4", "-b"}));
  EXPECT_EQ(listener->Stats().coalesced, 0U);
  EXPECT_TRUE(listener->HasSynced());
}

TEST_F(ListenerTest, WithBlockTheInformerWaitsWhileTwoListsWait) {
  int drained = 0;
  const auto listener = Make({.options = {.name = "h", .overflow = OverflowPolicy::kBlock},
                              .drained = [&] { ++drained; }});
  const auto v1 = Version([&] { store_.Put(MakePod("", "a", "1", "", "1")); });
  const auto v2 = Version([&] { store_.Put(MakePod("", "a", "2", "", "2")); });
  KeepBusy(*listener);
  listener->PushReplay({.after = v1, .initial = true});
  EXPECT_FALSE(listener->Full());
  listener->PushReplay({.before = v1, .after = v2});
  EXPECT_TRUE(listener->Full());
  sim_.RunFor(seconds(2));
  EXPECT_FALSE(listener->Full());
  EXPECT_EQ(drained, 1);
  EXPECT_EQ(handler_->words, (Texts{"+busy ", "+a 1!", "~a 1>2"}));
}

// ---- kDropAndResync

class DropAndResyncUid : public ListenerTest, public testing::WithParamInterface<bool> {};

TEST_P(DropAndResyncUid, UidChange_IsUpdateOrDeletionAndAddition) {
  const auto listener =
      Make({.options = {.overflow = OverflowPolicy::kDropAndResync, .max_events = 1},
            .uid_change_is_update = GetParam()});
  const auto v1 = Version([&] { store_.Put(MakePod("", "a", "1", "u1", "1")); });
  const auto v2 = Version([&] { store_.Put(MakePod("", "a", "2", "u2", "2")); });
  Push(*listener, {Add("a", "1", "u1")}, v1);
  sim_.RunReady();
  Push(*listener, {Delete("a", "u1"), Add("a", "2", "u2")}, v2);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words,
            GetParam() ? (Texts{"+a 1", "~a 1>2"}) : (Texts{"+a 1", "-a", "+a 2"}));
  EXPECT_EQ(listener->Stats().dropped, 2U);
}
INSTANTIATE_TEST_SUITE_P(Both, DropAndResyncUid, testing::Bool());

TEST_F(ListenerTest, WithDropAndResyncTheFirstKnownStateIsReachedThenTheDifferenceFollows) {
  const auto listener =
      Make({.options = {.overflow = OverflowPolicy::kDropAndResync, .max_events = 10}});
  const auto update = [&](int from) {
    const std::string value = std::to_string(from + 1);
    Push(*listener, {Update("p0", std::to_string(from), value)},
         Version([&] { store_.Put(MakePod("", "p0", value, "", value)); }));
  };
  // More than is taken at once: a part of the batch still waits when the rest is dropped.
  std::vector<Notification> batch;
  const auto v1 = Version([&] {
    for (int i = 0; i < 39; ++i) {
      const std::string name = "p" + std::to_string(i);
      store_.Put(MakePod("", name, "1", "", "1"));
      batch.push_back(Add(name, "1"));
    }
  });
  Push(*listener, batch, v1);
  sim_.RunReady();
  for (int from = 1; from < 4; ++from) update(from);
  EXPECT_EQ(listener->Stats().waiting, 7U) << "the batch to its end";
  EXPECT_EQ(listener->Stats().dropped, 3U);
  listener->PushSynced();
  for (int from = 4; from < 7; ++from) update(from);
  EXPECT_EQ(listener->Stats().dropped, 6U);
  sim_.RunFor(seconds(2));
  ASSERT_EQ(handler_->words.size(), 40U);
  EXPECT_EQ(handler_->words[38], "+p38 1");
  EXPECT_EQ(handler_->words[39], "~p0 1>7");
  EXPECT_TRUE(listener->HasSynced());
}

// ---- costs

// Counts the calls of a snapshot.
class CountingSnapshot final : public SnapshotCore {
 public:
  explicit CountingSnapshot(std::shared_ptr<const SnapshotCore> base)
      : SnapshotCore(/*packs=*/true), base_(std::move(base)) {}
  [[nodiscard]] const Block* Get(std::string_view ns, std::string_view name) const override {
    ++questions;
    return base_->Get(ns, name);
  }
  [[nodiscard]] std::size_t size() const override { return base_->size(); }
  [[nodiscard]] std::string_view ResourceVersion() const override {
    return base_->ResourceVersion();
  }
  [[nodiscard]] std::uint64_t version() const override { return base_->version(); }
  [[nodiscard]] std::uint64_t epoch() const override { return base_->epoch(); }
  [[nodiscard]] const Coverage* coverage() const override { return base_->coverage(); }
  const Block* Next(Cursor& cursor) const override {
    ++questions;
    return base_->Next(cursor);
  }
  std::size_t NextBatch(Cursor& cursor, std::span<const Block*> out) const override {
    ++batches;
    return base_->NextBatch(cursor, out);
  }
  Result<std::vector<const Block*>> ByIndex(std::string_view index,
                                            std::string_view value) const override {
    return base_->ByIndex(index, value);
  }
  Result<std::vector<std::string>> IndexValues(std::string_view index) const override {
    return base_->IndexValues(index);
  }
  Result<std::vector<const Block*>> ByIndexRange(std::string_view index,
                                                 const IndexBounds& bounds) const override {
    return base_->ByIndexRange(index, bounds);
  }
  mutable int questions = 0;
  mutable int batches = 0;

 private:
  [[nodiscard]] const Block* Unpack(const Block& packed) const override {
    return base_->Whole(&packed);
  }
  const std::shared_ptr<const SnapshotCore> base_;
};

TEST_F(ListenerTest, AFirstListLooksNothingUp) {
  handler_->first_takes = Duration(0);
  const auto before = std::make_shared<CountingSnapshot>(store_.Snapshot());
  const auto after = std::make_shared<CountingSnapshot>(Version([&] {
    for (int i = 0; i < 100; ++i) store_.Put(MakePod("", "p" + std::to_string(i), "1"));
  }));
  const auto listener = Make({});
  listener->PushReplay({.before = before, .after = after, .initial = true});
  sim_.RunReady();
  EXPECT_EQ(handler_->words.size(), 100U);
  EXPECT_EQ(before->questions, 0);
  EXPECT_EQ(before->batches, 0);
  EXPECT_EQ(after->questions, 0);
}

TEST_F(ListenerTest, ALongListIsDeliveredInTurns) {
  const auto snapshot = Version([&] {
    for (int i = 0; i < 5000; ++i) store_.Put(MakePod("", "p" + std::to_string(i), "1"));
  });
  std::vector<std::shared_ptr<WordHandler>> handlers;
  std::vector<std::shared_ptr<Listener>> listeners;
  for (int i = 0; i < 2; ++i) {
    handlers.push_back(std::make_shared<WordHandler>(sim_.env()));
    handlers.back()->first_takes = Duration(0);
    listeners.push_back(Make({}, handlers.back()));
    listeners.back()->PushReplay({.after = snapshot, .initial = true});
  }
  const auto heard = [&](int i) { return handlers[static_cast<std::size_t>(i)]->words.size(); };
  const auto done = [&] { return heard(0) == 5000 || heard(1) == 5000; };
  while (!done()) sim_.Step();
  EXPECT_GT(std::min(heard(0), heard(1)), 2000U);
  sim_.RunReady();
  EXPECT_EQ(std::min(heard(0), heard(1)), 5000U);
}

// The resync of the handler is due when a list comes.
TEST_F(ListenerTest, UnchangedInReplay_OldAndNewAreSameObject) {
  class Same final : public RawHandler {
   public:
    void Handle(const RawEvent& e) override { same.push_back(e.old_block == e.block); }
    std::vector<bool> same{};
  };
  const auto handler = std::make_shared<Same>();
  const auto listener = Make({}, handler);
  const auto before = Version([&] {
    store_.Put(MakePod("", "stayed", "1", "", "1"));
    store_.Put(MakePod("", "changed-and-back", "1", "", "1"));
  });
  Version([&] { store_.Put(MakePod("", "changed-and-back", "2", "", "2")); });
  const auto after = Version([&] { store_.Put(MakePod("", "changed-and-back", "1", "", "1")); });
  listener->PushReplay({.before = before, .after = after, .include_unchanged = true});
  sim_.RunReady();
  EXPECT_EQ(handler->same, (std::vector<bool>{true, true}));
}

// A list may contain the same object that was stored before.
TEST_F(ListenerTest, Coalescing_BackToSameObject_IsNoResync) {
  const auto listener = Make({.options = {.max_events = 1}});
  const ObjectRef first = MakePod("", "a", "1", "u", "1");
  const ObjectRef second = MakePod("", "a", "2", "u", "2");
  const ObjectRef deleted = MakePod("", "a", "3", "u", "3");
  KeepBusy(*listener);
  Push(*listener, {{.type = EventType::kUpdated, .old_object = first, .object = second}});
  Push(*listener, {{.type = EventType::kUpdated, .old_object = second, .object = first}});
  Push(*listener, {{.type = EventType::kDeleted, .old_object = first, .object = deleted}});
  Push(*listener, {{.type = EventType::kAdded, .object = first}});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words, (Texts{"+busy "}));
  EXPECT_EQ(listener->Stats().coalesced, 4U);
}

// Events of one part of a store have an epoch that the store only reaches with its last part.
TEST_F(ListenerTest, DropAndResync_NoEventOfEarlierEpoch) {
  class Epochs final : public RawHandler {
   public:
    explicit Epochs(Env& e) : env(e) {}
    void Handle(const RawEvent& e) override {
      epochs.push_back(e.epoch);
      if (epochs.size() == 1) env.SleepFor(seconds(1));
    }
    Env& env;
    std::vector<std::uint32_t> epochs{};
  };
  const auto handler = std::make_shared<Epochs>(sim_.env());
  const auto listener =
      Make({.options = {.overflow = OverflowPolicy::kDropAndResync, .max_events = 1}}, handler);
  const ObjectRef a = MakePod("", "a", "1", "", "1");
  const ObjectRef b = MakePod("", "b", "1", "", "1");
  const auto v1 = Version([&] { store_.Put(a); });
  Push(*listener, {{.type = EventType::kAdded, .epoch = 1, .object = a}}, v1);
  sim_.RunReady();
  const auto v2 = Version([&] { store_.Put(b); });
  ASSERT_EQ(v2->epoch(), 0U);
  Push(*listener, {{.type = EventType::kAdded, .epoch = 1, .object = b}}, v2);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler->epochs, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(listener->Stats().dropped, 1U);
}

TEST_F(ListenerTest, AResyncThatWaitsIsNotRepeated) {
  const auto listener = Make({});
  const auto v1 = Version([&] { store_.Put(MakePod("", "a", "1", "", "1")); });
  KeepBusy(*listener);
  listener->PushReplay({.resync = true, .after = v1});
  Push(*listener, {Update("a", "1", "2")});
  listener->PushReplay({.resync = true, .after = v1});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words, (Texts{"+busy ", "~a 1>1", "~a 1>2"}));
}

}  // namespace
}  // namespace kinformer::internal::cache
