// How soon a warm standby works after its leader is gone. Each request takes some milliseconds, and
// the standby's watches are that late.
//
// KINFORMER_SIMULATION_SEEDS=1000 for the long form.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/json/json.h"
#include "kinformer/object/time.h"
#include "kinformer/testing/environment.h"
#include "kinformer/testing/fake.h"

#include "base/core/testing/fields_log.h"
#include "simulation/dice.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kRoundTrip = milliseconds(12);  // the longest one
constexpr seconds kLease{15};

// Points in time at which the standby does something for the first time.
struct Standby {
  std::optional<WallTime> elected{};
  std::optional<WallTime> reconciled{};
};

class TakeOverTime {
 public:
  explicit TakeOverTime(std::uint64_t seed, bool may_watch = true)
      : dice_(seed),
        env_({.seed = seed,
              .manager = {.leader_election = true,
                          .leader_election_id = "op",
                          .leader_election_release_on_cancel = true},
              .fake = fake_,
              .log = log_}) {
    auto& faults = env_.server().faults();
    if (!may_watch) {
      faults.Add(
          {.verb = "watch", .resource = "leases", .action = FaultAction::kRespond, .status = 403});
    }
    faults.Add({.action = FaultAction::kDelay, .probability = 0.5, .delay = milliseconds(4)});
    faults.Add({.action = FaultAction::kDelay, .delay = kRoundTrip});
    env_.server()
        .Create({"", "v1", "configmaps"},
                *json::Parse(R"({"metadata":{"namespace":"default","name":"a"}})"))
        .OrExit();
    leader_ = &Add("leader", nullptr);
    EXPECT_TRUE(env_.RunUntil([&] { return leader_->manager().Elected(); }));
    standby_replica_ = &Add("standby", &standby_);
    DelayWatches(milliseconds(5));
    env_.RunFor(seconds(20) + dice_.Milliseconds(10000));
  }

  // Returns how long after the end of its Lease the leader's work goes on.
  Duration AfterACrash() {
    // Cut off for good: Replica::Crash would let time pass.
    leader_->Disconnect(std::chrono::hours(1));
    const json::Value lease =
        env_.server().Get({"coordination.k8s.io", "v1", "leases"}, {"default", "op"}).OrExit();
    const WallTime renewed =
        metav1::Time::Parse(lease["spec"]["renewTime"].StringOrEmpty()).OrExit().ToTimePoint();
    RunUntilReconciled();
    return *standby_.reconciled - (renewed + kLease);
  }
  // Returns how long after it was asked to end the leader's work goes on.
  Duration AfterAStop() {
    const WallTime asked = env_.env().WallNow();
    leader_->Stop();
    RunUntilReconciled();
    return *standby_.reconciled - asked;
  }
  // Returns how long the standby has waited for its caches after its election.
  [[nodiscard]] Duration AfterTheElection() const {
    return *standby_.reconciled - *standby_.elected;
  }
  // Returns how many requests for the Lease there are within five minutes, the leader's included.
  std::size_t Asked(const char* verb) {
    fake_.ClearActions();
    env_.RunFor(minutes(5));
    const std::vector<Action> all = fake_.Actions();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Action& one) { return one.Matches(verb, "leases"); }));
  }
  void DelayWatches(Duration late) { standby_replica_->DelayWatches(late); }
  std::string HolderAfterItWasDeleted() {
    const GroupVersionResource leases{"coordination.k8s.io", "v1", "leases"};
    static_cast<void>(env_.server().Delete(leases, {"default", "op"}));
    env_.RunFor(seconds(10));
    const json::Value lease = env_.server().Get(leases, {"default", "op"}).OrExit();
    return lease["spec"]["holderIdentity"].StringOrEmpty();
  }
  [[nodiscard]] const kinformer::internal::base::FieldsLog& log() const { return *log_; }

 private:
  Replica& Add(const std::string& name, Standby* standby) {
    return env_.AddReplica(name, [&, standby](Manager& manager) {
      if (standby != nullptr) {
        manager
            .Add(std::make_shared<RunnableFunc>([this, standby](const std::stop_token&) {
              standby->elected = env_.env().WallNow();
              return Result<void>();
            }))
            .OrExit();
      }
      ControllerBuilder(manager)
          .For<corev1::ConfigMap>()
          .WithOptions({.enable_warmup = true})
          .Complete([this, standby](const ReconcileContext&, const Request&) {
            if (standby != nullptr && !standby->reconciled) {
              standby->reconciled = env_.env().WallNow();
            }
            return Result<ReconcileResult>(ReconcileResult{});
          })
          .OrExit();
    });
  }
  void RunUntilReconciled() {
    EXPECT_TRUE(env_.RunUntil([&] { return standby_.reconciled.has_value(); }, minutes(5)));
  }

  Dice dice_;
  Fake fake_;
  const std::shared_ptr<kinformer::internal::base::FieldsLog> log_ =
      std::make_shared<kinformer::internal::base::FieldsLog>(LogLevel::kInfo);
  Standby standby_;
  Environment env_;
  Replica* leader_ = nullptr;
  Replica* standby_replica_ = nullptr;
};

class Times {
 public:
  void Add(Duration time) { all_.push_back(time); }
  [[nodiscard]] double Quantile(double share) {
    std::sort(all_.begin(), all_.end());
    const auto at = static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1));
    return std::chrono::duration<double, std::milli>(all_.at(at)).count();
  }
  void Print(const std::string& what) {
    std::cout << what << ", " << all_.size() << " seeds: p50 " << Quantile(0.5) << " ms, p99 "
              << Quantile(0.99) << " ms, longest " << Quantile(1) << " ms\n";
  }

 private:
  std::vector<Duration> all_;
};

TEST(TakeOverTime, LeaderCrashes_WarmStandbyWorksWhenTheLeaseRunsOut) {
  Times after_expiry;
  Times after_election;
  ForSeeds(40, [&](std::uint64_t seed) {
    TakeOverTime one(seed);
    after_expiry.Add(one.AfterACrash());
    after_election.Add(one.AfterTheElection());
  });
  after_expiry.Print("beyond the Lease's expiry");
  after_election.Print("beyond the election");
  EXPECT_GE(after_expiry.Quantile(0), 0) << "never before the Lease has run out";
  EXPECT_LE(after_expiry.Quantile(1), 100);
  EXPECT_LE(after_election.Quantile(1), 12) << "one round trip";
}

TEST(TakeOverTime, LeaderStops_WarmStandbyWorksAtOnce) {
  Times after_stop;
  ForSeeds(20, [&](std::uint64_t seed) { after_stop.Add(TakeOverTime(seed).AfterAStop()); });
  after_stop.Print("beyond SIGTERM");
  EXPECT_LE(after_stop.Quantile(0.99), 200);
}

// The standby asks in the very moment in which the Lease runs out.
TEST(TakeOverTime, LeaseRunsOutDuringAQuestion_StandbyAsksAgain) {
  EXPECT_LE(TakeOverTime(860).AfterACrash(), milliseconds(100));
}

// A role may lack the verb watch: then a standby asks every two to four seconds.
TEST(TakeOverTime, LeaseMayNotBeWatched_StandbyAsks) {
  ForSeeds(5, [&](std::uint64_t seed) {
    TakeOverTime one(seed, /*may_watch=*/false);
    EXPECT_GE(one.Asked("get"), 60U);
    EXPECT_LE(one.AfterACrash(), milliseconds(4500));
    EXPECT_EQ(one.log().Count("the lease cannot be watched"), 1U) << one.log().text();
  });
}

TEST(TakeOverTime, WatchIsLate_StandbyAsks) {
  ForSeeds(5, [&](std::uint64_t seed) {
    TakeOverTime one(seed);
    one.DelayWatches(seconds(20));
    EXPECT_GE(one.Asked("get"), 60U);
    EXPECT_LE(one.AfterACrash(), milliseconds(4500));
  });
}

TEST(TakeOverTime, LeaseIsDeleted_ItsLeaderMakesItAgain) {
  TakeOverTime one(1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(one.HolderAfterItWasDeleted(), "leader");
}

TEST(TakeOverTime, StandbyThatWatches_SeldomAsks) {
  TakeOverTime one(1);
  EXPECT_LE(one.Asked("get"), 30U);
  EXPECT_LE(one.Asked("watch"), 1U);
}

}  // namespace
}  // namespace kinformer::testing
