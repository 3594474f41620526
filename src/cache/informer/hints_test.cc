// Log messages about common mistakes: each appears once and names the remedy.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/testing/fields_log.h"
#include "cache/informer/testing/delivery_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(DeliveryForms, AReadBeforeTheSyncIsSaidOnce) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(informer.lister().List().ok());
  }
  ASSERT_EQ(log_->Count("was read before it had synced"), 1U);
  EXPECT_NE(log_->lines.front().find("call Start, then WaitForCacheSync"), std::string::npos)
      << log_->lines.front();
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(DeliveryForms, ReadWithoutErrorBeforeSync_IsLoggedOnce) {
  server_.Put("a", "1");
  const auto read = [](const SharedInformer<Pod>& informer, int way) {
    switch (way) {
      case 0:
        return informer.Snapshot().size();
      case 1:
        return informer.indexer().List().size();
      case 2:
        return informer.indexer().ListKeys().size();
      default:
        return std::size_t{informer.indexer().GetByKey("default/a") ? 1U : 0U};
    }
  };
  for (int way = 0; way < 4; ++way) {
    log_->lines.clear();
    SharedInformer<Pod> informer = Make();
    EXPECT_EQ(read(informer, way), 0U);
    EXPECT_EQ(read(informer, way), 0U);
    ASSERT_EQ(log_->lines.size(), 1U) << way;
    EXPECT_EQ(log_->Count("was read before it had synced"), 1U);
    EXPECT_EQ(log_->Count("started=no"), 1U);
    informer.Start();
    Settle();
    EXPECT_EQ(read(informer, way), 1U);
    EXPECT_EQ(log_->lines.size(), 1U);
  }
  // Reads after the sync are not logged.
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  log_->lines.clear();
  for (int way = 0; way < 4; ++way) EXPECT_EQ(read(informer, way), 1U);
  EXPECT_TRUE(log_->lines.empty());
}

// A handler of the first list may read it: the list is in the store, even if not yet synced.
TEST_F(DeliveryForms, AHandlerOfTheFirstListDoesNotReadTooEarly) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  std::size_t seen = 0;
  EXPECT_TRUE(informer
                  .AddEventHandler(ResourceEventHandlerFuncs<Pod>{
                      .on_add = [&](const Added<Pod>&) { seen = informer.Snapshot().size(); }})
                  .ok());
  informer.Start();
  Settle();
  EXPECT_EQ(seen, 1U);
  EXPECT_TRUE(log_->lines.empty());
}

TEST_F(DeliveryForms, AnIndexThatDoesNotExistIsSaidOnce) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  for (int i = 0; i < 2; ++i) {
    for (const Pod pod : informer.Snapshot().ByIndex("node", "n1")) ADD_FAILURE() << pod.name();
    for (const Pod pod : informer.indexer().ByIndex("node", "n1")) ADD_FAILURE() << pod.name();
  }
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_EQ(log_->Count("index=node"), 1U);
  EXPECT_EQ(log_->Count("there are: \"namespace\""), 1U);
}

TEST_F(DeliveryForms, ATombstoneIsExplainedOnceToEachHandler) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kInfo);
  Simulation sim({.log = log});
  internal::client::FakeServer server(sim.env());
  SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher());
  const std::string_view hint = "told of a deletion that nobody saw";
  for (const char* name : {"a", "b", "c", "d"}) server.Put(name, "1");
  for (const char* name : {"one", "two"}) {
    EXPECT_TRUE(informer
                    .AddEventHandler(
                        ResourceEventHandlerFuncs<Pod>{.on_delete = [](const Deleted<Pod>&) {}},
                        {.name = name})
                    .ok());
  }
  informer.Start();
  sim.RunReady();
  server.Delete("d");
  sim.RunReady();
  EXPECT_EQ(log->Count(hint), 0U) << "the watch told of it";
  for (const char* name : {"a", "b"}) {
    server.Lose(name);
    server.Forget();
    server.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    sim.RunFor(minutes(5));
  }
  EXPECT_EQ(informer.Snapshot().size(), 1U);
  EXPECT_EQ(log->Count(hint), 2U);
  EXPECT_EQ(log->Count("handler=one"), 1U);
  EXPECT_EQ(log->Count("handler=two kind=Pod key=default/a"), 1U);
}

TEST_F(DeliveryForms, ASlowHandlerDoesNotFillTheLog) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kInfo);
  Simulation sim({.log = log});
  internal::client::FakeServer server(sim.env());
  SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher());
  const auto work = [&](const auto&) { sim.env().SleepFor(milliseconds(200)); };
  EXPECT_TRUE(
      informer.AddEventHandler(ResourceEventHandlerFuncs<Pod>{.on_add = work, .on_update = work})
          .ok());
  informer.Start();
  for (int i = 0; i < 100; ++i) {
    server.Put("a", std::to_string(i));
    sim.RunFor(seconds(1));
  }
  EXPECT_EQ(log->Count("slow event handler"), 1U);
  EXPECT_EQ(log->Count("slow_calls_so_far=1"), 1U);
  sim.RunFor(minutes(10));
  server.Put("a", "last");
  sim.RunFor(seconds(1));
  EXPECT_EQ(log->Count("slow event handler"), 2U);
  EXPECT_EQ(log->Count("slow_calls_so_far=101"), 1U);
}

TEST_F(DeliveryForms, OptionsThatAreForFactoriesAreNamed) {
  const SharedInformer<Pod> plain = Make();
  EXPECT_TRUE(log_->lines.empty());
  const SharedInformer<Pod> elsewhere = Make({.namespaces = {"a"}});
  EXPECT_EQ(log_->Count("looks where this does"), 1U);
  const SharedInformer<Pod> selects =
      Make({.label_selector = LabelSelector::Parse("a=b").OrExit()});
  EXPECT_EQ(log_->Count("give them to NewFilteredListWatch"), 1U);
  const SharedInformer<Pod> fields =
      Make({.field_selector = FieldSelector::Parse("metadata.name=a").OrExit()});
  EXPECT_EQ(log_->Count("give them to NewFilteredListWatch"), 2U);
  const SharedInformer<Pod> falls_back = Make({.if_forbidden = {.namespaces = {"a"}}});
  const SharedInformer<Pod> watches = Make({.if_forbidden = {.watch_namespaces = true}});
  EXPECT_EQ(log_->Count("has nowhere else to look"), 2U);
  const auto by_namespace = [this](const std::string&) { return server_.NewListerWatcher(); };
  const SharedInformer<Pod> in_vain(sim_.env(), by_namespace,
                                    {.if_forbidden = {.watch_namespaces = true}});
  EXPECT_EQ(log_->Count("has none that lists Namespaces"), 1U);
  EXPECT_EQ(log_->lines.size(), 6U);
  const SharedInformer<Pod> useful(sim_.env(), by_namespace,
                                   {.if_forbidden = {.namespaces = {"a"}}});
  EXPECT_EQ(log_->lines.size(), 6U);
}

TEST_F(DeliveryForms, AnInformerThatWasNeverStartedSaysSoAtItsEnd) {
  {
    SharedInformer<Pod> informer = Make();
    AddSlow(informer, Duration(0));
    SharedInformer<Pod> unused = Make();
  }
  Settle();
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_NE(log_->lines.front().find("never started"), std::string::npos);
}

TEST_F(DeliveryForms, InformerNotStarted_IsLoggedAfterThirtySeconds) {
  server_.Put("a", "1");
  {
    SharedInformer<Pod> informer = Make();
    sim_.RunFor(minutes(5));
    EXPECT_TRUE(log_->lines.empty()) << "nobody waits for anything";
    AddSlow(informer, Duration(0));
    AddSlow(informer, Duration(0));
    sim_.RunFor(seconds(29));
    EXPECT_TRUE(log_->lines.empty());
    sim_.RunFor(minutes(5));
    ASSERT_EQ(log_->lines.size(), 1U);
    EXPECT_EQ(log_->Count("call Start, of the informer or again of its factory"), 1U);
    EXPECT_TRUE(server_.requests.empty()) << "nothing of it runs";
    AddSlow(informer, Duration(0));
    sim_.RunFor(minutes(5));
  }
  Settle();
  EXPECT_EQ(log_->lines.size(), 1U) << "once, its end included";
  // Started in time, or without handlers by then.
  SharedInformer<Pod> started = Make();
  AddSlow(started, Duration(0));
  SharedInformer<Pod> left = Make();
  const EventHandlerRegistration gone = AddSlow(left, Duration(0));
  sim_.RunFor(seconds(20));
  started.Start();
  EXPECT_TRUE(
      sim_.RunBlocking([&] { EXPECT_TRUE(left.RemoveEventHandler(gone).ok()); }, seconds(1)));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(log_->lines.size(), 1U);
}

}  // namespace
}  // namespace kinformer
