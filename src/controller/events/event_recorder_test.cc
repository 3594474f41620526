// The path of an event from a recorder to a sink.

#include "kinformer/events/event_recorder.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_sink.h"

#include "base/core/testing/fields_log.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using EventMutable = corev1::EventMutable;

// Requests that sinks received; outlives them.
struct Written {
  std::vector<std::string> requests{};  // "create web-0 x1", "patch web-0 x2"
  std::vector<EventMutable> events{};
  std::vector<SteadyTime> times{};
  // If set, called for each request; if it returns an error, the request fails with it.
  std::function<Result<void>(const std::string& verb, const CallOptions& call)> fault{};
};

class FakeSink final : public EventSink {
 public:
  FakeSink(Env& env, Written& written) : env_(env), written_(written) {}
  Result<EventMutable> Create(const EventMutable& event, const CallOptions& call) override {
    return Write("create", event, call);
  }
  Result<EventMutable> Patch(const EventMutable& event, const kinformer::Patch& patch,
                             const CallOptions& call) override {
    EXPECT_THAT(patch.body, HasSubstr("\"count\":" + std::to_string(event.count)));
    return Write("patch", event, call);
  }

 private:
  Result<EventMutable> Write(const std::string& verb, const EventMutable& event,
                             const CallOptions& call) {
    written_.requests.push_back(verb + " " + event.involvedObject.name + " x" +
                                std::to_string(event.count));
    written_.events.push_back(event);
    written_.times.push_back(env_.Now());
    if (written_.fault) {
      if (Result<void> failed = written_.fault(verb, call); !failed) return failed.error();
    }
    EventMutable answer = event;
    answer.metadata.resourceVersion = std::to_string(written_.requests.size());
    return answer;
  }
  Env& env_;
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

class EventRecorderTest : public ::testing::Test {
 protected:
  void TearDown() override {
    // Ends threads, which needs simulated time to pass.
    EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_.reset(); }, hours(1)));
  }
  void Start(EventBroadcasterOptions options = {}) {
    broadcaster_ = std::make_unique<EventBroadcaster>(sim_.env(), std::move(options));
    broadcaster_->StartRecordingToSink(std::make_unique<FakeSink>(sim_.env(), written_));
    recorder_ = broadcaster_->NewRecorder({.component = "printer", .host = "node-1"});
  }
  void Print(const std::string& about, const std::string& message = "two pages") {
    recorder_->Event(About(about), kEventTypeNormal, "Printed", message);
  }
  std::string Metrics() { return metrics_->Text(); }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_, .start = WallTime(seconds(1'000'000))}};
  Written written_;
  std::unique_ptr<EventBroadcaster> broadcaster_;
  std::shared_ptr<EventRecorder> recorder_;
};

TEST_F(EventRecorderTest, CreatedOnceThenCounted_EV01) {
  Start();
  Print("web-0");
  Print("web-0");
  Print("web-1");
  Print("web-0");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(written_.requests, ElementsAre("create web-0 x1", "patch web-0 x2", "create web-1 x1",
                                             "patch web-0 x3"));
  const EventMutable& event = written_.events[0];
  EXPECT_THAT(event.metadata.name, StartsWith("web-0."));
  EXPECT_EQ(event.metadata.namespace_, "default");
  EXPECT_EQ(event.involvedObject.kind, "Pod");
  EXPECT_EQ(event.type, "Normal");
  EXPECT_EQ(event.reason, "Printed");
  EXPECT_EQ(event.message, "two pages");
  EXPECT_EQ(event.source.component, "printer");
  EXPECT_EQ(event.source.host, "node-1");
  EXPECT_EQ(event.reportingComponent, "printer");
  EXPECT_EQ(event.reportingInstance, "node-1");
  EXPECT_EQ(event.firstTimestamp, metav1::Time(1'000'000));
  EXPECT_EQ(written_.events[3].metadata.name, event.metadata.name);
  EXPECT_EQ(written_.events[3].metadata.resourceVersion, "2");
}

// Records each log line with its fields.
class Lines final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    std::string line = level == LogLevel::kWarning ? "W " : "I ";
    line += message;
    for (const LogField& field : fields) {
      line += " " + std::string(field.key) + "=" + field.value;
    }
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines;
};

TEST(EventBroadcasterWithoutSink, SaysOnceThatEventsGoNowhere) {
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log});
  auto broadcaster = std::make_unique<EventBroadcaster>(sim.env());
  const auto recorder = broadcaster->NewRecorder({.component = "printer"});
  recorder->Event(About("web-0"), kEventTypeNormal, "Printed", "two pages");
  recorder->Event(About("web-0"), kEventTypeNormal, "Printed", "two pages");
  EXPECT_EQ(log->text(),
            "events go nowhere: their broadcaster has no sink; call "
            "StartRecordingToSink(NewEventSink(client)) before the first one reason=Printed\n");
  EXPECT_TRUE(sim.RunBlocking([&] { broadcaster.reset(); }, hours(1)));
}

TEST_F(EventRecorderTest, EachEventIsALineInTheLog_EV01) {
  const auto log = std::make_shared<Lines>();
  Simulation sim({.log = log});
  {
    EventBroadcaster broadcaster(sim.env());
    broadcaster.StartLogging();
    const auto recorder = broadcaster.NewRecorder({.component = "printer"});
    recorder->Event(About("web-0"), kEventTypeNormal, "Printed", "two pages");
    recorder->Event(About("n1", ""), kEventTypeWarning, "Jammed", "page 3");
    EXPECT_TRUE(sim.RunBlocking([&] { broadcaster.Shutdown(minutes(1)); }, hours(1)));
  }
  EXPECT_THAT(log->lines,
              ElementsAre("I event object=default/web-0 kind=Pod apiVersion=v1 type=Normal "
                          "reason=Printed message=two pages",
                          "W event object=n1 kind=Pod apiVersion=v1 type=Warning reason=Jammed "
                          "message=page 3"));
}

TEST_F(EventRecorderTest, WithoutANamespaceItIsInDefault_EV02) {
  Start();
  for (int i = 0; i < 2; ++i) {
    recorder_->AnnotatedEvent(About("node-1", ""), {{"by", "test"}}, kEventTypeWarning, "Slow",
                              "for an hour");
  }
  sim_.RunFor(seconds(1));
  EXPECT_THAT(written_.requests, ElementsAre("create node-1 x1", "patch node-1 x2"));
  EXPECT_EQ(written_.events[0].metadata.namespace_, "default");
  EXPECT_EQ(written_.events[0].involvedObject.namespace_, "");
  EXPECT_EQ(written_.events[0].metadata.annotations["by"], "test");
}

TEST_F(EventRecorderTest, InvalidEvent_IsNotWritten) {
  Start();
  recorder_->Event(About(""), kEventTypeNormal, "Printed", "nothing");
  recorder_->Event(corev1::ObjectReferenceMutable(), kEventTypeNormal, "Printed", "nothing");
  recorder_->Event(About("web-0"), "Strange", "Printed", "nothing");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(written_.requests, IsEmpty());
}

TEST_F(EventRecorderTest, RefusedEvent_IsNotRetried_TransportErrorIs_EV03) {
  Start();
  std::vector<Error> errors = {
      Error(Reason::kInvalidArgument, "no path"),
      Error(Reason::kForbidden, "no").WithHttpStatus(403),
      Error(Reason::kInternalError, "no").WithHttpStatus(500),
  };
  for (const Error& error : errors) {
    written_.requests.clear();
    written_.fault = [&](const std::string&, const CallOptions&) { return Result<void>(error); };
    Print("web-" + std::to_string(error.http_status()));
    sim_.RunFor(minutes(10));
    EXPECT_THAT(written_.requests, SizeIs(1)) << error;
  }
  EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_events_lost_total{why="refused"} 3)"));
  for (const Reason reason : {Reason::kTransport, Reason::kDecode, Reason::kConnectionRefused}) {
    written_.requests.clear();
    written_.times.clear();
    int left = 5;
    written_.fault = [&](const std::string&, const CallOptions&) -> Result<void> {
      if (--left < 0) return {};
      return Error(reason, "nobody there");
    };
    Print("web-0", "about " + std::string(ReasonName(reason)));
    sim_.RunFor(minutes(10));
    ASSERT_THAT(written_.requests, SizeIs(6)) << ReasonName(reason);
    EXPECT_LE(written_.times[1] - written_.times[0], seconds(10));
    EXPECT_EQ(written_.times[2] - written_.times[1], seconds(10));
  }
}

TEST_F(EventRecorderTest, ASinkThatThrowsLosesThatEventAndNoOther_EV03) {
  for (const std::string_view throwing : {"create", "patch"}) {
    written_.requests.clear();
    written_.fault = [&, left = 1](const std::string& verb, const CallOptions&) mutable {
      if (verb == throwing && --left == 0) throw std::runtime_error("a sink of the program's");
      return Result<void>();
    };
    Start();
    for (int i = 0; i < 3; ++i) Print("web-0");
    const SteadyTime before = sim_.env().Now();
    EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(); }, minutes(1)));
    EXPECT_EQ(sim_.env().Now(), before);
    EXPECT_THAT(written_.requests, SizeIs(3)) << throwing;
    EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_user_exceptions_total{function="event sink"} )" +
                                     std::string(throwing == "create" ? "1" : "2")));
  }
  EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_events_lost_total{why="refused"} 2)"));
}

TEST_F(EventRecorderTest, UnansweredEvent_IsLostAfterTwelveAttempts_EV03) {
  Start();
  written_.fault = [](const std::string&, const CallOptions&) -> Result<void> {
    return Error(Reason::kConnectionRefused, "nobody there");
  };
  Print("web-0");
  sim_.RunFor(minutes(10));
  EXPECT_THAT(written_.requests, SizeIs(12));
  EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_events_lost_total{why="no answer"} 1)"));
}

TEST_F(EventRecorderTest, AnEventThatTheServerHasForgottenIsMadeAnew_EV04) {
  Start();
  Print("web-0");
  sim_.RunFor(hours(2));
  written_.fault = [](const std::string& verb, const CallOptions&) -> Result<void> {
    if (verb == "create") return {};
    return Error(Reason::kNotFound, "no").WithHttpStatus(404);
  };
  Print("web-0");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(written_.requests,
              ElementsAre("create web-0 x1", "patch web-0 x2", "create web-0 x2"));
  EXPECT_EQ(written_.events[2].metadata.resourceVersion, "");
  EXPECT_NE(written_.events[2].metadata.name, written_.events[0].metadata.name);
  written_.fault = {};
  Print("web-0");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(written_.requests.back(), "patch web-0 x3");
  EXPECT_EQ(written_.events.back().metadata.name, written_.events[2].metadata.name);
}

TEST_F(EventRecorderTest, RecreatedEventWithLostAnswer_IsNotCreatedTwice_EV04) {
  Start();
  Print("web-0");
  sim_.RunFor(seconds(1));
  int left = 2;
  written_.fault = [&](const std::string& verb, const CallOptions&) -> Result<void> {
    if (--left < 0) return {};
    if (verb == "patch") return Error(Reason::kNotFound, "no").WithHttpStatus(404);
    return Error(Reason::kUnexpectedEof, "the answer was cut off");
  };
  Print("web-0");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(written_.requests, ElementsAre("create web-0 x1", "patch web-0 x2", "create web-0 x2",
                                             "patch web-0 x2"));
  EXPECT_EQ(written_.events[3].metadata.name, written_.events[2].metadata.name);
}

TEST_F(EventRecorderTest, AShutdownEndsTheWaitBetweenAttempts_EV05) {
  Start();
  written_.fault = [](const std::string&, const CallOptions&) -> Result<void> {
    return Error(Reason::kConnectionRefused, "nobody there");
  };
  Print("web-0");
  sim_.RunFor(seconds(12));
  const SteadyTime before = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(seconds(1)); }, minutes(1)));
  EXPECT_EQ(sim_.env().Now() - before, seconds(1));
  EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_events_lost_total{why="shutdown"} 1)"));
}

TEST_F(EventRecorderTest, HangingSink_BlocksNoCaller_EV06) {
  Start();
  written_.fault = [&](const std::string&, const CallOptions& call) -> Result<void> {
    SleepUnlessStopped(sim_.env(), call.stop, hours(100));
    return Error(Reason::kCanceled, "stopped");
  };
  Print("web-0");
  sim_.RunFor(seconds(1));
  for (int i = 0; i < 1500; ++i) Print("web-" + std::to_string(i));
  EXPECT_THAT(Metrics(), HasSubstr(R"(kinformer_events_lost_total{why="queue full"} 500)"));
}

TEST_F(EventRecorderTest, Shutdown_DeliversQueuedEvents_EV07) {
  Start();
  for (int i = 0; i < 50; ++i) Print("web-" + std::to_string(i));
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(); }, minutes(1)));
  EXPECT_THAT(written_.requests, SizeIs(50));
  Print("late");
  sim_.RunFor(seconds(10));
  EXPECT_THAT(written_.requests, SizeIs(50));
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(); }, minutes(1))) << "again";
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_.reset(); }, minutes(1)));
  Print("later");
}

TEST_F(EventRecorderTest, EachSinkCountsForItself_EV08) {
  Start();
  Print("web-0");
  sim_.RunFor(seconds(1));
  Written second;
  broadcaster_->StartRecordingToSink(std::make_unique<FakeSink>(sim_.env(), second));
  Print("web-0");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(written_.requests, ElementsAre("create web-0 x1", "patch web-0 x2"));
  EXPECT_THAT(second.requests, ElementsAre("create web-0 x1"));
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_.reset(); }, minutes(1)));
}

// Events are dropped if the queue is full. client-go's watch broadcaster can wait for room instead,
// but its event broadcaster never does; here recording an event never blocks.
TEST_F(EventRecorderTest, WatchersSeeEventsInTheirOrderAndEnd_EV18) {
  Start({.max_queued = 10});
  std::vector<std::string> quick;
  std::vector<std::string> slow;
  broadcaster_->StartEventWatcher([&](const EventMutable& event) {
    quick.push_back(event.involvedObject.name);
    if (quick.size() == 1) throw std::runtime_error("a watcher of the program's");
  });
  broadcaster_->StartEventWatcher([&](const EventMutable& event) {
    slow.push_back(event.involvedObject.name);
    sim_.env().SleepFor(seconds(1));
  });
  for (int i = 0; i < 40; ++i) {
    Print(std::to_string(i));
    sim_.RunFor(milliseconds(10));
  }
  EXPECT_THAT(quick, SizeIs(40)) << "not held up by the slow one";
  EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(minutes(1)); }, minutes(5)));
  EXPECT_THAT(slow, ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"))
      << "what had no room was dropped";
  EXPECT_EQ(quick[39], "39");
}

}  // namespace
}  // namespace kinformer
