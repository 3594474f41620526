// What a server does by itself for many objects, others are served meanwhile, as while it answers.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "integration/fair_server.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

#ifndef KINFORMER_TEST_SANITIZED
constexpr std::size_t kMany = 20'000;
#else
constexpr std::size_t kMany = 6'000;
#endif

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
const GroupVersionResource kSecrets{"", "v1", "secrets"};
constexpr std::string_view kCrowd = "/api/v1/namespaces/crowd";

apiserver::ApiServerOptions ShortLives() {
  apiserver::ApiServerOptions options;
  options.pod_grace = true;
  options.event_ttl = std::chrono::seconds(3);
  return options;
}

class FairLifecycle : public FairServer {
 protected:
  FairLifecycle() : FairServer(ShortLives()) {
    server_.Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: crowd}\n").OrExit();
  }

  // So many objects of the namespace, with more in their metadata and behind it.
  void Crowd(std::string_view head, std::string_view metadata = {}, std::string_view rest = {}) {
    std::string manifests;
    for (std::size_t i = 0; i < kMany; ++i) {
      manifests.append("---\n").append(head).append("\nmetadata: {name: n");
      manifests.append(std::to_string(i)).append(", namespace: crowd").append(metadata);
      manifests.append("}\n").append(rest);
    }
    server_.Load(manifests).OrExit();
  }
  std::function<bool()> None(const GroupVersionResource& resource) {
    return [this, resource] {
      return server_.With([&](apiserver::ApiServer& s) { return s.ObjectCount(resource); }) == 0;
    };
  }
  std::function<bool()> Gone(const std::string& target) {
    return [this, target] { return Ask(Get(target)).status == 404; };
  }
  static std::function<std::string()> Delete(const std::string& target) {
    return [target] { return RequestText("DELETE", target); };
  }
  // An owner of many, whose deletion is to be followed by `propagation`.
  void Owner(const std::string& propagation, const std::function<bool()>& done) {
    ASSERT_EQ(
        Ask(Json("POST", std::string(kCrowd) + "/configmaps", R"({"metadata":{"name":"owner"}})"))
            .status,
        201);
    const json::Value owner = server_.Get(kConfigMaps, {"crowd", "owner"}).OrExit();
    Crowd("apiVersion: v1\nkind: Secret",
          ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, "
          "blockOwnerDeletion: true, uid: \"" +
              owner.At("/metadata/uid").StringOrEmpty() + "\"}]");
    const std::string target = std::string(kCrowd) + "/configmaps/owner";
    AskAll({{propagation, 200, Delete(target + "?propagationPolicy=" + propagation),
             [&] { return Ask(Get(target)).status == 404 && done(); }}});
  }
};

TEST_F(FairLifecycle, NamespaceIsEmptied) {
  Crowd("apiVersion: v1\nkind: ConfigMap");
  AskAll({{"Namespace", 200, Delete(std::string(kCrowd)), Gone(std::string(kCrowd))}});
}

TEST_F(FairLifecycle, NamespaceWhoseObjectsAreHeldIsCounted) {
  Crowd("apiVersion: v1\nkind: ConfigMap", ", finalizers: [e.example/x]");
  AskAll({{"Namespace", 200, Delete(std::string(kCrowd)), [this] {
             return Ask(Get(kCrowd)).text.find("e.example/x in " + std::to_string(kMany)) !=
                    std::string::npos;
           }}});
}

TEST_F(FairLifecycle, DependentsFollowTheirOwner) { Owner("Background", None(kSecrets)); }

TEST_F(FairLifecycle, DependentsGoBeforeTheirOwner) { Owner("Foreground", None(kSecrets)); }

TEST_F(FairLifecycle, DependentsAreOrphaned) {
  Owner("Orphan", [] { return true; });
  EXPECT_EQ(server_.With([](apiserver::ApiServer& s) { return s.ObjectCount(kSecrets); }), kMany);
  EXPECT_THAT(Ask(Get(std::string(kCrowd) + "/secrets")).text, Not(HasSubstr("ownerReferences")));
}

TEST_F(FairLifecycle, PodsWhoseTimeIsUpTogether) {
  Crowd("apiVersion: v1\nkind: Pod", {},
        "spec: {nodeName: node-1, containers: [{name: c, image: i}]}\n");
  AskAll({{"Grace", 200, Delete(std::string(kCrowd) + "/pods?gracePeriodSeconds=2"),
           None({"", "v1", "pods"})}});
}

TEST_F(FairLifecycle, EventsThatExpireTogether) {
  Crowd("apiVersion: v1\nkind: Event", {}, "involvedObject: {namespace: crowd}\n");
  AskAll({{"Events", 200, [] { return Get("/livez"); }, None({"", "v1", "events"})}});
}

}  // namespace
}  // namespace kinformer::testing
