// The in-memory transport step by step: which calls the receiver and the server get, and when.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

#include "transport/in_memory_scene_for_test.h"

namespace kinformer::internal::transport {
namespace {

using std::chrono::milliseconds;
using State = ResponseStream::State;
using Texts = std::vector<std::string>;

constexpr Duration kLatency = milliseconds(10);
constexpr InMemoryTransportOptions kSlow{.min_latency = kLatency, .max_latency = kLatency};

using InMemorySteps = InMemoryScene;

// ---- Times

TEST_F(InMemorySteps, Latency_IsEachValueBetweenItsLimits) {
  Make({.min_latency = Duration(10), .max_latency = Duration(12)});
  std::set<Duration> seen;
  for (int i = 0; i < 200; ++i) {
    TimedReceiver got(sim_.env());
    const SteadyTime before = sim_.env().Now();
    Start(got);
    sim_.RunFor(milliseconds(1));
    seen.insert(server_.handled.back() - before);
  }
  EXPECT_EQ(seen, (std::set<Duration>{Duration(10), Duration(11), Duration(12)}));
}

TEST_F(InMemorySteps, Latency_WithoutARangeIsTheLesserLimit) {
  for (const Duration most : {Duration(0), Duration(6), Duration(7)}) {
    Make({.min_latency = Duration(7), .max_latency = most});
    for (int i = 0; i < 20; ++i) {
      TimedReceiver got(sim_.env());
      const SteadyTime before = sim_.env().Now();
      Start(got);
      sim_.RunFor(milliseconds(1));
      EXPECT_EQ(server_.handled.back() - before, Duration(7));
    }
  }
}

// Request, head and each chunk take it; the first chunk comes together with the head.
TEST_F(InMemorySteps, EachStep_TakesItsLatencyOnce) {
  InMemoryTransportOptions options = kSlow;
  options.max_chunk_bytes = 2;
  Make(options);
  script().steps = {{.parts = {"abc"}, .state = State::kMore},
                    {.parts = {"defg"}, .state = State::kEnd}};
  TimedReceiver got(sim_.env());
  const SteadyTime before = sim_.env().Now();
  Start(got);
  sim_.RunFor(kLatency * 20);
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data ab", "data cd", "data ef", "data g", "done"}));
  std::vector<int> latencies;
  for (const SteadyTime time : got.times) {
    latencies.push_back(static_cast<int>((time - before) / kLatency));
  }
  EXPECT_EQ(server_.handled.front() - before, kLatency);
  EXPECT_EQ(latencies, (std::vector<int>{2, 2, 3, 4, 5, 6}));
}

TEST_F(InMemorySteps, WakeInsideOnHeaders_DelaysNothing) {
  Make(kSlow);
  TimedReceiver got(sim_.env());
  got.on_headers = [&] {
    script().steps = {{.parts = {"a"}, .state = State::kWait}};
    script().Wake();
  };
  Start(got);
  sim_.RunFor(kLatency * 20);
  ASSERT_EQ(got.calls, (Texts{"head 200 0", "data a"}));
  EXPECT_EQ(got.times[0], got.times[1]);
}

// A server may wake the transport from inside Read; that is one step and not two.
TEST_F(InMemorySteps, WakeInsideRead_MakesNoChunkFaster) {
  for (const State state : {State::kMore, State::kWait}) {
    InMemoryTransportOptions options = kSlow;
    options.max_chunk_bytes = 1;
    Make(options);
    server_.script = std::make_shared<Script>();
    script().steps = {{.parts = {"abcd"}, .state = state, .inside = [&] { script().Wake(); }},
                      {.parts = {"e"}, .state = State::kEnd}};
    TimedReceiver got(sim_.env());
    Start(got);
    sim_.RunFor(kLatency * 20);
    ASSERT_EQ(got.calls,
              (Texts{"head 200 0", "data a", "data b", "data c", "data d", "data e", "done"}));
    for (std::size_t i = 2; i < got.times.size(); ++i) {
      EXPECT_EQ(got.times[i] - got.times[i - 1], kLatency) << i;
    }
  }
}

TEST_F(InMemorySteps, WakeInsideRead_IsAnsweredByOneRead) {
  Make();
  script().steps = {{.parts = {"a"}, .state = State::kWait, .inside = [&] { script().Wake(); }}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data a"}));
  EXPECT_EQ(script().asked.size(), 2U);
}

TEST_F(InMemorySteps, Break_IsToldAtOnceInSpiteOfTheLatency) {
  for (const bool replaced : {false, true}) {
    Make({.min_latency = std::chrono::hours(1), .max_latency = std::chrono::hours(1)});
    TimedReceiver got(sim_.env());
    Start(got);
    const SteadyTime before = sim_.env().Now();
    if (replaced) {
      transport_->Replace(server_);
    } else {
      transport_->Down();
    }
    sim_.RunReady();
    EXPECT_EQ(Since(before), Duration::zero());
    EXPECT_EQ(got.calls, Texts{replaced ? "failed: the in-memory server was replaced"
                                        : "failed: the in-memory server went down"});
    EXPECT_EQ(got.reason, Reason::kTransport);
    EXPECT_TRUE(server_.targets.empty());
  }
}

TEST_F(InMemorySteps, Timeout_EndsAtItsMomentAndNoneIsNone) {
  Make();
  TimedReceiver limited(sim_.env());
  TimedReceiver unlimited(sim_.env());
  const SteadyTime before = sim_.env().Now();
  Start(limited, {.target = "/x", .timeout = milliseconds(30)});
  Start(unlimited);
  sim_.RunFor(milliseconds(30) - Duration(1));
  EXPECT_FALSE(limited.done);
  sim_.RunFor(Duration(1));
  EXPECT_EQ(limited.calls, (Texts{"head 200 0", "failed: no complete response in time"}));
  EXPECT_EQ(limited.reason, Reason::kDeadlineExceeded);
  EXPECT_EQ(limited.times.back() - before, milliseconds(30));
  sim_.RunFor(std::chrono::hours(100));
  EXPECT_FALSE(unlimited.done);
}

// Timers of calls that are over would only delay a simulation that waits for its last event.
TEST_F(InMemorySteps, Latency_OfACallThatIsOverIsForgotten) {
  for (const bool abandoned : {false, true}) {
    Make({.min_latency = std::chrono::hours(1), .max_latency = std::chrono::hours(1)});
    TimedReceiver got(sim_.env());
    const SteadyTime before = sim_.env().Now();
    Start(got);
    if (abandoned) {
      got.call.reset();
    } else {
      transport_->Down();
    }
    EXPECT_FALSE(sim_.RunUntil([] { return false; }, std::chrono::hours(10)));
    EXPECT_EQ(Since(before), Duration::zero());
    EXPECT_EQ(got.done, !abandoned);
  }
}

TEST_F(InMemorySteps, Timeout_OfACallThatIsOverIsForgotten) {
  for (const bool abandoned : {false, true}) {
    Make();
    server_.script = std::make_shared<Script>();
    if (!abandoned) script().steps = {{.state = State::kEnd}};
    TimedReceiver got(sim_.env());
    const SteadyTime before = sim_.env().Now();
    Start(got, {.target = "/x", .timeout = std::chrono::hours(1)});
    sim_.RunReady();
    EXPECT_EQ(got.done, !abandoned);
    if (abandoned) got.call.reset();
    EXPECT_FALSE(sim_.RunUntil([] { return false; }, std::chrono::hours(10)));
    EXPECT_EQ(Since(before), Duration::zero());
  }
}

}  // namespace
}  // namespace kinformer::internal::transport
