// What a webhook server says to requests, whatever its handlers make of them.

#include "kinformer/webhook_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "controller/webhook/asked_for_test.h"

namespace kinformer::testing {
namespace {

using admission::Allowed;
using admission::Denied;
using ::testing::HasSubstr;

class WebhookServerTest : public WebhookTest {
 protected:
  WebhookServerTest() {
    server_.Register("/yes", [](const admission::Request&) { return Allowed(); }).OrExit();
  }
};

TEST_F(WebhookServerTest, WH_01_AQuestionIsReadAndAnsweredInItsVersion) {
  admission::Request seen;
  server_
      .Register("/see",
                [&seen](const admission::Request& request) {
                  seen = request;
                  admission::Response response = Allowed("why not");
                  response.warnings = {"careful"};
                  response.auditAnnotations["k"] = "v";
                  return response;
                })
      .OrExit();
  const std::string body = R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview",
    "request":{"uid":"u-1","kind":{"group":"apps","version":"v1","kind":"Deployment"},
    "resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale",
    "requestKind":{"group":"extensions","version":"v1","kind":"Deployment"},
    "requestResource":{"group":"extensions","version":"v1","resource":"deployments"},
    "name":"web","namespace":"default","operation":"UPDATE","dryRun":true,
    "userInfo":{"username":"ann","uid":"7","groups":["a","b"],"extra":{"x":["1"]}},
    "object":{"kind":"Deployment"},"oldObject":{"kind":"Old"},
    "options":{"kind":"UpdateOptions"}}})";
  const WebhookReply reply = Ask("/see?timeout=10s", body);
  EXPECT_EQ(seen.uid, "u-1");
  EXPECT_EQ(seen.kind, (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(seen.resource, (GroupVersionResource{"apps", "v1", "deployments"}));
  EXPECT_EQ(seen.subResource, "scale");
  EXPECT_EQ(seen.requestKind, (GroupVersionKind{"extensions", "v1", "Deployment"}));
  EXPECT_EQ(seen.requestResource, (GroupVersionResource{"extensions", "v1", "deployments"}));
  EXPECT_EQ(seen.namespace_ + "/" + seen.name, "default/web");
  EXPECT_EQ(seen.operation, "UPDATE");
  EXPECT_TRUE(seen.dryRun);
  EXPECT_EQ(seen.userInfo.username, "ann");
  EXPECT_EQ(seen.userInfo.groups, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(seen.userInfo.extra.at("x"), std::vector<std::string>{"1"});
  EXPECT_EQ(seen.object["kind"].StringOrEmpty(), "Deployment");
  EXPECT_EQ(seen.oldObject["kind"].StringOrEmpty(), "Old");
  EXPECT_EQ(seen.options["kind"].StringOrEmpty(), "UpdateOptions");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, json::Parse(R"({"kind":"AdmissionReview",
    "apiVersion":"admission.k8s.io/v1beta1","response":{"uid":"u-1","allowed":true,
    "status":{"metadata":{},"message":"why not","code":200},
    "auditAnnotations":{"k":"v"},"warnings":["careful"]}})")
                            .OrExit());
}

struct BadRequest {
  const char* what;
  std::string body;
  std::string content_type;
  int code;
  std::string message;
};

TEST_F(WebhookServerTest, WH_01_WhatIsWrongWithARequestStandsInTheReview) {
  const std::string good = Review(json::Value::MakeObject());
  for (const BadRequest& bad : std::vector<BadRequest>{
           {"empty", "", "application/json", 400, "request body is empty"},
           {"wrong type", good, "application/yaml", 400,
            "contentType=application/yaml, expected application/json"},
           {"type with a parameter", good, "application/json; charset=utf-8", 400,
            "contentType=application/json; charset=utf-8, expected application/json"},
           {"too large", std::string(std::size_t{7} << 20, ' '), "application/json", 413,
            "request entity is too large; limit is 7340032 bytes"},
           {"no JSON", "{", "application/json", 400, ""},
           {"another kind", R"({"kind":"Pod","apiVersion":"v1"})", "application/json", 400,
            "expected an AdmissionReview of admission.k8s.io/v1 and got a Pod of v1"},
           {"without a request", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
            "application/json", 400, "the AdmissionReview has no request"}}) {
    const WebhookReply reply = Ask("/yes", bad.body, bad.content_type);
    EXPECT_EQ(reply.status, 200) << bad.what;
    EXPECT_EQ(reply.body["apiVersion"].StringOrEmpty(), "admission.k8s.io/v1") << bad.what;
    EXPECT_EQ(reply.body.At("/response/allowed").AsBool(), false) << bad.what;
    EXPECT_EQ(reply.body.At("/response/status/code").AsInt64(), bad.code) << bad.what;
    EXPECT_THAT(reply.body.At("/response/status/message").StringOrEmpty(), HasSubstr(bad.message))
        << bad.what;
  }
  EXPECT_EQ(Ask("/yes", std::string((std::size_t{7} << 20) - good.size() - 1, ' ') + good)
                .body.At("/response/allowed")
                .AsBool(),
            true);
  EXPECT_EQ(Ask("/nowhere", good).status, 404);
}

TEST_F(WebhookServerTest, WH_01_AVersionThatNobodyKnowsIsAnsweredInV1) {
  const WebhookReply reply = Ask("/yes", Review(json::Value::MakeObject(), "admission.k8s.io/v7"));
  EXPECT_EQ(reply.body["apiVersion"].StringOrEmpty(), "admission.k8s.io/v1");
  EXPECT_EQ(reply.body.At("/response/uid").StringOrEmpty(), "u-1");
}

TEST_F(WebhookServerTest, WH_01_WhatAHandlerThrowsIsCode500) {
  server_
      .Register("/throws",
                [](const admission::Request&) -> admission::Response {
                  throw std::runtime_error("no luck");
                })
      .OrExit();
  const WebhookReply reply = Ask("/throws", Review(json::Value::MakeObject()));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body.At("/response/uid").StringOrEmpty(), "u-1");
  EXPECT_EQ(reply.body.At("/response/status/code").AsInt64(), 500);
  EXPECT_EQ(reply.body.At("/response/status/message").StringOrEmpty(),
            "panic: no luck [recovered]");
  EXPECT_THAT(metrics_->Text(), HasSubstr("controller_runtime_webhook_panics_total 1"));
}

TEST_F(WebhookServerTest, Metrics) {
  static_cast<void>(Ask("/yes", Review(json::Value::MakeObject())));
  const std::string text = metrics_->Text();
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_requests_total{)"));
  EXPECT_THAT(text, HasSubstr(R"(webhook="/yes")"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_latency_seconds_count)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_requests_in_flight)"));
}

TEST_F(WebhookServerTest, PathsAreOnesAndAreNamedAsControllerRuntimeNamesThem) {
  EXPECT_EQ(server_.Register("/yes", [](const admission::Request&) { return Allowed(); })
                .error()
                .reason(),
            Reason::kAlreadyExists);
  EXPECT_EQ(
      server_.Register("yes", [](const admission::Request&) { return Allowed(); }).error().reason(),
      Reason::kInvalidArgument);
  EXPECT_EQ(GenerateMutatePath({"", "v1", "Pod"}), "/mutate--v1-pod");
  EXPECT_EQ(GenerateValidatePath({"my.example.com", "v1", "CronTab"}),
            "/validate-my-example-com-v1-crontab");
}

TEST_F(WebhookServerTest, AnAnswerThatNobodyWaitsForIsDropped) {
  HttpRequest request{.method = "POST", .target = "/yes"};
  request.headers.Add("Content-Type", "application/json");
  request.body = Review(json::Value::MakeObject());
  server_.Handle(request).reset();
  sim_.RunReady();
  EXPECT_EQ(Ask("/yes", request.body).status, 200);
}

TEST_F(WebhookServerTest, WH_01_SeveralHandlersAtOnePath) {
  const auto warn = [](const std::string& text, admission::Response response) {
    return [text, response](const admission::Request&) {
      admission::Response out = response;
      out.warnings = {text};
      return out;
    };
  };
  int asked = 0;
  const auto last = [&asked](const admission::Request&) {
    ++asked;
    return Allowed();
  };
  server_
      .Register("/all", admission::MultiValidatingHandler(
                            {warn("one", Allowed()), warn("two", Denied("two says no")), last}))
      .OrExit();
  const WebhookReply denied = Ask("/all", Review(json::Value::MakeObject()));
  EXPECT_EQ(denied.body["response"],
            json::Parse(R"({"uid":"u-1","allowed":false,"status":{"metadata":{},
              "message":"two says no","reason":"Forbidden","code":403},"warnings":["one","two"]})")
                .OrExit());
  EXPECT_EQ(asked, 0);
  const auto add = [](const char* path) {
    return [path](const admission::Request&) {
      return admission::Patched(json::Value::MakeArray(
          {json::Value::MakeObject({{"op", "add"}, {"path", path}, {"value", 1}})}));
    };
  };
  server_.Register("/change", admission::MultiMutatingHandler({add("/a"), last, add("/b")}))
      .OrExit();
  const WebhookReply patched = Ask("/change", Review(json::Value::MakeObject()));
  EXPECT_EQ(patched.body.At("/response/patchType").StringOrEmpty(), "JSONPatch");
  EXPECT_EQ(patched.Patch().Dump(),
            R"([{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":1}])");
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace kinformer::testing
