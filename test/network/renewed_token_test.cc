// An informer whose token comes from a file, and a server that refuses the token for a while, over
// libcurl in simulated time: how soon a renewed token is used.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/json/json.h"

#include "config/credentials.h"
#include "network/socket_scene.h"
#include "transport/responses.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

// Passes on the requests that have the token. Loop-confined.
class Gate final : public Handler {
 public:
  explicit Gate(Handler& server) : server_(server) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.headers.Get("Authorization") == "Bearer " + token) {
      return server_.Handle(std::move(request));
    }
    HttpHeaders headers;
    headers.Add("Content-Type", "application/json");
    return std::make_unique<internal::transport::WholeBody>(
        401, std::move(headers),
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized",)"
        R"("reason":"Unauthorized","code":401})");
  }

  std::string token{"one"};

 private:
  Handler& server_;
};

class RenewedToken : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  RenewedToken() {
    Renew("one");
    scene_.Serve(gate_);
    const std::shared_ptr<CredentialSource> source =
        internal::config::NewTokenFileCredentials(path_, "");
    client_ = std::make_unique<Client>(Client::ForTransport(
        scene_.env(), std::shared_ptr<Transport>(scene_.NewTransport({.credentials = source})),
        {.qps = -1, .refresh_credentials = [source] { return source->CanRefresh(); }}));
  }
  ~RenewedToken() override {
    client_.reset();
    scene_.sim().RunFor(1ms);
    scene_.StopServing();
  }
  void Renew(const std::string& token) const { std::ofstream(path_) << token; }
  void Create(const std::string& name) {
    json::Value object;
    object.SetPointer("/metadata/namespace", "default").OrExit();
    object.SetPointer("/metadata/name", name).OrExit();
    server_.Create({"", "v1", "configmaps"}, std::move(object)).OrExit();
  }

  const std::string path_ = ::testing::TempDir() + "kinformer-renewed-" + std::to_string(getpid());
  SocketScene scene_{GetParam()};
  apiserver::ApiServer server_{scene_.env()};
  Gate gate_{server_};
  std::unique_ptr<Client> client_{};
};

INSTANTIATE_TEST_SUITE_P(Seeds, RenewedToken, ::testing::Range<std::uint64_t>(1, 11));

// Each attempt reads the file again, since its token is known to be refused; the pauses between
// attempts stay below that limit.
TEST_P(RenewedToken, AfterTenMinutesOf401_TheCacheIsEqualWithinTenSeconds) {
  SharedInformer<ConfigMap> informer(scene_.env(), NewListWatch<ConfigMap>(*client_, "default"));
  static_cast<void>(informer.SetWatchErrorHandler([](const Error&) {}).ok());
  informer.Start();
  const auto has = [&](const std::string& name) {
    return informer.lister().Namespace("default").Get(name).ok();
  };
  Create("before");
  ASSERT_TRUE(scene_.sim().RunUntil([&] { return has("before"); }, 10s));

  gate_.token = "two";
  server_.CloseWatches();
  scene_.sim().RunFor(1s);
  Create("meanwhile");
  scene_.sim().RunFor(10min);
  EXPECT_FALSE(has("meanwhile"));

  Renew("two");
  EXPECT_TRUE(scene_.sim().RunUntil([&] { return has("meanwhile"); }, 10s));
  informer.Stop();
  scene_.sim().RunReady();
}

}  // namespace
}  // namespace kinformer::testing
