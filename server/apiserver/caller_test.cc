// Callers: who a request is from, by its front end, its token or its impersonation headers.

#include "apiserver/server/caller.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

class CallerTest : public ::testing::Test {
 protected:
  // Asks the server who the caller is: the userInfo, or "code message".
  std::string WhoAmI(const HeaderList& headers, std::string user = "") {
    HttpRequest request{.method = "POST",
                        .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews"};
    request.body = "{}";
    request.user = std::move(user);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    OpenReply open(server_.sim(), server_.server().Handle(std::move(request)));
    (void)server_.sim().RunUntil(
        [&] {
          open.Pull();
          return open.ended();
        },
        std::chrono::minutes(1));
    const json::Value body = open.reply().Json();
    if (open.reply().status == 201) return body.At("/status/userInfo").Dump();
    return std::to_string(open.reply().status) + " " + body["message"].StringOrEmpty();
  }

  TestServer server_;
};

TEST_F(CallerTest, Caller_ComesFromTheFrontEndOrTheHeaders) {
  struct Row {
    HeaderList headers;
    std::string user;
    std::string_view caller;
  };
  constexpr std::string_view kNoUser =
      "400 requested a uid, groups or extra without impersonating a user name: add the header "
      "Impersonate-User";
  constexpr std::string_view kNobody =
      R"({"username":"system:anonymous","groups":["system:unauthenticated"]})";
  const std::vector<Row> rows = {
      {{}, "", kNobody},
      {{}, "me", R"({"username":"me","groups":["system:authenticated"]})"},
      {{{"X-Remote-Group", "dev"}, {"X-Remote-Group", "system:masters"}},
       "me",
       R"({"username":"me","groups":["dev","system:masters","system:authenticated"]})"},
      {{{"X-Remote-Group", "system:masters"}}, "", kNobody},
      {{{"Authorization", "Bearer foreign"}}, "", kNobody},
      {{{"Impersonate-User", "a"}}, "me", R"({"username":"a","groups":["system:authenticated"]})"},
      {{{"impersonate-user", "a"}, {"Impersonate-User", "b"}},
       "",
       R"({"username":"a","groups":["system:authenticated"]})"},
      {{{"Impersonate-User", "a"}, {"Impersonate-Uid", "1"}, {"Impersonate-Uid", "2"}},
       "",
       R"({"username":"a","uid":"1","groups":["system:authenticated"]})"},
      {{{"Impersonate-User", "a"}, {"Impersonate-Group", "g"}, {"Impersonate-Group", "h"}},
       "",
       R"({"username":"a","groups":["g","h","system:authenticated"]})"},
      {{{"Impersonate-User", "a"}, {"Impersonate-Group", "system:authenticated"}},
       "",
       R"({"username":"a","groups":["system:authenticated"]})"},
      {{{"Impersonate-User", "a"}, {"Impersonate-Group", "system:unauthenticated"}},
       "",
       R"({"username":"a","groups":["system:unauthenticated"]})"},
      {{{"Impersonate-User", "system:anonymous"}}, "", kNobody},
      {{{"Impersonate-User", "system:serviceaccount:ns:sa"}},
       "",
       R"({"username":"system:serviceaccount:ns:sa","groups":["system:serviceaccounts",)"
       R"("system:serviceaccounts:ns","system:authenticated"]})"},
      {{{"Impersonate-User", "system:serviceaccount:ns:sa"}, {"Impersonate-Group", "g"}},
       "",
       R"({"username":"system:serviceaccount:ns:sa","groups":["g","system:authenticated"]})"},
      {{{"Impersonate-User", "system:serviceaccount:ns"}},
       "",
       R"({"username":"system:serviceaccount:ns","groups":["system:authenticated"]})"},
      {{{"Impersonate-User", "a"},
        {"Impersonate-Extra-Sco%2Fpe", "x"},
        {"impersonate-extra-sco%2fpe", "y"},
        {"Impersonate-Extra-a+b", "w"},
        {"Impersonate-Other", "z"}},
       "",
       R"({"username":"a","groups":["system:authenticated"],)"
       R"("extra":{"a+b":["w"],"sco/pe":["x","y"]}})"},
      {{{"Impersonate-User", "a"}, {"Impersonate-Extra-a%2", "x"}},
       "",
       "400 header \"Impersonate-Extra-a%2\" has a bad percent-encoding"},
      {{{"Impersonate-Uid", "1"}}, "", kNoUser},
      {{{"Impersonate-Group", "g"}}, "", kNoUser},
      {{{"Impersonate-Extra-a", "x"}}, "", kNoUser},
      {{{"Impersonate-Other", "x"}}, "", kNobody},
      {{{"X-Impersonate-User", "x"}}, "", kNobody},
  };
  for (const Row& row : rows) {
    std::string text = row.user;
    for (const auto& [name, value] : row.headers) text.append(" ").append(name + ": " + value);
    EXPECT_EQ(WhoAmI(row.headers, row.user), row.caller) << text;
  }
}

TEST_F(CallerTest, TokenOfTheServer_ProvesItsAccountUntilItEnds) {
  ASSERT_EQ(
      server_
          .Do("POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"sa"}})")
          .status,
      201);
  const Reply reply = server_.Do("POST", "/api/v1/namespaces/default/serviceaccounts/sa/token",
                                 R"({"spec":{"expirationSeconds":600}})");
  const std::string token = reply.Json().At("/status/token").StringOrEmpty();
  const HeaderList headers = {{"Authorization", "bEARER " + token}};
  EXPECT_TRUE(
      WhoAmI(headers).starts_with(R"({"username":"system:serviceaccount:default:sa","uid":")"))
      << WhoAmI(headers);
  EXPECT_TRUE(WhoAmI(headers, "me").starts_with(R"({"username":"me")"));
  server_.sim().RunFor(std::chrono::seconds(601));
  EXPECT_EQ(WhoAmI(headers), "401 Unauthorized");
  HeaderList impersonating = headers;
  impersonating.emplace_back("Impersonate-User", "a");
  EXPECT_EQ(WhoAmI(impersonating), "401 Unauthorized");
}

TEST_F(CallerTest, BearerToken_StandsBehindItsScheme) {
  struct Row {
    std::string_view header;
    std::string_view token;
  };
  const std::vector<Row> rows = {
      {"Bearer abc", "abc"}, {"bearer abc", "abc"}, {"BEARER a", "a"}, {"Bearer ", ""},
      {"Bearer", ""},        {"Basic abcdef", ""},  {"", ""},          {"Bearer  a", " a"},
  };
  for (const Row& row : rows) {
    HttpHeaders headers;
    headers.Add("Authorization", std::string(row.header));
    EXPECT_EQ(BearerTokenOf(headers), row.token) << row.header;
  }
  EXPECT_EQ(BearerTokenOf(HttpHeaders()), "");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
