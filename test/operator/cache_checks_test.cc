// Checks of /readyz: caches that are out of date, and own writes that they do not show.

#include "kinformer/controller/cache_checks.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kMaps{"", "v1", "configmaps"};

class CacheChecksTest : public ::testing::Test {
 protected:
  CacheChecksTest() {
    // Marks each ConfigMap, once.
    replica_ = &env_.AddReplica("a", [](Manager& manager) {
      ControllerBuilder(manager)
          .For<corev1::ConfigMap>()
          .Complete(
              [client = manager.GetClient()](const ReconcileContext& context,
                                             const Request& request) -> Result<ReconcileResult> {
                const auto map = client.Get<corev1::ConfigMap>(request, context.call());
                if (!map) return IgnoreNotFound(map.error());
                if (!(**map).data()["marked"].empty()) return ReconcileResult{};
                corev1::ConfigMap::Mutable marked = (**map).DeepCopy();
                marked.data["marked"] = "x";
                if (auto made = client.Update(marked); !made) return made.error();
                return ReconcileResult{};
              })
          .OrExit();
    });
    env_.RunFor(seconds(5));
  }
  void Make(const std::string& name) {
    env_.server()
        .Create(kMaps,
                *json::Parse(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})"))
        .OrExit();
  }
  static std::string TextOf(const Result<void>& checked) {
    return checked ? "" : checked.error().message();
  }

  Environment env_;
  Replica* replica_ = nullptr;
};

TEST_F(CacheChecksTest, CacheThatIsTooOld_IsNamedUntilItIsCurrent) {
  const healthz::Checker check = CacheAgeCheck(replica_->manager().GetCluster(), minutes(2));
  EXPECT_EQ(TextOf(check()), "");
  replica_->Disconnect(minutes(10));
  env_.RunFor(seconds(30));
  EXPECT_EQ(TextOf(check()), "") << "it is younger than the limit";
  env_.RunFor(minutes(5));
  const std::string text = TextOf(check());
  EXPECT_TRUE(text.starts_with("the cache of configmaps was last known to be up to date 3"))
      << text;
  EXPECT_TRUE(text.ends_with(" s ago")) << text;
  env_.RunFor(minutes(10));
  EXPECT_EQ(TextOf(check()), "") << "it is connected again";
}

TEST_F(CacheChecksTest, WriteThatACacheLacks_IsNamedUntilItIsShown) {
  const healthz::Checker check = WriteLagCheck(replica_->manager().GetCluster(), seconds(10));
  Make("quick");
  env_.RunFor(seconds(20));
  EXPECT_EQ(TextOf(check()), "") << "its event came at once";
  replica_->DelayWatches(seconds(30));
  Make("late");
  env_.RunFor(seconds(35));
  EXPECT_EQ(TextOf(check()), "") << "it may still come in time";
  env_.RunFor(seconds(15));
  const std::string text = TextOf(check());
  EXPECT_TRUE(text.starts_with("the cache of configmaps does not show what this process wrote"))
      << text;
  env_.RunFor(minutes(2));
  EXPECT_EQ(TextOf(check()), "") << "the event has come";
}

TEST_F(CacheChecksTest, ReadyzLimits_AreChecksOfAManager) {
  const Client client = replica_->manager().GetRESTClient();
  EXPECT_TRUE(Manager::New(client, {.readyz = {.max_cache_age = minutes(2)}}).ok());
  const auto manager =
      Manager::New(client, {.readyz = {.max_cache_age = minutes(2), .max_write_lag = seconds(30)}});
  ASSERT_TRUE(manager.ok());
  for (const char* name : {"cache-age", "own-writes"}) {
    EXPECT_EQ((*manager)->AddReadyzCheck(name, healthz::Ping).error().reason(),
              Reason::kAlreadyExists);
  }
  EXPECT_EQ(Manager::New(client, {.readyz = {.max_cache_age = seconds(0)}}).error().message(),
            "ManagerOptions::readyz: max_cache_age must be above zero");
  EXPECT_EQ(Manager::New(client, {.readyz = {.max_write_lag = seconds(-1)}}).error().message(),
            "ManagerOptions::readyz: max_write_lag must be above zero");
}

}  // namespace
}  // namespace kinformer::testing
