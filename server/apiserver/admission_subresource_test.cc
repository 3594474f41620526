// Webhooks for subresources and for objects that are created but never stored, with the behaviour
// of the handlers and registries of kube-apiserver 1.37.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing/admission_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const std::string kPodsPath = "/api/v1/namespaces/default/pods";

class AdmissionSubresourceTest : public AdmissionWebhooksTest {
 protected:
  // Returns rules for these resources in all groups.
  static std::string RulesFor(const std::string& resources) {
    return R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":[)" +
           resources + "]}]}";
  }
  // Installs a mutating and a validating webhook, "m" and "v", for the resources.
  void AskAbout(const std::string& resources) {
    At("m");
    At("v");
    Mutating("m", RulesFor(resources));
    Validating("v", RulesFor(resources));
  }
  void MakePod(const std::string& name, const std::string& labels = "{}") {
    const Reply made = server_.Do("POST", kPodsPath,
                                  R"({"metadata":{"name":")" + name + R"(","labels":)" + labels +
                                      R"(},"spec":{"containers":[{"name":"c",
                                                            "image":"i"}]}})");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  // Makes the budget b of the pods that are labelled app=a.
  void MakeBudget(const std::string& status) {
    const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const Reply made =
        server_.Do("POST", budgets, R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,
                     "selector":{"matchLabels":{"app":"a"}}}})");
    ASSERT_EQ(made.status, 201) << made.body;
    const Reply set =
        server_.Do("PATCH", budgets + "/b/status", R"({"status":)" + status + "}", kMerge);
    ASSERT_EQ(set.status, 200) << set.body;
  }
  void MakeDeployment(const std::string& name) {
    const Reply made =
        server_.Do("POST", "/apis/apps/v1/namespaces/default/deployments",
                   R"({"metadata":{"name":")" + name + R"("},"spec":{"replicas":1,"selector":
                     {"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
                     "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  // Returns "CREATE v1 Binding pods/binding x" for each review.
  static std::vector<std::string> Asked(const AdmissionHook& hook) {
    std::vector<std::string> out;
    for (const json::Value& request : hook.asked) {
      const std::string& group = request.At("/kind/group").StringOrEmpty();
      const std::string& sub = request["subResource"].StringOrEmpty();
      out.push_back(request["operation"].StringOrEmpty() + " " +
                    (group.empty() ? "" : group + "/") +
                    request.At("/kind/version").StringOrEmpty() + " " +
                    request.At("/kind/kind").StringOrEmpty() + " " +
                    request.At("/resource/resource").StringOrEmpty() +
                    (sub.empty() ? "" : "/" + sub) + " " + request["name"].StringOrEmpty());
      EXPECT_EQ(request["kind"], request["requestKind"]);
      EXPECT_EQ(request["subResource"], request["requestSubResource"]);
      EXPECT_EQ(request.At("/object/kind"), request.At("/kind/kind"));
    }
    return out;
  }
  static std::string Message(const Reply& reply) {
    return std::to_string(reply.status) + " " + reply.Json()["message"].StringOrEmpty();
  }
};

TEST_F(AdmissionSubresourceTest, ScaleUpdate_WebhooksGetTheScale) {
  MakeDeployment("d");
  AskAbout(R"("*/scale")");
  At("m").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/spec/replicas","value":5}])");
  };
  const std::string path = "/apis/apps/v1/namespaces/default/deployments/d/scale";
  const Reply scaled =
      server_.Do("PUT", path, R"({"metadata":{"name":"d"},"spec":{"replicas":3}})");
  EXPECT_EQ(scaled.status, 200) << scaled.body;
  EXPECT_EQ(scaled.Json().At("/spec/replicas").AsInt64(), 5);
  const std::string question = "UPDATE autoscaling/v1 Scale deployments/scale d";
  EXPECT_THAT(Asked(At("m")), ElementsAre(question));
  EXPECT_THAT(Asked(At("v")), ElementsAre(question));
  EXPECT_EQ(At("m").asked[0].At("/object/apiVersion").StringOrEmpty(), "autoscaling/v1");
  EXPECT_EQ(At("m").asked[0].At("/object/spec/replicas").AsInt64(), 3);
  EXPECT_EQ(At("m").asked[0].At("/object/metadata/namespace").StringOrEmpty(), "default");
  EXPECT_EQ(At("m").asked[0].At("/oldObject/spec/replicas").AsInt64(), 1);
  EXPECT_EQ(At("m").asked[0].At("/options/kind").StringOrEmpty(), "UpdateOptions");
  EXPECT_EQ(At("v").asked[0].At("/object/spec/replicas").AsInt64(), 5);
  EXPECT_EQ(At("v").asked[0].At("/object/status/selector").StringOrEmpty(), "a=b");
  EXPECT_EQ(At("v").asked[0].At("/oldObject/spec/replicas").AsInt64(), 1);
  EXPECT_EQ(At("v").asked[0].At("/resource/group").StringOrEmpty(), "apps");

  // Also called for a patch; the server validates what the webhook returns.
  At("m").answer = [](const json::Value& request) {
    EXPECT_EQ(request.At("/object/spec/replicas").AsInt64(), 7);
    return PatchWith(R"([{"op":"replace","path":"/spec/replicas","value":-1}])");
  };
  EXPECT_THAT(
      Message(server_.Do("PATCH", path, R"({"spec":{"replicas":7}})", kMerge)),
      HasSubstr("422 Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1"));
  At("m").answer = [](const json::Value&) { return Allow(); };
  At("v").answer = [](const json::Value&) {
    return Json(R"({"allowed":false,"warnings":["not so many"],"status":{"message":"no"}})");
  };
  const Reply refused =
      server_.Do("PATCH", path + "?dryRun=All", R"({"spec":{"replicas":7}})", kMerge);
  EXPECT_EQ(Message(refused), R"(400 admission webhook "v.example.com" denied the request: no)");
  EXPECT_EQ(refused.headers.Get("Warning"), "299 - \"not so many\"");
  EXPECT_EQ(At("v").asked.back()["dryRun"].AsBool(), true);
  EXPECT_EQ(server_.Get(path).Json().At("/spec/replicas").AsInt64(), 5);
}

TEST_F(AdmissionSubresourceTest, ABindingMayBeChangedAndRefused) {
  MakePod("x");
  MakePod("y");
  AskAbout(R"("pods/binding","bindings")");
  At("m").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/target/name","value":"n2"}])");
  };
  const std::string binding = R"({"metadata":{"name":"x"},"target":{"kind":"Node","name":"n1"}})";
  EXPECT_EQ(server_.Do("POST", kPodsPath + "/x/binding?dryRun=All", binding).status, 201);
  EXPECT_EQ(At("m").asked[0]["dryRun"].AsBool(), true);
  EXPECT_TRUE(server_.Get(kPodsPath + "/x").Json().At("/spec/nodeName").is_null());
  EXPECT_EQ(server_.Do("POST", kPodsPath + "/x/binding", binding).status, 201);
  EXPECT_EQ(server_.Get(kPodsPath + "/x").Json().At("/spec/nodeName").StringOrEmpty(), "n2");
  EXPECT_EQ(At("m").asked[1].At("/object/target/name").StringOrEmpty(), "n1");
  EXPECT_EQ(At("v").asked[1].At("/object/target/name").StringOrEmpty(), "n2");
  EXPECT_EQ(At("v").asked[1].At("/object/metadata/namespace").StringOrEmpty(), "default");
  EXPECT_TRUE(At("v").asked[1]["oldObject"].is_null());

  // The older path, which names no pod, is a resource of its own.
  At("v").answer = [](const json::Value&) { return Deny(R"({"message":"no"})"); };
  const Reply refused = server_.Do("POST", "/api/v1/namespaces/default/bindings",
                                   R"({"metadata":{"name":"y"},"target":{"name":"n1"}})");
  EXPECT_EQ(Message(refused), R"(400 admission webhook "v.example.com" denied the request: no)");
  EXPECT_TRUE(server_.Get(kPodsPath + "/y").Json().At("/spec/nodeName").is_null());
  const std::string question = "CREATE v1 Binding pods/binding x";
  EXPECT_THAT(Asked(At("v")), ElementsAre(question, question, "CREATE v1 Binding bindings y"));
}

TEST_F(AdmissionSubresourceTest, AnEvictionIsAskedAboutAndThePodsDeleteIsNot) {
  MakePod("x", R"({"app":"a"})");
  ASSERT_EQ(server_
                .Do("PATCH", kPodsPath + "/x/status", R"({"status":{"phase":"Running",
                  "conditions":[{"type":"Ready","status":"True"}]}})",
                    kMerge)
                .status,
            200);
  MakeBudget(R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,
    "desiredHealthy":1,"expectedPods":2})");
  AskAbout(R"("*/*")");
  At("v").answer = [](const json::Value& request) {
    return request.At("/requestResource/resource").StringOrEmpty() == "pods"
               ? Allow()
               : Deny(R"({"message":"not that budget"})");
  };
  const std::string eviction = R"({"apiVersion":"policy/v1","kind":"Eviction",
    "metadata":{"name":"x"},"deleteOptions":{"gracePeriodSeconds":0}})";
  EXPECT_EQ(Message(server_.Do("POST", kPodsPath + "/x/eviction?fieldManager=m", eviction)),
            R"(400 admission webhook "v.example.com" denied the request: not that budget)");
  EXPECT_EQ(server_.Get(kPodsPath + "/x").status, 200);
  EXPECT_THAT(Asked(At("v")), ElementsAre("CREATE policy/v1 Eviction pods/eviction x",
                                          "UPDATE policy/v1 PodDisruptionBudget "
                                          "poddisruptionbudgets/status b"));
  // The server changes the budget under its own name.
  const json::Value& budget = At("v").asked[1];
  EXPECT_EQ(budget.At("/userInfo/username").StringOrEmpty(), "system:apiserver");
  EXPECT_EQ(budget.At("/object/status/disruptionsAllowed").AsInt64(), 0);
  EXPECT_EQ(budget.At("/oldObject/status/disruptionsAllowed").AsInt64(), 1);
  EXPECT_EQ(budget.At("/options").Dump(),
            R"({"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"})");
  EXPECT_EQ(At("v").asked[0].At("/object/deleteOptions/gracePeriodSeconds").AsInt64(), 0);
  EXPECT_EQ(At("v").asked[0].At("/options/fieldManager").StringOrEmpty(), "m");

  At("v").answer = [](const json::Value&) { return Allow(); };
  EXPECT_EQ(server_.Do("POST", kPodsPath + "/x/eviction", eviction).status, 201);
  EXPECT_EQ(server_.Get(kPodsPath + "/x").status, 404);
  EXPECT_EQ(Asked(At("v")).size(), 4U) << "and nothing about the pod";
}

TEST_F(AdmissionSubresourceTest, EvictionWhoseBudgetKeepsChanging_IsAConflict) {
  MakePod("x", R"({"app":"a"})");
  ASSERT_EQ(
      server_.Do("PATCH", kPodsPath + "/x/status", R"({"status":{"phase":"Running"}})", kMerge)
          .status,
      200);
  MakeBudget(R"({"observedGeneration":1,"disruptionsAllowed":1})");
  At("v").answer = [&](const json::Value&) {
    server_.server()
        .Patch({.group = "policy", .version = "v1", .resource = "poddisruptionbudgets"},
               {"default", "b"},
               Json(R"({"metadata":{"labels":{"at":"v)" + std::to_string(At("v").asked.size()) +
                    R"("}}})"))
        .OrExit();
    return Allow();
  };
  Validating("v", RulesFor(R"("poddisruptionbudgets/status")"));
  EXPECT_EQ(
      Message(server_.Do("POST", kPodsPath + "/x/eviction", R"({"metadata":{"name":"x"}})")),
      "409 Operation cannot be fulfilled on poddisruptionbudgets.policy \"b\": the object has "
      "been modified; please apply your changes to the latest version and try again");
  EXPECT_EQ(At("v").asked.size(), 5U);
  EXPECT_EQ(server_.Get(kPodsPath + "/x").status, 200);
}

TEST_F(AdmissionSubresourceTest, ATokenRequestIsCompleteBeforeItIsJudged) {
  ASSERT_EQ(
      server_
          .Do("POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"s"}})")
          .status,
      201);
  AskAbout(R"("serviceaccounts/token")");
  At("m").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"add","path":"/spec/expirationSeconds","value":900}])");
  };
  const std::string path = "/api/v1/namespaces/default/serviceaccounts/s/token";
  const Reply made = server_.Do("POST", path, R"({"spec":{"expirationSeconds":3600}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json().At("/spec/expirationSeconds").AsInt64(), 900);
  const std::string question =
      "CREATE authentication.k8s.io/v1 TokenRequest serviceaccounts/token s";
  EXPECT_THAT(Asked(At("m")), ElementsAre(question));
  EXPECT_THAT(Asked(At("v")), ElementsAre(question));
  const json::Value& object = At("v").asked[0]["object"];
  EXPECT_EQ(object.At("/metadata/name").StringOrEmpty(), "s");
  EXPECT_EQ(object.At("/spec/audiences").size(), 1U);
  EXPECT_TRUE(object.At("/status/token").StringOrEmpty().empty());
  At("v").answer = [](const json::Value&) { return Deny("null"); };
  EXPECT_EQ(server_.Do("POST", path, "{}").status, 400);
}

TEST_F(AdmissionSubresourceTest, ReviewsAreCreated) {
  AskAbout(R"("*")");
  const Reply made = server_.Do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(Asked(At("v")),
              ElementsAre("CREATE authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews "));
  At("v").answer = [](const json::Value&) { return Deny("null"); };
  EXPECT_EQ(server_.Do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}").status,
            400);
}

TEST_F(AdmissionSubresourceTest, RuleWithoutSubresources_WebhookIsNotAsked) {
  MakePod("x");
  MakeDeployment("d");
  AskAbout(R"("pods","deployments","bindings","*")");
  ASSERT_EQ(server_
                .Do("POST", kPodsPath + "/x/binding",
                    R"({"metadata":{"name":"x"},"target":{"name":"n"}})")
                .status,
            201);
  ASSERT_EQ(server_
                .Do("PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale",
                    R"({"spec":{"replicas":2}})", kMerge)
                .status,
            200);
  ASSERT_EQ(
      server_.Do("PATCH", kPodsPath + "/x/status", R"({"status":{"phase":"Running"}})", kMerge)
          .status,
      200);
  EXPECT_THAT(Asked(At("v")), IsEmpty());
}

// The other subresources take objects of the resource.
TEST_F(AdmissionSubresourceTest, SubresourceUpdate_WebhooksGetTheObject) {
  MakePod("x");
  ASSERT_EQ(server_.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})").status, 201);
  ASSERT_EQ(server_
                .Do("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests",
                    R"({"metadata":{"name":"c"},"spec":{"request":"YQ==",
                      "signerName":"example.com/s","usages":["client auth"]}})")
                .status,
            201);
  AskAbout(R"("*/*")");
  const auto patch = [&](const std::string& path, const std::string& body) {
    const Reply reply = server_.Do("PATCH", path, body, kMerge);
    EXPECT_EQ(reply.status, 200) << path << reply.body;
  };
  patch(kPodsPath + "/x/ephemeralcontainers", R"({"spec":{"ephemeralContainers":[{"name":"e",
    "image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Always"}]}})");
  patch(kPodsPath + "/x/resize", R"({"spec":{"containers":[{"name":"c","image":"i",
    "imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log",
    "terminationMessagePolicy":"File"}]}})");
  patch("/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval",
        R"({"status":{"conditions":[{"type":"Approved","status":"True","reason":"r"}]}})");
  const Reply finalized =
      server_.Do("PUT", "/api/v1/namespaces/n/finalize",
                 R"({"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]}})");
  EXPECT_EQ(finalized.status, 200) << finalized.body;
  EXPECT_THAT(Asked(At("v")),
              ElementsAre("UPDATE v1 Pod pods/ephemeralcontainers x", "UPDATE v1 Pod pods/resize x",
                          "UPDATE certificates.k8s.io/v1 CertificateSigningRequest "
                          "certificatesigningrequests/approval c",
                          "UPDATE v1 Namespace namespaces/finalize n"));
  EXPECT_EQ(At("v").asked[0].At("/object/spec/ephemeralContainers").size(), 1U);
  EXPECT_EQ(At("v").asked[0].At("/oldObject/spec/ephemeralContainers").size(), 0U);
  // A namespace object is in its own namespace.
  EXPECT_EQ(At("v").asked[3]["namespace"].StringOrEmpty(), "n");
}

TEST_F(AdmissionSubresourceTest, AConnectionToAPodIsReviewedByItsOptions) {
  MakePod("p");
  AskAbout(R"("pods/exec","pods/log")");
  const std::string exec = kPodsPath + "/p/exec?command=ls&command=-l&stdout=true&container=c";
  EXPECT_EQ(server_.Get(exec).status, 400) << "the pod has no node";
  EXPECT_THAT(Asked(At("m")), ElementsAre("CONNECT v1 PodExecOptions pods/exec p"));
  EXPECT_THAT(Asked(At("v")), ElementsAre("CONNECT v1 PodExecOptions pods/exec p"));
  const json::Value& request = At("v").asked.at(0);
  EXPECT_EQ(request["object"],
            Json(R"({"kind":"PodExecOptions","apiVersion":"v1","command":["ls","-l"],)"
                 R"("container":"c","stdout":true})"));
  EXPECT_TRUE(request["oldObject"].is_null());
  EXPECT_TRUE(request["options"].is_null());
  At("v").answer = [](const json::Value&) { return Deny(R"({"message":"no shells"})"); };
  const Reply refused = server_.Get(exec);
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(Message(refused), HasSubstr("no shells"));
  EXPECT_EQ(server_.Get(kPodsPath + "/p/log").status, 204);
  EXPECT_EQ(At("m").asked.size(), 2U) << "a log is read, and not connected to";
}

}  // namespace
}  // namespace kinformer::apiserver::testing
