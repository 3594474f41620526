// Fair queues of controllers: a tenant with a hundred times the load of each other one.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/until.h"

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kReconcile = milliseconds(10);
constexpr int kTenants = 100;

struct Load {
  double share;  // of the workers' time, of all tenants but the noisy one together
  std::size_t workers = 1;
  bool noisy = true;  // tenant-0 has a hundred times the load of another one
};

class FairControllerTest : public ControllerTest {
 protected:
  // Returns the 99th percentile of the time that requests of the other tenants wait.
  Duration OthersP99(const Load& load, ControllerOptions options, Duration length = minutes(1)) {
    options.max_concurrent_reconciles = load.workers;
    std::map<Request, SteadyTime> added;
    std::vector<Duration> waits;
    reconcile_ = [&](const ReconcileContext& context,
                     const Request& request) -> Result<ReconcileResult> {
      if (request.namespace_ != "tenant-0") waits.push_back(env().Now() - added[request]);
      static_cast<void>(SleepUnlessStopped(env(), context.stop(), kReconcile));
      return ReconcileResult{};
    };
    source_ = std::make_shared<TestSource>(env());
    stop_ = std::stop_source();
    Make(std::move(options));
    Start();
    std::mt19937_64 random(7);
    const double others = load.share * static_cast<double>(load.workers) / (kTenants - 1);
    const auto pause = [&](int tenant) {
      const double rate =
          (tenant == 0 ? 100 * others : others) / duration<double>(kReconcile).count();
      const double uniform = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
      return std::chrono::duration_cast<Duration>(duration<double>(-std::log(uniform) / rate));
    };
    using Next = std::pair<SteadyTime, int>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (int tenant = load.noisy ? 0 : 1; tenant < kTenants; ++tenant) {
      next.emplace(env().Now() + pause(tenant), tenant);
    }
    const SteadyTime end = env().Now() + length;
    int number = 0;
    while (next.top().first < end) {
      const auto [at, tenant] = next.top();
      next.pop();
      sim_.RunFor(at - env().Now());
      const Request request{"tenant-" + std::to_string(tenant), std::to_string(++number)};
      added[request] = env().Now();
      Add(request);
      next.emplace(at + pause(tenant), tenant);
    }
    StopController();
    EXPECT_GT(waits.size(), 1000U);
    const auto p99 = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() * 99 / 100);
    std::ranges::nth_element(waits, p99);
    return *p99;
  }
};

TEST_F(FairControllerTest, NoisyTenant_OthersWaitAtMostTwiceAsLong) {
  for (const double share : {0.3, 0.45, 0.6, 0.7}) {
    SCOPED_TRACE(share);
    const Duration alone = OthersP99({.share = share, .noisy = false}, {});
    const Duration fair = OthersP99({.share = share}, {.fair_queue = FairFlows<ObjectName>()});
    RecordProperty("share_" + std::to_string(share),
                   std::to_string(alone.count()) + " " + std::to_string(fair.count()));
    EXPECT_LE(fair, 2 * alone) << fair.count() << " ns, alone " << alone.count() << " ns";
  }
}

TEST_F(FairControllerTest, NoisyTenantWithoutAFairQueue_AllWaitForIt) {
  const Duration alone = OthersP99({.share = 0.6, .noisy = false}, {});
  EXPECT_GT(OthersP99({.share = 0.6}, {}), 100 * alone);
}

TEST_F(FairControllerTest, FourWorkersAndNoPriorities_OthersWaitAtMostTwiceAsLong) {
  const Load alone{.share = 0.6, .workers = 4, .noisy = false};
  const Load noisy{.share = 0.6, .workers = 4};
  const ControllerOptions plain{.use_priority_queue = false};
  ControllerOptions fair = plain;
  fair.fair_queue.emplace();
  EXPECT_LE(OthersP99(noisy, fair, seconds(30)), 2 * OthersP99(alone, plain, seconds(30)));
}

TEST_F(FairControllerTest, FlowsOfTheProgram_ShareByTheirWeights) {
  // Still called when the test has ended.
  reconcile_ = [this](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    static_cast<void>(SleepUnlessStopped(env(), context.stop(), kReconcile));
    return ReconcileResult{};
  };
  Make({.fair_queue = FairFlows<ObjectName>{
            .flow_of = [](const ObjectName& request) { return request.name.substr(0, 1); },
            .weight_of = [](const std::string& flow) { return flow == "a" ? 3.0 : 1.0; }}});
  Start();
  for (int i = 0; i < 1000; ++i) {
    Add({"ns", "a" + std::to_string(i)});
    Add({"ns", "b" + std::to_string(i)});
  }
  sim_.RunFor(400 * kReconcile);
  const auto of_a = std::ranges::count_if(
      calls_, [](const Call& call) { return call.request.name.starts_with("a"); });
  EXPECT_NEAR(static_cast<double>(of_a), 0.75 * static_cast<double>(calls_.size()), 3);
}

// Requests of another type are asked about by their text.
TEST_F(FairControllerTest, OtherRequests_HaveTheirTextAsName) {
  std::vector<std::string> asked;
  std::vector<std::string> order;
  std::optional<RequestQueue<std::string>> queue;
  auto controller =
      TypedController<std::string>::New(
          env(),
          ReconcilerOf<std::string>(
              [&](const ReconcileContext& context, const std::string& request) {
                order.push_back(request);
                static_cast<void>(SleepUnlessStopped(env(), context.stop(), kReconcile));
                return Result<ReconcileResult>(ReconcileResult{});
              }),
          {.name = "texts",
           .pace_of = [&](const ObjectName& request) -> Pace {
             asked.push_back(request.ToString());
             return {};
           },
           .fair_queue =
               FairFlows<ObjectName>{
                   .flow_of = [](const ObjectName& request) { return request.name.substr(0, 1); }}})
          .OrExit();
  ASSERT_TRUE(controller
                  ->Watch(source::Func<std::string>(
                      "texts",
                      [&](const std::stop_token&, const RequestQueue<std::string>& given) {
                        queue.emplace(given);
                        return Result<void>();
                      }))
                  .ok());
  std::stop_source stop;
  const auto thread =
      env().NewThread("controller", [&] { EXPECT_TRUE(controller->Start(stop.get_token()).ok()); });
  sim_.RunReady();
  for (const char* request : {"a1", "a2", "a3", "b1"}) queue->Add(request);
  sim_.RunFor(seconds(1));
  stop.request_stop();
  thread->Join();
  EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "a2", "a3"}));
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(asked[0], "a1");
}

}  // namespace
}  // namespace kinformer
