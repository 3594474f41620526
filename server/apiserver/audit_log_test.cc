#include "kinformer/apiserver/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rbac_fixture_for_test.h"
#include "apiserver/testing/policy_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kMapsPath[] = "/api/v1/namespaces/default/configmaps";

std::shared_ptr<const AuditPolicy> Everything() {
  return std::make_shared<const AuditPolicy>(
      AuditPolicy{.rules = {{.level = AuditLevel::kRequestResponse}}});
}

std::vector<json::Value> EventsOf(AuditLog& log) {
  std::vector<json::Value> events;
  for (const std::string& line : log.TakeLines()) events.push_back(Json(line));
  return events;
}

class AuditedServer : public RbacFixture, public ::testing::Test {
 protected:
  explicit AuditedServer(std::shared_ptr<const AuditPolicy> policy = nullptr)
      : AuditedServer(std::make_shared<AuditLog>(), std::move(policy)) {}

  // Returns the only event of the last request's stage.
  json::Value Event(std::string_view stage = "ResponseComplete") {
    json::Value found;
    for (json::Value& event : EventsOf(*log_)) {
      if (event["stage"].StringOrEmpty() != stage) continue;
      EXPECT_TRUE(found.is_null()) << event;
      found = std::move(event);
    }
    return found;
  }

  std::shared_ptr<AuditLog> log_;

 private:
  AuditedServer(std::shared_ptr<AuditLog> log, std::shared_ptr<const AuditPolicy> policy)
      : RbacFixture(With(log, std::move(policy))), log_(std::move(log)) {}
  static ApiServerOptions With(std::shared_ptr<AuditLog> log,
                               std::shared_ptr<const AuditPolicy> policy) {
    ApiServerOptions options = Options();
    options.audit_log = std::move(log);
    options.audit_policy = std::move(policy);
    return options;
  }
};

class AuditedObjects : public AuditedServer {
 protected:
  AuditedObjects() : AuditedServer(Everything()) {}
};

TEST_F(AuditedServer, Request_HasTheEventsOfARealServer) {
  As({"root", {"system:masters"}}, "POST", kMapsPath, R"({"metadata":{"name":"a"}})", {},
     {{"Audit-ID", "id"}, {"User-Agent", "test"}, {"X-Forwarded-For", "10.0.0.1, 10.0.0.2"}});
  std::vector<json::Value> events = EventsOf(*log_);
  ASSERT_THAT(events, SizeIs(2));
  const std::string head =
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id",)";
  const std::string asked =
      R"("requestURI":"/api/v1/namespaces/default/configmaps","verb":"create","user":)"
      R"({"username":"root","groups":["system:masters","system:authenticated"]},)"
      R"("sourceIPs":["10.0.0.1","10.0.0.2"],"userAgent":"test","objectRef":)"
      R"({"resource":"configmaps","namespace":"default",)";
  for (json::Value& event : events) {
    for (const char* const time : {"requestReceivedTimestamp", "stageTimestamp"}) {
      EXPECT_THAT(event[time].StringOrEmpty(), SizeIs(27)) << event;
      event.Erase(time);
    }
  }
  EXPECT_EQ(events[0].Dump(),
            head + R"("stage":"RequestReceived",)" + asked + R"("apiVersion":"v1"}})");
  EXPECT_EQ(events[1].Dump(),
            head + R"("stage":"ResponseComplete",)" + asked + R"("name":"a","apiVersion":"v1"},)" +
                R"("responseStatus":{"metadata":{},"code":201},"annotations":)"
                R"({"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}})");
}

TEST_F(AuditedServer, Decisions_AreAnnotated) {
  EXPECT_EQ(As({"jane"}, "GET", kMapsPath).status, 403);
  json::Value event = Event();
  EXPECT_EQ(event["annotations"].Dump(),
            R"({"authorization.k8s.io/decision":"forbid","authorization.k8s.io/reason":""})");
  EXPECT_EQ(event["responseStatus"]["reason"].StringOrEmpty(), "Forbidden");
  EXPECT_EQ(event["responseStatus"]["code"].AsInt64(), 403);

  MakeClusterRole("reader", R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]})");
  Bind("", "jane", "ClusterRole", "reader", R"({"kind":"User","name":"jane"})");
  (void)log_->TakeLines();
  EXPECT_EQ(As({"jane"}, "GET", kMapsPath).status, 200);
  EXPECT_EQ(Event()["annotations"]["authorization.k8s.io/reason"].StringOrEmpty(),
            R"(RBAC: allowed by ClusterRoleBinding "jane" of ClusterRole "reader" to User "jane")");
}

TEST_F(AuditedServer, Nobody_IsWrittenOnce) {
  const Reply reply = As({}, "GET", kMapsPath, {}, {}, {{"Authorization", "Bearer wrong"}});
  EXPECT_EQ(reply.status, 401);
  const std::vector<json::Value> events = EventsOf(*log_);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0]["stage"].StringOrEmpty(), "ResponseStarted");
  EXPECT_EQ(events[0]["user"].Dump(), "{}");
  EXPECT_EQ(events[0]["responseStatus"]["code"].AsInt64(), 401);
  EXPECT_THAT(events[0].Dump(), ::testing::Not(HasSubstr("wrong")));
}

TEST_F(AuditedServer, Impersonation_ShowsBoth) {
  As({"root", {"system:masters"}}, "GET", kMapsPath, {}, {}, {{"Impersonate-User", "jane"}});
  json::Value event = Event();
  EXPECT_EQ(event["user"]["username"].StringOrEmpty(), "root");
  EXPECT_EQ(event["impersonatedUser"].Dump(),
            R"({"username":"jane","groups":["system:authenticated"]})");
  As({"jane"}, "GET", kMapsPath, {}, {}, {{"Impersonate-User", "bob"}});
  event = Event();
  EXPECT_EQ(event["impersonatedUser"].Dump(), "null");
  EXPECT_TRUE(event["annotations"].is_null());
  EXPECT_EQ(event["responseStatus"]["code"].AsInt64(), 403);
}

TEST_F(AuditedServer, HeadThatIsRefused_IsWritten) {
  HttpRequest head{.method = "POST", .target = kMapsPath};
  head.user = "jane";
  {
    const auto refusal = server_.server().JudgeHead(head);
    ASSERT_NE(refusal, nullptr);
    EXPECT_EQ(refusal->status(), 403);
  }
  const std::vector<json::Value> events = EventsOf(*log_);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[1]["responseStatus"]["code"].AsInt64(), 403);
}

TEST_F(AuditedServer, Watch_IsWrittenWhenItBeginsAndWhenItEnds) {
  HttpRequest request{.method = "GET", .target = std::string(kMapsPath) + "?watch=1"};
  request.user = "root";
  request.headers.Add("X-Remote-Group", "system:masters");
  std::vector<std::string> stages;
  const auto take = [&] {
    for (const json::Value& event : EventsOf(*log_)) {
      EXPECT_EQ(event["verb"].StringOrEmpty(), "watch");
      stages.push_back(event["stage"].StringOrEmpty());
    }
  };
  {
    OpenReply watch(server_.sim(), server_.server().Handle(std::move(request)));
    watch.Pull();
    take();
    EXPECT_THAT(stages, ElementsAre("RequestReceived", "ResponseStarted"));
  }
  take();
  EXPECT_THAT(stages, ElementsAre("RequestReceived", "ResponseStarted", "ResponseComplete"));
}

TEST_F(AuditedObjects, ObjectsOfWritesAndAnswers_AreThere) {
  Do("POST", kMapsPath, R"({"metadata":{"name":"a"},"data":{"x":"1"}})");
  json::Value event = Event();
  EXPECT_EQ(event["level"].StringOrEmpty(), "RequestResponse");
  EXPECT_EQ(event["requestObject"].Dump(), R"({"metadata":{"name":"a"},"data":{"x":"1"}})");
  EXPECT_EQ(event["responseObject"]["metadata"]["name"].StringOrEmpty(), "a");
  EXPECT_FALSE(event["responseObject"]["metadata"]["uid"].is_null());

  As({"root", {"system:masters"}}, "PATCH", std::string(kMapsPath) + "/a", R"({"data":{"x":null}})",
     "application/merge-patch+json");
  EXPECT_EQ(Event()["requestObject"].Dump(), R"({"data":{"x":null}})");

  As({"root", {"system:masters"}}, "GET", std::string(kMapsPath) + "/a", {}, {},
     {{"Accept", "application/vnd.kubernetes.protobuf"}});
  event = Event();
  EXPECT_TRUE(event["requestObject"].is_null());
  EXPECT_EQ(event["responseObject"]["kind"].StringOrEmpty(), "ConfigMap");

  As({"root", {"system:masters"}}, "DELETE", std::string(kMapsPath) + "/missing",
     R"({"kind":"DeleteOptions","apiVersion":"v1"})", {},
     {{"Accept", "application/vnd.kubernetes.protobuf"}});
  event = Event();
  EXPECT_EQ(event["requestObject"]["kind"].StringOrEmpty(), "DeleteOptions");
  EXPECT_EQ(event["responseStatus"].Dump(),
            R"({"metadata":{},"status":"Failure","message":"configmaps \"missing\" not found",)"
            R"("reason":"NotFound","details":{"name":"missing","kind":"configmaps"},"code":404})");
}

TEST_F(AuditedObjects, RequestThatIsRefusedBefore_HasNoObject) {
  EXPECT_EQ(As({"jane"}, "POST", kMapsPath, R"({"metadata":{"name":"a"}})").status, 403);
  const json::Value event = Event();
  EXPECT_TRUE(event["requestObject"].is_null());
  EXPECT_TRUE(event["objectRef"]["name"].is_null());
}

// A server without a log, and one whose policy wants nothing, write nothing.
TEST(AuditPolicyOfAServer, Level_None_WritesNothing) {
  const auto log = std::make_shared<AuditLog>();
  TestServer server({.audit_log = log,
                     .audit_policy = std::make_shared<const AuditPolicy>(
                         AuditPolicy{.rules = {{.level = AuditLevel::kNone, .verbs = {"get"}},
                                               {.stages = {.request_received = false}}}})});
  server.Get(kMapsPath + std::string("/a"));
  EXPECT_THAT(log->TakeLines(), IsEmpty());
  server.Get(kMapsPath);
  EXPECT_THAT(log->TakeLines(), SizeIs(1));
}

class AuditedPolicies : public PolicyFixture {
 protected:
  AuditedPolicies() : AuditedPolicies(std::make_shared<AuditLog>()) {}

  // Returns the annotations of the last request.
  json::Value Annotations() {
    std::vector<json::Value> events = EventsOf(*log_);
    if (events.empty()) return {};
    json::Value last = events.back()["annotations"];
    last.Erase("authorization.k8s.io/decision");
    last.Erase("authorization.k8s.io/reason");
    return last;
  }

  std::shared_ptr<AuditLog> log_;

 private:
  explicit AuditedPolicies(std::shared_ptr<AuditLog> log)
      : PolicyFixture({.audit_log = log, .enable_admission_plugins = {"PodSecurity"}}),
        log_(std::move(log)) {}
};

TEST_F(AuditedPolicies, AnnotationsOfAPolicy_HaveItsName) {
  Policy("p",
         "{`auditAnnotations`:[{`key`:`name`,`valueExpression`:`' is ' + object.metadata.name`},"
         "{`key`:`none`,`valueExpression`:`null`}]}");
  EXPECT_EQ(Post(Map("x")).status, 201);
  EXPECT_EQ(Annotations().Dump(), R"({"p/name":"is x"})");
}

TEST_F(AuditedPolicies, ActionAudit_WritesTheFailure) {
  Policy("p",
         "{`validations`:[{`expression`:`true`},{`expression`:`object.metadata.name != 'x'`,"
         "`message`:`no x`}]}",
         "{`validationActions`:[`Audit`]}");
  EXPECT_EQ(Post(Map("x")).status, 201);
  EXPECT_EQ(Annotations().Dump(),
            json::Value::MakeObject(
                {{"validation.policy.admission.k8s.io/validation_failure",
                  R"([{"message":"no x","policy":"p","binding":"p","expressionIndex":1,)"
                  R"("validationActions":["Audit"]}])"}})
                .Dump());
  EXPECT_EQ(Post(Map("y")).status, 201);
  EXPECT_EQ(Annotations().Dump(), "{}");
}

TEST_F(AuditedPolicies, PodSecurity_TellsTheEnforcedPolicyAndWhatAuditsFind) {
  constexpr std::string_view kPods = "/api/v1/namespaces/strict/pods";
  server_.Do("POST", "/api/v1/namespaces",
             R"({"metadata":{"name":"strict","labels":{"pod-security.kubernetes.io/enforce":)"
             R"("privileged","pod-security.kubernetes.io/audit":"baseline"}}})");
  const std::string host = R"("hostNetwork":true,)";
  const auto pod = [](const std::string& more) {
    return R"({"metadata":{"name":"p"},"spec":{)" + more +
           R"("containers":[{"name":"c","image":"i"}]}})";
  };
  EXPECT_EQ(server_.Do("POST", std::string(kPods) + "?dryRun=All", pod("")).status, 201);
  EXPECT_EQ(Annotations().Dump(),
            R"({"pod-security.kubernetes.io/enforce-policy":"privileged:latest"})");
  EXPECT_EQ(server_.Do("POST", kPods, pod(host)).status, 201);
  const json::Value found = Annotations();
  EXPECT_EQ(found["pod-security.kubernetes.io/audit-violations"].StringOrEmpty(),
            R"(would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true))");
}

TEST_F(AuditedPolicies, DeprecatedVersion_IsSaid) {
  server_.Get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas");
  EXPECT_EQ(Annotations().Dump(), "{}");
  server_.Get("/api/v1/namespaces/default/endpoints");
  EXPECT_EQ(Annotations().Dump(), R"({"k8s.io/deprecated":"true"})");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
