// controller/endpoints/testing/access_fixture.h
//
// AccessFiltersTest: metrics behind the access filter, which asks an API server; simulated time.

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ACCESS_FIXTURE_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ACCESS_FIXTURE_H_

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/json/json.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/scripted_server.h"
#include "controller/endpoints/testing/endpoint_client.h"

namespace kinformer::testing {

// The API server: accepts tokens that begin with "t-", as users of the same name, and allows
// everything except to users whose name ends with "0".
inline ScriptedResponse Review(const HttpRequest& request) {
  json::Value review = json::Parse(request.body).value_or(json::Value());
  json::Value status = json::Value::MakeObject();
  if (request.target.starts_with("/apis/authentication.k8s.io/v1/tokenreviews")) {
    const std::string token(review["spec"]["token"].AsString().value_or(""));
    const bool known = token.starts_with("t-");
    status.Set("authenticated", known);
    if (known) {
      status.Set("user", json::Parse(R"({"username":"user-)" + token.substr(2) +
                                     R"(","uid":"7","groups":["g"],"extra":{"k":["v"]}})")
                             .value_or(json::Value()));
    }
  } else {
    status.Set("allowed", !review["spec"]["user"].AsString().value_or("").ends_with('0'));
  }
  review.Set("status", std::move(status));
  return Json(review.Dump(), 201);
}

class AccessFiltersTest : public ::testing::Test {
 protected:
  AccessFiltersTest() {
    api_server_.fallback = &Review;
    metrics_.fallback = [](const HttpRequest& request) {
      return ScriptedResponse{.body = "metrics for " + request.user};
    };
    client_ = Client::ForTransport(
        sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), api_server_)),
        {.qps = -1, .prefer_json = true});
    filter_ = WithAuthenticationAndAuthorization(
        sim_.env(), *client_, std::shared_ptr<Handler>(std::shared_ptr<void>(), &metrics_));
  }
  void TearDown() override {
    EXPECT_TRUE(sim_.RunBlocking([&] { filter_.reset(); }, std::chrono::minutes(1)));
    EXPECT_THAT(log_->text(), ::testing::Not(::testing::HasSubstr("t-")));
    client_.reset();
    sim_.RunReady();
  }
  std::string Get(const std::string& token, const std::string& target = "/metrics?name=x") {
    const std::unique_ptr<Asked> asked = Ask(sim_, *filter_, target, token);
    return std::to_string(asked->status) + " " + asked->body;
  }
  // Returns the kinds of reviews requested from the API server since the last call.
  std::vector<std::string> Questions() {
    std::vector<std::string> kinds;
    for (const HttpRequest& request : std::exchange(api_server_.requests, {})) {
      kinds.push_back(request.target.substr(request.target.rfind('/') + 1));
    }
    return kinds;
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kDebug);
  Simulation sim_{{.log = log_}};
  ScriptedServer api_server_;
  ScriptedServer metrics_;
  std::optional<Client> client_;
  std::shared_ptr<Handler> filter_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ACCESS_FIXTURE_H_
