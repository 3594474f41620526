// Delivery of events: attempts, their times, what counts as lost and what is logged.

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"

#include "base/core/testing/fields_log.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class FunctionSink final : public EventSink {
 public:
  using Function = std::function<Result<void>(const CallOptions&)>;
  explicit FunctionSink(Function function) : function_(std::move(function)) {}
  Result<corev1::EventMutable> Create(const corev1::EventMutable& event,
                                      const CallOptions& call) override {
    if (Result<void> done = function_(call); !done) return done.error();
    return event;
  }
  Result<corev1::EventMutable> Patch(const corev1::EventMutable& event, const kinformer::Patch&,
                                     const CallOptions& call) override {
    return Create(event, call);
  }

 private:
  const Function function_;
};

// A broadcaster with one sink.
class Delivery {
 public:
  explicit Delivery(FunctionSink::Function sink, EventBroadcasterOptions options = {}) {
    broadcaster_ = std::make_unique<EventBroadcaster>(sim_.env(), options);
    broadcaster_->StartRecordingToSink(std::make_unique<FunctionSink>(std::move(sink)));
  }
  ~Delivery() { End(); }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  void Print(const std::string& about, const std::string& message = "two pages") {
    corev1::ObjectReferenceMutable reference;
    reference.kind = "Pod";
    reference.namespace_ = "default";
    reference.name = about;
    broadcaster_->NewRecorder({.component = "printer", .host = {}})
        ->Event(reference, kEventTypeNormal, "Printed", message);
  }
  void Shutdown(Duration timeout) {
    EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_->Shutdown(timeout); }, hours(1)));
  }
  void End() {
    EXPECT_TRUE(sim_.RunBlocking([&] { broadcaster_.reset(); }, hours(1)));
  }
  [[nodiscard]] bool Lost(const std::string& why, int count) const {
    return metrics_->Text().find("kinformer_events_lost_total{why=\"" + why + "\"} " +
                                 std::to_string(count) + "\n") != std::string::npos;
  }
  [[nodiscard]] Simulation& sim() { return sim_; }
  [[nodiscard]] internal::base::FieldsLog& log() { return *log_; }
  [[nodiscard]] EventBroadcaster& broadcaster() { return *broadcaster_; }
  [[nodiscard]] std::string Metrics() const { return metrics_->Text(); }

 private:
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  std::unique_ptr<EventBroadcaster> broadcaster_;
};

TEST(EventDelivery, UnansweredEvent_IsRepeatedUntilMaxAttempts) {
  for (const int attempts : {1, 2, 4}) {
    std::vector<SteadyTime> times;
    Env* env = nullptr;
    Delivery delivery(
        [&](const CallOptions&) -> Result<void> {
          times.push_back(env->Now());
          return Error(Reason::kTransport, "cut");
        },
        {.max_attempts = attempts, .retry_delay = seconds(7)});
    env = &delivery.sim().env();
    delivery.Print("a");
    delivery.sim().RunFor(minutes(5));
    ASSERT_THAT(times, SizeIs(attempts));
    for (std::size_t i = 1; i < times.size(); ++i) {
      const Duration pause = times[i] - times[i - 1];
      if (i > 1) {
        EXPECT_EQ(pause, seconds(7));
      } else {
        EXPECT_LT(pause, seconds(7)) << "a random part of it";
      }
    }
    EXPECT_TRUE(delivery.Lost("no answer", 1)) << delivery.Metrics();
    EXPECT_TRUE(delivery.Lost("refused", 0));
    EXPECT_TRUE(delivery.Lost("shutdown", 0));
    EXPECT_TRUE(delivery.Lost("queue full", 0));
    EXPECT_EQ(delivery.log().text(),
              "an event was not written namespace=default object=Pod a reason=Printed "
              "err=Transport: cut\n");
  }
}

struct Refusal {
  const char* what;
  Error error;
  bool logged;
};

// Refusals that are part of normal operation are no warnings.
TEST(EventDelivery, RefusedEvent_IsWarnedOfUnlessExpected) {
  const auto forbidden = [](std::vector<StatusCause> causes) {
    return Error(Reason::kForbidden, "no")
        .WithHttpStatus(403)
        .WithDetails({.causes = std::move(causes)});
  };
  for (const Refusal& row : std::vector<Refusal>{
           {"bad", Error(Reason::kBadRequest, "no").WithHttpStatus(400), true},
           {"bad there",
            Error(Reason::kBadRequest, "no")
                .WithHttpStatus(400)
                .WithDetails({.causes = {{.reason = "NamespaceTerminating"}}}),
            true},
           {"exists", Error(Reason::kAlreadyExists, "no").WithHttpStatus(409), false},
           {"no right", forbidden({}), true},
           {"quota", forbidden({{.reason = "FieldValueInvalid"}}), true},
           {"terminating", forbidden({{.reason = "NamespaceTerminating"}}), false},
           {"both", forbidden({{.reason = "x"}, {.reason = "NamespaceTerminating"}}), false}}) {
    SCOPED_TRACE(row.what);
    int asked = 0;
    Delivery delivery([&](const CallOptions&) -> Result<void> {
      ++asked;
      return row.error;
    });
    delivery.Print("a");
    delivery.sim().RunFor(minutes(5));
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(delivery.Lost("refused", 1)) << delivery.Metrics();
    EXPECT_TRUE(delivery.Lost("no answer", 0));
    EXPECT_EQ(delivery.log().Count("an event was not written"), row.logged ? 1U : 0U);
  }
}

TEST(EventDelivery, Shutdown_GivesUpRunningAndQueuedEvents) {
  Env* env = nullptr;
  int asked = 0;
  Delivery delivery([&](const CallOptions& call) -> Result<void> {
    ++asked;
    SleepUnlessStopped(*env, call.stop, hours(10));
    return Error(Reason::kCanceled, "stopped");
  });
  env = &delivery.sim().env();
  for (const char* about : {"a", "b", "c", "d", "e"}) delivery.Print(about);
  delivery.sim().RunFor(minutes(1));
  const SteadyTime before = env->Now();
  delivery.Shutdown(seconds(3));
  EXPECT_EQ(env->Now() - before, seconds(3));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(delivery.Lost("shutdown", 5)) << delivery.Metrics();
  EXPECT_TRUE(delivery.Lost("no answer", 0));
  delivery.Print("late");
  EXPECT_TRUE(delivery.Lost("queue full", 0)) << "nobody takes events any more";
}

TEST(EventDelivery, FullQueue_IsLoggedOnceAndCountedForEachSink) {
  Env* env = nullptr;
  const auto hangs = [&](const CallOptions& call) -> Result<void> {
    SleepUnlessStopped(*env, call.stop, hours(10));
    return Error(Reason::kCanceled, "stopped");
  };
  for (const int sinks : {1, 2}) {
    Delivery delivery(hangs, {.max_queued = 3});
    if (sinks == 2) {
      delivery.broadcaster().StartRecordingToSink(std::make_unique<FunctionSink>(hangs));
    }
    env = &delivery.sim().env();
    delivery.Print("running");
    delivery.sim().RunFor(seconds(1));
    for (const char* about : {"a", "b", "c"}) delivery.Print(about);
    EXPECT_TRUE(delivery.Lost("queue full", 0)) << "three have room";
    EXPECT_EQ(delivery.log().text(), "");
    const std::string warning = "events are lost: more are given than can be written queued=3\n";
    delivery.Print("d");
    EXPECT_TRUE(delivery.Lost("queue full", sinks)) << delivery.Metrics();
    EXPECT_EQ(delivery.log().text(), warning);
    delivery.Print("e");
    EXPECT_TRUE(delivery.Lost("queue full", 2 * sinks)) << delivery.Metrics();
    EXPECT_EQ(delivery.log().text(), warning) << "once";
  }
}

TEST(EventDelivery, BroadcasterWithoutSink_WarnsOfTheFirstEventOnly) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  EventBroadcaster broadcaster(sim.env());
  corev1::ObjectReferenceMutable about;
  about.kind = "Pod";
  about.name = "a";
  const auto recorder = broadcaster.NewRecorder({.component = "printer", .host = {}});
  for (int i = 0; i < 3; ++i) {
    recorder->Event(about, kEventTypeNormal, "Printed", "two pages");
    EXPECT_EQ(log->Count("events go nowhere"), 1U) << i;
  }
}

TEST(EventDelivery, NewEvent_HasOneTimeAndCount) {
  Simulation sim({.start = WallTime(std::chrono::milliseconds(1'000'999))});
  std::vector<corev1::EventMutable> seen;
  EventBroadcaster broadcaster(sim.env());
  broadcaster.StartEventWatcher([&](const corev1::EventMutable& event) { seen.push_back(event); });
  corev1::ObjectReferenceMutable about;
  about.kind = "Pod";
  about.name = "a";
  broadcaster.NewRecorder({.component = "printer", .host = {}})
      ->Event(about, kEventTypeNormal, "Printed", "two pages");
  EXPECT_TRUE(sim.RunBlocking([&] { broadcaster.Shutdown(); }, hours(1)));
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].firstTimestamp, metav1::Time(1000)) << "whole seconds";
  EXPECT_EQ(seen[0].lastTimestamp, metav1::Time(1000));
  EXPECT_EQ(seen[0].count, 1);
}

TEST(EventDelivery, EventsAboveTheRate_AreCountedAsFiltered) {
  int asked = 0;
  Delivery delivery([&](const CallOptions&) -> Result<void> {
    ++asked;
    return {};
  });
  for (int i = 0; i < 28; ++i) delivery.Print("a");
  delivery.sim().RunFor(seconds(1));
  EXPECT_EQ(asked, 25);
  EXPECT_THAT(delivery.Metrics(), HasSubstr("kinformer_events_filtered_total 3\n"));
  EXPECT_EQ(delivery.log().text(), "");
}

}  // namespace
}  // namespace kinformer
