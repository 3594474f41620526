// Webhooks of a WebhookServer that the embedded API server asks, in simulated time.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

// Refuses ConfigMaps whose data asks for it.
class MapValidator : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap& map,
                              admission::Warnings&) override {
    return Judge(map);
  }
  Result<void> ValidateUpdate(const admission::Request&, const corev1::ConfigMap&,
                              const corev1::ConfigMap& map, admission::Warnings&) override {
    return Judge(map);
  }

 private:
  static Result<void> Judge(const corev1::ConfigMap& map) {
    if (map.data().Find("bad")) return Error(Reason::kForbidden, "there is something bad in it");
    return {};
  }
};

class Webhooks : public ::testing::Test {
 protected:
  Webhooks() {
    webhooks_.RegisterValidator<corev1::ConfigMap>(std::make_shared<MapValidator>()).OrExit();
    webhooks_
        .RegisterDefaulter<corev1::ConfigMap>(
            [this](const admission::Request&, corev1::ConfigMap::Mutable& map) -> Result<void> {
              // May block, and may ask the very server that asks it.
              if (map.data.contains("look")) {
                const auto other = maps_.Get(map.data["look"]);
                map.data["found"] = other ? "yes" : "no";
              }
              map.metadata.labels.try_emplace("tier", "back");
              return {};
            })
        .OrExit();
    server_
        .Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: maps}
webhooks:
- name: default.maps.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {namespace: default, name: hooks, path: /mutate--v1-configmap}}
  rules:
  - {operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: maps}
webhooks:
- name: check.maps.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://hooks.example.com/validate--v1-configmap"}
  rules:
  - {operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}
)")
        .OrExit();
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(5))); }
  static corev1::ConfigMap::Mutable Map(const std::string& name) {
    corev1::ConfigMap::Mutable map;
    map.metadata.name = name;
    return map;
  }

  Simulation sim_;
  WebhookServer webhooks_{sim_.env()};
  const std::shared_ptr<Transport> to_webhooks_ = NewInMemoryTransport(sim_.env(), webhooks_);
  ApiServer server_{sim_, {.webhook_transport = [this](const apiserver::WebhookAddress&) {
                      return to_webhooks_;
                    }}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
  const ResourceClient<corev1::ConfigMap> maps_ = client_.For<corev1::ConfigMap>("default");
};

TEST_F(Webhooks, ADefaulterAndAValidatorSeeWhatClientsWrite) {
  Run([&] {
    const Ref<corev1::ConfigMap> made = maps_.Create(Map("a")).OrExit();
    EXPECT_EQ(made->metadata().labels().Find("tier"), "back");
    corev1::ConfigMap::Mutable changed = made->DeepCopy();
    changed.data["bad"] = "1";
    const auto refused = maps_.Update(changed);
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(IsForbidden(refused.error()));
    EXPECT_THAT(refused.error().message(),
                HasSubstr("admission webhook \"check.maps.example.com\" denied the request: there "
                          "is something bad in it"));
    changed.data = {{"look", "a"}};
    const Ref<corev1::ConfigMap> found = maps_.Update(changed).OrExit();
    EXPECT_EQ(found->data().Find("found"), "yes");
  });
}

}  // namespace
}  // namespace kinformer::testing
