// The transport over libcurl in simulated time: what a probe's outcome does to its connection and
// to those beside it, and what is logged.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "network/client_calls.h"
#include "network/paced_handler.h"
#include "network/socket_scene.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Opening = SimulatedNetwork::Opening;

constexpr char kServer[] = "https://127.0.0.1:6443";
constexpr ConnectionPool kWatches = ConnectionPool::kWatch;
constexpr Duration kNow = 10ms;  // the slack of a moment: less than any period

// Keeps the lines about connections and answers.
class ConnectionLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kDebug; }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    const bool doubt = message.starts_with("nothing came on a connection");
    if (!doubt && !message.starts_with("server does not answer") &&
        !message.starts_with("a response has stopped")) {
      return;
    }
    std::string line(level == LogLevel::kDebug ? "debug " : "warning ");
    line += doubt ? "doubt" : message;
    for (const LogField& field : fields) line += " " + std::string(field.key) + "=" + field.value;
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines{};
};

// Like PacedHandler, but may leave probes without an answer; notes their Authorization.
class ProbedHandler final : public Handler {
 public:
  explicit ProbedHandler(Env& env) : paced_(env) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.target == "/livez") {
      authorizations.emplace_back(request.headers.Get("Authorization"));
      if (!answers_probes) request.target = "/slow/100000";
    }
    return paced_.Handle(std::move(request));
  }
  bool answers_probes = true;
  std::vector<std::string> authorizations{};

 private:
  PacedHandler paced_;
};

class ProbeOutcomes : public ::testing::Test {
 protected:
  ProbeOutcomes() {
    scene_.Serve(handler_);
    RunFor(1h);
  }
  ~ProbeOutcomes() override { scene_.StopServing(); }
  [[nodiscard]] SimulatedNetwork& network() { return scene_.network(); }
  [[nodiscard]] std::size_t probes() const { return handler_.authorizations.size(); }
  void RunFor(Duration duration) { scene_.sim().RunFor(duration); }
  // Runs until the given time since the last Mark.
  void RunTo(Duration time) { RunFor(time - (scene_.env().Now() - mark_)); }
  void Mark() { mark_ = scene_.env().Now(); }

  const std::shared_ptr<ConnectionLog> log_ = std::make_shared<ConnectionLog>();
  SocketScene scene_{1, log_};
  ProbedHandler handler_{scene_.env()};
  SteadyTime mark_{};
};

std::string Abandoned(int requests) {
  return std::string("warning server does not answer, abandoning its connection server=") +
         kServer + " requests=" + std::to_string(requests);
}
std::string Doubt(int requests) {
  return std::string("debug doubt server=") + kServer + " requests=" + std::to_string(requests);
}

// A probe on another connection says something only if it could be sent, or if no connection is
// possible at all.
TEST_F(ProbeOutcomes, UnansweredProbe_EndsTheRequestsItSpeaksFor) {
  struct Row {
    const char* name;
    bool http1;
    ConnectionPool pool;
    Opening opening;
    Duration handshake;
    bool doubted, ends;
  };
  constexpr ConnectionPool kOthers = ConnectionPool::kShort;
  for (const Row& row : std::vector<Row>{
           {"same connection", false, kOthers, Opening::kServed, 0s, true, true},
           {"watch's, same connection", false, kWatches, Opening::kServed, 0s, true, true},
           {"own connection hangs", true, kOthers, Opening::kHanging, 0s, false, false},
           {"own connection ends", true, kOthers, Opening::kHanging, 10s, false, true},
           {"own connection is refused", true, kOthers, Opening::kRefused, 0s, false, true},
           {"own connection is answered", true, kOthers, Opening::kServed, 0s, false, false},
           {"watch's own connection hangs", true, kWatches, Opening::kHanging, 0s, false, true},
           {"watch's own is answered", true, kWatches, Opening::kServed, 0s, false, false},
       }) {
    SCOPED_TRACE(row.name);
    log_->lines.clear();
    network().SetOpening(Opening::kServed);
    ClientCalls calls(scene_, {.disable_http2 = row.http1, .tls_handshake_timeout = row.handshake});
    Mark();
    ClientCall& call = calls.Start(row.pool == kWatches ? "/watch" : "/slow/600", row.pool);
    RunTo(1s);
    network().FreezeAll();
    network().SetOpening(row.opening);
    RunTo(45s - kNow);
    EXPECT_FALSE(call.done());
    RunTo(45s + kNow);
    EXPECT_EQ(call.error(), row.ends
                                ? std::string(kServer) +
                                      ": the server gave no sign of life on a silent connection"
                                : "");
    RunTo(60s);
    EXPECT_EQ(call.done(), row.ends);
    std::vector<std::string> logged;
    if (row.doubted) logged.push_back(Doubt(2));
    if (row.ends) logged.push_back(Abandoned(1));
    EXPECT_EQ(log_->lines, logged);
  }
  network().SetOpening(Opening::kServed);
}

// At odd times, at which nothing else looks.
TEST_F(ProbeOutcomes, AbandonedConnection_EndsAtIdleAndPing) {
  for (const Duration idle : {31300ms, 13100ms}) {
    for (const ConnectionPool pool : {kWatches, ConnectionPool::kShort}) {
      SCOPED_TRACE(idle / 1ms);
      const Duration ends = idle + 12300ms;
      ClientCalls calls(scene_, {.read_idle_timeout = idle, .ping_timeout = 12300ms});
      const char* const target = pool == kWatches ? "/watch" : "/slow/600";
      Mark();
      ClientCall& call = calls.Start(target, pool);
      RunFor(kNow);
      network().FreezeAll();
      RunTo(idle / 2);
      ClientCall& later = calls.Start(target, pool);
      RunTo(ends - kNow);
      EXPECT_FALSE(call.done());
      EXPECT_FALSE(later.done());
      RunTo(ends + 2 * kNow);
      EXPECT_TRUE(call.failed());
      EXPECT_TRUE(later.failed());
    }
  }
}

// Other data on the connection is a sign of life as good as the probe's answer.
TEST_F(ProbeOutcomes, DataInPlaceOfTheAnswer_EndsTheProbe) {
  handler_.answers_probes = false;
  ClientCalls calls(scene_);
  Mark();
  ClientCall& watch = calls.Start("/lines/0/35/70", kWatches);
  RunTo(69s);
  EXPECT_EQ(probes(), 2U) << "after 30 and 65 seconds";
  EXPECT_THAT(log_->lines, ElementsAre(Doubt(2), Doubt(2))) << "after 33 and 68 seconds";
  RunTo(71s);
  EXPECT_EQ(watch.bytes(), 15U);
  ClientCall& next = calls.Start("/watch", kWatches);
  RunTo(72s);
  EXPECT_EQ(next.bytes(), 5U);
  EXPECT_EQ(network().opened(), 1U) << "the connection is trusted again";
  RunTo(110s);
  EXPECT_EQ(probes(), 3U);
  EXPECT_FALSE(watch.done());
  RunTo(116s - kNow);
  EXPECT_FALSE(watch.done());
  RunTo(116s + kNow);
  EXPECT_TRUE(watch.failed());
  EXPECT_TRUE(next.failed());
}

TEST_F(ProbeOutcomes, ProbeThatIsOver_LeavesNothingOnTheConnection) {
  handler_.answers_probes = false;
  ClientCalls calls(scene_);
  ClientCall& watch = calls.Start("/lines/0/35", kWatches);
  RunFor(40s);
  EXPECT_EQ(probes(), 1U);
  calls.GiveUp(watch);
  RunFor(89s);
  EXPECT_EQ(calls.Stats().connections_open, 1U);
  RunFor(20s);
  EXPECT_EQ(calls.Stats().connections_open, 0U) << "it was unused";
  EXPECT_EQ(probes(), 1U);
}

TEST_F(ProbeOutcomes, SuspectedConnection_IsDoubtedOnceAndProbedOnce) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x").ok());
  network().FreezeAll();
  std::vector<ClientCall*> vain;
  for (int i = 0; i < 3; ++i) vain.push_back(&calls.Start("/slow/600"));
  RunFor(5s);
  for (ClientCall* const call : vain) {
    calls.GiveUp(*call);
    RunFor(1s);
  }
  EXPECT_THAT(log_->lines, ElementsAre(Doubt(3)));
  network().Thaw(0);
  RunFor(5s);
  EXPECT_EQ(probes(), 1U);
  EXPECT_TRUE(calls.Try("/x").ok());
  EXPECT_EQ(network().opened(), 1U);
}

TEST_F(ProbeOutcomes, WithoutProbes_NothingIsProbedAndAnswersMayStop) {
  for (const bool http1 : {false, true}) {
    ClientCalls calls(scene_, {.disable_http2 = http1, .read_idle_timeout = Duration::zero()});
    ClientCall& watch = calls.Start("/watch", kWatches);
    ClientCall& lines = calls.Start("/lines/0");
    RunFor(300s);
    EXPECT_FALSE(watch.done());
    EXPECT_FALSE(lines.done());
  }
  EXPECT_EQ(probes(), 0U);
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(ProbeOutcomes, AnswerThatStops_IsLogged) {
  ClientCalls calls(scene_, {.read_idle_timeout = 10s, .ping_timeout = 4s});
  ClientCall& call = calls.Start("/lines/0");
  RunFor(20s);
  EXPECT_TRUE(call.failed());
  EXPECT_THAT(
      log_->lines,
      ElementsAre(std::string("warning a response has stopped in its middle, giving it up ") +
                  "server=" + kServer + " request=GET /lines/0 seconds=14"));
}

class FixedToken final : public CredentialSource {
 public:
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override {
    done(Credentials{.authorization = "Bearer t"});
  }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return false; }
};

TEST_F(ProbeOutcomes, Probe_ShowsTheAuthorizationOfTheRequests) {
  for (const bool given_up : {false, true}) {
    handler_.authorizations.clear();
    ClientCalls calls(scene_, {.credentials = std::make_shared<FixedToken>()});
    ClientCall& slow = calls.Start("/slow/60");
    RunFor(given_up ? 5s : 31s);
    if (given_up) calls.GiveUp(slow);
    RunFor(1s);
    EXPECT_THAT(handler_.authorizations, ElementsAre("Bearer t"));
  }
}

}  // namespace
}  // namespace kinformer::testing
