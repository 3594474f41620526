// Each function that a program gives to a broadcaster of events, and its log, metrics and tracer,
// shuts the broadcaster down, or stops a whole manager. Nothing may hang, and the program may not
// be called afterwards.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/tracing.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/events.h"
#include "kinformer/testing/api_server.h"

#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

corev1::ObjectReferenceMutable About(const std::string& name) {
  corev1::ObjectReferenceMutable about;
  about.kind = "Pod";
  about.apiVersion = "v1";
  about.namespace_ = "default";
  about.name = name;
  return about;
}

template <class Event>
class OwnSink final : public BasicEventSink<Event> {
 public:
  explicit OwnSink(EndingPlace& place) : place_(place) {}
  Result<Event> Create(const Event& event, const CallOptions&) override {
    place_.Reach("Create");
    return event;
  }
  Result<Event> Patch(const Event& event, const Patch&, const CallOptions&) override {
    place_.Reach("Patch");
    return event;
  }

 private:
  EndingPlace& place_;
};

// Events of core/v1.
struct CoreEvents {
  using Broadcaster = EventBroadcaster;
  using Event = corev1::EventMutable;
  static auto NewRecorder(Broadcaster& broadcaster) {
    return broadcaster.NewRecorder({.component = "printer"});
  }
  static void Record(EventRecorder& recorder, const std::string& about) {
    recorder.Event(About(about), kEventTypeNormal, "Printed", "two pages");
  }
};
// Events of events.k8s.io/v1.
struct SeriesEvents {
  using Broadcaster = events::EventBroadcaster;
  using Event = eventsv1::EventMutable;
  static auto NewRecorder(Broadcaster& broadcaster) { return broadcaster.NewRecorder("printer"); }
  static void Record(events::EventRecorder& recorder, const std::string& about) {
    recorder.Event(About(about), std::nullopt, kEventTypeNormal, "Printed", "Printing",
                   "two pages");
  }
};

// Returns how often the program was called. Records an event twice for a patch, and two more that
// wait when the function is called.
template <class Kind>
void ShutDownIn(const char* function) {
  SCOPED_TRACE(function);
  Simulation sim({.seed = 37});
  EndingPlace place(function);
  auto broadcaster = std::make_unique<typename Kind::Broadcaster>(sim.env());
  broadcaster->StartRecordingToSink(std::make_unique<OwnSink<typename Kind::Event>>(place));
  broadcaster->StartEventWatcher([&place](const typename Kind::Event&) { place.Reach("OnEvent"); });
  const auto recorder = Kind::NewRecorder(*broadcaster);
  std::optional<Duration> took;
  place.Arm([&] {
    const SteadyTime before = sim.env().Now();
    broadcaster->Shutdown();
    took = sim.env().Now() - before;
  });
  for (const char* about : {"web-0", "web-0", "web-1", "web-2"}) Kind::Record(*recorder, about);
  ASSERT_TRUE(sim.RunUntil([&] { return place.ended(); }, minutes(1))) << place.reached();
  EXPECT_LT(*took, seconds(1)) << "it does not wait for itself";
  sim.RunFor(minutes(1));
  const int calls = place.calls();
  EXPECT_EQ(calls, 8) << "what was recorded before is delivered";
  Kind::Record(*recorder, "late");
  sim.RunFor(minutes(1));
  EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
  EXPECT_TRUE(sim.RunBlocking([&] { broadcaster.reset(); }, minutes(1)));
}

TEST(StopFromEvents, AFunctionOfCoreEventsShutsItsBroadcasterDown) {
  for (const char* function : {"Create", "Patch", "OnEvent"}) ShutDownIn<CoreEvents>(function);
}

TEST(StopFromEvents, AFunctionOfSeriesShutsItsBroadcasterDown) {
  for (const char* function : {"Create", "Patch", "OnEvent"}) ShutDownIn<SeriesEvents>(function);
}

TEST(StopFromEvents, AFunctionOfTheCorrelatorShutsItsBroadcasterDown) {
  for (const char* function : {"KeyFunc", "MessageFunc", "SpamKeyFunc"}) {
    SCOPED_TRACE(function);
    Simulation sim({.seed = 38});
    EndingPlace place(function);
    EventBroadcasterOptions options;
    options.correlator.max_events = 1;
    options.correlator.key_func = [&place](const corev1::EventMutable& event) {
      place.Reach("KeyFunc");
      return EventAggregatorKeys{.aggregate = event.reason, .local = event.message};
    };
    options.correlator.message_func = [&place](const corev1::EventMutable& event) {
      place.Reach("MessageFunc");
      return event.message;
    };
    options.correlator.spam_key_func = [&place](const corev1::EventMutable& event) {
      place.Reach("SpamKeyFunc");
      return event.reason;
    };
    auto broadcaster = std::make_unique<EventBroadcaster>(sim.env(), options);
    broadcaster->StartRecordingToSink(std::make_unique<OwnSink<corev1::EventMutable>>(place));
    const auto recorder = CoreEvents::NewRecorder(*broadcaster);
    place.Arm([&] { broadcaster->Shutdown(); });
    for (const char* about : {"web-0", "web-1"}) CoreEvents::Record(*recorder, about);
    ASSERT_TRUE(sim.RunUntil([&] { return place.ended(); }, minutes(1))) << place.reached();
    sim.RunFor(minutes(1));
    const int calls = place.calls();
    CoreEvents::Record(*recorder, "late");
    sim.RunFor(minutes(1));
    EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
    EXPECT_TRUE(sim.RunBlocking([&] { broadcaster.reset(); }, minutes(1)));
  }
}

// ---- logs, metrics and spans

// Runs `end` at one of the calls of the program's sinks.
class Countdown {
 public:
  void Arm(int calls, std::function<void()> end) {
    left_ = calls;
    end_ = std::move(end);
  }
  void Disarm() { left_ = 0; }
  void Call() {
    if (left_ > 0 && --left_ == 0) {
      end_();
      ended = true;
    }
  }
  bool ended = false;

 private:
  int left_ = 0;  // 0: not armed
  std::function<void()> end_;
};

class OwnLog final : public LogSink {
 public:
  explicit OwnLog(Countdown& countdown) : countdown_(countdown) {}
  [[nodiscard]] LogLevel level() const override {
    countdown_.Call();
    return LogLevel::kDebug;
  }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {
    countdown_.Call();
  }

 private:
  Countdown& countdown_;
};

class OwnInstrument final : public Counter, public Gauge, public Histogram {
 public:
  explicit OwnInstrument(Countdown& countdown) : countdown_(countdown) {}
  void Add(double) override { countdown_.Call(); }
  void Set(double) override { countdown_.Call(); }
  void Observe(double) override { countdown_.Call(); }

 private:
  Countdown& countdown_;
};

class OwnMetrics final : public MetricsSink {
 public:
  explicit OwnMetrics(Countdown& countdown) : countdown_(countdown) {}
  [[nodiscard]] bool enabled() const override {
    countdown_.Call();
    return true;
  }
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    return New();
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    return New();
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    return New();
  }

 private:
  std::shared_ptr<OwnInstrument> New() {
    countdown_.Call();
    return std::make_shared<OwnInstrument>(countdown_);
  }
  Countdown& countdown_;
};

class OwnTracer final : public Tracer {
 public:
  explicit OwnTracer(Countdown& countdown) : countdown_(countdown) {}
  std::unique_ptr<SpanRecorder> StartSpan(const SpanStart&) override {
    countdown_.Call();
    return std::make_unique<Recorder>(countdown_);
  }

 private:
  class Recorder final : public SpanRecorder {
   public:
    explicit Recorder(Countdown& countdown) : countdown_(countdown) {}
    [[nodiscard]] const SpanContext& context() const override {
      countdown_.Call();
      return context_;
    }
    [[nodiscard]] bool recording() const override {
      countdown_.Call();
      return true;
    }
    void SetAttribute(const SpanAttribute&) override { countdown_.Call(); }
    void AddEvent(std::string_view, WallTime, std::span<const SpanAttribute>) override {
      countdown_.Call();
    }
    void AddLink(const SpanContext&) override { countdown_.Call(); }
    void SetError(std::string_view) override { countdown_.Call(); }
    void End(WallTime) override { countdown_.Call(); }

   private:
    Countdown& countdown_;
    const SpanContext context_ =
        *SpanContext::Of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  };
  Countdown& countdown_;
};

// Selects whose calls are counted.
enum class Sink { kLog, kMetrics, kTracer };

// Returns false if the sink is called less often than `calls` times.
bool StopAtCall(int calls, Sink which) {
  Countdown countdown;
  Countdown unused;
  const auto of = [&](Sink sink) -> Countdown& { return sink == which ? countdown : unused; };
  Simulation sim({.seed = 38,
                  .log = std::make_shared<OwnLog>(of(Sink::kLog)),
                  .metrics = std::make_shared<OwnMetrics>(of(Sink::kMetrics)),
                  .tracer = std::make_shared<OwnTracer>(of(Sink::kTracer))});
  ApiServer server(sim);
  server
      .Create({"", "v1", "configmaps"},
              json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                          R"("namespace":"default"}})")
                  .OrExit())
      .OrExit();
  // Words for the log.
  server.faults().Add({.verb = "watch",
                       .resource = "configmaps",
                       .action = apiserver::FaultAction::kRespond,
                       .count = 3,
                       .status = 500});
  std::stop_source stop;
  bool ended = false;
  {
    const auto manager = Manager::New(Client::ForTransport(sim.env(), server.transport()),
                                      {.leader_election = true,
                                       .leader_election_id = "scene",
                                       .leader_election_namespace = "default",
                                       .leader_election_release_on_cancel = true,
                                       .metrics_bind_address = "0",
                                       .serve_webhooks = false})
                             .OrExit();
    countdown.Arm(calls, [&] { stop.request_stop(); });
    ControllerBuilder(*manager)
        .For<ConfigMap>()
        .Complete([&](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
          manager->GetEventRecorderFor("scene")->Event(About(request.name), kEventTypeNormal,
                                                       "Reconciled", "once more");
          return Error(Reason::kUnknown, "again, please");
        })
        .OrExit();
    const auto thread = sim.env().NewThread("manager", [&] {
      static_cast<void>(manager->Start(stop.get_token()));
      ended = true;
    });
    static_cast<void>(sim.RunUntil([&] { return countdown.ended; }, seconds(20)));
    stop.request_stop();
    EXPECT_TRUE(sim.RunUntil([&] { return ended; }, minutes(10)));
    countdown.Disarm();
  }
  sim.RunReady();
  return countdown.ended;
}

// Tries each of the first calls, and then fewer and fewer of the many later ones. Returns the last.
int StopAtManyCalls(Sink which) {
  int calls = 1;
  while (StopAtCall(calls, which) && !::testing::Test::HasFailure()) {
    calls += calls < 50 ? 1 : calls / 8;
  }
  return calls;
}

TEST(StopFromSinks, ALogLineStopsTheManager) { EXPECT_GT(StopAtManyCalls(Sink::kLog), 30); }

TEST(StopFromSinks, AMetricStopsTheManager) { EXPECT_GT(StopAtManyCalls(Sink::kMetrics), 200); }

TEST(StopFromSinks, ASpanStopsTheManager) { EXPECT_GT(StopAtManyCalls(Sink::kTracer), 100); }

}  // namespace
}  // namespace kinformer::testing
