// Handlers that are added, removed, filter, throw and are resynced: rows SI and TY.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/object/object.h"

#include "cache/delivery/processor.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Deleted, ATombstonesNameIsItsObjects_ON02) {
  const Ref<Pod> pod(MakePod("default", "a", "1"));
  const std::string key = MetaNamespaceKeyFunc(*pod);
  for (const bool tombstone : {false, true}) {
    const Deleted<Pod> event{key, *pod, tombstone};
    EXPECT_EQ(event.object_name(), (ObjectName{"default", "a"}));
    EXPECT_EQ(DeletionHandlingMetaNamespaceKeyFunc(event), "default/a");
  }
}

// ---- adding and removing handlers

TEST_F(InformerTest, ALateHandlerGetsTheListAndThenTheNews_SI21_SI22_SI23) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto first = Record(informer);
  EXPECT_FALSE(registration_.HasSynced()) << "before the informer runs";
  informer.Start();
  Settle();
  const auto second = Record(informer);
  EXPECT_FALSE(registration_.HasSynced());
  server_.Put("b", "1");
  Settle();
  EXPECT_TRUE(registration_.HasSynced());
  EXPECT_EQ(first->words, (Texts{"+a!", "+b"}));
  ASSERT_EQ(second->words.size(), 2U);
  EXPECT_EQ(second->words.front().substr(0, 2), "+a");
  EXPECT_EQ(second->words.back().substr(0, 2), "+b");
}

TEST_F(InformerTest, Removal_SI12_SI13_SI14_SI15_SI20) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  SharedInformer<Pod> other = Make();
  const auto recorder = std::make_shared<Recorder>();
  const auto one = informer.AddEventHandler(recorder).value();
  const auto two = informer.AddEventHandler(recorder).value();
  informer.Start();
  Settle();
  EXPECT_EQ(recorder->words.size(), 2U);
  // Row 11: the mistake is reported.
  EXPECT_EQ(other.RemoveEventHandler(one).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(informer.RemoveEventHandler({}).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(informer.Stats().handlers, 2U);
  EXPECT_TRUE(informer.RemoveEventHandler(one).ok());
  EXPECT_TRUE(informer.RemoveEventHandler(one).ok());
  EXPECT_EQ(informer.Stats().handlers, 1U);
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 3U);
  EXPECT_TRUE(informer.RemoveEventHandler(two).ok());
  server_.Put("c", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 3U);
}

TEST_F(InformerTest, RemovalWaitsForACallbackExceptFromInside_SI30) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  bool inside = false;
  bool left = false;
  const auto slow = informer
                        .AddEventHandler({.on_add =
                                              [&](const Added<Pod>&) {
                                                inside = true;
                                                sim_.env().SleepFor(seconds(10));
                                                left = true;
                                              }})
                        .value();
  EventHandlerRegistration self;
  int calls = 0;
  self = informer
             .AddEventHandler({.on_add =
                                   [&](const Added<Pod>&) {
                                     ++calls;
                                     EXPECT_TRUE(informer.RemoveEventHandler(self).ok());
                                   }})
             .value();
  informer.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return inside; }, seconds(1)));
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_TRUE(informer.RemoveEventHandler(slow).ok());
        EXPECT_TRUE(left);
      },
      minutes(1)));
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(calls, 1);
}

TEST_F(InformerTest, RemovalReturnsAtEveryPointOfALife_SI31_SI32_SI33) {
  server_.Put("a", "1");
  SharedInformer<Pod> never = Make();
  Record(never);
  const auto unheard = registration_;
  SharedInformer<Pod> informer = Make();
  Record(informer);
  const auto before = registration_;
  informer.Start();
  Settle();
  Record(informer);
  const auto after = registration_;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_TRUE(never.RemoveEventHandler(unheard).ok());
        EXPECT_TRUE(informer.RemoveEventHandler(after).ok());
        EXPECT_TRUE(informer.RemoveEventHandler(before).ok());
      },
      seconds(1)));
  EXPECT_EQ(informer.Stats().handlers, 0U);
}

TEST_F(InformerTest, AScopedRegistrationEndsWithItsScope) {
  SharedInformer<Pod> informer = Make();
  const auto recorder = std::make_shared<Recorder>();
  {
    const auto scoped = informer.AddEventHandler(recorder).value().Scoped();
    informer.Start();
    server_.Put("a", "1");
    Settle();
  }
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 1U);
}

TEST_F(InformerTest, AHandlerThatThrowsHarmsNobodyAndSyncs_SI27_SI28) {
  for (int i = 0; i < 5; ++i) server_.Put("p" + std::to_string(i), "1");
  SharedInformer<Pod> informer = Make();
  const auto bad =
      informer
          .AddEventHandler({.on_add = [](const Added<Pod>&) { throw std::runtime_error("no"); }})
          .value();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_EQ(bad.Stats().exceptions, 5U);
  EXPECT_TRUE(bad.HasSynced());
  EXPECT_EQ(recorder->words.size(), 5U);
}

TEST_F(InformerTest, EachFunctionOfAHandlerThatThrowsLosesThatEventAndNoOther) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto throws = [](const auto&) { throw std::runtime_error("no"); };
  std::vector<EventHandlerRegistration> bad;
  for (const ResourceEventHandlerFuncs<Pod>& functions :
       {ResourceEventHandlerFuncs<Pod>{.on_add = throws},
        ResourceEventHandlerFuncs<Pod>{.on_update = throws},
        ResourceEventHandlerFuncs<Pod>{.on_delete = throws}}) {
    bad.push_back(informer.AddEventHandler(functions).value());
  }
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.Put("a", "2");
  Settle();
  server_.Delete("a");
  Settle();
  for (const EventHandlerRegistration& one : bad) EXPECT_EQ(one.Stats().exceptions, 1U);
  EXPECT_EQ(recorder->words.size(), 3U);
}

TEST_F(InformerTest, AFilterThatThrowsLosesThatEventAndNoOther) {
  using Filtering = FilteringResourceEventHandler<Pod>;
  const auto throws = [](const auto&) -> bool { throw std::runtime_error("no"); };
  const auto all = [](Pod) { return true; };
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = std::make_shared<Recorder>();
  const auto add = [&](auto filter) {
    return informer.AddEventHandler(std::make_shared<Filtering>(std::move(filter), recorder))
        .value();
  };
  const auto function = add(Filtering::FilterFunc(throws));
  const auto object = add(EventFilter<Pod>{.object = throws});
  const auto deleted = add(EventFilter<Pod>{.object = all, .deleted = throws});
  informer.Start();
  Settle();
  server_.Put("b", "1");
  server_.Delete("a");
  server_.Put("c", "1");
  Settle();
  EXPECT_EQ(function.Stats().exceptions, 4U);
  EXPECT_EQ(object.Stats().exceptions, 4U);
  EXPECT_EQ(deleted.Stats().exceptions, 1U);
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b", "+c"}));
  for (const auto& handler : {function, object, deleted}) EXPECT_TRUE(handler.HasSynced());
}

TEST_F(InformerTest, ObjectHandler_ServesAnyKind) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  Texts keys;
  informer
      .AddEventHandler(ResourceEventHandlerFuncs<Object>{
          .on_add = [&](const Added<Object>& e) { keys.push_back(e.key); }})
      .OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(keys, (Texts{"default/a"}));
}

struct FilterRow {
  const char* id;
  std::string old_value;
  std::string new_value;
  Texts words;
};
class Filtering : public InformerTest, public testing::WithParamInterface<FilterRow> {};
TEST_P(Filtering, Update) {
  const auto recorder = std::make_shared<Recorder>();
  FilteringResourceEventHandler<Pod> handler([](Pod p) { return p.value() == "yes"; }, recorder);
  const std::string key = "default/a";
  const auto older = MakePod("default", "a", "1", "", GetParam().old_value);
  const auto newer = MakePod("default", "a", "2", "", GetParam().new_value);
  handler.OnUpdate({key, Pod(older.get()), Pod(newer.get())});
  EXPECT_EQ(recorder->words, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, Filtering,
                         testing::Values(FilterRow{"TY_09", "yes", "yes", {"~a yes>yes"}},
                                         FilterRow{"TY_10", "no", "yes", {"+a"}},
                                         FilterRow{"TY_11", "yes", "no", {"-a"}},
                                         FilterRow{"TY_12", "no", "no", {}}),
                         [](const auto& p) { return std::string(p.param.id); });

TEST(FilteringEpoch, FilteredUpdate_AddAndDeleteHaveItsEpoch) {
  std::vector<std::uint64_t> epochs;
  const auto note = [&](const auto& event) { epochs.push_back(event.epoch); };
  FilteringResourceEventHandler<Pod> handler(
      [](Pod p) { return p.value() == "yes"; },
      {.on_add = note, .on_update = note, .on_delete = note});
  const auto yes = MakePod("default", "a", "1", "", "yes");
  const auto no = MakePod("default", "a", "2", "", "no");
  const std::string key = "default/a";
  handler.OnUpdate({key, Pod(no.get()), Pod(yes.get()), 3});
  handler.OnUpdate({key, Pod(yes.get()), Pod(no.get()), 4});
  EXPECT_EQ(epochs, (std::vector<std::uint64_t>{3, 4}));
}

TEST_F(InformerTest, FilteredAddsAndDeletes_TY05_to_TY08) {
  const auto recorder = std::make_shared<Recorder>();
  SharedInformer<Pod> informer = Make();
  informer
      .AddEventHandler(
          FilteringResourceEventHandler<Pod>([](Pod p) { return p.value() == "yes"; }, recorder))
      .OrExit();
  server_.Put("a", "yes");
  server_.Put("b", "no");
  informer.Start();
  Settle();
  server_.Delete("a");
  server_.Delete("b");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-a"}));
}

// Notifications for a and b when one began to match a filter and the other ceased to, and both were
// deleted while the watch was down.
class FilteredTombstones : public InformerTest {
 protected:
  Texts HeardWith(EventFilter<Pod> filter) {
    const auto recorder = std::make_shared<Recorder>();
    SharedInformer<Pod> informer = Make();
    informer.AddEventHandler(FilteringResourceEventHandler<Pod>(std::move(filter), recorder))
        .OrExit();
    server_.Put("a", "yes");
    server_.Put("b", "no");
    informer.Start();
    Settle();
    WhileCutOff([&] {
      server_.Put("a", "no");
      server_.Delete("a");
      server_.Put("b", "yes");
      server_.Delete("b");
    });
    std::sort(recorder->words.begin(), recorder->words.end());
    return recorder->words;
  }
  static bool IsYes(Pod p) { return p.value() == "yes"; }
};

TEST_F(FilteredTombstones, AFilterOfObjectsLetsEachTombstonePass) {
  EXPECT_EQ(HeardWith({IsYes}), (Texts{"+a!", "-a?", "-b?"}));
}

TEST_F(FilteredTombstones, AFunctionForDeletionsSeesTheFlagAndTheLastKnownState) {
  std::vector<bool> flags;
  Texts values;
  const EventFilter<Pod> filter{.object = IsYes, .deleted = [&](const Deleted<Pod>& e) {
                                  flags.push_back(e.final_state_unknown);
                                  values.push_back(e.object.value());
                                  return e.key == "default/b";
                                }};
  EXPECT_EQ(HeardWith(filter), (Texts{"+a!", "-b?"}));
  EXPECT_EQ(flags, (std::vector<bool>{true, true}));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (Texts{"no", "yes"}));
}

TEST_F(FilteredTombstones, DeletionFilter_DecidesOverSeenObjectsToo) {
  const auto recorder = std::make_shared<Recorder>();
  SharedInformer<Pod> informer = Make();
  informer
      .AddEventHandler(FilteringResourceEventHandler<Pod>(
          {.object = IsYes, .deleted = [](const Deleted<Pod>& e) { return !IsYes(e.object); }},
          recorder))
      .OrExit();
  server_.Put("a", "yes");
  server_.Put("b", "no");
  informer.Start();
  Settle();
  server_.Delete("a");
  server_.Delete("b");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-b"}));
}

// The update before, by which the object began or ceased to match, was merged under pressure.
TEST_F(InformerTest, ADeletionThatTookInAnUpdateIsFilteredByWhatTheHandlerWasToldLast) {
  const auto recorder = std::make_shared<Recorder>();
  recorder->hook = [&](const std::string& word) {
    if (word == "+busy") sim_.env().SleepFor(minutes(1));
  };
  SharedInformer<Pod> informer = Make();
  informer
      .AddEventHandler(
          FilteringResourceEventHandler<Pod>([](Pod p) { return p.value() == "yes"; }, recorder),
          {.max_events = 1})
      .OrExit();
  server_.Put("leaves", "yes");
  server_.Put("enters", "no");
  informer.Start();
  Settle();
  server_.Put("busy", "yes");
  Settle();
  server_.Put("filler", "yes");
  server_.Put("leaves", "no");
  server_.Put("enters", "yes");
  server_.Delete("leaves");
  server_.Delete("enters");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(recorder->words, (Texts{"+leaves!", "+busy", "+filler", "-leaves"}));
}

TEST_F(InformerTest, FunctionsMayBeMissing_TY01_TY02_TY04) {
  SharedInformer<Pod> informer = Make();
  informer.AddEventHandler(ResourceEventHandlerFuncs<Pod>{}).OrExit();
  server_.Put("a", "1");
  informer.Start();
  Settle();
  server_.Put("a", "2");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(informer.Stats().delivered, 3U);
  EXPECT_EQ(informer.Stats().handler_exceptions, 0U);
}

TEST_F(InformerTest, FunctionsHearWhatIsInTheInitialList_TY03) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  std::vector<bool> flags;
  informer
      .AddEventHandler(
          {.on_add = [&](const Added<Pod>& e) { flags.push_back(e.is_in_initial_list); }})
      .OrExit();
  informer.Start();
  Settle();
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(flags, (std::vector<bool>{true, false}));
}

TEST_F(InformerTest, Handler_ReceivesObjectsAndTombstones_TY13_to_TY16_CT08_CT09_CT12_CT13) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make();
  Texts heard;
  ResourceEventHandlerFuncs<Pod> funcs;
  funcs.on_add = [&](const Added<Pod>& e) { heard.push_back("+" + e.key); };
  funcs.on_update = [&](const Updated<Pod>& e) {
    heard.push_back("~" + e.key + " " + e.old_object.value() + ">" + e.new_object.value());
  };
  funcs.on_delete = [&](const Deleted<Pod>& e) {
    EXPECT_EQ(DeletionHandlingMetaNamespaceKeyFunc(e), e.object_name().ToString());
    heard.push_back((e.final_state_unknown ? "tombstone " : "deleted ") + e.key + " " +
                    e.object.value());
  };
  informer.AddEventHandler(std::move(funcs)).OrExit();
  informer.Start();
  Settle();
  server_.Put("a", "2");
  server_.Delete("a");
  Settle();
  WhileCutOff([&] {
    server_.Put("b", "unseen");
    server_.Delete("b");
  });
  EXPECT_EQ(heard, (Texts{"+default/a", "+default/b", "~default/a 1>2", "deleted default/a 2",
                          "tombstone default/b 1"}));
}

TEST_F(InformerTest, OptionsOfARegistration_TY22_TY23) {
  SharedInformer<Pod> informer = Make();
  Record(informer);
  EXPECT_EQ(registration_.Stats().name, "handler-1");
  Record(informer, {.name = "mine"});
  EXPECT_EQ(registration_.Stats().name, "mine");
}

// ---- resync

TEST_F(InformerTest, HandlersAreResyncedAtTheirOwnPeriods_SI04) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto never = Record(informer, {.resync_period = Duration(0)});
  const auto two = Record(informer, {.resync_period = seconds(2)});
  const auto three = Record(informer, {.resync_period = seconds(3)});
  informer.Start();
  Settle();
  for (const auto& recorder : {never, two, three}) {
    EXPECT_EQ(recorder->words.size(), 2U);
    recorder->words.clear();
  }
  sim_.RunFor(milliseconds(2500));
  EXPECT_EQ(never->words.size(), 0U);
  EXPECT_EQ(two->words.size(), 2U);
  EXPECT_EQ(three->words.size(), 0U);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(never->words.size(), 0U);
  EXPECT_EQ(two->words.size(), 2U);
  EXPECT_EQ(three->words.size(), 2U);
  EXPECT_EQ(three->words.front().substr(0, 1), "~");
}

TEST_F(InformerTest, HandlersThatStartLateAreResyncedAtTheSameTimes_SI05) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  std::vector<std::shared_ptr<Recorder>> all;
  for (const int period : {0, 2, 3}) {
    all.push_back(Record(informer, {.resync_period = seconds(period)}));
    Recorder* const recorder = all.back().get();
    recorder->hook = [this, recorder](const std::string&) {
      if (recorder->words.size() == 1) sim_.env().SleepFor(seconds(1));
    };
  }
  informer.Start();
  const auto counts = [&] {
    return std::vector<std::size_t>{all[0]->words.size(), all[1]->words.size(),
                                    all[2]->words.size()};
  };
  sim_.RunFor(milliseconds(500));
  EXPECT_EQ(counts(), (std::vector<std::size_t>{1, 1, 1}));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(counts(), (std::vector<std::size_t>{2, 2, 2}));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(counts(), (std::vector<std::size_t>{2, 4, 2}));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(counts(), (std::vector<std::size_t>{2, 4, 4}));
}

TEST(ResyncPeriods, AShorterPeriodLowersTheInformers_SI06) {
  using internal::cache::ResyncPeriods;
  Duration check = hours(12);
  EXPECT_EQ(ResyncPeriods::ForHandler(Duration(0), check, false), Duration(0));
  EXPECT_EQ(check, hours(12));
  EXPECT_EQ(ResyncPeriods::ForHandler(minutes(1), check, false), minutes(1));
  EXPECT_EQ(check, minutes(1));
  EXPECT_EQ(ResyncPeriods::ForHandler(seconds(55), check, false), seconds(55));
  EXPECT_EQ(ResyncPeriods::ForHandler(seconds(5), check, false), seconds(5));
  EXPECT_EQ(check, seconds(5));
  EXPECT_EQ(ResyncPeriods::ForHandler(milliseconds(5), check, true), seconds(5));
  EXPECT_EQ(ResyncPeriods::ForHandler(minutes(1), check, true), minutes(1));
}

TEST_F(InformerTest, OnlyResyncingHandlersSeeTheUnchangedInARelist_SI08) {
  server_.Put("same", "1");
  server_.Put("changes", "1");
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto never = Record(informer, {.resync_period = Duration(0)});
  const auto resyncing = Record(informer, {.resync_period = seconds(1)});
  informer.Start();
  sim_.RunFor(milliseconds(1500));
  never->words.clear();
  resyncing->words.clear();
  server_.on_watch = nullptr;
  server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  server_.list_errors.clear();
  Settle();
  server_.Put("changes", "2");
  server_.Put("new", "1");
  sim_.RunFor(milliseconds(1700));
  std::sort(never->words.begin(), never->words.end());
  EXPECT_EQ(never->words, (Texts{"+new", "~changes 1>2"}));
  EXPECT_NE(std::find(resyncing->words.begin(), resyncing->words.end(), "~same 1>1"),
            resyncing->words.end());
}

TEST_F(InformerTest, ResyncsDoNotDependOnWatches_W25) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer, {.resync_period = seconds(10)});
  informer.Start();
  Settle();
  server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  server_.EndWatches();
  Settle();
  recorder->words.clear();
  sim_.RunFor(seconds(35));
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_EQ(recorder->words, (Texts{"~a 1>1", "~a 1>1", "~a 1>1"}));
  // Watches that are opened often do not delay the resync.
  server_.down.reset();
  sim_.RunFor(minutes(1));
  recorder->words.clear();
  for (int i = 0; i < 20; ++i) {
    server_.EndWatches();
    sim_.RunFor(seconds(5));
  }
  EXPECT_EQ(recorder->words.size(), 10U);
}

// The entry in the queue records its listeners, rather than those present when it is processed.
TEST_F(InformerTest, AResyncThatWaitsIsForThoseWhoWereDue_W25) {
  server_.Put("a", "0");
  SharedInformer<Pod> informer = Make();
  bool holds_up = true;
  const auto held =
      Record(informer,
             {.resync_period = Duration(0), .overflow = OverflowPolicy::kBlock, .max_events = 1});
  held->hook = [&](const std::string& word) {
    while (word.starts_with("~") && holds_up) sim_.env().SleepFor(seconds(1));
  };
  const auto due = Record(informer, {.resync_period = seconds(10)});
  informer.Start();
  Settle();
  for (int i = 1; i <= 5; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  sim_.RunFor(seconds(11));
  ASSERT_GT(informer.Stats().queued, 0U) << "events, and the resync behind them";
  const auto late = Record(informer, {.resync_period = seconds(10)});
  Settle();
  const auto resyncs = [](const Recorder& of) {
    return std::count(of.words.begin(), of.words.end(), "~a 5>5");
  };
  EXPECT_EQ(resyncs(*due), 0);
  holds_up = false;
  sim_.RunFor(seconds(5));
  EXPECT_EQ(resyncs(*due), 1);
  EXPECT_EQ(resyncs(*late), 0);
  EXPECT_EQ(late->words.front().substr(0, 2), "+a");
  EXPECT_EQ(late->words.back(), "~a 4>5");
}

}  // namespace
}  // namespace kinformer
