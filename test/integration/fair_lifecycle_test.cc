// Work that a server does by itself on many objects must not delay other requests.

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
apiserver::ApiServerOptions ShortLives() {
  apiserver::ApiServerOptions options;
  options.pod_grace = true;
  options.event_ttl = std::chrono::seconds(3);
  return options;
}

class FairLifecycle : public FairServer {
 protected:
  FairLifecycle() : FairServer(ShortLives()) {}

  // Creates a namespace for that attempt, and returns its path.
  std::string Namespace(int attempt) {
    const std::string name = "crowd" + std::to_string(attempt);
    server_.Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n").OrExit();
    return "/api/v1/namespaces/" + name;
  }
  // Creates many objects in the namespace, with additional metadata and fields.
  void Crowd(const std::string& path, std::string_view head, std::string_view metadata = {},
             std::string_view rest = {}) {
    const std::string name = path.substr(path.rfind('/') + 1);
    std::string manifests;
    for (std::size_t i = 0; i < kMany; ++i) {
      manifests.append("---\n").append(head).append("\nmetadata: {name: n");
      manifests.append(std::to_string(i)).append(", namespace: ").append(name).append(metadata);
      manifests.append("}\n").append(rest);
    }
    server_.Load(manifests).OrExit();
  }
  std::size_t Count(const GroupVersionResource& resource) {
    return server_.With([&](apiserver::ApiServer& s) { return s.ObjectCount(resource); });
  }
  std::function<bool()> Gone(const std::string& target) {
    return [this, target] { return Ask(Get(target)).status == 404; };
  }
  static std::function<std::string()> Delete(const std::string& target) {
    return [target] { return RequestText("DELETE", target); };
  }
  // Creates an owner of many objects and deletes it with `propagation`. They are deleted or stay.
  void Owner(const std::string& propagation, bool stay) {
    AskAnew([&, this](int attempt) -> std::vector<FairRow> {
      const std::string path = Namespace(attempt);
      EXPECT_EQ(Ask(Json("POST", path + "/configmaps", R"({"metadata":{"name":"owner"}})")).status,
                201);
      const json::Value owner =
          server_.Get(kConfigMaps, {path.substr(path.rfind('/') + 1), "owner"}).OrExit();
      Crowd(path, "apiVersion: v1\nkind: Secret",
            ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, "
            "blockOwnerDeletion: true, uid: \"" +
                owner.At("/metadata/uid").StringOrEmpty() + "\"}]");
      const std::string target = path + "/configmaps/owner";
      return {{propagation, 200, Delete(target + "?propagationPolicy=" + propagation),
               [=, this] { return Gone(target)() && (stay || Count(kSecrets) == 0); }}};
    });
  }
};

TEST_F(FairLifecycle, NamespaceIsEmptied) {
  AskAnew([this](int attempt) -> std::vector<FairRow> {
    const std::string path = Namespace(attempt);
    Crowd(path, "apiVersion: v1\nkind: ConfigMap");
    return {{"Namespace", 200, Delete(path), Gone(path)}};
  });
}

TEST_F(FairLifecycle, NamespaceWhoseObjectsAreHeldIsCounted) {
  AskAnew([this](int attempt) -> std::vector<FairRow> {
    const std::string path = Namespace(attempt);
    Crowd(path, "apiVersion: v1\nkind: ConfigMap", ", finalizers: [e.example/x]");
    return {{"Namespace", 200, Delete(path), [=, this] {
               return Ask(Get(path)).text.find("e.example/x in " + std::to_string(kMany)) !=
                      std::string::npos;
             }}};
  });
}

TEST_F(FairLifecycle, DependentsFollowTheirOwner) { Owner("Background", false); }

TEST_F(FairLifecycle, DependentsGoBeforeTheirOwner) { Owner("Foreground", false); }

TEST_F(FairLifecycle, DependentsAreOrphaned) {
  Owner("Orphan", true);
  EXPECT_GE(Count(kSecrets), kMany);
  EXPECT_THAT(Ask(Get("/api/v1/namespaces/crowd0/secrets")).text,
              Not(HasSubstr("ownerReferences")));
}

TEST_F(FairLifecycle, PodsWhoseTimeIsUpTogether) {
  AskAnew([this](int attempt) -> std::vector<FairRow> {
    const std::string path = Namespace(attempt);
    Crowd(path, "apiVersion: v1\nkind: Pod", {},
          "spec: {nodeName: node-1, containers: [{name: c, image: i}]}\n");
    return {{"Grace", 200, Delete(path + "/pods?gracePeriodSeconds=2"),
             [this] { return Count({"", "v1", "pods"}) == 0; }}};
  });
}

TEST_F(FairLifecycle, EventsThatExpireTogether) {
  AskAnew([this](int attempt) -> std::vector<FairRow> {
    const std::string path = Namespace(attempt);
    Crowd(path, "apiVersion: v1\nkind: Event", {},
          "involvedObject: {namespace: " + path.substr(path.rfind('/') + 1) + "}\n");
    return {{"Events", 200, [] { return Get("/livez"); },
             [this] { return Count({"", "v1", "events"}) == 0; }}};
  });
}

}  // namespace
}  // namespace kinformer::testing
