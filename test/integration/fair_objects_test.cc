// Changes that a server makes by itself to one large object must not delay other requests.

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/webhook/webhook_server.h"

#include "integration/fair_server.h"

namespace kinformer::testing {
namespace {

// For objects of about a megabyte.
#ifndef KINFORMER_TEST_SANITIZED
constexpr int kMembers = 60'000;
constexpr int kThings = 20'000;
#else
constexpr int kMembers = 20'000;
constexpr int kThings = 4'000;
#endif

const GroupVersionResource kNamespaceKind{"", "v1", "namespaces"};
const GroupVersionResource kMapKind{"", "v1", "configmaps"};
const GroupVersionResource kPodKind{"", "v1", "pods"};

apiserver::ApiServerOptions WithGrace() {
  apiserver::ApiServerOptions options;
  options.pod_grace = true;
  return options;
}

json::Value Owner(const json::Value& owner, bool blocks) {
  return json::Value::MakeObject({{"apiVersion", "v1"},
                                  {"kind", "ConfigMap"},
                                  {"name", owner.At("/metadata/name")},
                                  {"uid", owner.At("/metadata/uid")},
                                  {"blockOwnerDeletion", blocks}});
}

class FairToLargeObjects : public FairServer {
 protected:
  FairToLargeObjects() : FairServer(WithGrace()) {}

  static json::Value Many(int count, std::string_view value) {
    json::Value out = json::Value::MakeObject();
    for (int i = 0; i < count; ++i) out.Set("k" + std::to_string(i), value);
    return out;
  }

  // Creates the object in process, where the time does not count.
  json::Value Make(const GroupVersionResource& resource, json::Value object) {
    return server_.With([&](apiserver::ApiServer& s) {
      return s.Create(resource, std::move(object), {.keep_status = true}).OrExit();
    });
  }

  json::Value Map(const std::string& ns, const std::string& name, const json::Array& owners = {},
                  bool held = false) {
    json::Value metadata = json::Value::MakeObject({{"name", name}, {"namespace", ns}});
    if (held) metadata.Set("finalizers", json::Value::MakeArray({"e.example/x"}));
    if (!owners.empty()) {
      json::Value references = json::Value::MakeArray();
      for (const json::Value& owner : owners) references.Append(owner);
      metadata.Set("ownerReferences", std::move(references));
    }
    return Make(kMapKind,
                json::Value::MakeObject({{"metadata", metadata}, {"data", Many(kMembers, "v")}}));
  }

  void Namespace(const std::string& name) {
    Make(kNamespaceKind,
         json::Value::MakeObject(
             {{"metadata",
               json::Value::MakeObject(
                   {{"name", name}, {"labels", Many(kMembers / 4, std::string(60, 'v'))}})}}));
  }

  void Define(const std::string& plural, const json::Value& properties,
              const json::Value& owners = {}) {
    const json::Value schema = json::Value::MakeObject(
        {{"openAPIV3Schema",
          json::Value::MakeObject({{"type", "object"}, {"properties", properties}})}});
    const json::Value version = json::Value::MakeObject(
        {{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", schema}});
    const json::Value names = json::Value::MakeObject({{"plural", plural}, {"kind", "K" + plural}});
    Make({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
         json::Value::MakeObject(
             {{"metadata", json::Value::MakeObject(
                               {{"name", plural + ".s.example"}, {"ownerReferences", owners}})},
              {"spec",
               json::Value::MakeObject({{"group", "s.example"},
                                        {"scope", "Namespaced"},
                                        {"names", names},
                                        {"versions", json::Value::MakeArray({version})}})}}));
  }

  static std::string Path(const std::string& ns, const std::string& rest) {
    return "/api/v1/namespaces/" + ns + rest;
  }
  static std::function<std::string()> Delete(std::string target) {
    return [target = std::move(target)] { return RequestText("DELETE", target); };
  }
  std::function<bool()> Gone(std::string target) {
    return [this, target = std::move(target)] { return Ask(Get(target)).status == 404; };
  }
  bool Says(const std::string& target, const std::string& text) {
    return Ask(Get(target)).text.find(text) != std::string::npos;
  }
};

TEST_F(FairToLargeObjects, NamespaceAndWhatHoldsIt) {
  AskAnew([this](int attempt) {
    const std::string ns = "n" + std::to_string(attempt);
    Namespace(ns);
    for (int i = 0; i < 8; ++i) Map(ns, "m" + std::to_string(i), {}, /*held=*/true);
    std::vector<FairRow> rows = {{"NamespaceReports", 200, Delete(Path(ns, "")), [=, this] {
                                    return Says(Path(ns, ""), "e.example/x in 8 resource");
                                  }}};
    for (int i = 0; i < 8; ++i) {
      const std::string map = Path(ns, "/configmaps/m" + std::to_string(i));
      const bool last = i == 7;
      rows.push_back({"Freed" + std::to_string(i), 200,
                      [=] {
                        return RequestText("PATCH", map,
                                           {{"Content-Type", "application/merge-patch+json"}},
                                           R"({"metadata":{"finalizers":null}})");
                      },
                      Gone(last ? Path(ns, "") : map)});
    }
    return rows;
  });
}

TEST_F(FairToLargeObjects, OwnersAndDependents) {
  AskAnew([this](int attempt) {
    const std::string ns = "o" + std::to_string(attempt);
    Namespace(ns);
    const json::Value stays = Map(ns, "stays");
    const json::Value foreground = Map(ns, "foreground");
    Map(ns, "follows", {Owner(foreground, true)});
    Map(ns, "keeps", {Owner(foreground, true), Owner(stays, true)});
    const json::Value orphans = Map(ns, "orphans");
    Map(ns, "orphan", {Owner(orphans, true)});
    const json::Value background = Map(ns, "background");
    Map(ns, "held", {Owner(background, false)}, /*held=*/true);
    const auto map = [ns](const std::string& name) { return Path(ns, "/configmaps/" + name); };
    return std::vector<FairRow>{
        {"Foreground", 200, Delete(map("foreground") + "?propagationPolicy=Foreground"),
         [=, this] {
           return Gone(map("foreground"))() && Gone(map("follows"))() &&
                  !Says(map("keeps"), "\"foreground\"");
         }},
        {"Orphan", 200, Delete(map("orphans") + "?propagationPolicy=Orphan"),
         [=, this] { return Gone(map("orphans"))() && !Says(map("orphan"), "ownerReferences"); }},
        {"Background", 200, Delete(map("background")),
         [=, this] { return Says(map("held"), "deletionTimestamp"); }},
    };
  });
  // The rest of the objects is unchanged.
  const json::Value kept =
      server_.With([](apiserver::ApiServer& s) { return s.Get(kMapKind, {"o0", "keeps"}); })
          .OrExit();
  EXPECT_EQ(kept["data"].size(), static_cast<std::size_t>(kMembers));
  EXPECT_EQ(kept.At("/metadata/ownerReferences").size(), 1U);
}

TEST_F(FairToLargeObjects, PodWhoseTimeIsUp) {
  AskAnew([this](int attempt) {
    const std::string name = "p" + std::to_string(attempt);
    json::Value containers = json::Value::MakeArray();
    for (int i = 0; i < kMembers / 4; ++i) {
      containers.Append(
          json::Value::MakeObject({{"name", "c" + std::to_string(i)}, {"image", "i"}}));
    }
    Make(kPodKind,
         json::Value::MakeObject(
             {{"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
              {"spec",
               json::Value::MakeObject({{"nodeName", "node-1"}, {"containers", containers}})}}));
    const std::string pod = std::string(kPods) + "/" + name;
    return std::vector<FairRow>{{"Grace", 200, Delete(pod + "?gracePeriodSeconds=1"), Gone(pod)}};
  });
}

TEST_F(FairToLargeObjects, DefinitionThatLosesAnOwner) {
  AskAnew([this](int attempt) {
    const std::string plural = "owned" + std::to_string(attempt);
    json::Value owners = json::Value::MakeArray();
    for (const char* name : {"goes", "stays"}) {
      const json::Value role = json::Value::MakeObject(
          {{"metadata", json::Value::MakeObject({{"name", plural + name}})}});
      json::Value owner =
          Owner(Make({"rbac.authorization.k8s.io", "v1", "clusterroles"}, role), false);
      owner.Set("apiVersion", "rbac.authorization.k8s.io/v1");
      owner.Set("kind", "ClusterRole");
      owners.Append(std::move(owner));
    }
    json::Value properties = json::Value::MakeObject();
    for (int i = 0; i < kMembers / 10; ++i) {
      properties.Set(
          "p" + std::to_string(i),
          json::Value::MakeObject({{"type", "string"}, {"description", std::string(100, 'd')}}));
    }
    Define(plural, properties, owners);
    const std::string one = std::string(kCrds) + "/" + plural + ".s.example";
    return std::vector<FairRow>{
        {"Definition", 200,
         Delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/" + plural + "goes"),
         [=, this] { return !Says(one, plural + "goes"); }}};
  });
}

TEST_F(FairToLargeObjects, SchemaOfManyObjects) {
  AskAnew([this](int attempt) {
    const std::string plural = "many" + std::to_string(attempt);
    Define(plural, json::Value::MakeObject({{"p", json::Value::MakeObject({{"type", "string"}})}}));
    server_.With([&](apiserver::ApiServer& s) {
      for (int i = 0; i < kThings; ++i) {
        s.Create({"s.example", "v1", plural},
                 json::Value::MakeObject(
                     {{"metadata", json::Value::MakeObject({{"name", "n" + std::to_string(i)},
                                                            {"namespace", "default"}})}}))
            .OrExit();
      }
    });
    const std::string thing = "/apis/s.example/v1/namespaces/default/" + plural + "/n7";
    return std::vector<FairRow>{
        {"Schema", 200,
         [=] {
           return RequestText(
               "PATCH", std::string(kCrds) + "/" + plural + ".s.example",
               {{"Content-Type", "application/json-patch+json"}},
               R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/q",)"
               R"("value":{"type":"integer","default":7}}])");
         },
         [=, this] { return Says(thing, "\"q\":7"); }}};
  });
}

// Webhooks receive large objects and change them.
class FairToWebhooks : public FairServer {
 protected:
  FairToWebhooks()
      : FairServer({.webhook_transport = [this](const apiserver::WebhookAddress&) {
          if (to_webhooks_ == nullptr) {
            to_webhooks_ = NewInMemoryTransport(server_.env(), *webhooks_);
          }
          return to_webhooks_;
        }}) {
    webhooks_
        ->Register("/m",
                   [](const admission::Request& request) {
                     if (request.operation == "DELETE") return admission::Allowed();
                     return admission::Patched(
                         json::Parse(R"([{"op":"add","path":"/data/more","value":"m"}])").OrExit());
                   })
        .OrExit();
    webhooks_->Register("/v", [](const admission::Request&) { return admission::Allowed(); })
        .OrExit();
    for (const std::string kind : {"Mutating", "Validating"}) {
      server_
          .Load(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind +
                R"(WebhookConfiguration","metadata":{"name":"maps"},"webhooks":[{"name":
                     "maps.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
                     "clientConfig":{"url":"https://hooks/)" +
                (kind == "Mutating" ? "m" : "v") +
                R"("},"rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],
                     "resources":["configmaps"]}]}]})")
          .OrExit();
    }
  }
  ~FairToWebhooks() override {
    server_.With([this](apiserver::ApiServer&) { to_webhooks_->Down(); });
    webhooks_.reset();
  }

  std::unique_ptr<WebhookServer> webhooks_ = std::make_unique<WebhookServer>(server_.env());
  std::shared_ptr<InMemoryTransport> to_webhooks_{};
};

TEST_F(FairToWebhooks, LargeObjects) {
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const auto map = [](const std::string& name, const std::string& value) {
    std::string data;
    for (int i = 0; i < kMembers; ++i) {
      data += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"" + value + "\"";
    }
    return R"({"metadata":{"name":")" + name + R"("},"data":{)" + data + "}}";
  };
  AskAnew([&](int attempt) -> std::vector<FairRow> {
    const std::string name = "m" + std::to_string(attempt);
    const auto json = [=](const std::string& method, const std::string& path,
                          const std::string& body, const std::string& type = "json") {
      return [=] {
        return RequestText(method, path, {{"Content-Type", "application/" + type}}, body);
      };
    };
    return {{"Create", 201, json("POST", maps, map(name, "1"))},
            {"Update", 200, json("PUT", maps + "/" + name, map(name, "2"))},
            {"Patch", 200,
             json("PATCH", maps + "/" + name, R"({"data":{"k1":"3"}})", "merge-patch+json")},
            {"Delete", 200, json("DELETE", maps + "/" + name, "")}};
  });
}

}  // namespace
}  // namespace kinformer::testing
