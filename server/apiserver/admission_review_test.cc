// AdmissionReviews: what a webhook is asked, which answers are taken, and how it refuses.

#include "apiserver/admission/admission_review.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver::testing {
namespace {

class AdmissionReviewTest : public ::testing::Test {
 protected:
  AdmissionAttributes About(std::string_view group, std::string_view version,
                            std::string_view plural) {
    AdmissionAttributes out;
    out.at = table_.Find(group, version, plural);
    out.operation = "CREATE";
    out.options = Json(R"({"kind":"CreateOptions"})");
    return out;
  }
  static json::Value Text(const AdmissionAttributes& attributes, const ResourceAt& at) {
    return Json(AdmissionReviewText(attributes, {.at = at,
                                                 .api_version = "admission.k8s.io/v1",
                                                 .uid = "u",
                                                 .object = attributes.object,
                                                 .old = attributes.old}));
  }
  ResourceTable table_{HistoryLimits{}};
};

TEST_F(AdmissionReviewTest, RequestForAnotherVersion_NamesBoth) {
  AdmissionAttributes attributes = About("autoscaling", "v2", "horizontalpodautoscalers");
  attributes.namespace_ = "ns";
  attributes.name = "a";
  attributes.dry_run = true;
  attributes.object = Json(R"({"metadata":{"name":"a"}})");
  attributes.user = std::make_shared<UserInfo>(UserInfo{.name = "me", .groups = {"g"}});
  const json::Value review =
      Text(attributes, table_.Find("autoscaling", "v1", "horizontalpodautoscalers"));
  EXPECT_EQ(review, Json(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{
      "uid":"u",
      "kind":{"group":"autoscaling","version":"v1","kind":"HorizontalPodAutoscaler"},
      "resource":{"group":"autoscaling","version":"v1","resource":"horizontalpodautoscalers"},
      "requestKind":{"group":"autoscaling","version":"v2","kind":"HorizontalPodAutoscaler"},
      "requestResource":{"group":"autoscaling","version":"v2",
                         "resource":"horizontalpodautoscalers"},
      "name":"a","namespace":"ns","operation":"CREATE","userInfo":{"username":"me","groups":["g"]},
      "object":{"metadata":{"name":"a"}},"oldObject":null,"dryRun":true,
      "options":{"kind":"CreateOptions"}}})"))
      << review.Dump();
}

TEST_F(AdmissionReviewTest, SubresourceWithItsOwnKind_IsNamed) {
  AdmissionAttributes attributes = About("apps", "v1", "deployments");
  attributes.subresource = "scale";
  attributes.kind = {.group = "autoscaling", .version = "v1", .kind = "Scale"};
  const json::Value review = Text(attributes, attributes.at);
  EXPECT_EQ(review["request"], Json(R"({"uid":"u",
      "kind":{"group":"autoscaling","version":"v1","kind":"Scale"},
      "resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale",
      "requestKind":{"group":"autoscaling","version":"v1","kind":"Scale"},
      "requestResource":{"group":"apps","version":"v1","resource":"deployments"},
      "requestSubResource":"scale","operation":"CREATE","userInfo":{},"object":null,
      "oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions"}})"))
      << review.Dump();
}

TEST_F(AdmissionReviewTest, ShownObject_HasTheKindAndFormOfTheVersion) {
  const AdmissionAttributes pods = About("", "v1", "pods");
  EXPECT_TRUE(ShownIn(pods, pods.at, json::Value()).is_null());
  EXPECT_EQ(ShownIn(pods, pods.at, Json(R"({"kind":"X","apiVersion":"y","spec":{"a":1}})")).Dump(),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"a":1}})");
  AdmissionAttributes scale = About("apps", "v1", "deployments");
  scale.kind = {.group = "autoscaling", .version = "v1", .kind = "Scale"};
  EXPECT_EQ(ShownIn(scale, scale.at, Json(R"({"spec":{"a":1}})")).Dump(),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"a":1}})");
  scale.kind = {.group = "", .version = "v1", .kind = "Binding"};
  EXPECT_EQ(ShownIn(scale, scale.at, Json("{}")).Dump(), R"({"kind":"Binding","apiVersion":"v1"})");
  const AdmissionAttributes events = About("events.k8s.io", "v1", "events");
  const json::Value stored = Json(R"({"metadata":{"name":"e"},"message":"m"})");
  const json::Value shown = ShownIn(events, events.at, stored);
  EXPECT_EQ(shown["note"], "m") << shown.Dump();
  EXPECT_EQ(shown["apiVersion"], "events.k8s.io/v1");
  EXPECT_EQ(TakenFrom(events, events.at, shown)["message"], "m");
  AdmissionAttributes own = events;
  own.kind = {.group = "", .version = "v1", .kind = "Own"};
  EXPECT_EQ(ShownIn(own, own.at, stored)["message"], "m") << "an own kind has no other form";
  EXPECT_EQ(TakenFrom(own, own.at, shown)["note"], "m");
}

std::string Base64(std::string_view text) {
  std::string out;
  internal::AppendBase64(text, out);
  return out;
}

TEST_F(AdmissionReviewTest, Answers_AreCheckedAsOnARealServer) {
  struct Row {
    std::string_view version;  // asked for
    bool mutates;
    std::string body;
  };
  const std::string patch = Base64(R"([{"op":"add","path":"/a","value":1}])");
  const std::string start =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u",)";
  constexpr std::string_view kV1 = "admission.k8s.io/v1";
  constexpr std::string_view kBeta = "admission.k8s.io/v1beta1";
  const std::string bad = "received invalid webhook response: ";
  const std::vector<std::pair<Row, std::string>> rows = {
      {{kV1, true, start + R"("allowed":true}})"}, ""},
      {{kV1, false, start + R"("allowed":true}})"}, ""},
      {{kV1, true, R"({"response":null})"}, bad + "webhook response was absent"},
      {{kBeta, true, R"({"response":[]})"}, bad + "webhook response was absent"},
      {{kV1, true, R"({"response":{"uid":"v"}})"}, bad + "expected response.uid=\"u\", got \"v\""},
      {{kV1, true, R"({"response":{}})"}, bad + "expected response.uid=\"u\", got \"\""},
      {{kBeta, true, R"({"response":{"uid":"v"}})"}, ""},
      {{kV1, true, R"({"kind":"X","apiVersion":"admission.k8s.io/v1","response":{"uid":"u"}})"},
       bad + "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got "
             "admission.k8s.io/v1, Kind=X"},
      {{kV1, true, R"({"kind":"AdmissionReview","apiVersion":"v2","response":{"uid":"u"}})"},
       bad + "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got v2, "
             "Kind=AdmissionReview"},
      {{kV1, false, start + R"("patch":")" + patch + R"(","patchType":"JSONPatch"}})"},
       bad + "validating webhook may not return response.patch"},
      {{kV1, false, start + R"("patchType":"JSONPatch"}})"},
       bad + "validating webhook may not return response.patchType"},
      {{kV1, true, start + R"("patch":")" + patch + R"("}})"},
       bad + "webhook returned response.patch but not response.patchType"},
      {{kV1, true, start + R"("patchType":"JSONPatch"}})"},
       bad + "webhook returned response.patchType but not response.patch"},
      {{kV1, true, start + R"("patch":")" + patch + R"(","patchType":""}})"},
       bad + "webhook returned invalid response.patchType of \"\""},
      {{kV1, true, start + R"("allowed":true,"patch":")" + patch + R"(","patchType":"X"}})"},
       "unsupported patch type \"X\""},
      {{kBeta, true, R"({"response":{"allowed":true,"patch":")" + patch + R"("}})"}, ""},
      {{kV1, true, start + R"("allowed":true,"patch":")" + Base64("[]") + R"(","patchType":"X"}})"},
       ""},
      {{kV1, true, start + R"("allowed":true,"patch":"!","patchType":"JSONPatch"}})"},
       "failed to call webhook: response.patch is no base64"},
      {{kV1, true,
        start + R"("allowed":true,"patch":")" + Base64("{}") + R"(","patchType":"JSONPatch"}})"},
       "received undecodable patch in webhook response: it is no list of operations"},
      {{kV1, true, start + R"("allowed":false,"patch":"!","patchType":"JSONPatch"}})"}, ""},
      {{kBeta, false, R"({"response":{"allowed":true,"patch":"!"}})"}, ""},
  };
  for (const auto& [row, error] : rows) {
    const auto answer = ReadAdmissionAnswer(row.body, row.version, "u", row.mutates);
    EXPECT_EQ(answer ? "" : answer.error().message(), error) << row.body;
    if (answer) continue;
    EXPECT_EQ(answer.error().reason(), Reason::kInternalError) << row.body;
  }
  const auto broken = ReadAdmissionAnswer("{", kV1, "u", true);
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().message().starts_with("failed to call webhook: "));
  const auto text = ReadAdmissionAnswer(
      start + R"("allowed":true,"patch":")" + Base64("[") + R"(","patchType":"JSONPatch"}})", kV1,
      "u", true);
  ASSERT_FALSE(text.ok());
  EXPECT_TRUE(
      text.error().message().starts_with("received undecodable patch in webhook response: "));
}

TEST_F(AdmissionReviewTest, Answer_HasPatchWarningsAndStatus) {
  const std::string patch = R"([{"op":"add","path":"/a","value":1}])";
  const std::string start =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u",)";
  auto answer = ReadAdmissionAnswer(start + R"("allowed":true,"warnings":["a","b"],"patch":")" +
                                        Base64(patch) + R"(","patchType":"JSONPatch"}})",
                                    "admission.k8s.io/v1", "u", true);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->allowed);
  EXPECT_EQ(answer->patch, Json(patch));
  EXPECT_EQ(answer->warnings, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(answer->status.is_null());
  answer =
      ReadAdmissionAnswer(start + R"("status":{"code":418}}})", "admission.k8s.io/v1", "u", true);
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->allowed) << "an absent member is false";
  EXPECT_TRUE(answer->patch.is_null());
  EXPECT_EQ(answer->status, Json(R"({"code":418})"));
}

TEST_F(AdmissionReviewTest, Refusal_TellsCodeReasonAndDetails) {
  struct Row {
    std::string_view status;
    int code;
    Reason reason;
    std::string_view message;
  };
  const std::vector<Row> rows = {
      {"null", 400, Reason::kUnknown,
       "admission webhook \"w\" denied the request without explanation"},
      {R"({"message":"m","reason":"NotFound","code":404})", 404, Reason::kNotFound,
       "admission webhook \"w\" denied the request: m"},
      {R"({"reason":"Forbidden","code":403})", 403, Reason::kForbidden,
       "admission webhook \"w\" denied the request: Forbidden"},
      {R"({"code":399,"message":"m"})", 400, Reason::kUnknown,
       "admission webhook \"w\" denied the request: m"},
      {R"({"code":400,"message":"m"})", 400, Reason::kUnknown,
       "admission webhook \"w\" denied the request: m"},
      {R"({"code":401,"message":"m"})", 401, Reason::kUnknown,
       "admission webhook \"w\" denied the request: m"},
      {R"({"code":599,"message":"m"})", 599, Reason::kUnknown,
       "admission webhook \"w\" denied the request: m"},
      {R"({"code":600,"message":"m"})", 599, Reason::kUnknown,
       "admission webhook \"w\" denied the request: m"},
  };
  for (const Row& row : rows) {
    const Error error = RefusedByWebhook("w", Json(row.status));
    EXPECT_EQ(error.http_status(), row.code) << row.status;
    EXPECT_EQ(error.reason(), row.reason) << row.status;
    EXPECT_EQ(error.message(), row.message) << row.status;
  }
  const Error error = RefusedByWebhook("w", Json(R"({"code":422,"details":{"name":"n","group":"g",
      "kind":"k","uid":"u","causes":[{"reason":"r","message":"m","field":"f"},{"field":"h"}]}})"));
  const StatusDetails& details = error.details();
  EXPECT_EQ(details.name, "n");
  EXPECT_EQ(details.group, "g");
  EXPECT_EQ(details.kind, "k");
  EXPECT_EQ(details.uid, "u");
  ASSERT_EQ(details.causes.size(), 2U);
  EXPECT_EQ(details.causes[0].reason, "r");
  EXPECT_EQ(details.causes[0].message, "m");
  EXPECT_EQ(details.causes[0].field, "f");
  EXPECT_EQ(details.causes[1].field, "h");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
