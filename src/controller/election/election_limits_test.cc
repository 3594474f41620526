// Limits of a leader election's options, and warnings of candidates that cannot take part.

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
#include "kinformer/base/simulation.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::years;

struct Lengths {
  Duration lease, renew, retry;
  std::string error;
};

TEST(ElectionLimits, Durations_AtTheirLimits) {
  const Duration ten_years = years(10);
  const std::string renew = "lease_duration (15 s) must be greater than renew_deadline (15 s)";
  for (const Lengths& row : std::vector<Lengths>{
           {seconds(1), milliseconds(999), milliseconds(100), ""},
           {seconds(1) - nanoseconds(1), milliseconds(900), milliseconds(100),
            "lease_duration must be at least a second: a Lease says it in seconds"},
           {ten_years, seconds(10), seconds(2), ""},
           {ten_years + nanoseconds(1), seconds(10), seconds(2),
            "lease_duration must be at most ten years: a Lease has 32 bits for it"},
           {seconds(15), nanoseconds(0), seconds(2), "renew_deadline must be greater than zero"},
           {seconds(15), nanoseconds(2), nanoseconds(1), ""},
           {seconds(15), seconds(10), nanoseconds(0), "retry_period must be greater than zero"},
           {seconds(15), seconds(10), nanoseconds(1), ""},
           {seconds(15), seconds(15), seconds(2), renew},
           {seconds(15), seconds(15) - nanoseconds(1), seconds(2), ""},
           {milliseconds(15900), seconds(15), seconds(2),
            "lease_duration (15.9 s) must be greater than renew_deadline (15 s)"},
           {seconds(15), seconds(12), seconds(10),
            "renew_deadline (12 s) must be greater than 1.2 * retry_period (10 s)"},
           {seconds(15), seconds(12) + nanoseconds(1), seconds(10), ""},
           {seconds(15), seconds(10), seconds(10),
            "renew_deadline (10 s) must be greater than 1.2 * retry_period (10 s)"}}) {
    Simulation sim;
    testing::FakeLease lease;
    const auto made =
        LeaderElector::New(sim.env(), std::make_unique<testing::FakeLock>(lease, "a"),
                           {.lease_duration = row.lease,
                            .renew_deadline = row.renew,
                            .retry_period = row.retry,
                            .callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                          .on_stopped_leading = [] {}}});
    EXPECT_EQ(made ? "" : made.error().ToString(),
              row.error.empty() ? "" : "InvalidArgument: LeaderElectionConfig: " + row.error)
        << row.lease.count() << " " << row.renew.count() << " " << row.retry.count();
  }
}

// Records warnings with their times.
class Warnings final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < LogLevel::kWarning) return;
    std::string line(message);
    for (const LogField& field : fields) line += " " + std::string(field.value);
    lines.push_back(std::move(line));
    times.push_back(now());
  }
  std::vector<std::string> lines{};
  std::vector<SteadyTime> times{};
  std::function<SteadyTime()> now{};
};

// A candidate whose requests fail.
class Refused {
 public:
  explicit Refused(bool coordinated, std::function<Result<void>()> fault) {
    warnings->now = [this] { return sim.env().Now(); };
    auto lock = std::make_unique<testing::FakeLock>(lease_, "a");
    lock->fault = [fault = std::move(fault)](const std::string&, const CallOptions&) {
      return fault();
    };
    elector_ =
        LeaderElector::New(sim.env(), std::move(lock),
                           {.callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                          .on_stopped_leading = [] {}},
                            .coordinated = coordinated})
            .OrExit();
    thread_ = sim.env().NewThread("candidate", [this] { elector_->Run(stop_.get_token()); });
  }
  ~Refused() {
    stop_.request_stop();
    thread_->Join();
  }
  Refused(const Refused&) = delete;
  Refused& operator=(const Refused&) = delete;

  const std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();
  Simulation sim{{.log = warnings}};

 private:
  testing::FakeLease lease_;
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

struct Complaint {
  Reason reason;
  bool coordinated;
  const char* warning;  // null: none
};

TEST(ElectionWarnings, UsualErrors_AreNotWarnedOf) {
  for (const Complaint& row : std::vector<Complaint>{
           {Reason::kConflict, false, nullptr},
           {Reason::kAlreadyExists, false, nullptr},
           {Reason::kConflict, true, nullptr},
           {Reason::kNotFound, true, nullptr},
           {Reason::kNotFound, false, "NotFound: no; is there the namespace of the lease?"},
           {Reason::kForbidden, false,
            "Forbidden: no; grant get, create and update of leases in coordination.k8s.io (Role, "
            "RoleBinding)"},
           {Reason::kTransport, false, "Transport: no"},
           {Reason::kTransport, true, "Transport: no"}}) {
    Refused a(row.coordinated, [&]() -> Result<void> { return Error(row.reason, "no"); });
    a.sim.RunFor(seconds(50));
    if (row.warning == nullptr) {
      EXPECT_THAT(a.warnings->lines, ::testing::IsEmpty()) << ReasonName(row.reason);
    } else {
      EXPECT_THAT(
          a.warnings->lines,
          ::testing::ElementsAre("leadership was not acquired, will retry default/lease a " +
                                 std::string(row.warning)));
    }
  }
}

// The same warning is repeated when a minute has passed.
TEST(ElectionWarnings, SameError_IsRepeatedAfterAMinute) {
  for (const Duration wait : {Duration(minutes(1)), Duration(minutes(1)) - nanoseconds(1)}) {
    Refused* made = nullptr;
    int attempts = 0;
    Refused a(false, [&]() -> Result<void> {
      // The second attempt is answered when just that time has passed.
      if (++attempts == 2) {
        made->sim.env().SleepFor(made->warnings->times.at(0) + wait - made->sim.env().Now());
      }
      return Error(Reason::kTransport, "cut");
    });
    made = &a;
    a.sim.RunFor(minutes(1) + seconds(1));
    EXPECT_EQ(attempts, 2);
    EXPECT_EQ(a.warnings->lines.size(), wait == minutes(1) ? 2U : 1U);
  }
  Refused a(false, []() -> Result<void> { return Error(Reason::kTransport, "cut"); });
  a.sim.RunFor(minutes(10));
  ASSERT_GE(a.warnings->times.size(), 9U);
  for (std::size_t i = 1; i < a.warnings->times.size(); ++i) {
    const Duration pause = a.warnings->times[i] - a.warnings->times[i - 1];
    EXPECT_GE(pause, minutes(1));
    EXPECT_LE(pause, minutes(1) + milliseconds(4400)) << "an attempt takes at most 4.4 s";
  }
}

}  // namespace
}  // namespace kinformer
