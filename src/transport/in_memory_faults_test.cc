// The in-memory transport's broken, abandoned and unreadable responses.

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

#include "transport/in_memory_scene_for_test.h"

namespace kinformer::internal::transport {
namespace {

using std::chrono::milliseconds;
using State = ResponseStream::State;
using Texts = std::vector<std::string>;

const std::string kDown = "failed: the in-memory server went down";
const std::string kCutBefore = "failed: the connection was cut before the response";
const std::string kCutAmid = "failed: the connection was cut in the middle of the response";
const std::string kClosed = "failed: the server closed the connection without a response";

using InMemoryFaults = InMemoryScene;

TEST_F(InMemoryFaults, FirstBreak_IsTheOneThatIsTold) {
  Make();
  TimedReceiver got(sim_.env());
  Start(got);
  transport_->Down();
  transport_->CutSoon(0);
  transport_->Replace(server_);
  sim_.RunReady();
  EXPECT_EQ(got.calls, Texts{kDown});
  TimedReceiver refused(sim_.env());
  Start(refused);
  EXPECT_TRUE(refused.calls.empty()) << "Start calls nobody";
  sim_.RunReady();
  EXPECT_EQ(refused.calls, Texts{"failed: connection refused: the in-memory server is down"});
  EXPECT_EQ(refused.reason, Reason::kConnectionRefused);
  EXPECT_TRUE(server_.targets.empty());
}

TEST_F(InMemoryFaults, Down_EndsCallsByTheirAgeAndReleasesWhatTheyHold) {
  Make({.max_chunk_bytes = 2});
  std::vector<std::unique_ptr<TimedReceiver>> all;
  std::vector<int> order;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::make_unique<TimedReceiver>(sim_.env()));
    all.back()->on_done = [&order, i] { order.push_back(i); };
    Start(*all.back());
  }
  transport_->Down();
  sim_.RunReady();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(transport_->Stats().connections_open, 0U);

  Make({.max_chunk_bytes = 2, .min_latency = milliseconds(10), .max_latency = milliseconds(10)});
  script().steps = {{.parts = {"abcdef"}, .state = State::kWait}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunFor(milliseconds(25));
  ASSERT_EQ(got.calls, (Texts{"head 200 0", "data ab"}));
  EXPECT_FALSE(script().chunks.at(0).expired());
  transport_->Down();
  EXPECT_TRUE(script().chunks.at(0).expired());
  EXPECT_TRUE(script().gone);
  script().Wake();
  sim_.RunFor(milliseconds(100));
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data ab", kDown}));
}

TEST_F(InMemoryFaults, CutSoon_CutsAfterEachCountUpToTheMost) {
  std::set<std::size_t> seen;
  for (int i = 0; i < 100; ++i) {
    Make({.max_chunk_bytes = 1 + static_cast<std::size_t>(i % 3)});
    TimedReceiver got(sim_.env());
    Start(got);
    sim_.RunReady();
    transport_->CutSoon(3);
    script().steps = {{.parts = {"abcdefgh"}, .state = State::kWait}};
    script().Wake();
    sim_.RunReady();
    EXPECT_EQ(got.calls.back(), kCutAmid);
    EXPECT_EQ(got.reason, Reason::kUnexpectedEof);
    seen.insert(got.bytes);
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST_F(InMemoryFaults, CutSoon_OfNothingNeedsNoData) {
  Make();
  TimedReceiver begun(sim_.env());
  Start(begun);
  sim_.RunReady();
  TimedReceiver fresh(sim_.env());
  Start(fresh);
  transport_->CutSoon(0);
  sim_.RunReady();
  EXPECT_EQ(begun.calls, (Texts{"head 200 0", kCutAmid}));
  EXPECT_EQ(fresh.calls, Texts{kCutBefore});
  EXPECT_EQ(fresh.reason, Reason::kTransport);
}

// All of it is on the way.
TEST_F(InMemoryFaults, CutSoon_SparesAResponseThatTheServerHasEnded) {
  Make({.max_chunk_bytes = 2, .min_latency = milliseconds(10), .max_latency = milliseconds(10)});
  script().steps = {{.parts = {"abcd"}, .state = State::kEnd}};
  TimedReceiver got(sim_.env());
  got.on_data = [&] { transport_->CutSoon(0); };
  Start(got);
  sim_.RunFor(milliseconds(100));
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data ab", "data cd", "done"}));
}

TEST_F(InMemoryFaults, NoAnswer_IsAClosedConnection) {
  for (const bool null : {true, false}) {
    Make();
    script().null = null;
    script().status = null ? 200 : 0;
    TimedReceiver got(sim_.env());
    Start(got);
    sim_.RunReady();
    EXPECT_EQ(got.calls, Texts{kClosed}) << null;
    EXPECT_EQ(got.reason, Reason::kTransport);
  }
}

// The head cannot be taken back.
TEST_F(InMemoryFaults, StatusThatChangesAfterTheHead_CutsWithoutAnyOfTheOtherBody) {
  for (const bool waits : {false, true}) {
    Make();
    if (waits) script().steps = {{.state = State::kWait}};
    script().steps.push_back({.parts = {"other"}, .state = State::kEnd});
    TimedReceiver got(sim_.env());
    got.on_headers = [&] { script().status = 500; };
    Start(got);
    sim_.RunReady();
    script().Wake();
    sim_.RunReady();
    EXPECT_EQ(got.calls, (Texts{"head 200 0", kCutAmid})) << waits;
  }
}

TEST_F(InMemoryFaults, Abort_ComesAfterTheDataBeforeIt) {
  Make({.max_chunk_bytes = 2});
  script().steps = {{.parts = {"abc"}, .state = State::kAbort}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data ab", "data c", kCutAmid}));
}

// The server breaks or abandons the call from inside its own methods, where its stream must live.
TEST_F(InMemoryFaults, BreakInsideTheServer_LeavesItsStreamUntilItReturns) {
  for (const bool abandons : {false, true}) {
    SCOPED_TRACE(abandons ? "abandoned" : "broken");
    Make({.min_latency = milliseconds(10), .max_latency = milliseconds(10)});
    TimedReceiver got(sim_.env());
    const auto end = [&] {
      if (abandons) {
        got.call.reset();
      } else {
        transport_->Down();
      }
    };
    script().steps = {{.parts = {"abc"}, .state = State::kMore, .inside = [&] {
                         script().Wake();
                         end();
                         EXPECT_FALSE(script().gone);
                       }}};
    Start(got);
    sim_.RunFor(milliseconds(20));
    EXPECT_EQ(script().asked.size(), 1U);
    EXPECT_TRUE(script().gone);
    EXPECT_TRUE(script().chunks.at(0).expired());
    sim_.RunFor(milliseconds(100));
    EXPECT_EQ(got.calls, abandons ? Texts{"head 200 0"} : (Texts{"head 200 0", kDown}));
    script().Wake();
    sim_.RunFor(milliseconds(100));

    transport_->Up();
    server_.script = std::make_shared<Script>();
    script().in_handle = end;
    TimedReceiver second(sim_.env());
    got.calls.clear();
    Start(got);
    sim_.RunFor(milliseconds(10));
    EXPECT_TRUE(script().gone);
    EXPECT_EQ(script().wakes_set, 0);
    sim_.RunFor(milliseconds(100));
    EXPECT_EQ(got.calls, abandons ? Texts() : Texts{kDown});
  }
}

TEST_F(InMemoryFaults, ReceiverThatEndsItsCall_GetsNoMore) {
  for (const bool abandons : {false, true}) {
    for (const bool in_head : {false, true}) {
      SCOPED_TRACE(std::to_string(abandons) + " " + std::to_string(in_head));
      Make({.max_chunk_bytes = 2});
      script().steps = {{.parts = {"abcd"}, .state = State::kEnd}};
      TimedReceiver got(sim_.env());
      (in_head ? got.on_headers : got.on_data) = [&] {
        if (abandons) {
          got.call.reset();
        } else {
          transport_->Down();
        }
        EXPECT_TRUE(script().gone);
        EXPECT_EQ(transport_->Stats().connections_open, 0U);
      };
      Start(got);
      sim_.RunReady();
      Texts want{"head 200 0"};
      if (!in_head) want.push_back("data ab");
      if (!abandons) want.push_back(kDown);
      EXPECT_EQ(got.calls, want);
    }
  }
}

TEST_F(InMemoryFaults, ReceiverThatThrowsAfterTheEndOfItsCall_ChangesNothing) {
  for (const bool abandons : {false, true}) {
    Make();
    script().steps = {{.parts = {"abcd"}, .state = State::kEnd}};
    TimedReceiver got(sim_.env());
    got.on_data = [&] {
      if (abandons) {
        got.call.reset();
      } else {
        transport_->Down();
      }
      throw std::runtime_error("by the receiver");
    };
    Start(got);
    sim_.RunReady();
    Texts want{"head 200 0", "data abcd"};
    if (!abandons) want.push_back(kDown);
    EXPECT_EQ(got.calls, want);
  }
}

TEST(InMemoryDeathTest, ReceiverWithoutMemory_EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Simulation sim;
        ScriptedServer server(sim.env());
        const auto transport = NewInMemoryTransport(sim.env(), server);
        TimedReceiver got(sim.env());
        got.on_headers = [] { throw std::bad_alloc(); };
        got.call = transport->Start({.target = "/x"}, got);
        sim.RunReady();
      },
      ::testing::KilledBySignal(SIGABRT), "out of memory \\(a response\\)");
}

}  // namespace
}  // namespace kinformer::internal::transport
