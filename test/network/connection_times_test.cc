// The transport over libcurl in simulated time: the moments at which it probes, doubts, and
// abandons connections and answers.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;

class ConnectionTimes : public ServedNetwork {};

// ---- Giving up

TEST_F(ConnectionTimes, GivingUp_IsEvidenceFromThePatienceOn) {
  struct Row {
    Duration idle, ping, waited;
    bool evidence;
  };
  for (const Row& row : std::vector<Row>{{30s, 15s, 2999ms, false},
                                         {30s, 15s, 3000ms, true},
                                         {30s, 15s, 3001ms, true},
                                         {30s, 3s, 2999ms, false},
                                         {30s, 1s, 999ms, false},
                                         {30s, 1s, 1000ms, true},
                                         {0s, 1s, 2999ms, false},
                                         {0s, 1s, 3000ms, true}}) {
    SCOPED_TRACE(Ms(row.idle) + " " + Ms(row.ping) + " " + Ms(row.waited));
    ClientCalls calls(scene_, {.read_idle_timeout = row.idle, .ping_timeout = row.ping});
    ASSERT_TRUE(calls.Try("/x").ok());
    const std::size_t opened = network().opened();
    network().FreezeAll();
    ClientCall& vain = calls.Start("/x");
    RunFor(row.waited);
    calls.GiveUp(vain);
    EXPECT_EQ(calls.Try("/x", ConnectionPool::kShort, 100ms).ok(), row.evidence);
    EXPECT_EQ(network().opened(), opened + (row.evidence ? 1 : 0));
    EXPECT_FALSE(vain.done());
  }
}

// Data for other requests shows that the server is well; with several connections that counts for
// as long as the patience. New requests share the limit of connections with those of the pool
// unless these are retired.
TEST_F(ConnectionTimes, GivingUpOverHttp1_RetiresTheConnectionsIfNothingElseWasHeard) {
  struct Row {
    const char* other;
    Duration given_up;
    bool retired;
  };
  for (const Row& row : std::vector<Row>{{"/watch", 2999ms, false},
                                         {"/watch", 3000ms, true},
                                         {"/lines/0/1", 3500ms, false},
                                         {"/lines/0/1", 3999ms, false},
                                         {"/lines/0/1", 4000ms, true},
                                         {"/ticks", 20500ms, false}}) {
    SCOPED_TRACE(row.other + (" " + Ms(row.given_up)));
    ClientCalls calls(scene_, {.disable_http2 = true, .max_connections = 2});
    Mark();
    ClientCall& other = calls.Start(row.other);
    ClientCall& slow = calls.Start("/slow/60");
    RunTo(row.given_up);
    calls.GiveUp(slow);
    ClientCall& one = calls.Start("/slow/2");
    ClientCall& two = calls.Start("/slow/2");
    RunFor(3s);
    EXPECT_TRUE(one.ok());
    EXPECT_EQ(two.ok(), row.retired);
    EXPECT_FALSE(other.done());
  }
}

TEST_F(ConnectionTimes, TimeoutOfARequest_IsItsExactEnd) {
  ClientCalls calls(scene_);
  ClientCall& late = calls.Start("/slow/60", ConnectionPool::kShort, 5s);
  RunFor(60s);
  EXPECT_EQ(late.took(), 5s);
  EXPECT_EQ(late.error(), std::string(kServer) + "/slow/60: no complete response in time");
  EXPECT_TRUE(calls.Start("/slow/4", ConnectionPool::kShort, 5s).error().empty());
  RunFor(10s);
}

// ---- Probes

TEST_F(ConnectionTimes, QuietConnection_IsProbedEachIdlePeriod) {
  for (const Duration idle : {10s, 30s, 60s}) {
    SCOPED_TRACE(Ms(idle));
    ClientCalls calls(scene_, {.read_idle_timeout = idle});
    ClientCall& watch = calls.Start("/watch", kWatches);
    const int before = handler_.probes();
    for (int i = 1; i <= 4; ++i) {
      RunFor(idle - 2 * kNow);
      EXPECT_EQ(handler_.probes() - before, i - 1) << i;
      RunFor(2 * kNow);
      RunFor(i == 1 ? kNow : 0ms);
      EXPECT_EQ(handler_.probes() - before, i) << i;
    }
    EXPECT_FALSE(watch.done());
    EXPECT_EQ(calls.Stats().connections_opened, 1U);
  }
}

// Only an open request makes a connection worth a probe.
TEST_F(ConnectionTimes, IdleConnection_IsNotProbed) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  RunFor(80s);
  EXPECT_EQ(handler_.probes(), 0);
}

TEST_F(ConnectionTimes, FrozenWatch_EndsAfterIdleAndPing) {
  struct Row {
    Duration idle, ping;
  };
  for (const Row& row : std::vector<Row>{{30s, 15s}, {10s, 6s}, {20s, 2s}, {4s, 20s}}) {
    SCOPED_TRACE(Ms(row.idle) + " " + Ms(row.ping));
    ClientCalls calls(scene_, {.read_idle_timeout = row.idle, .ping_timeout = row.ping});
    ClientCall& watch = calls.Start("/watch", kWatches);
    RunFor(1s);
    network().FreezeAll();
    RunFor(row.idle + row.ping - 1s - kNow);
    EXPECT_FALSE(watch.done());
    RunFor(2 * kNow);
    EXPECT_EQ(watch.error(),
              std::string(kServer) + ": the server gave no sign of life on a silent connection");
    RunFor(10s);
    EXPECT_EQ(calls.Stats().connections_open, 0U);
  }
}

// The probe's silence counts before its time is over: new watches get another connection.
TEST_F(ConnectionTimes, UnansweredProbe_KeepsNewWatchesAwayAfterThePatience) {
  struct Row {
    Duration ping, started;
    bool elsewhere;
  };
  for (const Row& row : std::vector<Row>{{15s, 29900ms, false},
                                         {15s, 32980ms, false},
                                         {15s, 33020ms, true},
                                         {15s, 44900ms, true}}) {
    SCOPED_TRACE(Ms(row.ping) + " " + Ms(row.started));
    ClientCalls calls(scene_, {.ping_timeout = row.ping});
    Mark();
    calls.Start("/watch", kWatches);
    RunFor(1s);
    network().FreezeAll();
    RunTo(row.started);
    ClientCall& next = calls.Start("/watch", kWatches);
    RunFor(kNow);
    EXPECT_EQ(next.bytes() > 0, row.elsewhere);
    EXPECT_EQ(calls.Stats().connections_opened, row.elsewhere ? 2U : 1U);
  }
}

// Other connections are doubted unless they were heard after the probe was sent.
TEST_F(ConnectionTimes, UnansweredProbe_DoubtsConnectionsThatWereSilentSince) {
  struct Row {
    Duration heard;
    int probed;
  };
  for (const Row& row :
       std::vector<Row>{{2s, 1}, {29s, 1}, {30s, 1}, {30001ms, 0}, {31s, 0}, {32s, 0}}) {
    SCOPED_TRACE(Ms(row.heard));
    ClientCalls calls(scene_);
    Mark();
    calls.Start("/watch", kWatches);
    RunFor(1s);
    network().Freeze(network().opened() - 1);
    const int before = handler_.probes();
    RunTo(row.heard);
    ASSERT_TRUE(calls.Try("/x").ok());
    RunTo(33s - kNow);
    EXPECT_EQ(handler_.probes() - before, 0);
    RunTo(33s + kNow);
    EXPECT_EQ(handler_.probes() - before, row.probed);
    EXPECT_TRUE(calls.Try("/x").ok());
    EXPECT_EQ(calls.Stats().connections_opened, 2U) << "it answered the probe";
  }
}

TEST_F(ConnectionTimes, SuspectedConnection_IsUsedAgainOnceItIsHeard) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  EXPECT_FALSE(calls.Try("/x").done());
  ClientCall& slow = calls.Start("/slow/3");
  RunFor(1s);
  ASSERT_EQ(network().opened(), 2U);
  network().Thaw(0);
  RunFor(1s);
  EXPECT_EQ(handler_.probes(), 1);
  network().Freeze(1);
  EXPECT_TRUE(calls.Try("/x").ok()) << "on the first connection";
  EXPECT_FALSE(slow.done());
  EXPECT_EQ(network().opened(), 2U);
}

// ---- Answers that stop

TEST_F(ConnectionTimes, AnswerThatStops_EndsAfterIdleAndPing) {
  struct Row {
    const char* target;
    ConnectionPool pool;
    Duration idle, ping, ends;
    const char* silence;
  };
  for (const Row& row : std::vector<Row>{
           {"/lines/0", ConnectionPool::kShort, 10s, 4s, 14s, "14"},
           {"/lines/0", ConnectionPool::kList, 30s, 15s, 45s, "45"},
           {"/lines/0/13", ConnectionPool::kShort, 10s, 4s, 27s, "14"},
           {"/lines/0/9/18/27", ConnectionPool::kShort, 10s, 4s, 41s, "14"},
           {"/refused/0", kWatches, 10s, 4s, 15s, "15"},
       }) {
    SCOPED_TRACE(row.target + (" " + Ms(row.ends)));
    ClientCalls calls(scene_, {.read_idle_timeout = row.idle, .ping_timeout = row.ping});
    ClientCall& call = calls.Start(row.target, row.pool);
    RunFor(row.ends - kNow);
    EXPECT_FALSE(call.done());
    RunFor(2 * kNow);
    EXPECT_EQ(call.error(), std::string(kServer) + row.target +
                                ": the response stopped in its middle, and nothing more came for " +
                                row.silence + " s");
    EXPECT_TRUE(calls.Try("/x", row.pool).ok());
    EXPECT_EQ(calls.Stats().connections_opened, 1U) << "the connection is well";
  }
}

TEST_F(ConnectionTimes, AnswersThatAreWell_GoOn) {
  ClientCalls calls(scene_, {.read_idle_timeout = 10s, .ping_timeout = 4s});
  ClientCall& watch = calls.Start("/lines/0", kWatches);
  ClientCall& slow_lines = calls.Start("/lines/0/13/26/39/52/65");
  ClientCall& late = calls.Start("/slow/60", ConnectionPool::kList);
  RunFor(66s);
  EXPECT_FALSE(watch.done());
  EXPECT_FALSE(slow_lines.done());
  EXPECT_EQ(slow_lines.bytes(), 6U * 5U);
  EXPECT_TRUE(late.ok());
}

}  // namespace
}  // namespace kinformer::testing
