// Reconciles that read what they have just written, while the watches are late: they are put aside,
// and take no worker from others.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kMaps{"", "v1", "configmaps"};

class ParkedReadsTest : public ::testing::Test {
 protected:
  // Marks each ConfigMap of `slow` names, reads it again, and notes that it is done; others are
  // done at once. `always`: marks it anew in each reconcile.
  void Begin(ControllerOptions options, const std::string& slow, bool always = false) {
    replica_ = &env_.AddReplica("a", [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<corev1::ConfigMap>()
          .WithOptions(options)
          .Complete([=, this, client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            const auto map = client.Get<corev1::ConfigMap>(request, context.call());
            if (!map) return IgnoreNotFound(map.error());
            if (request.name.starts_with(slow) && (always || (**map).data()["marked"].empty())) {
              corev1::ConfigMap::Mutable marked = (**map).DeepCopy();
              marked.data["marked"] += "x";
              if (auto made = client.Update(marked); !made) return made.error();
              const auto again = client.Get<corev1::ConfigMap>(request, context.call());
              if (!again) return again.error();
              EXPECT_EQ(std::string((**again).data()["marked"]), marked.data["marked"]);
            }
            if (done_.insert(request.name).second) last_at_ = context.env().Now();
            return ReconcileResult{};
          })
          .OrExit();
    });
    env_.RunFor(seconds(5));
    replica_->DelayWatches(seconds(2));
  }
  void Make(const std::string& name) {
    env_.server()
        .Create(kMaps,
                *json::Parse(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})"))
        .OrExit();
  }
  // Returns how long it takes until so many are done.
  Duration UntilDone(std::size_t many) {
    const SteadyTime begin = env_.env().Now();
    EXPECT_TRUE(env_.RunUntil([&] { return done_.size() == many; }, minutes(10)));
    return last_at_ - begin;
  }
  [[nodiscard]] std::string Metric(const std::string& name) const {
    const std::string text = metrics_->Text();
    const std::size_t at = text.find("\n" + name + "{");
    return at == std::string::npos ? "" : text.substr(text.find('}', at) + 2, 4);
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Environment env_{{.metrics = metrics_}};
  Replica* replica_ = nullptr;
  std::set<std::string> done_;
  SteadyTime last_at_{};  // when the last one was done
};

// With one worker that waited, it would take twenty times the lag.
TEST_F(ParkedReadsTest, TwentyObjectsAndOneWorker_TheLagIsPaidOnce) {
  Begin({}, "slow");
  for (int i = 0; i < 20; ++i) Make("slow-" + std::to_string(i));
  EXPECT_LE(UntilDone(20), seconds(6));  // the first event, 20 moments, and the lag
}

TEST_F(ParkedReadsTest, ReadsThatWait_TakeTheWorker) {
  Begin({.park_stale_reads = false}, "slow");
  for (int i = 0; i < 20; ++i) Make("slow-" + std::to_string(i));
  EXPECT_GE(UntilDone(20), seconds(40));
}

TEST_F(ParkedReadsTest, LateObject_DelaysNoOther) {
  Begin({}, "slow");
  Make("slow");
  for (int i = 0; i < 99; ++i) Make("quick-" + std::to_string(i));
  EXPECT_LE(UntilDone(99), milliseconds(2200));
}

TEST_F(ParkedReadsTest, ReconcileThatWritesEachTime_WaitsTheThirdTime) {
  Begin({}, "slow", true);
  Make("slow");
  EXPECT_LE(UntilDone(1), seconds(10));
}

TEST_F(ParkedReadsTest, PutAside_IsNoError) {
  Begin({}, "slow");
  Make("slow");
  EXPECT_LE(UntilDone(1), seconds(6));
  EXPECT_EQ(Metric("kinformer_reconcile_parked_total"), "1\n# ");
  EXPECT_EQ(Metric("kinformer_own_write_last_lag_seconds").substr(0, 2), "2\n") << "the watch's";
  EXPECT_EQ(Metric("controller_runtime_reconcile_errors_total").substr(0, 1), "0");
}

}  // namespace
}  // namespace kinformer::testing
