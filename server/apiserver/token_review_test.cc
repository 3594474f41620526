// Tokens of service accounts, and reviews: of tokens, of access, of rules, of the caller.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kCore = "/api/v1/namespaces/default/";
constexpr std::string_view kAccess = "/apis/authorization.k8s.io/v1/";
constexpr std::string_view kTokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";

class TokenReviewTest : public ::testing::Test {
 protected:
  TokenReviewTest() {
    account_ = Make("serviceaccounts", R"({"metadata":{"name":"sa"}})");
    Make("serviceaccounts", R"({"metadata":{"name":"other"}})");
    Make("serviceaccounts", R"({"metadata":{"name":"third"}})");
    Make("secrets", R"({"metadata":{"name":"s"}})");
    pod_ = Make("pods", R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa",
        "containers":[{"name":"c","image":"i"}]}})");
    Make("pods", R"({"metadata":{"name":"q"},"spec":{"serviceAccountName":"other",
        "containers":[{"name":"c","image":"i"}]}})");
  }
  // Returns the uid.
  std::string Make(std::string_view plural, std::string_view body) {
    const Reply reply = server_.Do("POST", std::string(kCore) + std::string(plural), body);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json().At("/metadata/uid").StringOrEmpty();
  }
  Reply Request(const std::string& body, std::string_view query = "") {
    return server_.Do("POST", std::string(kCore) + "serviceaccounts/sa/token" + std::string(query),
                      body);
  }
  std::string Token(const std::string& spec, std::string_view query = "") {
    const Reply reply = Request(R"({"spec":)" + spec + "}", query);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json().At("/status/token").StringOrEmpty();
  }
  json::Value Review(const std::string& token, const std::string& audiences = "[]") {
    const Reply reply =
        server_.Do("POST", kTokenReviews,
                   R"({"spec":{"token":")" + token + R"(","audiences":)" + audiences + "}}");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json()["status"];
  }
  bool Valid(const std::string& token) {
    return Review(token)["authenticated"].AsBool().value_or(false);
  }

  TestServer server_{{.max_body_bytes = std::size_t{8} << 20}};
  std::string account_;
  std::string pod_;
};

// Returns the reply's code, and the message of a Status.
std::string Brief(const Reply& reply) {
  return std::to_string(reply.status) +
         (reply.status < 300 ? "" : " " + reply.Json()["message"].StringOrEmpty());
}

TEST_F(TokenReviewTest, TokenRequest_IsCompleted) {
  const json::Value body = Request("{}").Json();
  const std::string& token = body.At("/status/token").StringOrEmpty();
  EXPECT_TRUE(token.starts_with("kinformer."));
  EXPECT_EQ(token.size(), 74U);
  EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                    "-_."),
            std::string::npos);
  EXPECT_NE(Request("{}").Json().At("/status/token").StringOrEmpty(), token);
  EXPECT_EQ(body.At("/kind"), "TokenRequest");
  EXPECT_EQ(body.At("/apiVersion"), "authentication.k8s.io/v1");
  EXPECT_EQ(body["metadata"], Json(R"({"name":"sa","namespace":"default","uid":")" + account_ +
                                   R"(","creationTimestamp":"2023-11-14T22:13:20Z"})"));
  EXPECT_EQ(body["spec"], Json(R"({"audiences":["https://kubernetes.default.svc"],
      "expirationSeconds":3600,"boundObjectRef":null})"));
  EXPECT_EQ(body.At("/status/expirationTimestamp"), "2023-11-14T23:13:20Z");
}

TEST_F(TokenReviewTest, TokenRequests_AreCheckedAgainstTheirLimits) {
  struct Row {
    std::string body;
    std::string_view brief;
  };
  const std::string uid = "00000000-0000-4000-8000-000000000000";
  const std::string invalid =
      "422 TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
      "value: ";
  const std::string shorter = invalid + "599: may not specify a duration less than 10 minutes";
  const std::string longer =
      invalid + "4294967297: may not specify a duration larger than 2^32 seconds";
  const std::string conflict =
      "409 Operation cannot be fulfilled on pods \"p\": the UID in the "
      "bound object reference (" +
      uid +
      ") does not match the UID in record. The object might have been "
      "deleted and then recreated";
  const std::string account =
      "409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"sa\": the UID in "
      "the token request (" +
      uid + ") does not match the UID of the service account (" + account_ + ")";
  const auto bound = [](std::string_view reference) {
    return R"({"spec":{"boundObjectRef":)" + std::string(reference) + "}}";
  };
  const std::vector<Row> rows = {
      {R"({"spec":{"expirationSeconds":600}})", "201"},
      {R"({"spec":{"expirationSeconds":599}})", shorter},
      {R"({"spec":{"expirationSeconds":4294967296}})", "201"},
      {R"({"spec":{"expirationSeconds":4294967297}})", longer},
      {R"({"metadata":{"name":"sa"}})", "201"},
      {R"({"metadata":{"name":"other"}})",
       "422 TokenRequest.authentication.k8s.io \"sa\" is invalid: metadata.name: Invalid value: "
       "\"other\": must match the service account name if specified"},
      {R"({"metadata":{"uid":")" + account_ + R"("}})", "201"},
      {R"({"metadata":{"uid":")" + uid + R"("}})", account},
      {bound(R"({"kind":"Pod","name":"p"})"), "201"},
      {bound(R"({"kind":"Pod","name":"p","uid":")" + pod_ + R"("})"), "201"},
      {bound(R"({"kind":"Pod","name":"p","uid":")" + uid + R"("})"), conflict},
      {bound(R"({"kind":"Pod","name":"none"})"), "404 pods \"none\" not found"},
      {bound(R"({"kind":"Pod","name":"q"})"),
       "400 cannot bind token for serviceaccount \"sa\" to pod running with different "
       "serviceaccount name."},
      {bound(R"({"kind":"Secret","name":"s"})"), "201"},
      {bound(R"({"kind":"Secret","name":"p"})"), "404 secrets \"p\" not found"},
      {bound(R"({"kind":"Node","name":"n"})"), "404 nodes \"n\" not found"},
      {bound(R"({"kind":"ConfigMap","name":"s"})"),
       "400 cannot bind token to object of type ConfigMap: it must be a Pod, a Secret or a Node"},
  };
  for (const Row& row : rows) EXPECT_EQ(Brief(Request(row.body)), row.brief) << row.body;
  EXPECT_EQ(Brief(server_.Do("POST", std::string(kCore) + "serviceaccounts/none/token", "{}")),
            "404 serviceaccounts \"none\" not found");
}

TEST_F(TokenReviewTest, Review_NamesTheAccount) {
  const json::Value status = Review(Token("{}"));
  EXPECT_EQ(status["authenticated"], true);
  EXPECT_EQ(status["audiences"], Json(R"(["https://kubernetes.default.svc"])"));
  json::Value user = status["user"];
  const std::string id =
      user.At("/extra/authentication.kubernetes.io~1credential-id/0").StringOrEmpty();
  EXPECT_TRUE(id.starts_with("JTI="));
  EXPECT_EQ(id.size(), 40U);
  EXPECT_EQ(user["extra"].size(), 1U);
  EXPECT_EQ(user["username"], "system:serviceaccount:default:sa");
  EXPECT_EQ(user["uid"], json::Value(account_));
  EXPECT_EQ(user["groups"], Json(R"(["system:serviceaccounts","system:serviceaccounts:default",
      "system:authenticated"])"));
}

TEST_F(TokenReviewTest, BoundToken_NamesItsPodAndEndsWithIt) {
  const std::string token = Token(R"({"boundObjectRef":{"kind":"Pod","name":"p"}})");
  const json::Value extra = Review(token).At("/user/extra");
  EXPECT_EQ(extra["authentication.kubernetes.io/pod-name"], Json(R"(["p"])"));
  EXPECT_EQ(extra["authentication.kubernetes.io/pod-uid"], Json("[\"" + pod_ + "\"]"));
  const std::string secret = Token(R"({"boundObjectRef":{"kind":"Secret","name":"s"}})");
  EXPECT_EQ(Review(secret).At("/user/extra").size(), 1U);
  const std::string free = Token("{}");
  server_.Do("DELETE", std::string(kCore) + "pods/p?gracePeriodSeconds=0");
  EXPECT_FALSE(Valid(token));
  EXPECT_TRUE(Valid(secret));
  Make("pods", R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa",
      "containers":[{"name":"c","image":"i"}]}})");
  EXPECT_FALSE(Valid(token)) << "another pod of that name";
  server_.Do("DELETE", std::string(kCore) + "secrets/s");
  EXPECT_FALSE(Valid(secret));
  EXPECT_TRUE(Valid(free));
  server_.Do("DELETE", std::string(kCore) + "serviceaccounts/sa");
  EXPECT_FALSE(Valid(free));
  Make("serviceaccounts", R"({"metadata":{"name":"sa"}})");
  EXPECT_FALSE(Valid(free)) << "another account of that name";
}

TEST_F(TokenReviewTest, Token_ExpiresOnTheSecond) {
  const std::string token = Token(R"({"expirationSeconds":600})");
  server_.sim().RunFor(std::chrono::seconds(599));
  EXPECT_TRUE(Valid(token));
  server_.sim().RunFor(std::chrono::seconds(1));
  const json::Value status = Review(token);
  EXPECT_EQ(status, Json(R"({"user":{},"error":"invalid bearer token"})")) << status.Dump();
  EXPECT_FALSE(Valid("kinformer.foreign"));
  EXPECT_FALSE(Valid(Token("{}", "?dryRun=All"))) << "a dry run issues no token";
}

TEST_F(TokenReviewTest, Audiences_OfTokenAndReviewMeet) {
  struct Row {
    std::string token;
    std::string review;
    std::string audiences;  // or the error
  };
  const std::string own = R"(["https://kubernetes.default.svc"])";
  const std::vector<Row> rows = {
      {"[]", "[]", own},
      {own, own, own},
      {R"(["a","b"])", R"(["b","c"])", R"(["b"])"},
      {R"(["a","b"])", R"(["b","a"])", R"(["a","b"])"},
      {R"(["a","b"])", "[]",
       R"("[invalid bearer token, token audiences [\"a\" \"b\"] is invalid for the target )"
       R"(audiences [\"https://kubernetes.default.svc\"]]")"},
      {"[]", R"(["a"])",
       R"("[invalid bearer token, token audiences [\"https://kubernetes.default.svc\"] is )"
       R"(invalid for the target audiences [\"a\"]]")"},
  };
  for (const Row& row : rows) {
    const json::Value status = Review(Token(R"({"audiences":)" + row.token + "}"), row.review);
    const bool known = status["authenticated"].AsBool().value_or(false);
    EXPECT_EQ((known ? status["audiences"] : status["error"]).Dump(), row.audiences)
        << row.token << " " << row.review;
    EXPECT_EQ(known, row.audiences[0] == '[');
  }
}

TEST_F(TokenReviewTest, AccessReviews_AllowAllThatIsAskedWell) {
  struct Row {
    std::string target;
    std::string_view body;
    std::string_view brief;
    std::string_view status = "";
  };
  const std::string access(kAccess);
  const std::string local = access + "namespaces/default/localsubjectaccessreviews";
  constexpr std::string_view kAllowed = R"({"allowed":true})";
  constexpr std::string_view kOne =
      "spec: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must "
      "be specified";
  const std::vector<Row> rows = {
      {access + "selfsubjectaccessreviews", R"({"spec":{"resourceAttributes":{"verb":"get"}}})",
       "201", kAllowed},
      {access + "selfsubjectaccessreviews", R"({"spec":{"nonResourceAttributes":{"verb":"get"}}})",
       "201", kAllowed},
      {access + "selfsubjectaccessreviews", R"({"spec":{}})", "422"},
      {access + "selfsubjectaccessreviews",
       R"({"spec":{"resourceAttributes":{},"nonResourceAttributes":{}}})", "422"},
      {access + "subjectaccessreviews", R"({"spec":{"resourceAttributes":{}}})", "422"},
      {access + "subjectaccessreviews", R"({"spec":{"resourceAttributes":{},"groups":[]}})", "422"},
      {access + "subjectaccessreviews", R"({"spec":{"resourceAttributes":{},"user":"u"}})", "201",
       kAllowed},
      {access + "subjectaccessreviews", R"({"spec":{"resourceAttributes":{},"groups":["g"]}})",
       "201", kAllowed},
      {access + "subjectaccessreviews",
       R"({"spec":{"resourceAttributes":{"namespace":"x"},"user":"u"}})", "201", kAllowed},
      {local, R"({"spec":{"resourceAttributes":{"namespace":"default"},"user":"u"}})", "201",
       kAllowed},
      {local, R"({"spec":{"resourceAttributes":{"namespace":"x"},"user":"u"}})", "422"},
      {local, R"({"spec":{"resourceAttributes":{},"user":"u"}})", "422"},
      {access + "selfsubjectrulesreviews", R"({"spec":{}})", "400"},
      {access + "selfsubjectrulesreviews", R"({"spec":{"namespace":"default"}})", "201",
       R"({"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}],
           "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}],"incomplete":false})"},
      {std::string(kTokenReviews), R"({"spec":{}})", "400"},
      {std::string(kTokenReviews), R"({"spec":{"token":"x"}})", "201",
       R"({"user":{},"error":"invalid bearer token"})"},
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "201",
       R"({"userInfo":{"username":"system:anonymous","groups":["system:unauthenticated"]}})"},
  };
  for (const Row& row : rows) {
    const Reply reply = server_.Do("POST", row.target, row.body);
    EXPECT_EQ(std::to_string(reply.status), row.brief) << row.target << row.body << reply.body;
    if (!row.status.empty()) {
      EXPECT_EQ(reply.Json()["status"], Json(row.status)) << row.target << reply.body;
    }
  }
  EXPECT_EQ(server_.Do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}")
                .Json()
                .At("/metadata/creationTimestamp"),
            "2023-11-14T22:13:20Z");
  EXPECT_NE(
      server_.Do("POST", access + "selfsubjectaccessreviews", "{}").body.find(std::string(kOne)),
      std::string::npos);
}

// Tokens take 16 MiB together. Each one here takes a bit more than 5 MiB.
TEST_F(TokenReviewTest, TokensBeyondTheLimit_ReplaceThoseOfTheSameAccountFirst) {
  const auto issue = [&](std::string_view account, int seconds) {
    const std::string body = R"({"spec":{"expirationSeconds":)" + std::to_string(seconds) +
                             R"(,"audiences":["https://kubernetes.default.svc",")" +
                             std::string(std::size_t{5} << 20, 'a') + R"("]}})";
    const Reply reply = server_.Do(
        "POST", std::string(kCore) + "serviceaccounts/" + std::string(account) + "/token", body);
    EXPECT_EQ(reply.status, 201);
    return reply.Json().At("/status/token").StringOrEmpty();
  };
  const std::string foreign = issue("other", 700);
  const std::string late = issue("sa", 900);
  const std::string early = issue("sa", 800);
  EXPECT_TRUE(Valid(foreign) && Valid(late) && Valid(early));
  const std::string next = issue("sa", 1000);
  EXPECT_TRUE(Valid(foreign)) << "tokens of other accounts stay";
  EXPECT_FALSE(Valid(early)) << "the first to expire goes";
  EXPECT_TRUE(Valid(late) && Valid(next));
  const std::string third = issue("third", 2000);
  EXPECT_FALSE(Valid(foreign)) << "without tokens of its own, the first of all goes";
  EXPECT_TRUE(Valid(late) && Valid(next) && Valid(third));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
