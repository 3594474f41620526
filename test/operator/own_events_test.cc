// Events that show only what a reconcile itself has written do not wake it again, where that is
// asked for; all others do.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Map = corev1::ConfigMap;

const GroupVersionResource kMaps{"", "v1", "configmaps"};
const ObjectName kName{"default", "a"};

class OwnEventsTest : public ::testing::Test {
 protected:
  using Work = std::function<Result<ReconcileResult>(const DelegatingClient& client,
                                                     const Map::Mutable& map)>;

  // Starts two controllers of ConfigMaps. The first one does `work` in the reconcile of "a"; the
  // other one only counts.
  void Begin(Work work, std::optional<bool> filters = true) {
    replica_ = &env_.AddReplica("a", [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<Map>()
          .Named("worker")
          .WithOptions({.filter_own_events = filters})
          .Complete([this, work = std::move(work), client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            if (request != kName) return ReconcileResult{};
            ++worker_;
            const auto map = client.Get<Map>(request, context.call());
            if (!map) return IgnoreNotFound(map.error());
            return work(client, (**map).DeepCopy());
          })
          .OrExit();
      ControllerBuilder(manager)
          .For<Map>()
          .Named("watcher")
          .Complete([this](const ReconcileContext&, const Request& request) {
            if (request == kName) ++watcher_;
            return Result<ReconcileResult>(ReconcileResult{});
          })
          .OrExit();
    });
    env_.RunFor(seconds(5));
  }
  void Make() {
    env_.server()
        .Create(kMaps, *json::Parse(R"({"metadata":{"namespace":"default","name":"a"}})"))
        .OrExit();
  }
  void Change(const std::string& patch) {
    env_.server().Patch(kMaps, kName, json::Parse(patch).OrExit()).OrExit();
  }
  [[nodiscard]] std::string Filtered() const {
    const std::string text = metrics_->Text();
    const std::string line = "kinformer_own_events_filtered_total{controller=\"worker\"} ";
    const std::size_t at = text.find(line);
    if (at == std::string::npos) return "";
    return text.substr(at + line.size(), text.find('\n', at) - at - line.size());
  }
  static Result<ReconcileResult> Done(const Result<Ref<Map>>& written) {
    if (!written) return written.error();
    return ReconcileResult{};
  }
  // Sets the color, by an update.
  static Result<ReconcileResult> Paint(const DelegatingClient& client, Map::Mutable map) {
    if (map.data["color"] == "blue") return ReconcileResult{};
    map.data["color"] = "blue";
    return Done(client.Update(map));
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Environment env_{{.server = {.field_owners = true}, .metrics = metrics_}};
  Replica* replica_ = nullptr;
  int worker_ = 0;   // reconciles of "a"
  int watcher_ = 0;  // the same, of the other controller
};

TEST_F(OwnEventsTest, OwnUpdate_WakesOnlyOthers) {
  Begin(&Paint);
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 1);
  EXPECT_EQ(watcher_, 2);
  EXPECT_EQ(Filtered(), "1");
}

TEST_F(OwnEventsTest, ByDefault_OwnUpdateWakes) {
  Begin(&Paint, std::nullopt);
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2);
  EXPECT_EQ(Filtered(), "");
}

TEST_F(OwnEventsTest, EventAfterTheReconcile_IsFilteredToo) {
  Begin(&Paint);
  replica_->DelayWatches(seconds(2));
  Make();
  env_.RunFor(seconds(10));
  EXPECT_EQ(worker_, 1);
  EXPECT_EQ(Filtered(), "1");
}

TEST_F(OwnEventsTest, ChangeOfAnother_Wakes) {
  Begin(&Paint);
  Make();
  env_.RunFor(seconds(5));
  Change(R"({"data":{"color":"red"}})");
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2) << "the change, and not the repair";
  EXPECT_EQ((*env_.server().Get(kMaps, kName))["data"]["color"].StringOrEmpty(), "blue");
}

TEST_F(OwnEventsTest, ChangeOfAnotherDuringTheReconcile_Wakes) {
  Begin([this](const DelegatingClient& client, const Map::Mutable& map) {
    const auto painted = Paint(client, map);
    if (worker_ == 1) {
      client.client().For<Map>("default").Patch("a", {.body = R"({"data":{"x":"y"}})"}).OrExit();
      env_.env().SleepFor(seconds(1));  // the events of both come meanwhile
    }
    return painted;
  });
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2);
}

TEST_F(OwnEventsTest, SeveralWritesInARow_AreAllOwn) {
  Begin([](const DelegatingClient& client, Map::Mutable map) {
    map.data["color"] = "blue";
    const auto painted = client.Update(map);
    if (!painted) return Done(painted);
    map = (*painted)->DeepCopy();
    map.data["size"] = "9";
    return Done(client.Update(map));
  });
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 1);
}

TEST_F(OwnEventsTest, PatchesAndApplies_AreOwn) {
  Begin([](const DelegatingClient& client, const Map::Mutable&) {
    const auto patched = client.Patch<Map>(kName, {.body = R"({"data":{"color":"blue"}})"});
    if (!patched) return Done(patched);
    static_cast<void>(client.Get<Map>(kName));  // the cache has it
    Map::Mutable sized;
    sized.metadata.namespace_ = kName.namespace_;
    sized.metadata.name = kName.name;
    sized.data["size"] = "9";
    return Done(client.Apply(sized, {.fieldManager = "me"}));
  });
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 1);
  EXPECT_EQ(Filtered(), "2");
}

// The answer has a change of another client, which the reconcile has not seen.
TEST_F(OwnEventsTest, PatchOverAChangeOfAnother_Wakes) {
  Begin([this](const DelegatingClient& client, const Map::Mutable&) {
    if (worker_ == 1) {
      client.client().For<Map>("default").Patch("a", {.body = R"({"data":{"x":"y"}})"}).OrExit();
    }
    return Done(client.Patch<Map>(kName, {.body = R"({"data":{"color":"blue"}})"}));
  });
  replica_->DelayWatches(seconds(2));
  Make();
  env_.RunFor(seconds(20));
  EXPECT_GE(worker_, 2);
  EXPECT_EQ(Filtered(), "0");
}

TEST_F(OwnEventsTest, ReconcileThatEndsWithATerminalError_IsWoken) {
  Begin([this](const DelegatingClient& client, const Map::Mutable& map) {
    const auto painted = Paint(client, map);
    if (worker_ > 1 || !painted) return painted;
    return Result<ReconcileResult>(TerminalError(Error(Reason::kInvalid, "no such color")));
  });
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2);
}

TEST_F(OwnEventsTest, WriteOutsideOfAReconcile_Wakes) {
  Begin([](const DelegatingClient&, const Map::Mutable&) {
    return Result<ReconcileResult>(ReconcileResult{});
  });
  Make();
  env_.RunFor(seconds(5));
  ASSERT_EQ(worker_, 1);
  const DelegatingClient client = replica_->manager().GetClient();
  ASSERT_TRUE(env_.Blocking(
      [&] { client.Patch<Map>(kName, {.body = R"({"data":{"color":"blue"}})"}).OrExit(); }));
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2);
}

TEST_F(OwnEventsTest, DeletionsOfTheReconcile_Wake) {
  Begin([](const DelegatingClient& client, const Map::Mutable&) -> Result<ReconcileResult> {
    const auto gone = client.Delete<Map>(kName);
    if (!gone) return gone.error();
    return ReconcileResult{};
  });
  Make();
  env_.RunFor(seconds(5));
  EXPECT_EQ(worker_, 2);
}

}  // namespace
}  // namespace kinformer::testing
