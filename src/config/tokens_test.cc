// Bearer tokens, and when JSON Web Tokens expire.

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"

#include "config/bearer.h"
#include "config/credentials.h"
#include "config/jwt.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::seconds;
using namespace std::string_literals;

TEST(Bearer, TokenIsTrimmedAndHasNoControlCharacters) {
  const std::pair<std::string, std::string> good[] = {
      {"t", "Bearer t"},   {" \t\r\nt \t\r\n", "Bearer t"}, {"a b", "Bearer a b"},
      {"~!", "Bearer ~!"}, {"\xc3\xa9", "Bearer \xc3\xa9"}, {"\x80\xff", "Bearer \x80\xff"},
  };
  for (const auto& [token, want] : good) {
    const auto got = BearerOf(token, "here");
    ASSERT_TRUE(got.ok()) << token;
    EXPECT_EQ(*got, want);
  }
  for (const std::string& token : {""s, " "s, "\t\r\n "s}) {
    const auto got = BearerOf(token, "here");
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    EXPECT_EQ(got.error().message(), "here: the token is empty");
  }
  for (const std::string& token : {"a\nb"s, "a\rb"s, "a\tb"s, "a\x1f"s, "\x7f"s,
                                   "a\x7f"
                                   "b"s,
                                   "\0"s, "a\0b"s, "\x01"s}) {
    const auto got = BearerOf(token, "here");
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    EXPECT_EQ(got.error().message(),
              "here: the token has a line break or another control character in it: a token is "
              "one line");
  }
}

// Returns a token with these claims, in base64url without padding.
std::string Jwt(const std::string& claims) {
  std::string out;
  AppendBase64(claims, out);
  for (char& c : out) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  while (out.ends_with('=')) out.pop_back();
  return "head." + out + ".signature";
}

TEST(Jwt, ExpiryIsReadFromTheClaims_OI03) {
  const std::pair<std::string, std::optional<WallTime>> rows[] = {
      {R"({"exp":100})", WallTime(seconds(100))},
      {R"({"exp":0})", WallTime(seconds(0))},
      {R"({"exp":-5})", WallTime(seconds(-5))},
      {R"({"exp":100.9})", WallTime(seconds(100))},
      {R"({"exp":1e2})", WallTime(seconds(100))},
      // One and two characters more: base64 with each length of padding.
      {R"({"exp":1000})", WallTime(seconds(1000))},
      {R"({"exp":10000})", WallTime(seconds(10000))},
      // Characters that base64url writes as '-' and '_'.
      {R"({"a":"~~~>>>???","exp":7})", WallTime(seconds(7))},
      {R"({"a":"ÿÿÿ¿¿¿","exp":7})", WallTime(seconds(7))},
      {R"({"exp":9223372036})", WallTime(seconds(9223372036))},
      {R"({"exp":-9223372036})", WallTime(seconds(-9223372036))},
      {R"({"exp":9223372036.854775807})", WallTime::max()},
      {R"({"exp":-9223372036.854775807})", WallTime::min()},
      {R"({"exp":9223372037})", WallTime::max()},
      {R"({"exp":1e300})", WallTime::max()},
      {R"({"exp":-9223372037})", WallTime::min()},
      {R"({"exp":-1e300})", WallTime::min()},
      {R"({"exp":"100"})", WallTime(seconds(100))},
      {R"({"exp":"1e2"})", WallTime(seconds(100))},
      {R"({"exp":"soon"})", std::nullopt},
      {R"({"exp":""})", std::nullopt},
      {R"({"exp":"\"100\""})", std::nullopt},
      {R"({"exp":true})", std::nullopt},
      {R"({"iat":100})", std::nullopt},
      {R"({})", std::nullopt},
      {R"([100])", std::nullopt},
      {R"({"exp":100)", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [claims, want] : rows) EXPECT_EQ(JwtExpiry(Jwt(claims)), want) << claims;
}

TEST(Jwt, OtherTextsHaveNoExpiry) {
  const std::string token = Jwt(R"({"exp":100})");
  EXPECT_EQ(JwtExpiry(token), WallTime(seconds(100)));
  EXPECT_EQ(JwtExpiry(token.substr(4)), WallTime(seconds(100))) << "the head is not read";
  EXPECT_EQ(JwtExpiry(token.substr(0, token.rfind('.') + 1)), WallTime(seconds(100)))
      << "nor the signature";
  EXPECT_EQ(JwtExpiry(token.substr(0, token.rfind('.'))), std::nullopt);
  EXPECT_EQ(JwtExpiry(token.substr(5)), std::nullopt);
  for (const char* text : {"", ".", "..", "a", "a.b", "..eyJleHAiOjEwMH0.s", "a.%%%%.s", "a.!.s"}) {
    EXPECT_EQ(JwtExpiry(text), std::nullopt) << text;
  }
}

std::string Fetched(CredentialSource& source, Simulation& sim) {
  std::string out = "(no answer)";
  source.Fetch(sim.env(), [&out](const Result<Credentials>& got) {
    out = got ? got->authorization : got.error().message();
  });
  return out;
}

TEST(IdTokenSource, IsGoodUntil10SecondsBeforeItsEnd_OI01) {
  Simulation sim;  // its clock begins at 1970-01-01
  const std::string token = Jwt(R"({"exp":100})");
  const auto source = NewIdTokenCredentials(token, "here").OrExit();
  const auto nameless = NewIdTokenCredentials(token, "").OrExit();
  EXPECT_FALSE(source->CanRefresh());
  EXPECT_EQ(Fetched(*source, sim), "Bearer " + token);
  sim.RunFor(seconds(90) - std::chrono::nanoseconds(1));
  source->Rejected("Bearer " + token);
  EXPECT_EQ(Fetched(*source, sim), "Bearer " + token);
  sim.RunFor(std::chrono::nanoseconds(1));
  const std::string over =
      "the user's id-token (auth-provider oidc) is good until 1970-01-01T00:01:40Z, which is over "
      "or about to be, and there is no refresh-token to renew it with; log in again, so that the "
      "kubeconfig gets a new one, or use an exec plugin (users[].user.exec)";
  EXPECT_EQ(Fetched(*source, sim), "here: " + over);
  EXPECT_EQ(Fetched(*nameless, sim), over);
}

TEST(IdTokenSource, WithoutExpiry_IsAlwaysGood_OI01) {
  Simulation sim;
  const auto source = NewIdTokenCredentials("opaque", "here").OrExit();
  sim.RunFor(std::chrono::hours(24 * 365));
  EXPECT_EQ(Fetched(*source, sim), "Bearer opaque");
  EXPECT_EQ(NewIdTokenCredentials("", "here").error().message(),
            "here: the user's id-token: the token is empty");
  EXPECT_EQ(NewIdTokenCredentials("", "").error().message(),
            "Config::id_token: the token is empty");
}

TEST(StaticSource, GivesItsTextAndCannotRefresh) {
  Simulation sim;
  const auto source = NewStaticCredentials("Basic x");
  EXPECT_FALSE(source->CanRefresh());
  source->Rejected("Basic x");
  EXPECT_EQ(Fetched(*source, sim), "Basic x");
}

}  // namespace
}  // namespace kinformer::internal::config
