// No request may delay others: no turn of the server's loop takes more than ten milliseconds of CPU
// time. Each request here would take many times that in one turn.

#include "integration/fair_server.h"

#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace kinformer::testing {
namespace {

// A third of the maximum size of a body.
constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr std::string_view kThings = "/apis/e.example/v1/namespaces/default/things";
constexpr std::string_view kCrowd = "/api/v1/namespaces/crowd/configmaps";

// Repeats `text` up to nearly kMost bytes.
std::string Fill(std::string_view text) { return Repeat(text, (kMost - 1000) / text.size()); }

std::string Containers(std::size_t count) {
  return JsonList(count, [](std::size_t i) {
    return R"({"name":"c)" + std::to_string(i) + R"(","image":"i"})";
  });
}

std::string Thing(std::string_view name, std::string_view rest) {
  std::string body = R"({"apiVersion":"e.example/v1","kind":"Thing","metadata":{"name":")";
  return Json("POST", kThings, body.append(name).append("\"},").append(rest).append("}"));
}

std::vector<FairRow> Writes() {
  const auto entries = [](std::string_view value) {
    return R"({"data":{)" + Members(30'000, value) + "}}";
  };
  return {
      {"Entries", 201,
       [] { return Map("entries", ",\"data\":{" + Members(30'000, "\"v\"") + "}"); }},
      {"SmallPatchOfMuch", 200,
       [] { return Patch("entries", "json", R"([{"op":"add","path":"/data/z","value":"1"}])"); }},
      {"JsonPatchOfManyOperations", 200,
       [] {
         return Patch("entries", "json", JsonList(10'000, [](std::size_t i) {
                        return R"({"op":"replace","path":"/data/k)" + std::to_string(i) +
                               R"(","value":"w"})";
                      }));
       }},
      {"MergePatch", 200, [=] { return Patch("entries", "merge", entries("\"x\"")); }},
      {"StrategicMergePatch", 200,
       [=] { return Patch("entries", "strategic-merge", entries("\"y\"")); }},
      {"UnknownNumbers", 201, [] { return Map("numbers", ",\"x\":[" + Fill("0,") + "0]"); }},
      {"UnknownMembers", 201,
       [] { return Map("members", ",\"x\":{" + Members(80'000, "1") + "}"); }},
      {"Malformed", 400, [] { return Map("malformed", ",\"x\":[" + Fill("0,")); }},
      {"Yaml", 201,
       [] {
         std::string text = "metadata: {name: yaml}\ndata:\n";
         for (int i = 0; i < 30'000; ++i) text += "  k" + std::to_string(i) + ": \"v\"\n";
         return Yaml(text);
       }},
      {"YamlNumbers", 201,
       [] { return Yaml("metadata: {name: flow}\nx: [" + Fill("0,") + "0]\n"); }},
      {"Finalizers", 201,
       [] {
         return Json("POST", kMaps,
                     R"({"metadata":{"name":"finalizers","finalizers":)" +
                         JsonList(30'000,
                                  [](std::size_t i) {
                                    return "\"e.example/f" + std::to_string(i) + "\"";
                                  }) +
                         "}}");
       }},
      {"Containers", 201,
       [] {
         return Json(
             "POST", kPods,
             R"({"metadata":{"name":"many"},"spec":{"containers":)" + Containers(10'000) + "}}");
       }},
      {"ContainersByStrategicMerge", 200,
       [] {
         return RequestText("PATCH", std::string(kPods) + "/many",
                            {{"Content-Type", "application/strategic-merge-patch+json"}},
                            R"({"spec":{"containers":)" + Containers(10'000) + "}}");
       }},
      {"Apply", 200,
       [] {
         return RequestText("PATCH", std::string(kPods) + "/many?fieldManager=m&force=true",
                            {{"Content-Type", "application/apply-patch+yaml"}},
                            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"many"},)"
                            R"("spec":{"containers":)" +
                                Containers(10'000) + "}}");
       }},
      {"SchemaWithPatterns", 201,
       [] { return Thing("patterns", "\"words\":[" + Repeat("\"abc\",", 100'000) + "\"a\"]"); }},
      {"SchemaViolations", 422,
       [] { return Thing("violations", "\"words\":[" + Fill("\"A\",") + "\"a\"]"); }},
      {"SchemaSet", 201,
       [] {
         return Thing("set", "\"set\":" + JsonList(100'000, [](std::size_t i) {
                               return std::to_string(i);
                             }));
       }},
      {"SchemaPrunes", 201, [] { return Thing("pruned", Members(80'000, "1")); }},
      {"SchemaKeepsAnything", 201,
       [] { return Thing("any", "\"any\":[" + Repeat("0,", 400'000) + "0]"); }},
  };
}

// Bodies with little content for their size, and small changes of large objects.
std::vector<FairRow> OtherBodies() {
  const std::string services = "/api/v1/namespaces/default/services";
  const std::string pods(kPods);
  const std::string maps(kMaps);
  const std::string scale = "/apis/e.example/v1/namespaces/default/things/scaled/scale";
  const std::string much = ",\"x\":{" + Members(80'000, "1") + "}}";
  const auto post = [&](const std::string& target, const std::string& body, int status,
                        const std::string& name) {
    return FairRow{name, status, [=] { return Json("POST", target, body + much); }};
  };
  const auto merge = [](const std::string& target, const std::string& body) {
    return RequestText("PATCH", target, {{"Content-Type", "application/merge-patch+json"}}, body);
  };
  const auto remove = [](const std::string& target, const std::string& accept = "*/*") {
    return [=] { return RequestText("DELETE", target, {{"Accept", accept}}); };
  };
  const std::string selector = R"("selector":{)" + Members(30'000, "\"v\"") + "}";
  const std::string scaled =
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"scaled"},)"
      R"("spec":{"replicas":3})";
  return {
      {"Service", 201,
       [=] {
         return Json(
             "POST", services,
             R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}],)" + selector + "}}");
       }},
      {"ServicePatch", 200,
       [=] { return merge(services + "/s", R"({"metadata":{"labels":{"a":"b"}}})"); }},
      {"ServiceDelete", 200, remove(services + "/s")},
      {"ScaledThing", 201,
       [] {
         return Thing("scaled", "\"spec\":{\"replicas\":1},\"any\":{" + Members(60'000, "1") + "}");
       }},
      {"Scale", 200, [=] { return Get(scale); }},
      {"ScalePut", 200, [=] { return Json("PUT", scale, scaled + much); }},
      {"ScalePatch", 200, [=] { return merge(scale, R"({"spec":{"replicas":4})" + much); }},
      {"Pod", 201,
       [=] {
         return Json(
             "POST", pods,
             R"({"metadata":{"name":"bound"},"spec":{"containers":)" + Containers(8'000) + "}}");
       }},
      post(pods + "/bound/binding",
           R"({"metadata":{"name":"bound"},"target":{"kind":"Node","name":"node-1"})", 201,
           "Binding"),
      {"PodDelete", 200, remove(pods + "/bound")},
      {"EvictedPod", 201,
       [=] {
         return Json(
             "POST", pods,
             R"({"metadata":{"name":"e"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
       }},
      post(pods + "/e/eviction", R"({"metadata":{"name":"e"})", 201, "Eviction"),
      {"ServiceAccount", 201,
       [] {
         return Json("POST", "/api/v1/namespaces/default/serviceaccounts",
                     R"({"metadata":{"name":"sa"}})");
       }},
      post("/api/v1/namespaces/default/serviceaccounts/sa/token", R"({"spec":{})", 201, "Token"),
      post("/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"x"})", 201,
           "TokenReview"),
      {"DeletedMap", 201,
       [] { return Map("gone", ",\"data\":{" + Members(30'000, "\"v\"") + "}"); }},
      {"DeleteOptions", 200,
       [=] { return Json("DELETE", maps + "/gone", R"({"kind":"DeleteOptions")" + much); }},
      {"FinalizedMap", 201,
       [] {
         return Json("POST", kMaps,
                     R"({"metadata":{"name":"held","finalizers":["e.example/x"]},"data":{)" +
                         Members(30'000, "\"v\"") + "}}");
       }},
      {"DeleteAnsweredInYaml", 200, remove(maps + "/held", "application/yaml")},
      {"DeleteCollectionOptions", 200,
       [=] {
         return Json("DELETE", maps + "?labelSelector=a%3Dnobody",
                     R"({"kind":"DeleteOptions")" + much);
       }},
  };
}

std::vector<FairRow> Reads() {
  const std::string entries = std::string(kMaps) + "/entries";
  const std::string crowd(kCrowd);
  const auto get = [](std::string target, std::string accept = "application/json") {
    return [=] { return RequestText("GET", target, {{"Accept", accept}}); };
  };
  const std::string yaml = "application/yaml";
  const std::string protobuf = "application/vnd.kubernetes.protobuf";
  const std::string table = "application/json;as=Table;g=meta.k8s.io;v=v1";
  std::string selector = "labelSelector=a%20notin%20(x0";
  for (int i = 1; i < 8'000; ++i) selector += ",x" + std::to_string(i);
  selector += ")";
  return {
      {"Yaml", 200, get(entries, yaml)},
      {"Pretty", 200, get(entries + "?pretty=true")},
      {"Protobuf", 200, get(entries, protobuf)},
      {"Table", 200, get(std::string(kPods) + "/many", table)},
      {"ListOfLargeYaml", 200, get(std::string(kMaps), yaml)},
      {"ListOfLargePretty", 200, get(std::string(kMaps) + "?pretty=true")},
      {"ListOfLargeProtobuf", 200, get(std::string(kMaps), protobuf)},
      {"ListOfLargeTable", 200, get(std::string(kPods), table)},
      {"ListPretty", 200, get(crowd + "?pretty=true")},
      {"ListYaml", 200, get(crowd, yaml)},
      {"ListTable", 200, get(crowd, table)},
      {"List", 200, get(crowd)},
      {"ListProtobuf", 200, get(crowd, protobuf)},
      {"Row36_SelectorOf8000Terms", 200, get(crowd + "?" + selector)},
      {"Row36_SelectorOf8000TermsInPages", 200, get(crowd + "?limit=7000&" + selector)},
      {"WatchWithState", 200, get(crowd + "?watch=1&timeoutSeconds=1")},
      {"WatchWithStateAndSelector", 200, get(crowd + "?watch=1&timeoutSeconds=1&" + selector)},
      {"DeleteCollectionDryRun", 200, [=] { return RequestText("DELETE", crowd + "?dryRun=All"); }},
      {"DeleteCollectionOfSelector", 200,
       [=] { return RequestText("DELETE", crowd + "?labelSelector=a%3Dnobody"); }},
      {"DeleteCollection", 200, [=] { return RequestText("DELETE", crowd); }},
  };
}

std::string JsonObject(std::size_t count, const std::function<std::string(std::size_t)>& member) {
  std::string out = JsonList(count, member);
  out.front() = '{';
  out.back() = '}';
  return out;
}

#ifndef KINFORMER_TEST_SANITIZED
constexpr std::size_t kProperties = 4'000;
#else
constexpr std::size_t kProperties = 1'500;
#endif

// Returns a definition of almost the maximum size of an object, with two versions, and as many
// bytes of irrelevant data.
std::string LargeDefinition(const std::string& plural, const std::string& kind) {
  const auto schema = [](std::size_t count) {
    return R"({"type":"object","properties":{"spec":{"type":"object","properties":)" +
           JsonObject(count,
                      [](std::size_t i) {
                        return "\"p" + std::to_string(i) + R"(":{"type":"string","description":")" +
                               Repeat("It is what it is. ", 6) +
                               R"(","maxLength":50,"pattern":"^[a-z]+$"})";
                      }) +
           "}}}";
  };
  const auto version = [&](std::string_view name, bool stored, std::size_t count) {
    return R"({"name":")" + std::string(name) + R"(","served":true,"storage":)" +
           (stored ? "true" : "false") + R"(,"schema":{"openAPIV3Schema":)" + schema(count) + "}}";
  };
  return R"({"metadata":{"name":")" + plural +
         R"(.l.example"},"spec":{"group":"l.example","scope":"Namespaced","names":{"plural":")" +
         plural + R"(","kind":")" + kind + R"("},"versions":[)" + version("v1", true, kProperties) +
         "," + version("v2", false, kProperties * 3 / 4) + R"(]},"x":[)" + Repeat("0,", 600'000) +
         "0]}";
}

// Requests over the life of a large definition, and requests to a server that has it.
std::vector<FairRow> Definitions(int attempt, const std::function<bool(const std::string&)>& gone) {
  const std::string plural = "larges" + std::to_string(attempt);
  const std::string kind = "K" + plural;
  const std::string one = std::string(kCrds) + "/" + plural + ".l.example";
  const std::string things = "/apis/l.example/v1/namespaces/default/" + plural;
  const auto patch = [=](std::string_view type, std::string body, std::string_view of = {}) {
    return [=] {
      return RequestText("PATCH", one + std::string(of),
                         {{"Content-Type", "application/" + std::string(type) + "-patch+json"}},
                         body);
    };
  };
  return {
      {"DefinitionCreate", 201, [=] { return Json("POST", kCrds, LargeDefinition(plural, kind)); }},
      {"DefinitionServes", 201,
       [=] {
         return Json("POST", things,
                     R"({"apiVersion":"l.example/v1","kind":")" + kind +
                         R"(","metadata":{"name":"one"},"spec":{"p1":"a"}})");
       }},
      {"DefinitionRefuses", 422,
       [=] {
         return Json("POST", things,
                     R"({"apiVersion":"l.example/v1","kind":")" + kind +
                         R"(","metadata":{"name":"two"},"spec":{"p1":"A"}})");
       }},
      {"OpenApiIndex", 200, [] { return Get("/openapi/v3"); }},
      {"OpenApiDocument", 200, [] { return Get("/openapi/v3/apis/l.example/v1"); }},
      {"OpenApiV2", 200, [] { return Get("/openapi/v2"); }},
      {"DiscoveryOfAll", 200,
       [] {
         return RequestText(
             "GET", "/apis",
             {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
       }},
      {"DefinitionLabel", 200, patch("merge", R"({"metadata":{"labels":{"a":"b"}}})")},
      {"DefinitionStatus", 200, patch("merge", R"({"status":{"conditions":null}})", "/status")},
      {"DefinitionNames", 200, patch("merge", R"({"spec":{"names":{"shortNames":["s"]}}})")},
      {"DefinitionSchema", 200,
       patch("json",
             R"([{"op":"add","value":{"type":"integer","default":7},"path":)"
             R"("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/q"}])")},
      {"DefinitionConflict", 201,
       [=] { return Json("POST", kCrds, LargeDefinition(plural + "x", kind)); }},
      {"DefinitionDelete", 200, [=] { return RequestText("DELETE", one); },
       [=] { return gone(one); }},
      {"DefinitionAgain", 201, [=] { return Json("POST", kCrds, LargeDefinition(plural, kind)); }},
      {"DefinitionDeleteCollection", 200, [] { return RequestText("DELETE", kCrds); },
       [=] { return gone(one) && gone(std::string(kCrds) + "/" + plural + "x.l.example"); }},
  };
}

// A large pod, evicted with a large body and a large disruption budget.
std::vector<FairRow> Evictions(int attempt) {
  const std::string ns = "/api/v1/namespaces/v" + std::to_string(attempt);
  const std::string budgets =
      "/apis/policy/v1/namespaces/v" + std::to_string(attempt) + "/poddisruptionbudgets";
  const auto merge = [](const std::string& target, const std::string& body) {
    return RequestText("PATCH", target, {{"Content-Type", "application/merge-patch+json"}}, body);
  };
  const auto pod = [=](std::string_view name) {
    return [=] {
      return Json("POST", ns + "/pods",
                  R"({"metadata":{"labels":{"a":"b"},"name":")" + std::string(name) +
                      R"("},"spec":{"containers":)" + Containers(6'000) + "}}");
    };
  };
  const auto runs = [=](std::string_view name) {
    return [=] {
      return merge(ns + "/pods/" + std::string(name) + "/status",
                   R"({"status":{"phase":"Running"}})");
    };
  };
  const auto evict = [=](std::string_view name) {
    return [=] {
      return Json("POST", ns + "/pods/" + std::string(name) + "/eviction",
                  R"({"metadata":{"name":")" + std::string(name) + R"("},"x":{)" +
                      Members(80'000, "1") + "}}");
    };
  };
  return {
      {"EvictionNamespace", 201,
       [=] {
         return Json("POST", "/api/v1/namespaces",
                     R"({"metadata":{"name":"v)" + std::to_string(attempt) + "\"}}");
       }},
      {"EvictedPod", 201, pod("a")},
      {"EvictedPodRuns", 200, runs("a")},
      {"Eviction", 201, evict("a")},
      {"Budget", 201,
       [=] {
         return Json(
             "POST", budgets,
             R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":)"
             R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":)" +
                 JsonList(60'000, [](std::size_t i) { return "\"x" + std::to_string(i) + "\""; }) +
                 "}]}}}");
       }},
      {"BudgetAllows", 200,
       [=] {
         return merge(budgets + "/b/status",
                      R"({"status":{"observedGeneration":1,"disruptionsAllowed":1}})");
       }},
      {"OtherPod", 201, pod("c")},
      {"OtherPodRuns", 200, runs("c")},
      {"EvictionUnderBudget", 201, evict("c")},
      {"RefusedPod", 201, pod("d")},
      {"RefusedPodRuns", 200, runs("d")},
      {"EvictionRefused", 429, evict("d")},
  };
}

class FairToBodies : public FairServer {
 protected:
  FairToBodies() {
    const RawReply made =
        Ask(Json("POST", kCrds,
                 R"({"metadata":{"name":"things.e.example"},"spec":{"group":"e.example",)"
                 R"("scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[)"
                 R"({"name":"v1","served":true,"storage":true,"subresources":{"scale":{)"
                 R"("specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},)"
                 R"("schema":{"openAPIV3Schema":)"
                 R"({"type":"object","properties":{"spec":{)"
                 R"("type":"object","properties":{"replicas":{"type":"integer"}}},)"
                 R"("words":{"type":"array",)"
                 R"("items":{"type":"string","pattern":"^[a-z]{1,50}(x|y)*$"}},)"
                 R"("any":{"x-kubernetes-preserve-unknown-fields":true},)"
                 R"("set":{"type":"array","x-kubernetes-list-type":"set",)"
                 R"("items":{"type":"integer"}}}}}}]}})"));
    EXPECT_EQ(made.status, 201) << made.text;
  }
};

TEST_F(FairToBodies, LargeBodies_DelayOnlyTheirSenders) {
  AskAll(Writes());
  for (const char* name : {"entries", "yaml", "numbers", "finalizers"}) {
    EXPECT_EQ(Ask(Get(std::string(kMaps) + "/" + name)).status, 200) << name;
  }
}

TEST_F(FairToBodies, SubresourcesReviewsAndDeletes) { AskAll(OtherBodies()); }

TEST_F(FairToBodies, LargeDefinitions) {
  AskAnew([this](int attempt) {
    return Definitions(
        attempt, [this](const std::string& target) { return Ask(Get(target)).status == 404; });
  });
}

TEST_F(FairToBodies, LargePodsThatAreEvicted) { AskAnew(Evictions); }

TEST_F(FairToBodies, LargeAnswersAndCollectionsComeInTurns) {
  std::string manifests = "apiVersion: v1\nkind: Namespace\nmetadata: {name: crowd}\n";
  for (int i = 0; i < 20'000; ++i) {
    manifests += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m" + std::to_string(i) +
                 ", namespace: crowd, labels: {a: b" + std::to_string(i) + "}}\ndata: {k: v}\n";
  }
  server_.Load(manifests).OrExit();
  ASSERT_EQ(Ask(Map("entries", ",\"data\":{" + Members(30'000, "\"v\"") + "}")).status, 201);
  ASSERT_EQ(
      Ask(Json("POST", kPods,
               R"({"metadata":{"name":"many"},"spec":{"containers":)" + Containers(10'000) + "}}"))
          .status,
      201);
  AskAll(Reads());
  EXPECT_THAT(Ask(Get(std::string(kCrowd) + "?limit=1")).text,
              ::testing::HasSubstr("\"items\":[]"));
}

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(FairToBodies, AnAnswerWithoutEndKeepsNobodyWaiting_Row43) {
  server_.faults().Add({.resource = "leases",
                        .action = apiserver::FaultAction::kGarbage,
                        .text = "nothing but noise ",
                        .repeat = 1'000'000'000'000});
  const RawSocket endless(server_.http().port());
  endless.Send(Get("/apis/coordination.k8s.io/v1/leases"));
  ASSERT_GT(endless.Drop(std::size_t{1} << 20), 0U);
  const std::size_t before = ResidentBytes();
  for (int i = 0; i < 20; ++i) {
    ExpectFair("endless", [&](int) {
      EXPECT_GE(endless.Drop(std::size_t{4} << 20), std::size_t{4} << 20);
      EXPECT_EQ(Ask(Get("/livez")).status, 200);
    });
  }
#ifndef KINFORMER_TEST_SANITIZED  // in these builds freed memory is kept
  EXPECT_LT(ResidentBytes(), before + (std::size_t{32} << 20));
#else
  (void)before;
#endif
}

}  // namespace
}  // namespace kinformer::testing
