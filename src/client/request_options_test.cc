// What the options of single requests become on their way to the server.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/resource_client.h"
#include "kinformer/simulation.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Json;
using testing::ScriptedServer;

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

TEST_F(RequestOptionsTest, OfWritesAreQueryParameters) {
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

TEST_F(RequestOptionsTest, OfDeletionsAreABody) {
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
    // Where the kind has no namespaces, none is needed.
    EXPECT_TRUE(client_->For<corev1::Node>().DeleteCollection().ok());
    EXPECT_EQ(Target(), "/api/v1/nodes");
  });
}

TEST_F(RequestOptionsTest, APathIsSentAsItIsOrNotAtAll) {
  Block([&] {
    for (const char* bad : {"", "version", "?a=b"}) {
      EXPECT_EQ(client_->GetRaw(bad).error().reason(), Reason::kInvalidArgument) << bad;
    }
    EXPECT_TRUE(server_.requests.empty());
    const Result<std::string> body = client_->GetRaw("/livez?verbose");
    ASSERT_TRUE(body.ok());
    EXPECT_NE(body->find("ConfigMap"), std::string::npos);
    EXPECT_EQ(Target(), "/livez?verbose");
    server_.fallback = [](const HttpRequest&) {
      return testing::StatusFailure(503, "ServiceUnavailable", "no");
    };
    EXPECT_EQ(client_->GetRaw("/livez").error().http_status(), 503);
  });
}

// Of the lists and watches of a client; those of informers have the gate.
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
