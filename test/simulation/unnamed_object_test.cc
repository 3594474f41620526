// An informer whose lists have an object that cannot be named: nothing may look absent because of
// it.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

#include "base/core/testing/fields_log.h"
#include "transport/responses.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// Damages the name of "b" in each list while `damages` is set. Loop-confined.
class DamagedLists final : public Handler {
 public:
  explicit DamagedLists(apiserver::ApiServer& server) : server_(server) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (!damages || request.target.find("watch=") != std::string::npos) {
      return server_.Handle(std::move(request));
    }
    ++lists;
    HttpHeaders headers;
    headers.Add("Content-Type", "application/json");
    return std::make_unique<internal::transport::WholeBody>(
        200, std::move(headers),
        R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100"},)"
        R"("items":[{"metadata":{"name":"a","namespace":"default","resourceVersion":"1"}},)"
        R"({"metadata":{"name":17,"namespace":"default","resourceVersion":"2"}}]})");
  }

  bool damages = true;
  int lists = 0;

 private:
  apiserver::ApiServer& server_;
};

class UnnamedObject : public ::testing::Test {
 protected:
  UnnamedObject() {
    Put("a", "1");
    Put("b", "1");
  }
  void Put(const std::string& name, const std::string& value) {
    json::Value object;
    object.SetPointer("/metadata/namespace", "default").OrExit();
    object.SetPointer("/metadata/name", name).OrExit();
    object.SetPointer("/data/value", value).OrExit();
    server_.Create(kConfigMaps, std::move(object)).OrExit();
  }
  [[nodiscard]] Result<Ref<ConfigMap>> Get(const std::string& name) const {
    return informer_.lister().Namespace("default").Get(name);
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.seed = 1, .log = log_}};
  apiserver::ApiServer server_{sim_.env()};
  DamagedLists damaged_{server_};
  const std::shared_ptr<InMemoryTransport> transport_ =
      NewInMemoryTransport(sim_.env(), damaged_, {});
  const Client client_ =
      Client::ForTransport(sim_.env(), transport_, {.qps = -1, .prefer_json = true});
  SharedInformer<ConfigMap> informer_{
      sim_.env(), NewListWatch<ConfigMap>(client_, "default"),
      InformerOptions<ConfigMap>{.initial_list = InitialList::kList}};
};

TEST_F(UnnamedObject, BeforeTheFirstSync_NothingIsKnown) {
  informer_.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return damaged_.lists >= 10; }, 10min));
  EXPECT_FALSE(informer_.HasSynced());
  const auto got = Get("b");
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().reason(), Reason::kNotSynced) << got.error();
  EXPECT_EQ(log_->Count("incomplete"), 1U) << log_->text();

  damaged_.damages = false;
  EXPECT_TRUE(sim_.RunUntil([&] { return informer_.HasSynced(); }, 1min));
  EXPECT_TRUE(Get("b").ok());
  informer_.Stop();
  sim_.RunReady();
}

TEST_F(UnnamedObject, AfterASync_TheOldStateStays) {
  damaged_.damages = false;
  informer_.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return informer_.HasSynced(); }, 10s));
  damaged_.damages = true;
  server_.Compact(server_.current_resource_version());
  server_.CloseWatches();
  ASSERT_TRUE(sim_.RunUntil([&] { return damaged_.lists >= 3; }, 10min)) << damaged_.lists;
  EXPECT_TRUE(Get("a").ok());
  EXPECT_TRUE(Get("b").ok());
  EXPECT_NE(informer_.Status().ErrorText(), "");
  informer_.Stop();
  sim_.RunReady();
}

}  // namespace
}  // namespace kinformer::testing
