// Candidates of coordinated elections: times of renewals, answers to pings, and failures.

#include "kinformer/leaderelection/lease_candidate.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/coordinationv1beta1.h"
#include "kinformer/api/coordinationv1beta1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

#include "integration/lease_candidates.h"

namespace kinformer::testing {
namespace {

using metav1::MicroTime;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Candidate = coordinationv1beta1::LeaseCandidate;

constexpr std::int64_t kStart = 1'700'000'000;

class CandidateTimes : public ::testing::Test {
 protected:
  CandidateTimes() { server_.Load(kLeaseCandidates).OrExit(); }
  ~CandidateTimes() override { Stop(); }

  static LeaseCandidateOptions Options() {
    return {.namespace_ = "default", .name = "a", .lease_name = "printer"};
  }
  void Start(LeaseCandidateOptions options = Options()) {
    stop_ = std::stop_source();
    ended_ = false;
    candidate_ = LeaseCandidate::New(client_, std::move(options)).OrExit();
    thread_ = sim_.env().NewThread("candidate", [this] {
      candidate_->Run(stop_.get_token());
      ended_ = true;
    });
    sim_.RunReady();
  }
  void Stop() {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(1))); }
  // Nullopt: there is none.
  std::optional<Candidate::Mutable> OnServer(const std::string& name = "a") {
    std::optional<Candidate::Mutable> found;
    Run([&] {
      const auto candidate = candidates_.Get(name);
      if (candidate.ok()) found = (*candidate)->DeepCopy();
    });
    return found;
  }
  // Changes the candidate as the server does, and lets it answer.
  void Change(const std::function<void(Candidate::Mutable&)>& change) {
    Run([&] {
      const auto now = candidates_.Get("a").OrExit();
      Candidate::Mutable changed = now->DeepCopy();
      change(changed);
      ASSERT_TRUE(candidates_.Update(changed).ok());
    });
    sim_.RunReady();
  }
  std::string Version() { return OnServer()->metadata.resourceVersion; }
  MicroTime RenewTime() { return OnServer()->spec.renewTime.value_or(MicroTime()); }

  Simulation sim_{{.start = WallTime(seconds(kStart))}};
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const ResourceClient<Candidate> candidates_ = client_.For<Candidate>("default");
  std::unique_ptr<LeaseCandidate> candidate_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
  bool ended_ = false;
};

TEST_F(CandidateTimes, NewCandidate_HasItsOptions) {
  LeaseCandidateOptions options = Options();
  options.binary_version = "1.2.3";
  options.emulation_version = "1.1.0";
  options.strategy = "Mine";
  Start(options);
  ASSERT_TRUE(OnServer());
  const Candidate::Mutable made = *OnServer();
  EXPECT_EQ(made.metadata.name, "a");
  EXPECT_EQ(made.metadata.namespace_, "default");
  EXPECT_EQ(made.spec.leaseName, "printer");
  EXPECT_EQ(made.spec.binaryVersion, "1.2.3");
  EXPECT_EQ(made.spec.emulationVersion, "1.1.0");
  EXPECT_EQ(made.spec.strategy, "Mine");
  EXPECT_EQ(made.spec.renewTime, MicroTime(kStart));
  EXPECT_FALSE(made.spec.pingTime);
}

TEST_F(CandidateTimes, Renewal_ComesEveryFiveMinutes) {
  Start();
  for (int round = 1; round < 5; ++round) {
    const std::string before = Version();
    sim_.RunFor(minutes(5) - milliseconds(1));
    EXPECT_EQ(Version(), before);
    sim_.RunFor(milliseconds(1));
    EXPECT_EQ(RenewTime(), MicroTime(kStart + 300 * round));
  }
}

struct Ping {
  const char* what;
  std::optional<MicroTime> ping;
  std::optional<MicroTime> renewed;  // before the ping
  std::optional<MicroTime> answer;   // nullopt: none
};

// The candidate answers later than the ping, even if its clock is behind.
TEST_F(CandidateTimes, Pings_AreAnsweredOnce) {
  Start();
  sim_.RunFor(seconds(100));
  const MicroTime now(kStart + 100);
  int rows = 0;
  for (const Ping& row : std::vector<Ping>{
           {"no ping", {}, MicroTime(kStart), {}},
           {"neither", {}, {}, {}},
           {"answered", MicroTime(kStart + 10), MicroTime(kStart + 11), {}},
           {"at the same moment", MicroTime(kStart + 10), MicroTime(kStart + 10), {}},
           {"a microsecond later", MicroTime(kStart + 10, 1000), MicroTime(kStart + 10), now},
           {"never renewed", MicroTime(kStart + 10), {}, now},
           {"just now", now, MicroTime(kStart), MicroTime(kStart + 100, 1000)},
           {"just before", MicroTime(kStart + 99, 999'999'000), MicroTime(kStart), now},
           {"ahead", MicroTime(kStart + 500), MicroTime(kStart), MicroTime(kStart + 500, 1000)},
           {"late in a second", MicroTime(kStart + 500, 999'998'000), MicroTime(kStart),
            MicroTime(kStart + 500, 999'999'000)},
           {"at its end", MicroTime(kStart + 500, 999'999'000), MicroTime(kStart),
            MicroTime(kStart + 501)}}) {
    SCOPED_TRACE(row.what);
    Change([&](Candidate::Mutable& candidate) {
      candidate.spec.pingTime = row.ping;
      candidate.spec.renewTime = row.renewed;
      candidate.metadata.labels["row"] = std::to_string(++rows);
    });
    const Candidate::Mutable after = *OnServer();
    EXPECT_EQ(after.spec.renewTime, row.answer ? row.answer : row.renewed);
    EXPECT_EQ(after.spec.pingTime, row.ping) << "it is the server's";
    sim_.RunReady();
    EXPECT_EQ(Version(), after.metadata.resourceVersion) << "one answer is enough";
  }
}

TEST_F(CandidateTimes, OtherCandidates_AreLeftAlone) {
  Start();
  const std::string before = Version();
  Run([&] {
    Candidate::Mutable other;
    other.metadata.name = "b";
    other.spec.leaseName = "printer";
    other.spec.pingTime = MicroTime(kStart + 10);
    ASSERT_TRUE(candidates_.Create(other).ok());
  });
  sim_.RunFor(minutes(1));
  EXPECT_FALSE(OnServer("b")->spec.renewTime);
  EXPECT_EQ(Version(), before);
}

TEST_F(CandidateTimes, Failures_AreRetriedSoon) {
  for (const char* verb : {"get", "create", "update"}) {
    SCOPED_TRACE(verb);
    const bool exists = verb == std::string("update");
    if (exists) {
      Start();
      Stop();
    }
    const MicroTime before = exists ? RenewTime() : MicroTime();
    sim_.RunFor(seconds(10));
    server_.faults().Add({.verb = verb, .resource = "leasecandidates", .status = 403});
    Start();
    sim_.RunFor(seconds(3));
    server_.faults().Clear();
    EXPECT_EQ(OnServer().has_value(), exists);
    if (exists) {
      EXPECT_EQ(RenewTime(), before);
    }
    sim_.RunFor(seconds(10));
    ASSERT_TRUE(OnServer());
    EXPECT_GT(RenewTime(), before);
    EXPECT_FALSE(ended_);
    Stop();
    static_cast<void>(
        server_.Delete({"coordination.k8s.io", "v1beta1", "leasecandidates"}, {"default", "a"}));
    ended_ = false;
  }
}

TEST_F(CandidateTimes, Stop_EndsRunAtOnceAndKeepsTheObject) {
  Start();
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(ended_);
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_);
  const std::string last = Version();
  sim_.RunFor(minutes(30));
  EXPECT_EQ(Version(), last);
}

TEST_F(CandidateTimes, WrongOptions_AreNamed) {
  const auto error = [&](const std::function<void(LeaseCandidateOptions&)>& change) {
    LeaseCandidateOptions options = Options();
    change(options);
    const auto made = LeaseCandidate::New(client_, std::move(options));
    return made.ok() ? "" : made.error().ToString();
  };
  EXPECT_EQ(error([](auto&) {}), "");
  EXPECT_EQ(error([](auto& o) { o.namespace_.clear(); }),
            "InvalidArgument: LeaseCandidateOptions::namespace_ is empty");
  EXPECT_EQ(error([](auto& o) { o.name.clear(); }),
            "InvalidArgument: LeaseCandidateOptions::name is empty");
  EXPECT_EQ(error([](auto& o) { o.lease_name.clear(); }),
            "InvalidArgument: LeaseCandidateOptions::lease_name is empty");
  EXPECT_NE(error([](auto& o) { o.name = "a,b"; }), "");
}

}  // namespace
}  // namespace kinformer::testing
