// Fields of reviews that are read and written, each on its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "controller/webhook/admission_review.h"
#include "controller/webhook/asked_for_test.h"
#include "controller/webhook/conversion_review.h"
#include "controller/webhook/review_request.h"
#include "controller/webhook/token_review.h"

namespace kinformer::internal::webhook {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::Value Json(const std::string& text) { return json::Parse(text).OrExit(); }

ReviewQuestion Read(const std::string& request) {
  ReviewQuestion question;
  EXPECT_TRUE(ReadAdmissionReview(R"({"request":)" + request + "}", question).ok()) << request;
  return question;
}

TEST(AdmissionReviewFields, RequestNames_AreEachRead) {
  const admission::Request empty = Read("{}").request;
  EXPECT_FALSE(empty.requestKind);
  EXPECT_FALSE(empty.requestResource);
  EXPECT_FALSE(empty.dryRun);
  struct Row {
    const char* field;
    std::string admission::Request::* read;
  };
  const std::vector<Row> rows{{"uid", &admission::Request::uid},
                              {"subResource", &admission::Request::subResource},
                              {"requestSubResource", &admission::Request::requestSubResource},
                              {"name", &admission::Request::name},
                              {"namespace", &admission::Request::namespace_},
                              {"operation", &admission::Request::operation}};
  for (const Row& row : rows) {
    const admission::Request request =
        Read(std::string(R"({")") + row.field + R"(":"text"})").request;
    for (const Row& other : rows) {
      EXPECT_EQ(request.*other.read, row.field == other.field ? "text" : "")
          << row.field << " read as " << other.field;
    }
  }
}

TEST(AdmissionReviewFields, RequestObjects_AreEachRead) {
  const std::string kind = R"({"group":"g","version":"v","kind":"k"})";
  const std::string resource = R"({"group":"g","version":"v","resource":"r"})";
  EXPECT_EQ(Read(R"({"kind":)" + kind + "}").request.kind, (GroupVersionKind{"g", "v", "k"}));
  EXPECT_EQ(Read(R"({"requestKind":)" + kind + "}").request.requestKind,
            (GroupVersionKind{"g", "v", "k"}));
  EXPECT_EQ(Read(R"({"resource":)" + resource + "}").request.resource,
            (GroupVersionResource{"g", "v", "r"}));
  EXPECT_EQ(Read(R"({"requestResource":)" + resource + "}").request.requestResource,
            (GroupVersionResource{"g", "v", "r"}));
  EXPECT_EQ(Read(R"({"object":{"a":1}})").request.object, Json(R"({"a":1})"));
  EXPECT_EQ(Read(R"({"oldObject":{"a":2}})").request.oldObject, Json(R"({"a":2})"));
  EXPECT_EQ(Read(R"({"options":{"a":3}})").request.options, Json(R"({"a":3})"));
  EXPECT_TRUE(Read(R"({"dryRun":true})").request.dryRun);
  EXPECT_FALSE(Read(R"({"dryRun":false})").request.dryRun);
  const admission::UserInfo user =
      Read(R"({"userInfo":{"username":"ann","uid":"7","groups":["a","b"],)"
           R"("extra":{"x":["1","2"],"y":[]}}})")
          .request.userInfo;
  EXPECT_EQ(user.username, "ann");
  EXPECT_EQ(user.uid, "7");
  EXPECT_THAT(user.groups, ElementsAre("a", "b"));
  EXPECT_EQ(user.extra.size(), 2U);
  EXPECT_THAT(user.extra.at("x"), ElementsAre("1", "2"));
  EXPECT_THAT(user.extra.at("y"), IsEmpty());
}

struct Details {
  StatusDetails details;
  const char* written;  // null: the status has none
};

TEST(AdmissionReviewFields, StatusDetails_AreWrittenUnlessEmpty) {
  for (const Details& row : std::vector<Details>{
           {{}, nullptr},
           {{.name = "n"}, R"({"name":"n"})"},
           {{.group = "g"}, R"({"group":"g"})"},
           {{.kind = "k"}, R"({"kind":"k"})"},
           {{.uid = "u"}, R"({"uid":"u"})"},
           {{.causes = {{.reason = "r", .message = "m", .field = "f"}, {.reason = "s"}}},
            R"({"causes":[{"reason":"r","message":"m","field":"f"},)"
            R"({"reason":"s","message":"","field":""}]})"},
           {{.name = "n", .group = "g", .kind = "k", .uid = "u"},
            R"({"name":"n","group":"g","kind":"k","uid":"u"})"}}) {
    admission::Response response = admission::Denied("no");
    response.details = row.details;
    const json::Value status = Json(WriteAdmissionReview({}, response)).At("/response/status");
    ASSERT_EQ(status.contains("details"), row.written != nullptr) << status.Dump();
    if (row.written != nullptr) {
      EXPECT_EQ(status["details"].Dump(), row.written);
    }
  }
}

TEST(AdmissionReviewFields, Reply_HasExactText) {
  admission::Response response = admission::Patched(Json(R"([{"op":"remove","path":"/a"}])"), "m");
  response.auditAnnotations = {{"k", "1"}, {"l", "2"}};
  response.warnings = {"w", "x"};
  ReviewQuestion question;
  question.api_version = "admission.k8s.io/v1beta1";
  question.request.uid = "u-1";
  EXPECT_EQ(WriteAdmissionReview(question, response),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1",)"
            R"("response":{"uid":"u-1","allowed":true,)"
            R"("status":{"metadata":{},"message":"m","code":200},)"
            R"("patch":"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2EifV0=","patchType":"JSONPatch",)"
            R"("auditAnnotations":{"k":"1","l":"2"},"warnings":["w","x"]}})");
}

struct Refusal {
  Error error;
  const char* status;
};

// Errors of an API server pass on; all others are denials.
TEST(AdmissionResponses, Refused_KeepsErrorsOfTheApiOnly) {
  for (const Refusal& row : std::vector<Refusal>{
           {Error(Reason::kUnknown, "m"), R"({"message":"m","reason":"Forbidden","code":403})"},
           {Error(Reason::kBadRequest, "m"), R"({"message":"m","reason":"BadRequest","code":400})"},
           {Error(Reason::kUnauthorized, "m"),
            R"({"message":"m","reason":"Unauthorized","code":401})"},
           {Error(Reason::kForbidden, "m"), R"({"message":"m","reason":"Forbidden","code":403})"},
           {Error(Reason::kNotFound, "m").WithDetails({.name = "n"}),
            R"({"message":"m","reason":"NotFound","details":{"name":"n"},"code":404})"},
           {Error(Reason::kConflict, "m"), R"({"message":"m","reason":"Conflict","code":409})"},
           {Error(Reason::kTimeout, "m"), R"({"message":"m","reason":"Timeout","code":504})"},
           {Error(Reason::kTransport, "m").WithDetails({.name = "n"}),
            R"({"message":"m","reason":"Forbidden","code":403})"},
           {Error(Reason::kInvalidArgument, "m"),
            R"({"message":"m","reason":"Forbidden","code":403})"}}) {
    const admission::Response response = admission::Refused(row.error);
    EXPECT_FALSE(response.allowed) << row.error.ToString();
    json::Value status = Json(WriteAdmissionReview({}, response)).At("/response/status");
    status.Erase("metadata");
    EXPECT_EQ(status.Dump(), row.status) << row.error.ToString();
  }
}

TEST(AdmissionResponses, HandlersOfOnePath_JoinAnnotationsAndWarnings) {
  const auto says = [](admission::Response response) {
    return [response](const admission::Request&) { return response; };
  };
  admission::Response one =
      admission::Patched(Json(R"([{"op":"remove","path":"/a"}])"), "not passed on");
  one.auditAnnotations = {{"a", "1"}, {"b", "1"}};
  one.warnings = {"first"};
  admission::Response two = admission::Patched(Json(R"([{"op":"remove","path":"/b"}])"));
  two.auditAnnotations = {{"b", "2"}, {"c", "2"}};
  two.warnings = {"second"};
  const admission::Response mutated = admission::MultiMutatingHandler({says(one), says(two)})({});
  EXPECT_TRUE(mutated.allowed);
  EXPECT_EQ(mutated.message, "");
  EXPECT_EQ(mutated.patch.Dump(), R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}])");
  EXPECT_EQ(mutated.auditAnnotations,
            (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}, {"c", "2"}}));
  EXPECT_THAT(mutated.warnings, ElementsAre("first", "second"));
  const admission::Response valid = admission::MultiValidatingHandler({says(one), says(two)})({});
  EXPECT_TRUE(valid.allowed);
  EXPECT_TRUE(valid.patch.is_null()) << "a validator changes nothing";
  EXPECT_EQ(valid.auditAnnotations.size(), 3U);
  admission::Response no = admission::Denied("no");
  no.warnings = {"third"};
  no.auditAnnotations = {{"d", "3"}};
  const admission::Response denied =
      admission::MultiValidatingHandler({says(one), says(no), says(two)})({});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.message, "no");
  EXPECT_THAT(denied.warnings, ElementsAre("first", "third"));
  EXPECT_EQ(denied.auditAnnotations, (std::map<std::string, std::string>{{"d", "3"}}));
  const admission::Response nobody = admission::MultiMutatingHandler({})({});
  EXPECT_TRUE(nobody.allowed);
  EXPECT_EQ(nobody.patch.size(), 0U);
  const json::Value same = Json(R"({"a":1})");
  EXPECT_TRUE(admission::PatchResponse(same, same).allowed);
  EXPECT_TRUE(admission::PatchResponse(same, same).patch.is_null());
}

struct Version {
  const char* review;
  const char* answered;  // null: refused
  const char* error;
};

TEST(ReviewVersions, Answer_HasVersionOfQuestion) {
  for (const Version& row : std::vector<Version>{
           {R"({})", "g.io/v1", nullptr},
           {R"({"kind":"Review","apiVersion":"g.io/v1"})", "g.io/v1", nullptr},
           {R"({"kind":"Review"})", "g.io/v1", nullptr},
           {R"({"apiVersion":"g.io/v1"})", "g.io/v1", nullptr},
           {R"({"apiVersion":"g.io/v1beta1"})", "g.io/v1beta1", nullptr},
           {R"({"apiVersion":"g.io/v1beta2"})", "g.io/v1", nullptr},
           {R"({"kind":"Other","apiVersion":"g.io/v1"})", nullptr,
            "expected kind Review of g.io/v1 and got kind Other of g.io/v1"},
           {R"({"kind":"Review","apiVersion":"g.io"})", nullptr,
            "expected kind Review of g.io/v1 and got kind Review of g.io"},
           {R"({"kind":"Review","apiVersion":"h.io/v1"})", nullptr,
            "expected kind Review of g.io/v1 and got kind Review of h.io/v1"},
           {R"([])", nullptr, "expected kind Review of g.io/v1 and got kind  of "}}) {
    const Result<std::string> version = AnswerVersion(Json(row.review), "g.io", "Review");
    ASSERT_EQ(version.ok(), row.answered != nullptr) << row.review;
    if (version) {
      EXPECT_EQ(*version, row.answered) << row.review;
    } else {
      EXPECT_EQ(version.error().reason(), Reason::kBadRequest) << row.review;
      EXPECT_EQ(version.error().message(), row.error) << row.review;
    }
  }
}

TEST(ReviewBodies, Limit_IsExclusive_TypeIsExact) {
  const auto check = [](std::size_t size, const std::string& type) {
    HttpRequest request{.method = "POST", .target = "/"};
    request.headers.Add("Content-Type", type);
    request.body = std::string(size, 'x');
    const Result<void> checked = CheckBody(request, 10);
    return checked ? std::string() : checked.error().ToString();
  };
  EXPECT_EQ(check(0, "application/json"), "BadRequest: request body is empty");
  EXPECT_EQ(check(1, "application/json"), "");
  EXPECT_EQ(check(9, "application/json"), "");
  EXPECT_EQ(check(10, "application/json"),
            "RequestEntityTooLarge: request entity is too large; limit is 10 bytes");
  EXPECT_EQ(check(9, "text/plain"),
            "BadRequest: contentType=text/plain, expected application/json");
}

TEST(TokenReviewFields, EmptyOnes_AreOmitted) {
  TokenQuestion question;
  authentication::Response response;
  response.user.extra = {{"none", {}}, {"x", {"1"}}, {"y", {"2", "3"}}};
  response.user.groups = {"g"};
  response.audiences = {"a", "b"};
  EXPECT_EQ(WriteTokenReview(question, response),
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
            R"("spec":{},"status":{"user":{"groups":["g"],)"
            R"("extra":{"x":["1"],"y":["2","3"]}},"audiences":["a","b"]}})");
  for (const char* bad : {R"({"spec":{}})", R"({"spec":{"token":""}})", "{}"}) {
    const Result<void> read = ReadTokenReview(bad, question);
    EXPECT_EQ(read.error().ToString(), "BadRequest: token is empty") << bad;
  }
  EXPECT_EQ(ReadTokenReview("{", question).error().reason(), Reason::kBadRequest);
}

}  // namespace
}  // namespace kinformer::internal::webhook
