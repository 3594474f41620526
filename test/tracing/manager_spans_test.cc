// The spans of a whole manager: requests of a reconcile are its children, however they are made.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/task.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"

#include "base/core/testing/recorded_spans.h"
#include "operator/manager_fixture.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using internal::base::RecordedSpan;
using internal::base::RecordedSpans;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ManagerSpansTest : public ::testing::Test {
 protected:
  // Calls `reconcile` for one ConfigMap until it has succeeded.
  template <class F>
  void Reconcile(const F& reconcile, ManagerOptions options = {}) {
    server_.Create(kConfigMaps, *json::Parse(R"({"metadata":{"namespace":"default","name":"a"}})"))
        .OrExit();
    RunningManager manager(sim_, server_, std::move(options));
    bool done = false;
    ControllerBuilder(*manager)
        .Named("maps")
        .For<ConfigMap>()
        .Complete([&](const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          Result<ReconcileResult> result = reconcile(*manager, context, request);
          done = done || result.ok();
          return result;
        })
        .OrExit();
    manager.Start();
    EXPECT_TRUE(sim_.RunUntil([&] { return done; }, minutes(5)));
    sim_.RunFor(seconds(1));
    manager.Stop();
    sim_.RunFor(seconds(1));
  }
  // Returns the names of the spans with this parent.
  std::vector<std::string> ChildrenOf(const RecordedSpan& parent) const {
    std::vector<std::string> names;
    for (const RecordedSpan& span : spans_->All()) {
      if (span.parent != parent.id) continue;
      names.push_back(span.name);
      EXPECT_EQ(span.context.trace_id, parent.context.trace_id) << span.name;
    }
    return names;
  }
  RecordedSpan One(const std::string& name) const {
    const std::vector<RecordedSpan> found = spans_->Named(name);
    EXPECT_THAT(found, SizeIs(1)) << name;
    return found.empty() ? RecordedSpan() : found.front();
  }

  const std::shared_ptr<RecordedSpans> spans_ = std::make_shared<RecordedSpans>();
  Simulation sim_{{.tracer = spans_}};
  ApiServer server_{sim_};
};

constexpr char kGet[] = "GET /api/v1/namespaces/{namespace}/configmaps/{name}";
constexpr char kCreate[] = "POST /api/v1/namespaces/{namespace}/configmaps";

TEST_F(ManagerSpansTest, RequestsOfAReconcile_AreItsChildren) {
  Reconcile([&](Manager& manager, const ReconcileContext& context,
                const Request& request) -> Result<ReconcileResult> {
    const Client& client = manager.GetRESTClient();
    // With the context's call, and without any.
    EXPECT_TRUE(client.For<ConfigMap>("default").Get(request.name, {}, context.call()).ok());
    EXPECT_TRUE(client.For<ConfigMap>("default").Get(request.name).ok());
    const Span own(context.env(), "render");
    const SpanScope scope(own);
    EXPECT_TRUE(client.For<ConfigMap>("default").Get(request.name, {}, context.call()).ok());
    return ReconcileResult{};
  });
  const RecordedSpan reconcile = One("reconcile maps");
  EXPECT_THAT(ChildrenOf(reconcile), ElementsAre(kGet, kGet, "render"));
  EXPECT_THAT(ChildrenOf(One("render")), ElementsAre(kGet));
}

TEST_F(ManagerSpansTest, AsyncRequestsOfAReconcile_AreItsChildren) {
  Reconcile([&](Manager& manager, const ReconcileContext& context,
                const Request& request) -> Result<ReconcileResult> {
    const Client& client = manager.GetRESTClient();
    const AsyncResourceClient maps(client.For<ConfigMap>("default"));
    std::optional<bool> found;
    maps.Get(request.name).Start([&](const auto& map) { found = map.ok(); });
    while (!found) context.env().SleepFor(seconds(1));
    EXPECT_TRUE(*found);
    EXPECT_TRUE(BlockOn(context.env(), maps.Get(request.name).AsTask()).ok());
    return ReconcileResult{};
  });
  EXPECT_THAT(ChildrenOf(One("reconcile maps")), ElementsAre(kGet, kGet));
}

TEST_F(ManagerSpansTest, WritesOfTheCachedClient_AreItsChildren) {
  Reconcile([&](Manager& manager, const ReconcileContext& context,
                const Request& request) -> Result<ReconcileResult> {
    if (request.name != "a") return ReconcileResult{};
    ConfigMap::Mutable copy;
    copy.metadata.name = "copy";
    copy.metadata.namespace_ = "default";
    const auto made = manager.GetClient().Create(copy, {}, context.call());
    if (!made && !IsAlreadyExists(made.error())) return made.error();
    return ReconcileResult{};
  });
  const std::vector<RecordedSpan> reconciles = spans_->Named("reconcile maps");
  ASSERT_FALSE(reconciles.empty());
  EXPECT_THAT(ChildrenOf(reconciles[0]), ElementsAre(kCreate));
}

TEST_F(ManagerSpansTest, RetriedReconcile_IsLinkedToTheOneBefore) {
  int calls = 0;
  Reconcile([&](Manager&, const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (++calls == 1) return Error(Reason::kInternalError, "not yet");
    return ReconcileResult{};
  });
  const std::vector<RecordedSpan> reconciles = spans_->Named("reconcile maps");
  ASSERT_THAT(reconciles, SizeIs(2));
  EXPECT_EQ(reconciles[0].error, "not yet");
  EXPECT_THAT(reconciles[1].links, ElementsAre(reconciles[0].id));
}

TEST_F(ManagerSpansTest, InformersAndElections_HaveTheirRequestsAsChildren) {
  Reconcile([&](Manager&, const ReconcileContext&, const Request&) { return ReconcileResult{}; },
            {.leader_election = true,
             .leader_election_id = "scene",
             .leader_election_namespace = "default",
             .leader_election_release_on_cancel = true});
  const RecordedSpan list = One("watch-list configmaps");
  EXPECT_THAT(ChildrenOf(list), ElementsAre(StartsWith("GET /api/v1/configmaps?")));
  EXPECT_THAT(One("watch configmaps").links, ElementsAre(list.id));
  const std::vector<RecordedSpan> acquired = spans_->Named("election acquire");
  ASSERT_FALSE(acquired.empty());
  EXPECT_THAT(ChildrenOf(acquired.back()), Not(IsEmpty()));
  const RecordedSpan released = One("election release");
  EXPECT_THAT(released.links, ElementsAre(acquired.back().id));
  EXPECT_THAT(ChildrenOf(released), Contains(StartsWith("PUT ")));
  for (const RecordedSpan& span : spans_->All()) {
    EXPECT_TRUE(span.ended.has_value()) << span.name;
  }
}

}  // namespace
}  // namespace kinformer::testing
