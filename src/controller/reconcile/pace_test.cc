// The pace of requests: a minimum interval between the reconciles of one object, and a time in
// which it settles.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/until.h"
#include "kinformer/internal/request_paces.h"

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class PaceTest : public ControllerTest {
 protected:
  // Adds `request` each `every` for `length`.
  void AddAllTheTime(const Request& request, Duration every, Duration length) {
    for (Duration passed{0}; passed < length; passed += every) {
      Add(request);
      sim_.RunFor(every);
    }
  }
  // Returns when the reconciles of a request began, since the test began.
  std::vector<Duration> Begins(const Request& request) const {
    std::vector<Duration> begins;
    for (const Call& call : calls_) {
      if (call.request == request) begins.push_back(call.at - start_);
    }
    return begins;
  }
  void ReconcileTakes(Duration length) {
    reconcile_ = [this, length](const ReconcileContext& context,
                                const Request&) -> Result<ReconcileResult> {
      static_cast<void>(SleepUnlessStopped(env(), context.stop(), length));
      return ReconcileResult{};
    };
  }
  const SteadyTime start_ = sim_.env().Now();
};

// ---- the interval

TEST_F(PaceTest, AThousandEventsASecond_BeginExactlyAtTheInterval) {
  for (const bool priorities : {true, false}) {
    SCOPED_TRACE(priorities);
    calls_.clear();
    source_ = std::make_shared<TestSource>(env());
    Make({.use_priority_queue = priorities, .min_interval = milliseconds(100)});
    stop_ = std::stop_source();
    Start();
    AddAllTheTime(kA, milliseconds(1), seconds(10));
    const std::vector<Duration> begins = Begins(kA);
    ASSERT_GE(begins.size(), 100U);
    EXPECT_LE(begins.size(), 101U);
    for (std::size_t i = 1; i < begins.size(); ++i) {
      EXPECT_EQ(begins[i] - begins[i - 1], Duration(milliseconds(100))) << i;
    }
    StopController();
  }
}

TEST_F(PaceTest, EventWithinTheInterval_IsReconciledAtItsEnd) {
  Make({.min_interval = seconds(10)});
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  Add(kA);
  Add(kB);
  sim_.RunFor(minutes(5));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(0), seconds(10)}));
  EXPECT_EQ(Begins(kB), (std::vector<Duration>{seconds(1)})) << "another object has its own pace";
  Add(kA);
  sim_.RunReady();
  EXPECT_EQ(Begins(kA).size(), 3U) << "the interval has long been over";
}

TEST_F(PaceTest, EventDuringTheReconcile_BeginsWhenTheIntervalIsOver) {
  ReconcileTakes(seconds(3));
  Make({.min_interval = seconds(10)});
  Start();
  Add(kA);
  sim_.RunFor(seconds(2));
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(0), seconds(10)}));
}

TEST_F(PaceTest, ReconcileLongerThanTheInterval_BeginsAgainAtItsEnd) {
  ReconcileTakes(seconds(30));
  Make({.min_interval = seconds(10)});
  Start();
  Add(kA);
  sim_.RunFor(seconds(2));
  Add(kA);
  sim_.RunFor(minutes(2));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(0), seconds(30)}));
}

TEST_F(PaceTest, RetriesAndRequeues_KeepToTheInterval) {
  int calls = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    ++calls;
    if (calls <= 3) return Error(Reason::kInternalError, "no");
    if (calls <= 6) return ReconcileResult{.requeue = true};
    if (calls <= 9) return ReconcileResult{.requeue_after = milliseconds(20)};
    return ReconcileResult{};
  };
  Make({.min_interval = seconds(10)});
  Start();
  Add(kA);
  sim_.RunFor(minutes(10));
  const std::vector<Duration> begins = Begins(kA);
  ASSERT_EQ(begins.size(), 10U);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(begins[i], Duration(seconds(10)) * static_cast<int>(i)) << i;
  }
}

TEST_F(PaceTest, ReconcilesHeldBack_TheIntervalCountsFromTheRealBeginning) {
  bool leads = false;
  Make({.min_interval = seconds(10), .is_leader = [&] { return leads; }});
  Start();
  Add(kA);
  sim_.RunFor(seconds(60));
  Add(kA);
  leads = true;
  sim_.RunFor(minutes(5));
  const std::vector<Duration> begins = Begins(kA);
  ASSERT_EQ(begins.size(), 2U);
  EXPECT_GE(begins[0], Duration(seconds(60)));
  EXPECT_EQ(begins[1] - begins[0], Duration(seconds(10)));
}

// ---- the settle time

TEST_F(PaceTest, ABurst_IsOneReconcileAfterItsLastEvent) {
  for (const bool priorities : {true, false}) {
    SCOPED_TRACE(priorities);
    calls_.clear();
    source_ = std::make_shared<TestSource>(env());
    Make({.use_priority_queue = priorities, .settle_time = milliseconds(200)});
    stop_ = std::stop_source();
    Start();
    const Duration begun = env().Now() - start_;
    AddAllTheTime(kA, milliseconds(1), seconds(1));
    sim_.RunFor(seconds(10));
    EXPECT_EQ(Begins(kA), (std::vector<Duration>{begun + milliseconds(999 + 200)}));
    StopController();
  }
}

TEST_F(PaceTest, ABusyObject_BeginsSettleLimitAfterItsFirstEvent) {
  Make({.settle_time = milliseconds(200), .settle_limit = milliseconds(2500)});
  Start();
  AddAllTheTime(kA, milliseconds(1), seconds(11));
  const std::vector<Duration> begins = Begins(kA);
  ASSERT_EQ(begins.size(), 4U);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto round = static_cast<int>(i);
    // The first event after a reconcile comes up to a millisecond later.
    EXPECT_GE(begins[i], Duration(milliseconds(2500)) * (round + 1));
    EXPECT_LE(begins[i], Duration(milliseconds(2501)) * (round + 1));
  }
}

TEST_F(PaceTest, NoSettleLimit_IsTenTimesTheSettleTime) {
  Make({.settle_time = milliseconds(200)});
  Start();
  AddAllTheTime(kA, milliseconds(1), milliseconds(2500));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(2)}));
}

TEST_F(PaceTest, ARequeueWhileEventsCome_WaitsUntilTheySettle) {
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    return ReconcileResult{.requeue_after = seconds(3)};
  };
  Make({.settle_time = seconds(2)});
  Start();
  Add(kA);
  sim_.RunFor(seconds(4));  // reconciled at 2 s, and to return at 5 s
  Add(kA);
  sim_.RunFor(milliseconds(2500));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(2), seconds(6)}));
}

TEST_F(PaceTest, ARequestAddedWithADelay_IsNoEventBeforeItsTime) {
  Make({.settle_time = seconds(2)});
  Start();
  source_->queue->AddAfter(kA, minutes(1));
  sim_.RunFor(seconds(40));
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(calls_.empty()) << "it settles";
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(42)}));
}

// ---- each object's own

TEST_F(PaceTest, PaceOf_SetsThePaceOfSingleObjects) {
  Make({.min_interval = seconds(10), .pace_of = [](const ObjectName& request) -> Pace {
          if (request == kB) return {.min_interval = seconds(1)};
          return {};
        }});
  Start();
  for (int i = 0; i < 200; ++i) {
    Add(kA);
    Add(kB);
    sim_.RunFor(milliseconds(100));
  }
  EXPECT_EQ(Begins(kA).size(), 3U);
  EXPECT_EQ(Begins(kB).size(), 21U);
}

TEST_F(PaceTest, PaceOfThatThrows_TheOptionsCount) {
  Make({.min_interval = seconds(10),
        .pace_of = [](const ObjectName&) -> Pace { throw std::runtime_error("no pace"); }});
  Start();
  AddAllTheTime(kA, milliseconds(100), seconds(20));
  EXPECT_EQ(Begins(kA), (std::vector<Duration>{seconds(0), seconds(10), seconds(20)}));
  EXPECT_FALSE(Metric("kinformer_user_exceptions_total").empty());
}

TEST_F(PaceTest, UselessOptions_AreRefused) {
  const auto error_of = [&](ControllerOptions options) {
    options.name = "pods";
    const auto controller =
        Controller::New(env(), ReconcilerOf<Request>([](const ReconcileContext&, const Request&) {
                          return Result<ReconcileResult>(ReconcileResult{});
                        }),
                        std::move(options));
    return controller ? std::string() : controller.error().message();
  };
  EXPECT_EQ(error_of({.min_interval = seconds(-1)}),
            "controller pods: min_interval must not be below zero");
  EXPECT_EQ(error_of({.settle_time = seconds(-1)}),
            "controller pods: settle_time must not be below zero");
  EXPECT_EQ(error_of({.settle_time = seconds(2), .settle_limit = seconds(1)}),
            "controller pods: settle_limit must not be below settle_time");
}

// ---- many objects

TEST_F(PaceTest, RequestsWhoseIntervalIsOver_AreForgotten) {
  internal::RequestPaces<Request> paces(env(), {.name = "pods", .min_interval = seconds(1)});
  for (int i = 0; i < 100'000; ++i) {
    paces.Began({"ns", std::to_string(i)});
    sim_.RunFor(milliseconds(1));
  }
  EXPECT_GE(paces.size(), 999U);
  EXPECT_LE(paces.size(), 2100U);
}

// Tells what a pace allows, computed from the events of one object.
struct Expected {
  Duration interval;
  Duration settle;
  Duration limit;
  std::optional<Duration> first{};  // events that are not reconciled yet
  Duration last{};
  Duration next{0};

  void Event(Duration at) {
    if (!first) first = at;
    last = at;
  }
  // Returns when the next reconcile begins if no event comes before; empty: never.
  std::optional<Duration> Begin() const {
    if (!first) return std::nullopt;
    return std::max(next, settle > Duration(0) ? std::min(last + settle, *first + limit) : *first);
  }
};

TEST_F(PaceTest, RandomEvents_EachReconcileBeginsWhenThePaceSays) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    calls_.clear();
    source_ = std::make_shared<TestSource>(env());
    ControllerOptions options{.max_concurrent_reconciles = 4, .use_priority_queue = seed % 2 == 0};
    Expected pace{milliseconds(below(3) * below(100)), milliseconds(below(3) * below(50)), {}};
    pace.limit = pace.settle + milliseconds(below(200));
    options.min_interval = pace.interval;
    options.settle_time = pace.settle;
    options.settle_limit = pace.limit;
    Make(std::move(options));
    stop_ = std::stop_source();
    Start();
    std::map<std::string, Expected> objects;
    std::map<std::string, std::vector<Duration>> expected;
    const auto pass = [&](Duration until) {
      for (auto& [name, object] : objects) {
        const std::optional<Duration> begin = object.Begin();
        if (!begin || *begin > until) continue;
        expected[name].push_back(*begin);
        object.first.reset();
        object.next = *begin + object.interval;
      }
    };
    for (int i = 0; i < 400; ++i) {
      // Events come between two milliseconds, at whose beginnings reconciles begin or settle.
      const std::string name(1, static_cast<char>('a' + below(4)));
      const Duration now = env().Now() - start_;
      objects.try_emplace(name, pace).first->second.Event(now);
      Add({"ns", name});
      sim_.RunReady();
      pass(now);
      const Duration rest = std::chrono::microseconds(1 + below(40'000));
      sim_.RunFor(rest);
      pass(now + rest);
    }
    sim_.RunFor(seconds(10));
    pass(env().Now() - start_);
    for (const auto& [name, begins] : expected) {
      EXPECT_EQ(Begins({"ns", name}), begins) << name;
    }
    StopController();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace kinformer
