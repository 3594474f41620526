#include "kinformer/apiserver/service_account_keys.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/service_account_keys.h"
#include "x509/tls_authority.h"

namespace kinformer::apiserver {
namespace {

using internal::x509::TlsAuthority;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a private key and its certificate, in PEM.
auto NewKey() {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  return TlsAuthority::Make("test", now).OrExit().ServerCertificate({"localhost"}).OrExit();
}

constexpr const char* kClaims = R"({"sub":"me"})";

TEST(ServiceAccountKeys, Tokens_AreVerifiedByTheirKeyOnly) {
  const auto keys = ReadServiceAccountKeys(NewKey().key_pem).OrExit();
  const auto others = ReadServiceAccountKeys(NewKey().key_pem).OrExit();
  EXPECT_THAT(keys->Algorithms(), ElementsAre("ES256"));
  const std::string token = keys->Sign(kClaims).OrExit();
  EXPECT_EQ(keys->Verify(token).OrExit(), kClaims);
  EXPECT_FALSE(others->Verify(token).ok());
  std::string changed = token;
  changed[token.find('.') + 3] ^= 1;
  EXPECT_FALSE(keys->Verify(changed).ok());
}

TEST(ServiceAccountKeys, OtherTexts_AreRefused) {
  const auto keys = ReadServiceAccountKeys(NewKey().key_pem).OrExit();
  const std::string token = keys->Sign(kClaims).OrExit();
  // {"alg":"none"}
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), std::string("a.b.c"),
        token.substr(0, token.rfind('.')), token.substr(0, token.rfind('.') + 1),
        "eyJhbGciOiJub25lIn0" + token.substr(token.find('.')), token + "=",
        std::string(100'000, 'a') + "." + std::string(100'000, 'b') + ".c"}) {
    EXPECT_FALSE(keys->Verify(text).ok()) << text.substr(0, 80);
  }
}

TEST(ServiceAccountKeys, FurtherKeys_VerifyAndArePublished) {
  const auto old_key = NewKey();
  const auto old_keys = ReadServiceAccountKeys(old_key.key_pem).OrExit();
  const auto keys = ReadServiceAccountKeys(NewKey().key_pem, old_key.cert_pem).OrExit();
  EXPECT_EQ(keys->Verify(old_keys->Sign(kClaims).OrExit()).OrExit(), kClaims);
  EXPECT_THAT(keys->Algorithms(), ElementsAre("ES256"));
  const json::Value set = json::Parse(keys->KeySet()).OrExit();
  ASSERT_EQ(set["keys"].size(), 2U);
  EXPECT_EQ(set.At("/keys/1/crv").StringOrEmpty(), "P-256");
  EXPECT_EQ(set.At("/keys/1/x").StringOrEmpty().size(), 43U);
  EXPECT_NE(set.At("/keys/0/kid"), set.At("/keys/1/kid"));
  EXPECT_THAT(keys->KeySet(), Not(HasSubstr("PRIVATE")));
  const auto same = ReadServiceAccountKeys(old_key.key_pem, old_key.key_pem).OrExit();
  EXPECT_EQ(json::Parse(same->KeySet()).OrExit()["keys"].size(), 1U) << "one key, not two";
}

TEST(ServiceAccountKeys, OtherPem_IsAnErrorThatSaysWhatToDo) {
  for (const char* text : {"", "x"}) {
    const auto keys = ReadServiceAccountKeys(text);
    ASSERT_FALSE(keys.ok()) << text;
    EXPECT_THAT(std::string(keys.error().message()), HasSubstr("P-256, P-384 or P-521"));
  }
  const auto keys = ReadServiceAccountKeys(NewKey().key_pem,
                                           "-----BEGIN PUBLIC KEY-----\nAAAA\n"
                                           "-----END PUBLIC KEY-----\n");
  ASSERT_FALSE(keys.ok());
  EXPECT_THAT(std::string(keys.error().message()), HasSubstr("verifies tokens"));
}

}  // namespace
}  // namespace kinformer::apiserver
