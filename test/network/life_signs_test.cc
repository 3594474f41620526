// The transport over libcurl in simulated time: which connections it considers dead, and when.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/socket_scene.h"
#include "network/timed_handler.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ConnectionPool kPools[] = {ConnectionPool::kShort, ConnectionPool::kList,
                                     ConnectionPool::kWatch, ConnectionPool::kLease};

class LifeSignsTest : public ::testing::Test {
 protected:
  LifeSignsTest() { scene_.Serve(handler_); }
  ~LifeSignsTest() override { scene_.StopServing(); }
  [[nodiscard]] SimulatedNetwork& network() { return scene_.network(); }
  void RunFor(Duration duration) { scene_.sim().RunFor(duration); }
  bool RunUntil(const std::function<bool()>& done, Duration limit) {
    return scene_.sim().RunUntil(done, limit);
  }

  SocketScene scene_{1};
  TimedHandler handler_{scene_.env()};
};

TEST_F(LifeSignsTest, RequestsAndWatchesPassInSimulatedTime) {
  ClientCalls calls(scene_);
  EXPECT_TRUE(calls.Try("/x").ok());
  ClientCall& ticks = calls.Start("/ticks", ConnectionPool::kWatch);
  RunFor(10500ms);
  EXPECT_EQ(ticks.bytes(), 11U * 5U);
  EXPECT_TRUE(calls.Try("/slow/4").ok());
  EXPECT_EQ(network().opened(), 2U) << "one of each pool";
}

// The caller of a request on a silent connection gives up, and the request of the next caller must
// not use the same connection.
TEST_F(LifeSignsTest, GivingUpOnASilentConnection_IsEvidenceForTheNext) {
  for (const ConnectionPool pool : kPools) {
    ClientCalls calls(scene_);
    ASSERT_TRUE(calls.Try("/x", pool).ok());
    const std::size_t opened = network().opened();
    network().FreezeAll();
    EXPECT_FALSE(calls.Try("/x", pool).done());
    ClientCall& next = calls.Try("/x", pool);
    EXPECT_TRUE(next.ok());
    EXPECT_LT(next.took(), 1s);
    EXPECT_EQ(network().opened(), opened + 1);
    RunFor(30s);
    EXPECT_EQ(calls.Stats().connections_open, 1U) << "the frozen one is closed";
    EXPECT_THAT(network().Open(), ElementsAre(opened));
  }
}

TEST_F(LifeSignsTest, ATimeoutOfTheRequestItself_IsEvidenceToo) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  ClientCall& late = calls.Start("/x", ConnectionPool::kShort, 5s);
  RunFor(5s);
  EXPECT_THAT(late.error(), HasSubstr("no complete response in time"));
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kShort, 1s).ok());
}

TEST_F(LifeSignsTest, ShortPatienceOfSeveralCallersAddsUp) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(calls.Try("/x", ConnectionPool::kShort, 1s).done());
    EXPECT_EQ(network().opened(), 1U);
  }
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kShort, 1s).ok());
}

TEST_F(LifeSignsTest, CallersThatWaitAtTheSameTime_CountOnce) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  std::vector<ClientCall*> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(&calls.Start("/x"));
  RunFor(1s);
  for (ClientCall* const call : waiting) calls.GiveUp(*call);
  EXPECT_FALSE(calls.Try("/x", ConnectionPool::kShort, 1s).done());
  EXPECT_EQ(network().opened(), 1U) << "two seconds of silence are no evidence yet";
}

TEST_F(LifeSignsTest, ImmediateCancel_IsNoEvidence) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  for (int i = 0; i < 20; ++i) {
    calls.GiveUp(calls.Start("/slow/60"));
    RunFor(1s);
  }
  EXPECT_TRUE(calls.Try("/x").ok());
  EXPECT_EQ(network().opened(), 1U);
  EXPECT_EQ(handler_.probes, 0);
}

// Data of other streams on the connection proves that it is alive.
TEST_F(LifeSignsTest, ASlowRequestBesideStreamsThatAreHeard_LeavesTheConnectionAlone) {
  ClientCalls calls(scene_);
  ClientCall& ticks = calls.Start("/ticks", ConnectionPool::kWatch);
  RunFor(1s);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(calls.Try("/slow/60", ConnectionPool::kWatch, 20s).done());
  }
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kWatch).ok());
  EXPECT_EQ(network().opened(), 1U);
  EXPECT_EQ(handler_.probes, 0);
  EXPECT_FALSE(ticks.done());
}

// The server is slow: the answer to the probe restores trust.
TEST_F(LifeSignsTest, ASlowRequestOnAnOtherwiseQuietConnection_CostsAProbeAndNoConnection) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(calls.Try("/slow/60").done());
    RunFor(10ms);
    EXPECT_TRUE(calls.Try("/x").ok());
  }
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_GE(handler_.probes, 5);
  EXPECT_FALSE(watch.done());
}

// An accepted watch may be silent for any time.
TEST_F(LifeSignsTest, TheEndOfAQuietWatch_SaysNothing) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  RunFor(25s);
  calls.GiveUp(watch);
  RunFor(1s);
  EXPECT_EQ(handler_.probes, 0);
  EXPECT_FALSE(calls.Start("/watch", ConnectionPool::kWatch).done());
  RunFor(1s);
  EXPECT_EQ(network().opened(), 1U);
}

// The dead watch also counts as evidence against connections that were unused since then.
TEST_F(LifeSignsTest, AfterAFreeze_TheWatchEndsIn45SecondsAndTheNextRequestPassesAtOnce) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  ASSERT_TRUE(calls.Try("/x").ok());
  ASSERT_TRUE(calls.Try("/x", ConnectionPool::kList).ok());
  const SteadyTime frozen = scene_.env().Now();
  network().FreezeAll();
  ASSERT_TRUE(RunUntil([&] { return watch.done(); }, 60s));
  EXPECT_THAT(watch.error(), HasSubstr("no sign of life"));
  EXPECT_LE(scene_.env().Now() - frozen, 45s + 100ms);
  for (const ConnectionPool pool : kPools) EXPECT_TRUE(calls.Try("/x", pool, 1s).ok());
  RunFor(30s);
  EXPECT_EQ(calls.Stats().connections_open, 4U);
}

// The opposite case: a request's deadline is evidence against the connections of watches.
TEST_F(LifeSignsTest, AfterAFreeze_ARequestWithADeadlineSavesTheWatchesFromWaiting) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  ASSERT_TRUE(calls.Try("/x").ok());
  const SteadyTime frozen = scene_.env().Now();
  network().FreezeAll();
  EXPECT_FALSE(calls.Try("/x").done());
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kShort, 1s).ok());
  ASSERT_TRUE(RunUntil([&] { return watch.done(); }, 60s));
  EXPECT_LE(scene_.env().Now() - frozen, 21s);
}

// A connection that was found dead gets no new requests, even if it recovers.
TEST_F(LifeSignsTest, AConnectionThatWasFoundDead_IsNotUsedAgain_RC15) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  RunFor(1s);
  network().FreezeAll();
  ASSERT_TRUE(RunUntil([&] { return watch.done(); }, 60s));
  network().Thaw(0);
  ClientCall& next = calls.Start("/ticks", ConnectionPool::kWatch);
  RunFor(1s);
  EXPECT_GT(next.bytes(), 0U);
  EXPECT_EQ(network().opened(), 2U);
  RunFor(10s);
  EXPECT_THAT(network().Open(), ElementsAre(1U));
}

TEST_F(LifeSignsTest, OnlyOneOfTheWatchesConnectionsFreezes_AndTheOthersGoOn) {
  ClientCalls calls(scene_, {.watches_per_connection = 2});
  std::vector<ClientCall*> watches;
  for (int i = 0; i < 6; ++i) {
    watches.push_back(&calls.Start("/watch", ConnectionPool::kWatch));
    RunFor(1s);
  }
  ASSERT_EQ(network().opened(), 3U);
  network().Freeze(1);
  RunFor(60s);
  for (std::size_t i = 0; i < watches.size(); ++i) {
    EXPECT_EQ(watches[i]->failed(), i == 2 || i == 3) << i;
  }
  EXPECT_THAT(network().Open(), ElementsAre(0U, 2U));
}

TEST_F(LifeSignsTest, AQuietHourOnAWellNetwork_KeepsEveryConnection) {
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  ClientCall& slow = calls.Start("/slow/3500");
  RunFor(1h);
  EXPECT_FALSE(watch.done());
  EXPECT_TRUE(slow.ok());
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_GE(handler_.probes, 2 * 3500 / 45);
  EXPECT_LE(handler_.probes, 2 * 3600 / 30);
}

TEST_F(LifeSignsTest, TheLimitOfHttp1Watches_CountsThoseOnRetiredConnections) {
  ClientCalls calls(scene_, {.disable_http2 = true, .max_http1_watches = 2});
  ClientCall& kept = calls.Start("/watch", ConnectionPool::kWatch);
  RunFor(1s);
  EXPECT_FALSE(calls.Try("/slow/60", ConnectionPool::kWatch).done());
  EXPECT_FALSE(calls.Start("/watch", ConnectionPool::kWatch).done());
  RunFor(1s);
  EXPECT_THAT(calls.Try("/watch", ConnectionPool::kWatch).error(), HasSubstr("max_http1_watches"));
  EXPECT_FALSE(kept.done());
}

// Without probes, nothing could restore trust.
TEST_F(LifeSignsTest, WithoutProbes_GivingUpRetiresTheConnection) {
  ClientCalls calls(scene_, {.read_idle_timeout = Duration::zero()});
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  EXPECT_FALSE(calls.Try("/x").done());
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kShort, 1s).ok());
  EXPECT_EQ(handler_.probes, 0);
}

// ---- Changed certificates

class GivenCredentials final : public CredentialSource {
 public:
  explicit GivenCredentials(Credentials credentials) : now(std::move(credentials)) {}
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override { done(now); }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return true; }
  Credentials now;
};

// After a change of the certificate, idle connections are closed and watches end and resume.
TEST_F(LifeSignsTest, ANewClientCertificate_LeavesNoConnectionOfTheOld) {
  auto source = std::make_shared<GivenCredentials>(SocketScene::ClientCertificate("old"));
  ClientCalls calls(scene_, {.credentials = source});
  ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
  ClientCall& slow = calls.Start("/slow/3", ConnectionPool::kList);
  ASSERT_TRUE(calls.Try("/x").ok());
  RunFor(1s);
  ASSERT_EQ(network().opened(), 3U);
  EXPECT_TRUE(calls.Try("/x").ok());
  ASSERT_EQ(network().opened(), 3U) << "the same certificate";
  source->now = SocketScene::ClientCertificate("new");
  EXPECT_TRUE(calls.Try("/x").ok());
  EXPECT_TRUE(watch.failed());
  ClientCall& next = calls.Start("/watch", ConnectionPool::kWatch);
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kList, 1s).ok());
  RunFor(1s);
  EXPECT_GT(next.bytes(), 0U);
  RunFor(10s);
  EXPECT_TRUE(slow.ok()) << "what had been asked is answered";
  EXPECT_THAT(network().Open(), ElementsAre(3U, 4U, 5U));
}

// ---- Connections that cannot be established

// A hanging handshake delays no other request, and not even its own.
TEST_F(LifeSignsTest, AHandshakeThatHangs_HoldsUpNobody) {
  ClientCalls calls(scene_);
  network().SetOpening(SimulatedNetwork::Opening::kHanging);
  ClientCall& scout = calls.Start("/x");
  RunFor(1ms);
  network().SetOpening(SimulatedNetwork::Opening::kServed);
  ClientCall& second = calls.Start("/x");
  ASSERT_TRUE(RunUntil([&] { return second.done() && scout.done(); }, 10s));
  EXPECT_TRUE(second.ok());
  EXPECT_LE(second.took(), 2100ms);
  EXPECT_TRUE(scout.ok());
  EXPECT_LE(scout.took(), 2400ms);
  ClientCall& third = calls.Try("/x");
  EXPECT_TRUE(third.ok());
  EXPECT_LT(third.took(), 100ms);
  RunFor(10s);
  EXPECT_EQ(calls.Stats().connections_open, 1U);
}

TEST_F(LifeSignsTest, AHandshakeThatHangs_IsTriedBesideForASingleRequest) {
  for (const ConnectionPool pool :
       {ConnectionPool::kShort, ConnectionPool::kList, ConnectionPool::kWatch}) {
    ClientCalls calls(scene_);
    network().SetOpening(SimulatedNetwork::Opening::kHanging);
    ClientCall& alone = calls.Start("/x", pool);
    RunFor(1ms);
    network().SetOpening(SimulatedNetwork::Opening::kServed);
    ASSERT_TRUE(RunUntil([&] { return alone.done(); }, 10s));
    EXPECT_TRUE(alone.ok());
    EXPECT_LE(alone.took(), 2400ms);
    RunFor(10s);
    EXPECT_EQ(calls.Stats().connections_open, 1U);
  }
}

TEST_F(LifeSignsTest, WhereHandshakesHang_RequestsEndAfterTenSeconds) {
  ClientCalls calls(scene_);
  network().SetOpening(SimulatedNetwork::Opening::kHanging);
  ClientCall& alone = calls.Start("/x");
  ASSERT_TRUE(RunUntil([&] { return alone.done(); }, 20s));
  EXPECT_THAT(alone.error(), HasSubstr("no TLS handshake within 10 s"));
  EXPECT_LE(alone.took(), 10100ms);
  RunFor(10s);
  EXPECT_EQ(calls.Stats().connections_open, 0U) << "nobody wants one any more";
}

// Whenever the hanging ends, a new attempt begins within three seconds.
TEST_F(LifeSignsTest, HandshakesRecover_WaitingRequestsPassSoon) {
  for (Duration hanging = 500ms; hanging < 8s; hanging += 500ms) {
    ClientCalls calls(scene_);
    network().SetOpening(SimulatedNetwork::Opening::kHanging);
    ClientCall& watch = calls.Start("/watch", ConnectionPool::kWatch);
    RunFor(hanging);
    network().SetOpening(SimulatedNetwork::Opening::kServed);
    EXPECT_TRUE(RunUntil([&] { return watch.bytes() > 0; }, 3500ms))
        << "after " << hanging / 1ms << " ms";
    RunFor(5s);
    EXPECT_EQ(calls.Stats().connections_open, 1U);
  }
}

// libcurl notices the end of the connection at the next request, and connects again.
TEST_F(LifeSignsTest, AConnectionThatEndedWhileIdle_IsTriedBesideAsTheFirst) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().Cut(0);
  RunFor(1s);
  network().SetOpening(SimulatedNetwork::Opening::kHanging);
  ClientCall& next = calls.Start("/x");
  RunFor(1ms);
  network().SetOpening(SimulatedNetwork::Opening::kServed);
  ASSERT_TRUE(RunUntil([&] { return next.done(); }, 20s));
  EXPECT_TRUE(next.ok());
  EXPECT_LE(next.took(), 2400ms);
}

// libcurl itself sends a request again if the connection that it wanted to reuse turns out to be
// closed. Such a retry may hang like a first attempt.
TEST_F(LifeSignsTest, ARequestThatLibcurlSendsAgain_IsTriedBesideAsTheFirst) {
  for (const ConnectionPool pool : {ConnectionPool::kShort, ConnectionPool::kWatch}) {
    ClientCalls calls(scene_);
    ClientCall& watch = calls.Start("/watch", pool);
    RunFor(1s);
    ASSERT_GT(watch.bytes(), 0U);
    network().SetOpening(SimulatedNetwork::Opening::kHanging);
    ClientCall& next = calls.Start("/x", pool);
    network().Cut(network().Open().back());
    RunFor(1ms);
    network().SetOpening(SimulatedNetwork::Opening::kServed);
    ASSERT_TRUE(RunUntil([&] { return next.done(); }, 30s));
    EXPECT_TRUE(next.ok()) << next.error();
    EXPECT_LE(next.took(), 2400ms);
    EXPECT_TRUE(watch.failed());
  }
}

TEST_F(LifeSignsTest, ASlowHandshake_IsAwaited) {
  ClientCalls calls(scene_);
  network().SetOpening(SimulatedNetwork::Opening::kHanging);
  ClientCall& scout = calls.Start("/x");
  RunFor(8s);
  EXPECT_FALSE(scout.done());
  network().Thaw(0);
  RunFor(1s);
  EXPECT_TRUE(scout.ok());
}

// All connections hang: only few are attempted at a time.
TEST_F(LifeSignsTest, WhereEveryHandshakeHangs_FourAreTriedAtATime) {
  ClientCalls calls(scene_);
  network().SetOpening(SimulatedNetwork::Opening::kHanging);
  for (int i = 0; i < 60; ++i) {
    calls.Start("/x");
    RunFor(1s);
    EXPECT_LE(calls.Stats().connections_open, 5U);
  }
  network().SetOpening(SimulatedNetwork::Opening::kServed);
  // The newest attempts may be among those that hang.
  ClientCall& next = calls.Start("/x");
  ASSERT_TRUE(RunUntil([&] { return next.done(); }, 11s));
  RunFor(1s);
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kShort, 1s).ok());
}

TEST_F(LifeSignsTest, ARefusedConnection_EndsAtOnceForAllThatWaitForIt) {
  ClientCalls calls(scene_);
  network().SetOpening(SimulatedNetwork::Opening::kRefused);
  ClientCall& one = calls.Start("/x");
  ClientCall& two = calls.Start("/x");
  RunFor(1s);
  EXPECT_TRUE(one.failed());
  EXPECT_TRUE(two.failed());
  network().SetOpening(SimulatedNetwork::Opening::kServed);
  EXPECT_TRUE(calls.Try("/x").ok());
}

// The second waits until the server has said how many it takes at once.
TEST_F(LifeSignsTest, ARequestThatFailsOnANewConnection_FailsNoneOfThoseThatWaitBehindIt) {
  ClientCalls calls(scene_);
  ClientCall& first = calls.Start("/broken");
  ClientCall& second = calls.Start("/x");
  ASSERT_TRUE(RunUntil([&] { return first.done() && second.done(); }, 1s));
  EXPECT_TRUE(first.failed());
  EXPECT_TRUE(second.ok()) << second.error();
  EXPECT_EQ(network().opened(), 1U);
}

}  // namespace
}  // namespace kinformer::testing
