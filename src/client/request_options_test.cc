// Options of single requests, as they reach the server.

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/internal/resource_core.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Json;
using testing::ScriptedServer;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class RequestOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.fallback = [](const HttpRequest&) {
      return Json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
    };
    Make({.qps = -1});
  }
  void Make(const ClientOptions& options) {
    client_.emplace(Client::ForTransport(
        sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)),
        options));
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(5)));
  }
  [[nodiscard]] const std::string& Target() const { return server_.requests.back().target; }
  [[nodiscard]] const std::string& Body() const { return server_.requests.back().body; }

  Simulation sim_{{.seed = 2}};
  ScriptedServer server_;
  std::optional<Client> client_;
};

TEST_F(RequestOptionsTest, WriteOptions_AreQueryParameters) {
  const auto maps = client_->For<corev1::ConfigMap>("default");
  corev1::ConfigMap::Mutable object;
  object.metadata.name = "a";
  const CreateOptions options{.dryRun = {"All"}, .fieldManager = "me", .fieldValidation = "Strict"};
  const std::string query = "?dryRun=All&fieldManager=me&fieldValidation=Strict";
  Block([&] {
    EXPECT_TRUE(maps.Create(object, options).ok());
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/configmaps" + query);
    EXPECT_TRUE(maps.Update(object, options).ok());
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/configmaps/a" + query);
    EXPECT_TRUE(maps.Patch("a", {PatchType::kApply, "{}"},
                           {.dryRun = {"All"},
                            .force = true,
                            .fieldManager = "me",
                            .fieldValidation = "Strict"})
                    .ok());
    EXPECT_EQ(Target(),
              "/api/v1/namespaces/default/configmaps/a?dryRun=All&fieldManager=me"
              "&fieldValidation=Strict&force=true");
    EXPECT_TRUE(maps.Patch("a", {PatchType::kMergePatch, "{}"}).ok());
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/configmaps/a");
  });
}

TEST_F(RequestOptionsTest, TheTraceOfACallGoesWithItsRequests) {
  const CallOptions call{.traceparent = kParent, .tracestate = "a=1"};
  const auto maps = client_->For<corev1::ConfigMap>("default");
  corev1::ConfigMap::Mutable object;
  object.metadata.name = "a";
  const std::function<void()> calls[] = {
      [&] { (void)maps.Get("a", {}, call); },
      [&] { (void)maps.Create(object, {}, call); },
      [&] { (void)maps.Delete("a", {}, call); },
      [&] { (void)maps.List({}, call); },
      [&] { (void)maps.Watch({}, [](const auto&) { return false; }, call); },
      [&] { (void)client_->GetRaw("/version", call); },
      [&] { (void)client_->Discovery().ServerVersion(call); },
      [&] {
        const AsyncResourceClient<corev1::ConfigMap> async(maps);
        (void)BlockOn(sim_.env(), async.Get("a").WithTrace(kParent, "a=1").AsTask());
      },
  };
  Block([&] {
    for (const auto& run : calls) {
      server_.requests.clear();
      run();
      ASSERT_EQ(server_.requests.size(), 1U);
      EXPECT_EQ(server_.requests[0].headers.Get("traceparent"), kParent) << Target();
      EXPECT_EQ(server_.requests[0].headers.Get("tracestate"), "a=1") << Target();
    }
  });
}

TEST_F(RequestOptionsTest, AMalformedTraceIsSentNowhere) {
  const CallOptions call{.traceparent = "00-1"};
  const auto maps = client_->For<corev1::ConfigMap>("default");
  Block([&] {
    for (const Error& error : {maps.Get("a", {}, call).error(), maps.List({}, call).error(),
                               maps.Watch({}, [](const auto&) { return false; }, call).error()}) {
      EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
      EXPECT_NE(error.message().find("traceparent \"00-1\""), std::string::npos) << error;
    }
  });
  EXPECT_TRUE(server_.requests.empty());
}

TEST_F(RequestOptionsTest, DeleteOptions_AreABody) {
  const auto maps = client_->For<corev1::ConfigMap>("default");
  Block([&] {
    EXPECT_TRUE(maps.Delete("a", {.uid = "u", .resourceVersion = "7", .dryRun = {"All"}}).ok());
    EXPECT_EQ(Body(), R"({"kind":"DeleteOptions","apiVersion":"v1",)"
                      R"("preconditions":{"uid":"u","resourceVersion":"7"},"dryRun":["All"]})");
    EXPECT_TRUE(maps.Delete("a", {.resourceVersion = "7"}).ok());
    EXPECT_EQ(Body(), R"({"kind":"DeleteOptions","apiVersion":"v1",)"
                      R"("preconditions":{"resourceVersion":"7"}})");
    EXPECT_TRUE(
        maps.DeleteCollection({.propagationPolicy = "Orphan"}, {.labelSelector = "a=b"}).ok());
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/configmaps?labelSelector=a%3Db");
    EXPECT_EQ(Body(), R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"})");
    EXPECT_TRUE(maps.Delete("a", {.gracePeriodSeconds = 5}).ok());
    EXPECT_EQ(Body(), R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":5})");
    // Cluster-scoped kinds need no namespace.
    EXPECT_TRUE(client_->For<corev1::Node>().DeleteCollection().ok());
    EXPECT_EQ(Target(), "/api/v1/nodes");
  });
}

TEST_F(RequestOptionsTest, ClusterScopedKinds_NeedNoNamespace) {
  const auto nodes = client_->For<corev1::Node>();
  server_.fallback = [](const HttpRequest&) {
    return Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  };
  corev1::Node::Mutable node;
  node.metadata.name = "n";
  Block([&] {
    EXPECT_TRUE(nodes.Get("n").ok());
    EXPECT_EQ(Target(), "/api/v1/nodes/n");
    EXPECT_TRUE(nodes.Create(node).ok());
    EXPECT_EQ(Target(), "/api/v1/nodes");
    EXPECT_TRUE(nodes.Update(node).ok());
    EXPECT_EQ(Target(), "/api/v1/nodes/n");
  });
}

TEST_F(RequestOptionsTest, InvalidNames_AreNotSent) {
  const auto maps = client_->For<corev1::ConfigMap>("default");
  const auto elsewhere = client_->For<corev1::ConfigMap>("..");
  corev1::ConfigMap::Mutable object;
  object.metadata.name = "..";
  Block([&] {
    for (const Error& error :
         {maps.Get("..").error(), maps.Update(object).error(), maps.UpdateStatus(object).error(),
          maps.Patch("..", {PatchType::kMergePatch, "{}"}).error(), maps.Delete("..").error(),
          elsewhere.Create(object).error(), elsewhere.List().error(),
          elsewhere.ListPage({}).error(), elsewhere.DeleteCollection().error(),
          elsewhere.Watch({}, [](const ResourceWatchEvent<corev1::ConfigMap>&) { return true; })
              .error()}) {
      EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
      EXPECT_NE(error.message().find("may not be"), std::string::npos) << error;
    }
  });
  EXPECT_TRUE(server_.requests.empty());
}

// Subresources whose kind the program knows.
TEST_F(RequestOptionsTest, Subresources_TakeTheObjectsOptionsAndCheckNames) {
  const internal::ResourceCore pods(client_->core(), corev1::Pod::kind_info(), "default");
  const KindInfo& part = corev1::ConfigMap::kind_info();
  corev1::ConfigMap::Mutable object;
  object.metadata.name = "a";
  const auto sent = internal::ToRequestObject<corev1::ConfigMap>(object);
  const CreateOptions options{.dryRun = {"All"}, .fieldManager = "me", .fieldValidation = "Warn"};
  Block([&] {
    EXPECT_TRUE(pods.GetPart("a", "part", part, {}).ok());
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/pods/a/part");
    EXPECT_TRUE(pods.CreatePart("a", "part", part, sent, options, {}).ok());
    const std::string query = "?dryRun=All&fieldManager=me&fieldValidation=Warn";
    EXPECT_EQ(server_.requests.back().method + " " + Target(),
              "POST /api/v1/namespaces/default/pods/a/part" + query);
    EXPECT_TRUE(pods.UpdatePart("a", "part", part, sent, options, {}).ok());
    EXPECT_EQ(server_.requests.back().method + " " + Target(),
              "PUT /api/v1/namespaces/default/pods/a/part" + query);
    EXPECT_EQ(pods.DeleteForAnswer("a", {}, {}).error().reason(), Reason::kDecode) << "no Pod";
    const std::size_t before = server_.requests.size();
    for (const Error& error : {pods.GetPart("..", "part", part, {}).error(),
                               pods.CreatePart("..", "part", part, sent, options, {}).error(),
                               pods.UpdatePart("a", "..", part, sent, options, {}).error(),
                               pods.DeleteForAnswer("..", {}, {}).error()}) {
      EXPECT_EQ(error.reason(), Reason::kInvalidArgument) << error;
    }
    EXPECT_EQ(server_.requests.size(), before);
  });
}

// A subresource with a kind of its own may return any kind; others may not.
TEST_F(RequestOptionsTest, APatchIsAnsweredByTheKindThatIsPatched) {
  server_.fallback = [](const HttpRequest&) {
    return Json(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"}})");
  };
  const auto maps = client_->For<corev1::ConfigMap>("default");
  Block([&] {
    const auto patched = [&](const char* subresource) {
      return maps.Patch("a", {PatchType::kMergePatch, "{}"}, {}, subresource).ok();
    };
    EXPECT_TRUE(patched("scale"));
    EXPECT_EQ(Target(), "/api/v1/namespaces/default/configmaps/a/scale");
    EXPECT_FALSE(patched("status"));
    EXPECT_FALSE(patched(""));
  });
}

TEST_F(RequestOptionsTest, RawPath_IsSentUnchangedOrRefused) {
  Block([&] {
    for (const char* bad : {"", "version", "?a=b"}) {
      EXPECT_EQ(client_->GetRaw(bad).error().reason(), Reason::kInvalidArgument) << bad;
    }
    EXPECT_TRUE(server_.requests.empty());
    const Result<std::string> body = client_->GetRaw("/livez?verbose");
    ASSERT_TRUE(body.ok());
    EXPECT_NE(body->find("ConfigMap"), std::string::npos);
    EXPECT_EQ(Target(), "/livez?verbose");
    EXPECT_EQ(server_.requests.back().headers.Get("Accept"), "application/json, */*");
    server_.fallback = [](const HttpRequest&) {
      return testing::StatusFailure(503, "ServiceUnavailable", "no");
    };
    EXPECT_EQ(client_->GetRaw("/livez").error().http_status(), 503);
  });
}

// Lists and watches made by the client; those of informers pass the list gate.
TEST_F(RequestOptionsTest, ListsWaitForTheRateLimiterAndWatchesDoNot) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) {
    return Json(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]})");
  };
  const auto maps = client_->For<corev1::ConfigMap>("default");
  Block([&] {
    EXPECT_TRUE(maps.List().ok());
    for (int i = 0; i < 2; ++i) {
      const SteadyTime begun = sim_.env().Now();
      EXPECT_TRUE((i == 0 ? maps.List() : maps.ListPage({})).ok());
      const Duration took = sim_.env().Now() - begun;
      EXPECT_GT(took, milliseconds(900));
      EXPECT_LT(took, milliseconds(1100));
    }
    const SteadyTime begun = sim_.env().Now();
    server_.script = {{.body = "", .hang = false}};
    EXPECT_TRUE(
        maps.Watch({}, [](const ResourceWatchEvent<corev1::ConfigMap>&) { return true; }).ok());
    EXPECT_EQ(sim_.env().Now(), begun);
  });
}

// A lease renewal waits neither for other requests nor for the rate limit.
TEST_F(RequestOptionsTest, Leases_HaveTheirOwnPoolAndNoRateLimit) {
  Make({.qps = 1, .burst = 1});
  const auto get = [&](const auto& resources) {
    const SteadyTime begun = sim_.env().Now();
    static_cast<void>(resources.Get("a"));
    return sim_.env().Now() - begun;
  };
  Block([&] {
    EXPECT_EQ(get(client_->For<corev1::ConfigMap>("default")), Duration(0));
    EXPECT_EQ(server_.requests.back().pool, ConnectionPool::kShort);
    EXPECT_GT(get(client_->For<corev1::ConfigMap>("default")), milliseconds(900));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(get(client_->For<coordinationv1::Lease>("default")), Duration(0));
      EXPECT_EQ(server_.requests.back().pool, ConnectionPool::kLease);
    }
    // Other resources of the group, and equal names in other groups, are not exempt.
    for (const GroupVersionResource& other :
         {GroupVersionResource{"coordination.k8s.io", "v1", "leasecandidates"},
          GroupVersionResource{"example.com", "v1", "leases"}}) {
      const RestMapping mapping{other, {other.group, other.version, "Other"}, true};
      EXPECT_GT(get(client_->Dynamic(mapping, "default")), milliseconds(900)) << other.group;
      EXPECT_EQ(server_.requests.back().pool, ConnectionPool::kShort);
    }
  });
}

TEST_F(RequestOptionsTest, AStopThatWasRequestedBeforeSendsNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto maps = client_->For<corev1::ConfigMap>("default");
  Block([&] {
    EXPECT_EQ(maps.Get("a", {}, {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
    EXPECT_EQ(maps.List({}, {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
  });
  EXPECT_TRUE(server_.requests.empty());
}

}  // namespace
}  // namespace kinformer
