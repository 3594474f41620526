// Evictions: which pods budgets protect, what they cost, and what is refused.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kPodPath = "/api/v1/namespaces/default/pods";
constexpr std::string_view kBudgetPath = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
constexpr std::string_view kRunning =
    R"({"phase":"Running","conditions":[{"type":"Initialized","status":"False"},
        {"type":"Ready","status":"True"}]})";
constexpr std::string_view kUnready =
    R"({"phase":"Running","conditions":[{"type":"Initialized","status":"True"},
        {"type":"Ready","status":"False"}]})";
constexpr std::string_view kNow = "2023-11-14T22:13:20Z";

class EvictionTest : public ::testing::Test {
 protected:
  void SetPod(std::string_view status, std::string_view more = "{}") {
    json::Value pod = Json(R"({"metadata":{"name":"p","labels":{"app":"x"}},
        "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    pod.MergePatch(Json(more));
    const Reply made = server_.Do("POST", kPodPath, pod.Dump());
    ASSERT_EQ(made.status, 201) << made.body;
    uid_ = made.Json().At("/metadata/uid").StringOrEmpty();
    SetStatus(std::string(kPodPath) + "/p", status);
  }
  void SetBudget(std::string_view name, std::string_view spec, std::string_view status) {
    const Reply made =
        server_.Do("POST", kBudgetPath,
                   json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", name}})},
                                            {"spec", Json(spec)}})
                       .Dump());
    ASSERT_EQ(made.status, 201) << made.body;
    SetStatus(std::string(kBudgetPath) + "/" + std::string(name), status);
  }
  Reply Evict(std::string_view more = "{}", std::string_view query = "") {
    json::Value eviction =
        Json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})");
    eviction.MergePatch(Json(more));
    return server_.Do("POST", std::string(kPodPath) + "/p/eviction" + std::string(query),
                      eviction.Dump());
  }
  bool HasPod() { return server_.Get(std::string(kPodPath) + "/p").status == 200; }
  json::Value Budget(std::string_view name) {
    return server_.Get(std::string(kBudgetPath) + "/" + std::string(name)).Json();
  }
  void SetStatus(const std::string& path, std::string_view status) {
    const Reply reply =
        server_.Do("PATCH", path + "/status", R"({"status":)" + std::string(status) + "}", kMerge);
    ASSERT_EQ(reply.status, 200) << reply.body;
  }

  TestServer server_{{.pod_grace = true}};
  std::string uid_;
};

constexpr std::string_view kSelects =
    R"({"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}})";

TEST_F(EvictionTest, PodUnderABudget_EvictedOrRefused) {
  struct Row {
    std::string_view pod;
    std::string_view spec;    // of the budget
    std::string_view status;  // of the budget
    int code;
    std::int64_t allowed;  // afterwards
  };
  constexpr std::string_view kZero = R"({"observedGeneration":1})";
  constexpr std::string_view kHealthy =
      R"({"observedGeneration":1,"desiredHealthy":1,"currentHealthy":1})";
  constexpr std::string_view kUnhealthy =
      R"({"observedGeneration":1,"desiredHealthy":2,"currentHealthy":1})";
  constexpr std::string_view kAlways =
      R"({"minAvailable":1,"unhealthyPodEvictionPolicy":"AlwaysAllow",
          "selector":{"matchLabels":{"app":"x"}}})";
  constexpr std::string_view kIfHealthy =
      R"({"minAvailable":1,"unhealthyPodEvictionPolicy":"IfHealthyBudget",
          "selector":{"matchLabels":{"app":"x"}}})";
  constexpr std::string_view kOthers =
      R"({"minAvailable":1,"selector":{"matchLabels":{"app":"y"}}})";
  const std::vector<Row> rows = {
      {kRunning, kSelects, kZero, 429, 0},
      {kRunning, kOthers, kZero, 201, 0},
      {kRunning, R"({"minAvailable":1})", kZero, 201, 0},
      {kRunning, R"({"minAvailable":1,"selector":{}})", kZero, 429, 0},
      {kRunning, kSelects, R"({"observedGeneration":1,"disruptionsAllowed":1})", 201, 0},
      {kRunning, kSelects, R"({"observedGeneration":1,"disruptionsAllowed":2})", 201, 1},
      {kRunning, kSelects, R"({"observedGeneration":1,"disruptionsAllowed":3})", 201, 2},
      {kRunning, kSelects, R"({"observedGeneration":2,"disruptionsAllowed":3})", 201, 2},
      {kRunning, kSelects, R"({"observedGeneration":0,"disruptionsAllowed":3})", 429, 3},
      {kRunning, kSelects, R"({"disruptionsAllowed":3})", 429, 3},
      // Pods that do not run need no budget.
      {R"({"phase":"Pending"})", kSelects, kZero, 201, 0},
      {R"({"phase":"Succeeded"})", kSelects, kZero, 201, 0},
      {R"({"phase":"Failed"})", kSelects, kZero, 201, 0},
      {R"({"phase":"Unknown"})", kSelects, kZero, 429, 0},
      // A pod that is not ready costs nothing where the budget has enough others.
      {kUnready, kSelects, kHealthy, 201, 0},
      {R"({"phase":"Running"})", kSelects, kHealthy, 201, 0},
      {kRunning, kSelects, kHealthy, 429, 0},
      {kUnready, kSelects, kUnhealthy, 429, 0},
      {kUnready, kSelects, R"({"observedGeneration":1,"desiredHealthy":1,"currentHealthy":2})", 201,
       0},
      {kUnready, kSelects, kZero, 429, 0},
      {kUnready, kSelects, R"({"observedGeneration":1,"currentHealthy":1})", 429, 0},
      {kUnready, kSelects, R"({"observedGeneration":1,"desiredHealthy":1})", 429, 0},
      {kUnready, kIfHealthy, kUnhealthy, 429, 0},
      {kUnready, kAlways, kUnhealthy, 201, 0},
      {kRunning, kAlways, kUnhealthy, 429, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.pod) + " " + std::string(row.spec) + " " +
                 std::string(row.status));
    SetPod(row.pod);
    SetBudget("b", row.spec, row.status);
    const Reply reply = Evict(R"({"deleteOptions":{"gracePeriodSeconds":0}})");
    EXPECT_EQ(reply.status, row.code) << reply.body;
    EXPECT_EQ(HasPod(), row.code != 201);
    const json::Value budget = Budget("b");
    EXPECT_EQ(budget.At("/status/disruptionsAllowed").AsInt64().value_or(0), row.allowed);
    server_.Do("DELETE", std::string(kPodPath) + "/p?gracePeriodSeconds=0");
    server_.Do("DELETE", std::string(kBudgetPath) + "/b");
  }
}

TEST_F(EvictionTest, BudgetIsUsedUp_AnswersWhy) {
  SetPod(kRunning);
  SetBudget("b", kSelects, R"({"observedGeneration":1,"desiredHealthy":3,"currentHealthy":2})");
  const Reply reply = Evict();
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.Json(),
            Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
      "message":"Cannot evict pod as it would violate the pod's disruption budget.",
      "reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":
      "The disruption budget b needs 3 healthy pods and has 2 currently"}]},"code":429})"))
      << reply.body;
  EXPECT_EQ(reply.headers.Get("Retry-After"), "");
}

TEST_F(EvictionTest, TooManyUnconfirmedEvictions_AreForbidden) {
  SetPod(kRunning);
  json::Value pods = json::Value::MakeObject();
  for (int i = 0; i < 2000; ++i) pods.Set("p" + std::to_string(i), kNow);
  const auto status = [&](int allowed) {
    return json::Value::MakeObject({{"observedGeneration", 1},
                                    {"disruptionsAllowed", allowed},
                                    {"disruptedPods", pods}})
        .Dump();
  };
  SetBudget("b", kSelects, status(1));
  EXPECT_EQ(Evict("{}", "?dryRun=All").status, 201) << "2000 are not too many";
  pods.Set("q", kNow);
  for (const int allowed : {0, 1}) {
    SetStatus(std::string(kBudgetPath) + "/b", status(allowed));
    const Reply reply = Evict();
    EXPECT_EQ(reply.status, 403);
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
              "poddisruptionbudget.policy \"b\" is forbidden: DisruptedPods map too big - too many "
              "evictions not confirmed by PDB controller");
  }
}

TEST_F(EvictionTest, BudgetIsNotProcessedYet_AsksForARetryIn10Seconds) {
  SetPod(kRunning);
  SetBudget("b", kSelects, R"({"disruptionsAllowed":1})");
  const Reply reply = Evict();
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.Json(),
            Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
      "message":"Cannot evict pod as it would violate the pod's disruption budget.",
      "reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":
      "The disruption budget b is still being processed by the server."}],
      "retryAfterSeconds":10},"code":429})"))
      << reply.body;
  EXPECT_EQ(reply.headers.Get("Retry-After"), "10");
}

TEST_F(EvictionTest, TwoBudgetsSelectThePod_FailsWith500) {
  SetPod(kRunning);
  SetBudget("a", kSelects, R"({"observedGeneration":1,"disruptionsAllowed":1})");
  SetBudget("b", kSelects, R"({"observedGeneration":1,"disruptionsAllowed":1})");
  const Reply reply = Evict();
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does "
            "not support.");
  EXPECT_EQ(Budget("a").At("/status/disruptionsAllowed"), 1);
}

TEST_F(EvictionTest, LastDisruption_ReplacesTheConditionOfTheBudget) {
  SetPod(kRunning);
  SetBudget("b", kSelects,
            R"({"observedGeneration":1,"disruptionsAllowed":1,"conditions":[
        {"type":"DisruptionAllowed","status":"True","reason":"SufficientPods","message":"",
         "lastTransitionTime":"2020-01-01T00:00:00Z"},
        {"type":"Other","status":"True","reason":"R","message":"",
         "lastTransitionTime":"2020-01-01T00:00:00Z"}]})");
  ASSERT_EQ(Evict().status, 201);
  const json::Value status = Budget("b")["status"];
  EXPECT_EQ(status["disruptedPods"].Dump(), R"({"p":")" + std::string(kNow) + "\"}");
  EXPECT_EQ(status["conditions"], Json(R"([
      {"type":"Other","status":"True","reason":"R","message":"",
       "lastTransitionTime":"2020-01-01T00:00:00Z"},
      {"type":"DisruptionAllowed","status":"False","observedGeneration":1,
       "lastTransitionTime":"2023-11-14T22:13:20Z","reason":"InsufficientPods","message":""}])"));
}

TEST_F(EvictionTest, DisruptionsAreLeft_ConditionStays) {
  SetPod(kRunning);
  SetBudget("b", kSelects, R"({"observedGeneration":1,"disruptionsAllowed":2})");
  ASSERT_EQ(Evict().status, 201);
  EXPECT_EQ(Budget("b").At("/status/conditions").size(), 0U);
  EXPECT_EQ(Budget("b").At("/status/disruptedPods").size(), 1U);
}

TEST_F(EvictionTest, EvictedPod_IsMarkedAndKeepsItsGracePeriod) {
  SetPod(R"({"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"False"},
             {"type":"Ready","status":"True"}]})");
  const Reply reply = Evict(R"({"deleteOptions":{"gracePeriodSeconds":7}})");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.Json(), Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},
      "status":"Success","code":201})"))
      << reply.body;
  const json::Value pod = server_.Get(std::string(kPodPath) + "/p").Json();
  EXPECT_EQ(pod.At("/metadata/deletionGracePeriodSeconds"), 7);
  EXPECT_EQ(pod.At("/metadata/deletionTimestamp"), "2023-11-14T22:13:27Z");
  EXPECT_EQ(pod.At("/status/conditions"), Json(R"([
      {"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null},
      {"type":"DisruptionTarget","status":"True","lastProbeTime":null,
       "lastTransitionTime":"2023-11-14T22:13:20Z","reason":"EvictionByEvictionAPI",
       "message":"Eviction API: evicting"}])"))
      << pod.At("/status/conditions").Dump();
}

TEST_F(EvictionTest, PodIsBeingDeleted_CostsNothing) {
  SetPod(kRunning);
  SetBudget("b", kSelects, R"({"observedGeneration":1,"disruptionsAllowed":1})");
  ASSERT_EQ(server_.Do("DELETE", std::string(kPodPath) + "/p").status, 200);
  EXPECT_EQ(Evict().status, 201);
  EXPECT_EQ(Budget("b").At("/status/disruptionsAllowed"), 1);
}

TEST_F(EvictionTest, DryRun_ChangesNothing) {
  SetPod(kRunning);
  SetBudget("b", kSelects, R"({"observedGeneration":1,"disruptionsAllowed":1})");
  const json::Value before = server_.Get(std::string(kPodPath) + "/p").Json();
  const json::Value budget = Budget("b");
  EXPECT_EQ(Evict("{}", "?dryRun=All").status, 201);
  EXPECT_EQ(Evict(R"({"deleteOptions":{"dryRun":["All"]}})").status, 201);
  EXPECT_EQ(server_.Get(std::string(kPodPath) + "/p").Json(), before);
  EXPECT_EQ(Budget("b"), budget);
  SetStatus(std::string(kBudgetPath) + "/b", R"({"disruptionsAllowed":0})");
  EXPECT_EQ(Evict("{}", "?dryRun=All").status, 429) << "a dry run asks the budget, too";
}

TEST_F(EvictionTest, FaultyEviction_IsRefused) {
  SetPod(kRunning);
  struct Row {
    std::string body;
    int code;
    std::string message;
  };
  const std::string other = "00000000-0000-4000-8000-000000000000";
  const std::vector<Row> rows = {
      {R"({"metadata":{"name":"q"}})", 400, "name in URL does not match name in Eviction object"},
      {R"({"metadata":{"name":null}})", 400, "name in URL does not match name in Eviction object"},
      {R"({"deleteOptions":{"preconditions":{"uid":")" + other + R"("}}})", 409,
       "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (" + other +
           ") does not match the UID in record (" + uid_ +
           "). The object might have been deleted and then recreated"},
  };
  for (const Row& row : rows) {
    const Reply reply = Evict(row.body);
    EXPECT_EQ(reply.status, row.code) << row.body;
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), row.message) << row.body;
    EXPECT_TRUE(HasPod()) << row.body;
  }
  EXPECT_EQ(Evict(R"({"deleteOptions":{"propagationPolicy":"x"}})").status, 422);
  EXPECT_EQ(server_.Do("POST", std::string(kPodPath) + "/p/eviction", "{").status, 400);
  EXPECT_EQ(Evict(R"({"deleteOptions":{"preconditions":{"uid":")" + uid_ + "\"}}}").status, 201);
}

TEST_F(EvictionTest, PodThatIsNotThere_IsNotFound) {
  const Reply reply = Evict();
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), "pods \"p\" not found");
}

// The eviction of a large pod takes several steps.
TEST_F(EvictionTest, PodReplacedAfterItWasMarked_Stays) {
  const std::string more = R"({"metadata":{"annotations":{"a":")" + std::string(100'000, 'x') +
                           R"("}},"spec":{"nodeName":null}})";
  SetPod(kRunning, more);
  const auto marked = [&] {
    const json::Value pod = server_.server().Get(kPods, {"default", "p"}).OrExit();
    return pod.At("/status/conditions").size() == 3;
  };
  OpenReply reply(server_.sim(),
                  server_.server().Handle({.method = "POST",
                                           .target = std::string(kPodPath) + "/p/eviction",
                                           .body = R"({"metadata":{"name":"p"}})"}));
  while (!marked()) ASSERT_TRUE(server_.sim().Step());
  EXPECT_FALSE(reply.ended());
  server_.server().Delete(kPods, {"default", "p"}).OrExit();
  const std::string evicted = uid_;
  SetPod(kRunning);
  server_.sim().RunReady();
  reply.Pull();
  EXPECT_EQ(reply.reply().status, 409);
  EXPECT_EQ(reply.reply().Json()["message"].StringOrEmpty(),
            "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (" + evicted +
                ") does not match the UID in record (" + uid_ +
                "). The object might have been deleted and then recreated");
  EXPECT_TRUE(HasPod());
}

}  // namespace
}  // namespace kinformer::apiserver::testing
