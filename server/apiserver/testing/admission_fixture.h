// apiserver/testing/admission_fixture.h
//
// AdmissionWebhooksTest: a server and admission webhooks of any name, in simulated time.

#ifndef KINFORMER_APISERVER_TESTING_ADMISSION_FIXTURE_H_
#define KINFORMER_APISERVER_TESTING_ADMISSION_FIXTURE_H_

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/request/responses.h"
#include "apiserver/testing.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver::testing {

inline constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr std::string_view kConfigurations = "/apis/admissionregistration.k8s.io/v1/";

inline std::string Map(const std::string& name, const std::string& labels = "{}") {
  return R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}";
}

inline json::Value Allow() { return Json(R"({"allowed":true})"); }
inline json::Value Deny(std::string_view status) {
  return json::Value::MakeObject({{"allowed", false}, {"status", Json(status)}});
}
inline json::Value PatchWith(std::string_view patch) {
  std::string text;
  internal::AppendBase64(patch, text);
  return json::Value::MakeObject(
      {{"allowed", true}, {"patch", std::move(text)}, {"patchType", "JSONPatch"}});
}

// Responds to each review with the result of a function of its request; if that is null, the review
// is never answered.
class AdmissionHook final : public Handler {
 public:
  using Answer = std::function<json::Value(const json::Value& request)>;

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const json::Value review = json::Parse(request.body).OrExit();
    targets.push_back(request.target);
    asked.push_back(review["request"]);
    if (status != 200) return WholeResponse(status, "text/plain", "broken");
    json::Value response = answer(review["request"]);
    if (response.is_null()) return std::make_unique<Silence>();
    if (!response.contains("uid")) response.Set("uid", review.At("/request/uid"));
    return WholeResponse(200, "application/json",
                         json::Value::MakeObject({{"kind", "AdmissionReview"},
                                                  {"apiVersion", review["apiVersion"]},
                                                  {"response", std::move(response)}})
                             .Dump());
  }

  std::vector<json::Value> asked{};
  std::vector<std::string> targets{};
  int status = 200;
  Answer answer = [](const json::Value&) { return Allow(); };

 private:
  class Silence final : public Deferred {};
};

// Webhooks at "https://NAME".
class AdmissionHooks {
 public:
  AdmissionHook& At(const std::string& name) { return places_["https://" + name].hook; }
  // Returns null if no webhook has that name.
  std::shared_ptr<Transport> To(Env& env, const WebhookAddress& address) {
    const auto found = places_.find(address.base_url);
    if (found == places_.end()) return nullptr;
    Place& place = found->second;
    if (place.transport == nullptr) place.transport = NewInMemoryTransport(env, place.hook);
    return place.transport;
  }

 private:
  struct Place {
    AdmissionHook hook{};
    std::shared_ptr<InMemoryTransport> transport{};
  };
  std::map<std::string, Place> places_{};
};

// Makes a configuration, `kind` Mutating or Validating, of one webhook for ConfigMaps, named after
// its hook, with `more` merged over it.
inline void Configure(TestServer& server, const std::string& kind, const std::string& name,
                      std::string_view more) {
  json::Value webhook = Json(R"({"rules":[{"operations":["*"],"apiGroups":[""],
    "apiVersions":["v1"],"resources":["configmaps"]}],"sideEffects":"None",
    "admissionReviewVersions":["v1"]})");
  webhook.Set("name", name + ".example.com");
  webhook.Ensure("clientConfig").Set("url", "https://" + name + "/hook");
  webhook.MergePatch(Json(more));
  const std::string plural = kind == "Mutating" ? "mutating" : "validating";
  const Reply made =
      server.Do("POST", std::string(kConfigurations) + plural + "webhookconfigurations",
                json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", name}})},
                                         {"webhooks", json::Value::MakeArray({webhook})}})
                    .Dump());
  ASSERT_EQ(made.status, 201) << made.body;
}

class AdmissionWebhooksTest : public ::testing::Test {
 protected:
  void Validating(const std::string& name, std::string_view more = "{}") {
    Configure(server_, "Validating", name, more);
  }
  void Mutating(const std::string& name, std::string_view more = "{}") {
    Configure(server_, "Mutating", name, more);
  }
  Reply Post(const std::string& body, const std::string& query = "") {
    return server_.Do("POST", std::string(kMaps) + query, body);
  }
  AdmissionHook& At(const std::string& name) { return hooks_->At(name); }

  const std::shared_ptr<AdmissionHooks> hooks_ = std::make_shared<AdmissionHooks>();
  TestServer server_{{.webhook_transport = [this](const WebhookAddress& address) {
    return hooks_->To(server_.sim().env(), address);
  }}};
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_ADMISSION_FIXTURE_H_
