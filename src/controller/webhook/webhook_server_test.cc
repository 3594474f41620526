// Answers of a webhook server, independent of what its handlers do.

#include "kinformer/webhook/webhook_server.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>

#include "kinformer/base/until.h"

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

TEST_F(WebhookServerTest, AQuestionIsReadAndAnsweredInItsVersion_WH01) {
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

TEST_F(WebhookServerTest, BadRequest_ErrorStandsInReview_WH01) {
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
            "expected kind AdmissionReview of admission.k8s.io/v1 and got kind Pod of v1"},
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

TEST_F(WebhookServerTest, ReviewWithoutKindOrVersion_GetsDefaults_WH01) {
  const std::string yes = R"("response":{"uid":"","allowed":true,"status":{"metadata":{},)"
                          R"("code":200}}})";
  const std::string v1 = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)" + yes;
  EXPECT_EQ(Ask("/yes", R"({"request":{}})").text, v1);
  EXPECT_EQ(Ask("/yes", R"({"kind":"AdmissionReview","request":{}})").text, v1);
  EXPECT_EQ(Ask("/yes", R"({"apiVersion":"admission.k8s.io/v1beta1","request":{}})").text,
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1",)" + yes);
}

TEST_F(WebhookServerTest, AVersionThatNobodyKnowsIsAnsweredInV1_WH01) {
  const WebhookReply reply = Ask("/yes", Review(json::Value::MakeObject(), "admission.k8s.io/v7"));
  EXPECT_EQ(reply.body["apiVersion"].StringOrEmpty(), "admission.k8s.io/v1");
  EXPECT_EQ(reply.body.At("/response/uid").StringOrEmpty(), "u-1");
}

TEST_F(WebhookServerTest, HandlerThrows_IsCode500_WH01) {
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

TEST_F(WebhookServerTest, HandlerThrows_WithoutRecoverPanicProcessEnds_WH01) {
  const auto run = [this] {
    WebhookServer strict(sim_.env(), {.recover_panic = false});
    strict
        .Register("/throws",
                  [](const admission::Request&) -> admission::Response {
                    throw std::runtime_error("no luck");
                  })
        .OrExit();
    HttpRequest request{.method = "POST", .target = "/throws"};
    request.headers.Add("Content-Type", "application/json");
    request.body = Review(json::Value::MakeObject());
    const auto stream = strict.Handle(std::move(request));
    sim_.RunFor(std::chrono::minutes(1));
  };
  EXPECT_DEATH(run(), "");
}

TEST_F(WebhookServerTest, HandlerResponses_BecomeReviewResponse_WH01) {
  admission::Response response;
  server_.Register("/say", [&](const admission::Request&) { return response; }).OrExit();
  const auto said = [&](admission::Response as) {
    response = std::move(as);
    json::Value answer = Ask("/say", Review(json::Value::MakeObject())).body["response"];
    EXPECT_EQ(answer["uid"].StringOrEmpty(), "u-1");
    answer.Erase("uid");
    return answer.Dump();
  };
  const std::string ok = R"({"allowed":true,"status":{"metadata":{},"code":200}})";
  const std::string why = R"({"allowed":true,"status":{"metadata":{},"message":"why","code":200}})";
  const std::string no =
      R"({"allowed":false,"status":{"metadata":{},"reason":"Forbidden","code":403}})";
  const std::string why_not =
      R"({"allowed":false,"status":{"metadata":{},"message":"why","reason":"Forbidden",)"
      R"("code":403}})";
  EXPECT_EQ(said(Allowed()), ok);
  EXPECT_EQ(said(Allowed("why")), why);
  EXPECT_EQ(said(Denied("")), no);
  EXPECT_EQ(said(Denied("why")), why_not);
  EXPECT_EQ(said(admission::ValidationResponse(true)), ok);
  EXPECT_EQ(said(admission::ValidationResponse(true, "why")), why);
  EXPECT_EQ(said(admission::ValidationResponse(false)), no);
  EXPECT_EQ(said(admission::ValidationResponse(false, "why")), why_not);
  EXPECT_EQ(
      said(admission::Errored(400, Error(Reason::kInvalid, "this is an error"))),
      R"({"allowed":false,"status":{"metadata":{},"message":"this is an error","code":400}})");
  EXPECT_EQ(said({.allowed = true}), ok) << "a status that nobody has filled in";
  EXPECT_EQ(said({.allowed = true, .message = "why"}), why);
  const json::Value patch =
      json::Parse(R"([{"op":"add","path":"/a","value":2},{"op":"remove","path":"/b"}])").OrExit();
  const std::string patched = said(admission::Patched(patch, "some changes"));
  EXPECT_THAT(patched,
              HasSubstr(R"("allowed":true,"status":{"metadata":{},"message":"some changes",)"
                        R"("code":200})"));
  EXPECT_THAT(patched, HasSubstr(R"("patchType":"JSONPatch")"));
  EXPECT_EQ(Ask("/say", Review(json::Value::MakeObject())).Patch(), patch);
  response = admission::PatchResponse(json::Value::MakeObject({{"a", "foo"}}),
                                      json::Value::MakeObject({{"a", "bar"}}));
  EXPECT_TRUE(response.allowed);
  EXPECT_EQ(response.patch.Dump(), R"([{"op":"replace","path":"/a","value":"bar"}])");
}

TEST_F(WebhookServerTest, AHandlerSeesTheHttpRequestAndWhetherAnybodyWaits_WH01) {
  WebhookCall seen;
  bool given_up = false;
  server_
      .Register("/slow",
                [&](const admission::Request& request) {
                  seen = request.call;
                  given_up =
                      !SleepUnlessStopped(sim_.env(), request.call.stop, std::chrono::hours(1));
                  return Allowed();
                })
      .OrExit();
  HttpRequest request{.method = "POST", .target = "/slow?timeout=10s", .user = "apiserver"};
  request.headers.Add("Content-Type", "application/json");
  request.headers.Add("User-Agent", "test");
  request.body = Review(json::Value::MakeObject());
  auto stream = server_.Handle(std::move(request));
  sim_.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(seen.target, "/slow?timeout=10s");
  EXPECT_EQ(seen.headers.Get("User-Agent"), "test");
  EXPECT_EQ(seen.user, "apiserver");
  EXPECT_FALSE(given_up);
  stream.reset();
  sim_.RunFor(std::chrono::seconds(1));
  EXPECT_TRUE(given_up);
}

TEST_F(WebhookServerTest, StartedChecker_FailsUnlessServing) {
  const std::function<Result<void>()> check = server_.StartedChecker();
  EXPECT_EQ(check().error().reason(), Reason::kServiceUnavailable);
  server_.SetStarted(true);
  EXPECT_TRUE(check().ok());
  server_.SetStarted(false);
  EXPECT_FALSE(check().ok());
}

TEST_F(WebhookServerTest, Metrics) {
  static_cast<void>(Ask("/yes", Review(json::Value::MakeObject())));
  const std::string text = metrics_->Text();
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_requests_total{)"));
  EXPECT_THAT(text, HasSubstr(R"(webhook="/yes")"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_latency_seconds_count)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_webhook_requests_in_flight)"));
}

TEST_F(WebhookServerTest, Paths_AreUniqueAndNamedAsInControllerRuntime) {
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

TEST_F(WebhookServerTest, ValidatingHandlers_FirstDenialDecides_WH01) {
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
  server_.Register("/agree", admission::MultiValidatingHandler({last, last})).OrExit();
  EXPECT_EQ(Ask("/agree", Review(json::Value::MakeObject())).body["response"].Dump(),
            R"({"uid":"u-1","allowed":true,"status":{"metadata":{},"code":200}})");
  EXPECT_EQ(std::exchange(asked, 0), 2);
  server_.Register("/warn", admission::MultiValidatingHandler({last, warn("one", Allowed())}))
      .OrExit();
  EXPECT_EQ(Ask("/warn", Review(json::Value::MakeObject())).body["response"].Dump(),
            R"({"uid":"u-1","allowed":true,"status":{"metadata":{},"code":200},)"
            R"("warnings":["one"]})");
}

TEST_F(WebhookServerTest, MutatingHandlers_PatchesAreJoined_WH01) {
  int asked = 0;
  const auto last = [&asked](const admission::Request&) {
    ++asked;
    return Allowed();
  };
  const auto warn = [](admission::Response response) {
    response.warnings = {"w"};
    return [response](const admission::Request&) { return response; };
  };
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
  EXPECT_FALSE(patched.body["response"].contains("warnings"));
  server_
      .Register("/refuse",
                admission::MultiMutatingHandler({add("/a"), warn(Allowed()), warn(Denied("no"))}))
      .OrExit();
  const WebhookReply refused = Ask("/refuse", Review(json::Value::MakeObject()));
  EXPECT_EQ(refused.body.At("/response/allowed").AsBool(), false);
  EXPECT_FALSE(refused.body["response"].contains("patch"));
  server_.Register("/both", admission::MultiMutatingHandler({add("/a"), warn(Allowed())})).OrExit();
  const WebhookReply both = Ask("/both", Review(json::Value::MakeObject()));
  EXPECT_EQ(both.Patch().size(), 1U);
  EXPECT_EQ(both.body.At("/response/warnings").Dump(), R"(["w"])");
}

}  // namespace
}  // namespace kinformer::testing
