// Handlers slower than the events, and whole lives of an informer with random faults.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::PodValue;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// ---- pressure

TEST_F(InformerTest, AHandlerThatBlocksHoldsUpNobodyElse) {
  SharedInformer<Pod> informer = Make();
  const auto stuck = std::make_shared<Recorder>();
  stuck->hook = [&](const std::string&) {
    if (stuck->words.size() == 1) sim_.env().SleepFor(hours(1));
  };
  informer.AddEventHandler(stuck, {.max_events = 4}).OrExit();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  for (int i = 0; i < 100; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  EXPECT_EQ(recorder->words.size(), 100U);
  EXPECT_GT(informer.Stats().coalesced, 50U);
  ExpectEqual(informer, server_);
  sim_.RunFor(hours(2));
  EXPECT_EQ(stuck->words.back().substr(0, 2), "~a");
  EXPECT_LT(stuck->words.size(), 20U);
}

TEST_F(InformerTest, BlockStopsTheInformerAndLosesNothing) {
  InformerOptions<Pod> options;
  options.max_queued_bytes = 4096;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(seconds(1)); };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 4}).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 200; ++i) {
    server_.Put("p" + std::to_string(i), "1");
    Settle();
  }
  EXPECT_EQ(server_.open_watches(), 0U) << "past its budget it must close the watch";
  EXPECT_LT(informer.Snapshot().size(), 100U);
  ASSERT_TRUE(sim_.RunUntil([&] { return slow->words.size() == 200U; }, hours(1)));
  sim_.RunFor(seconds(2));
  ExpectEqual(informer, server_);
  EXPECT_EQ(server_.open_watches(), 1U);
}

// Even though its callback has not ended yet.
TEST_F(InformerTest, RemovedBlockingHandler_HoldsUpNobody) {
  SharedInformer<Pod> informer = Make();
  const auto stuck = std::make_shared<Recorder>();
  stuck->hook = [&](const std::string&) {
    if (stuck->words.size() == 1) sim_.env().SleepFor(hours(1));
  };
  const auto handle =
      informer.AddEventHandler(stuck, {.overflow = OverflowPolicy::kBlock, .max_events = 1})
          .OrExit();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  for (int i = 0; i < 20; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  EXPECT_LT(recorder->words.size(), 10U);
  const auto remover = sim_.env().NewThread(
      "remover", [&] { EXPECT_TRUE(informer.RemoveEventHandler(handle).ok()); });
  Settle();
  EXPECT_EQ(recorder->words.size(), 20U);
  EXPECT_EQ(stuck->words.size(), 1U);
  sim_.RunFor(hours(2));
}

TEST_F(InformerTest, BlockDeliversEachEventBetweenTwoLists) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) {
    if (slow->words.size() == 1) sim_.env().SleepFor(hours(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock}).OrExit();
  server_.Put("a", "1");
  informer.Start();
  Settle();
  WhileCutOff([&] { server_.Put("a", "2"); });
  server_.Put("a", "3");
  server_.Put("a", "4");
  Settle();
  WhileCutOff([&] { server_.Put("a", "5"); });
  EXPECT_EQ(informer.Stats().AllLists(), 3U);
  EXPECT_EQ(slow->words.size(), 1U);
  sim_.RunFor(hours(2));
  EXPECT_EQ(slow->words, (Texts{"+a!", "~a 1>2", "~a 2>3", "~a 3>4", "~a 4>5"}));
}

// A server that went back in time has an object again that it had deleted.
TEST_F(InformerTest, ADeletionTakenBackIsToldFromTheStateThatTheHandlerKnows) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string& word) {
    if (word == "+busy") sim_.env().SleepFor(minutes(1));
  };
  informer.AddEventHandler(slow, {.max_events = 1}).OrExit();
  server_.Put("a", "1");
  const std::string uid(server_.objects().begin()->second->uid());
  informer.Start();
  Settle();
  server_.Put("busy", "1");
  Settle();
  server_.Send(WatchEventType::kDeleted,
               internal::client::MakePod("default", "a", "5", uid, "at its end"));
  server_.Send(WatchEventType::kAdded, internal::client::MakePod("default", "a", "6", uid, "0"));
  sim_.RunFor(minutes(2));
  EXPECT_EQ(slow->words, (Texts{"+a!", "+busy", "~a 1>0"}));
}

TEST_F(InformerTest, StartedAgainItListsWhatItHadReceivedAndNothingOlder) {
  InformerOptions<Pod> options;
  options.initial_list = InitialList::kList;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto stuck = std::make_shared<Recorder>();
  stuck->hook = [&](const std::string& word) {
    if (word.starts_with("~")) sim_.env().SleepFor(minutes(1));
  };
  informer.AddEventHandler(stuck, {.overflow = OverflowPolicy::kBlock, .max_events = 1}).OrExit();
  server_.Put("a", "1");
  server_.Put("b", "1");
  informer.Start();
  Settle();
  for (const char* name : {"a", "b", "a", "b", "c"}) {
    server_.Put(name, "2");
    Settle();
  }
  const std::string received = server_.rv();
  ASSERT_NE(informer.LastSyncResourceVersion(), received) << "the test needs what is not applied";
  informer.Stop();
  Settle();
  server_.requests.clear();
  server_.Put("d", "1");
  informer.Start();
  Settle();
  ASSERT_FALSE(server_.requests.empty());
  EXPECT_TRUE(server_.requests.front().starts_with("LIST rv=" + received))
      << server_.requests.front() << ", not from " << received;
  sim_.RunFor(hours(1));
  ExpectEqual(informer, server_);
}

TEST_F(InformerTest, DropAndResyncTellsTheDifference) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  bool sleeping = true;
  slow->hook = [&](const std::string&) {
    if (sleeping) sim_.env().SleepFor(minutes(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kDropAndResync, .max_events = 4})
      .OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 20; ++i) {
    server_.Put("p" + std::to_string(i % 10), std::to_string(i));
    Settle();
  }
  server_.Delete("p3");
  Settle();
  sleeping = false;
  sim_.RunFor(hours(1));
  EXPECT_GT(informer.Stats().dropped, 0U);
  // Replays the notifications: the result must equal the server's state.
  std::map<std::string, std::string> model;
  for (const std::string& word : slow->words) {
    const std::string name = word.substr(1, 2);
    if (word[0] == '+') {
      EXPECT_FALSE(model.contains(name)) << word;
      model[name] = "";
    } else if (word[0] == '-') {
      EXPECT_TRUE(model.contains(name)) << word;
      model.erase(name);
    } else {
      EXPECT_TRUE(model.contains(name)) << word;
    }
  }
  EXPECT_EQ(model.size(), 9U);
}

class DroppedUidChange : public InformerTest, public testing::WithParamInterface<bool> {};
TEST_P(DroppedUidChange, IsToldAsOneOfARelist) {
  InformerOptions<Pod> options;
  options.uid_change_is_update = GetParam();
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) {
    if (slow->words.size() == 1) sim_.env().SleepFor(hours(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kDropAndResync, .max_events = 1})
      .OrExit();
  server_.Put("a", "1", "uid-1");
  informer.Start();
  Settle();
  server_.Delete("a");
  server_.Put("a", "2", "uid-2");
  sim_.RunFor(hours(2));
  EXPECT_EQ(slow->words, GetParam() ? (Texts{"+a!", "~a 1>2"}) : (Texts{"+a!", "-a?", "+a"}));
}
INSTANTIATE_TEST_SUITE_P(Both, DroppedUidChange, testing::Bool());

TEST_F(InformerTest, SeedsOfCutsExpiryAndSlowHandlers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Simulation sim({.seed = seed});
    FakeServer server(sim.env());
    server.watch_list_unsupported = seed % 2 == 0;
    SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher());
    std::map<std::string, std::string> model;
    const auto apply = [&model](const std::string& word, const std::string& name,
                                const std::string& value) {
      if (word == "+") {
        EXPECT_FALSE(model.contains(name)) << name;
      } else {
        EXPECT_TRUE(model.contains(name)) << name;
      }
      if (word == "-") {
        model.erase(name);
      } else {
        model[name] = value;
      }
    };
    HandlerOptions handler;
    handler.max_events = 3;
    handler.overflow = static_cast<OverflowPolicy>(seed % 3);
    informer
        .AddEventHandler(
            {.on_add = [&](const Added<Pod>& e) { apply("+", e.object.name(), e.object.value()); },
             .on_update =
                 [&](const Updated<Pod>& e) {
                   apply("~", e.new_object.name(), e.new_object.value());
                 },
             .on_delete =
                 [&](const Deleted<Pod>& e) { apply("-", e.object.name(), e.object.value()); }},
            handler)
        .OrExit();
    informer.Start();
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t draw = sim.env().Random();
      const std::string name = "p" + std::to_string(draw / 64 % 6);
      switch (draw % 8) {
        case 0:
          server.EndWatches();
          break;
        case 1:
          server.Forget();
          server.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
          break;
        case 2:
          if (server.objects().contains({"default", name})) server.Delete(name);
          break;
        case 3:
          sim.RunFor(milliseconds(static_cast<int>(draw / 1024 % 3000)));
          break;
        default:
          server.Put(name, std::to_string(step), "uid-" + name + std::to_string(draw / 4096 % 2));
          break;
      }
      for (int i = 0; i < static_cast<int>(draw / 8192 % 8); ++i) sim.Step();
    }
    sim.RunFor(minutes(20));
    ExpectEqual(informer, server);
    std::map<std::string, std::string> served;
    for (const auto& [name, object] : server.objects()) served[name.name] = PodValue(*object);
    ASSERT_EQ(model, served) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kinformer
