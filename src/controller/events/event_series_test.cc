// Events of events.k8s.io/v1: from recorders to sinks, as series.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/events.h"

#include "controller/events/series_correlator.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using EventMutable = eventsv1::EventMutable;

// Requests that sinks received; outlives them.
struct Written {
  std::vector<std::string> requests{};  // "create web-0", "patch web-0 x2"
  std::vector<EventMutable> events{};
  std::vector<std::string> patches{};
  // If set, called for each request; if it returns an error, the request fails with it.
  std::function<Result<void>(const std::string& verb)> fault{};
};

class FakeSink final : public events::EventSink {
 public:
  explicit FakeSink(Written& written) : written_(written) {}
  Result<EventMutable> Create(const EventMutable& event, const CallOptions&) override {
    return Write("create", event);
  }
  Result<EventMutable> Patch(const EventMutable& event, const kinformer::Patch& patch,
                             const CallOptions&) override {
    written_.patches.push_back(patch.body);
    return Write("patch", event);
  }

 private:
  Result<EventMutable> Write(const std::string& verb, const EventMutable& event) {
    const std::string count = event.series ? " x" + std::to_string(event.series->count) : "";
    written_.requests.push_back(verb + " " + event.regarding.name + count);
    written_.events.push_back(event);
    if (written_.fault) {
      if (Result<void> failed = written_.fault(verb); !failed) return failed.error();
    }
    return event;
  }
  Written& written_;
};

corev1::ObjectReferenceMutable About(const std::string& name,
                                     const std::string& namespace_ = "default") {
  corev1::ObjectReferenceMutable about;
  about.kind = "Pod";
  about.apiVersion = "v1";
  about.namespace_ = namespace_;
  about.name = name;
  return about;
}

class EventSeriesTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(End()); }
  // Ends threads, which needs simulated time to pass.
  bool End() {
    return sim_.RunBlocking([&] { broadcaster_.reset(); }, hours(1));
  }
  void Start(events::EventBroadcasterOptions options = {}) {
    broadcaster_ = std::make_unique<events::EventBroadcaster>(sim_.env(), options);
    broadcaster_->StartRecordingToSink(std::make_unique<FakeSink>(written_));
    recorder_ = broadcaster_->NewRecorder("example.com/printer");
  }
  void Print(const std::string& about, const std::string& note = "two pages") {
    recorder_->Event(About(about), std::nullopt, kEventTypeNormal, "Printed", "Printing", note);
    sim_.RunReady();
  }
  std::vector<std::string> Requests() { return std::exchange(written_.requests, {}); }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_, .start = WallTime(seconds(1'000'000))}};
  Written written_;
  std::unique_ptr<events::EventBroadcaster> broadcaster_;
  std::shared_ptr<events::EventRecorder> recorder_;
};

TEST_F(EventSeriesTest, RepeatedEvents_CreatedThenPatchedThenCountedLocally_EV14) {
  Start();
  Print("web-0");
  sim_.RunFor(seconds(1));
  Print("web-0", "three pages");
  for (int i = 0; i < 50; ++i) Print("web-0");
  Print("web-1");
  EXPECT_THAT(Requests(), ElementsAre("create web-0", "patch web-0 x2", "create web-1"));
  const EventMutable& event = written_.events[0];
  EXPECT_THAT(event.metadata.name, StartsWith("web-0."));
  EXPECT_EQ(event.metadata.namespace_, "default");
  EXPECT_EQ(event.eventTime.ToString(), "1970-01-12T13:46:40.000000Z");
  EXPECT_EQ(event.reportingController, "example.com/printer");
  EXPECT_THAT(event.reportingInstance, StartsWith("example.com/printer-"));
  EXPECT_EQ(event.action, "Printing");
  EXPECT_EQ(event.reason, "Printed");
  EXPECT_EQ(event.regarding.name, "web-0");
  EXPECT_EQ(event.note, "two pages");
  EXPECT_EQ(event.type, "Normal");
  EXPECT_EQ(written_.events[1].metadata.name, event.metadata.name);
  EXPECT_THAT(
      written_.patches,
      ElementsAre(R"({"series":{"count":2,"lastObservedTime":"1970-01-12T13:46:41.000000Z"}})"));
}

TEST_F(EventSeriesTest, AnEventHasTheAnnotationsThatItIsGiven) {
  Start();
  recorder_->AnnotatedEvent(About("web-0"), About("disk"), {{"key", "value"}}, kEventTypeWarning,
                            "Jammed", "Printing", "no paper");
  sim_.RunReady();
  Print("web-0");
  EXPECT_THAT(Requests(), ElementsAre("create web-0", "create web-0"));
  const EventMutable& event = written_.events[0];
  EXPECT_THAT(event.metadata.annotations, ElementsAre(Pair("key", "value")));
  EXPECT_EQ(event.related.value_or(About("")).name, "disk");
  EXPECT_EQ(event.reason, "Jammed");
  EXPECT_EQ(event.note, "no paper");
  EXPECT_TRUE(written_.events[1].metadata.annotations.empty());
}

TEST_F(EventSeriesTest, SeriesKey_IgnoresNoteAndResourceVersion_EV14) {
  EventMutable event;
  event.regarding = About("web-0");
  const auto differs = [&](const auto& change) {
    EventMutable other = event;
    change(other);
    return internal::events::SeriesKey(other) != internal::events::SeriesKey(event);
  };
  EXPECT_TRUE(differs([](auto& e) { e.type = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.action = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reason = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reportingController = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reportingInstance = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.regarding.uid = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.related = About("web-0"); }));
  EXPECT_FALSE(differs([](auto& e) { e.note = "x"; }));
  EXPECT_FALSE(differs([](auto& e) { e.regarding.resourceVersion = "x"; }));
}

TEST_F(EventSeriesTest, ASinkThatThrowsLosesThatEventAndNoOther) {
  Start();
  int left = 1;
  written_.fault = [&](const std::string&) -> Result<void> {
    if (--left == 0) throw std::runtime_error("a sink of the program's");
    return {};
  };
  Print("web-0");
  Print("web-1");
  left = 1;
  Print("web-1");  // a series, which is written by a patch
  Print("web-2");
  EXPECT_THAT(Requests(),
              ElementsAre("create web-0", "create web-1", "patch web-1 x2", "create web-2"));
  EXPECT_THAT(metrics_->Text(), HasSubstr(R"(kinformer_events_lost_total{why="refused"} 2)"));
  EXPECT_THAT(metrics_->Text(),
              HasSubstr(R"(kinformer_user_exceptions_total{function="event sink"} 2)"));
  for (int i = 0; i < 2; ++i) Print("web-2");
  Requests();
  left = 1;
  const SteadyTime before = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(); }, hours(1)));
  EXPECT_EQ(sim_.env().Now(), before) << "though the sink throws at the end, too";
  EXPECT_THAT(Requests(), UnorderedElementsAre("patch web-1 x2", "patch web-2 x3"));
  EXPECT_THAT(metrics_->Text(), HasSubstr(R"(kinformer_events_lost_total{why="refused"} 3)"));
}

TEST_F(EventSeriesTest, ASeriesEndsSixMinutesAfterItsLastEvent_EV15) {
  Start();
  for (int i = 0; i < 3; ++i) Print("series");
  Print("single");
  EXPECT_THAT(Requests(), ElementsAre("create series", "patch series x2", "create single"));
  sim_.RunFor(minutes(6) + seconds(1));
  EXPECT_THAT(Requests(), IsEmpty()) << "not more than six minutes yet";
  sim_.RunFor(minutes(6));
  EXPECT_THAT(Requests(), ElementsAre("patch series x3"));
  EXPECT_THAT(written_.patches.back(), HasSubstr("T13:46:40")) << "when the last one was given";
  Print("series");
  Print("single");
  EXPECT_THAT(Requests(), ElementsAre("create series", "create single"));
}

TEST_F(EventSeriesTest, RepeatedEvent_KeepsSeriesOpen_EV15) {
  Start();
  for (int i = 0; i < 5; ++i) {
    Print("web-0");
    sim_.RunFor(minutes(5));
  }
  EXPECT_THAT(Requests(), ElementsAre("create web-0", "patch web-0 x2"));
}

TEST_F(EventSeriesTest, FailedWriteOfSeriesEnd_IsRetried_EV15) {
  Start();
  for (int i = 0; i < 3; ++i) Print("web-0");
  written_.fault = [](const std::string&) -> Result<void> {
    return Error(Reason::kConnectionRefused, "nobody there");
  };
  sim_.RunFor(minutes(13));
  written_.fault = {};
  Requests();
  sim_.RunFor(minutes(6));
  EXPECT_THAT(Requests(), ElementsAre("patch web-0 x3"));
  sim_.RunFor(minutes(12));
  EXPECT_THAT(Requests(), IsEmpty());
  Print("web-0");
  EXPECT_THAT(Requests(), ElementsAre("create web-0"));
  EXPECT_EQ(metrics_->Text().find("kinformer_events_lost_total{why=\"no answer\"} 1"),
            std::string::npos);
}

TEST_F(EventSeriesTest, FailedWriteOfSeriesEnd_NewEventContinuesSeries_EV15) {
  Start();
  for (int i = 0; i < 3; ++i) Print("web-0");
  written_.fault = [](const std::string&) -> Result<void> {
    return Error(Reason::kConnectionRefused, "nobody there");
  };
  sim_.RunFor(minutes(13));
  written_.fault = {};
  Requests();
  sim_.RunFor(minutes(4));
  Print("web-0");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Requests(), IsEmpty()) << "it goes on";
}

TEST_F(EventSeriesTest, RefusedWriteOfSeriesEnd_IsNotRetried_EV15) {
  Start();
  for (int i = 0; i < 3; ++i) Print("web-0");
  Requests();
  written_.fault = [](const std::string&) -> Result<void> {
    return Error(Reason::kForbidden, "no").WithHttpStatus(403);
  };
  sim_.RunFor(minutes(13));
  EXPECT_THAT(Requests(), ElementsAre("patch web-0 x3"));
  sim_.RunFor(minutes(60));
  EXPECT_THAT(Requests(), IsEmpty());
}

TEST_F(EventSeriesTest, ShutdownTimeout_EndsTheWritesOfCounts) {
  Start();
  for (const char* about : {"a", "b", "c"}) {
    for (int i = 0; i < 3; ++i) Print(about);
  }
  Requests();
  written_.fault = [&](const std::string&) -> Result<void> {
    sim_.env().SleepFor(seconds(2));
    return {};
  };
  const SteadyTime before = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(seconds(3)); }, hours(1)));
  EXPECT_EQ(sim_.env().Now() - before, seconds(4)) << "the second write ends first";
  EXPECT_THAT(Requests(), SizeIs(2));
  EXPECT_THAT(metrics_->Text(), HasSubstr(R"(kinformer_events_lost_total{why="shutdown"} 1)"));
}

TEST_F(EventSeriesTest, SeriesAreWrittenEachHalfHour_EV16) {
  Start();
  for (int i = 0; i < 3; ++i) Print("web-0");
  Print("single");
  Requests();
  for (int i = 0; i < 29; ++i) {
    sim_.RunFor(minutes(1));
    Print("web-0");
  }
  EXPECT_THAT(Requests(), IsEmpty());
  sim_.RunFor(minutes(1) + seconds(1));
  EXPECT_THAT(Requests(), ElementsAre("patch web-0 x32"));
}

TEST_F(EventSeriesTest, ASeriesThatTheServerHasForgottenIsMadeAnew) {
  Start();
  Print("web-0");
  int left = 2;
  written_.fault = [&](const std::string& verb) -> Result<void> {
    if (verb == "patch") return Error(Reason::kNotFound, "no").WithHttpStatus(404);
    if (--left > 0) return Error(Reason::kAlreadyExists, "no").WithHttpStatus(409);
    return {};
  };
  Print("web-0");
  sim_.RunFor(seconds(20));
  EXPECT_THAT(Requests(), ElementsAre("create web-0", "patch web-0 x2", "create web-0 x2",
                                      "patch web-0 x2", "create web-0 x2"));
  EXPECT_EQ(written_.events[4].metadata.name, written_.events[0].metadata.name);
  written_.fault = [](const std::string&) -> Result<void> {
    return Error(Reason::kAlreadyExists, "no").WithHttpStatus(409);
  };
  Print("single");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Requests(), ElementsAre("create single")) << "an event alone is given up";
}

TEST_F(EventSeriesTest, CountsAreWrittenAtTheEnd) {
  Start();
  for (int i = 0; i < 7; ++i) Print("web-0");
  for (int i = 0; i < 2; ++i) Print("web-1");
  Requests();
  EXPECT_TRUE(End());
  EXPECT_THAT(Requests(), ElementsAre("patch web-0 x7")) << "two were written of the other";
}

TEST_F(EventSeriesTest, UndeliveredCountsAtShutdown_CountAsLost) {
  Start();
  for (int i = 0; i < 3; ++i) Print("web-0");
  written_.fault = [](const std::string&) -> Result<void> {
    return Error(Reason::kConnectionRefused, "nobody there");
  };
  EXPECT_TRUE(End());
  EXPECT_THAT(metrics_->Text(), HasSubstr(R"(kinformer_events_lost_total{why="shutdown"} 1)"));
}

TEST_F(EventSeriesTest, TheOldestKindOfEventIsForgottenWhereThereAreTooMany) {
  Start({.cache_size = 2});
  for (const char* about : {"a", "b", "a", "c", "a", "b"}) Print(about);
  EXPECT_THAT(Requests(),
              ElementsAre("create a", "create b", "patch a x2", "create c", "create b"));
}

TEST_F(EventSeriesTest, InvalidEvent_IsNotWritten) {
  Start();
  recorder_->Event(About(""), std::nullopt, kEventTypeNormal, "Printed", "Printing", "nothing");
  recorder_->Event(About("web-0"), std::nullopt, "Strange", "Printed", "Printing", "nothing");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Requests(), IsEmpty());
}

TEST_F(EventSeriesTest, WatchersSeeEachEvent) {
  Start();
  std::vector<std::string> seen;
  broadcaster_->StartEventWatcher([&](const EventMutable& event) {
    seen.push_back(event.note + (event.related ? " " + event.related->name : ""));
  });
  Print("web-0", "one");
  recorder_->Event(About("web-0"), About("disk"), kEventTypeWarning, "Printed", "Printing", "two");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(seen, ElementsAre("one", "two disk"));
}

TEST_F(EventSeriesTest, AWatcherThatThrowsSeesTheNextEventAndHoldsUpNobody) {
  Start();
  int seen = 0;
  broadcaster_->StartEventWatcher([&](const EventMutable&) {
    ++seen;
    throw std::runtime_error("a watcher of the program's");
  });
  Print("web-0");
  Print("web-1");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(seen, 2);
  EXPECT_THAT(Requests(), ElementsAre("create web-0", "create web-1"));
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"event watcher\"} 2"));
}

TEST_F(EventSeriesTest, RecorderAdapter_RecordsCoreV1Events) {
  EventBroadcaster old(sim_.env());
  std::vector<corev1::EventMutable> seen;
  old.StartEventWatcher([&](const corev1::EventMutable& event) { seen.push_back(event); });
  const auto recorder =
      events::NewEventRecorderAdapter(old.NewRecorder({.component = "printer", .host = {}}));
  recorder->Event(About("web-0"), About("disk"), kEventTypeNormal, "Printed", "Printing", "one");
  sim_.RunFor(seconds(1));
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].involvedObject.name, "web-0");
  EXPECT_EQ(seen[0].reason, "Printed");
  EXPECT_EQ(seen[0].message, "one");
  EXPECT_TRUE(seen[0].metadata.annotations.empty());
  recorder->AnnotatedEvent(About("web-0"), std::nullopt, {{"key", "value"}}, kEventTypeNormal,
                           "Printed", "Printing", "two");
  sim_.RunFor(seconds(1));
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_THAT(seen[1].metadata.annotations, ElementsAre(Pair("key", "value")));
  EXPECT_TRUE(sim_.RunBlocking([&] { old.Shutdown(); }, minutes(1)));
}

TEST(EventSelectors, NamesOfFieldsByVersion_EV17) {
  corev1::ObjectReferenceMutable about = About("web-0");
  about.uid = "7";
  EXPECT_EQ(events::GetFieldSelector<corev1::Event>(about).ToString(),
            "involvedObject.apiVersion=v1,involvedObject.kind=Pod,involvedObject.name=web-0,"
            "involvedObject.uid=7");
  EXPECT_EQ(events::GetFieldSelector<eventsv1::Event>(about).ToString(),
            "regarding.apiVersion=v1,regarding.kind=Pod,regarding.name=web-0,regarding.uid=7");
  corev1::ObjectReferenceMutable name;
  name.name = "web-0";
  EXPECT_EQ(events::GetFieldSelector<eventsv1::Event>(name).ToString(), "regarding.name=web-0");
  EXPECT_TRUE(events::GetFieldSelector<corev1::Event>({}).MatchesEverything());
}

}  // namespace
}  // namespace kinformer
