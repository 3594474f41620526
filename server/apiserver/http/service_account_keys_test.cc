#include "kinformer/apiserver/service_account_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "x509/openssl.h"

namespace kinformer::apiserver {
namespace {

using internal::x509::KeyPtr;
using internal::x509::KeyText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string RsaKey() { return KeyText(KeyPtr(EVP_RSA_gen(2048)).get()); }
std::string CurveKey(const char* curve) { return KeyText(KeyPtr(EVP_EC_gen(curve)).get()); }

constexpr const char* kClaims = R"({"sub":"me"})";

TEST(ServiceAccountKeys, Tokens_AreVerifiedByTheirKeyOnly) {
  struct Row {
    std::string pem;
    const char* algorithm;
  };
  const auto others = ReadServiceAccountKeys(CurveKey("P-256")).OrExit();
  for (const Row& row : {Row{CurveKey("P-256"), "ES256"}, Row{CurveKey("P-384"), "ES384"},
                         Row{CurveKey("P-521"), "ES512"}, Row{RsaKey(), "RS256"}}) {
    const auto keys = ReadServiceAccountKeys(row.pem).OrExit();
    EXPECT_THAT(keys->Algorithms(), ElementsAre(row.algorithm));
    const std::string token = keys->Sign(kClaims).OrExit();
    EXPECT_EQ(keys->Verify(token).OrExit(), kClaims) << row.algorithm;
    EXPECT_FALSE(others->Verify(token).ok()) << row.algorithm;
    std::string changed = token;
    changed[token.find('.') + 3] ^= 1;
    EXPECT_FALSE(keys->Verify(changed).ok()) << row.algorithm;
  }
}

TEST(ServiceAccountKeys, WhatIsNoToken_IsRefused) {
  const auto keys = ReadServiceAccountKeys(CurveKey("P-256")).OrExit();
  const std::string token = keys->Sign(kClaims).OrExit();
  // {"alg":"none"}
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), std::string("a.b.c"),
        token.substr(0, token.rfind('.')), token.substr(0, token.rfind('.') + 1),
        "eyJhbGciOiJub25lIn0" + token.substr(token.find('.')), token + "A", token + "=",
        std::string(100'000, 'a') + "." + std::string(100'000, 'b') + ".c"}) {
    EXPECT_FALSE(keys->Verify(text).ok()) << text.substr(0, 80);
  }
}

TEST(ServiceAccountKeys, FurtherKeys_VerifyAndArePublished) {
  const std::string old_key = CurveKey("P-256");
  const auto old_keys = ReadServiceAccountKeys(old_key).OrExit();
  const auto keys = ReadServiceAccountKeys(RsaKey(), old_key).OrExit();
  EXPECT_EQ(keys->Verify(old_keys->Sign(kClaims).OrExit()).OrExit(), kClaims);
  EXPECT_THAT(keys->Algorithms(), ElementsAre("ES256", "RS256"));
  const json::Value set = json::Parse(keys->KeySet()).OrExit();
  ASSERT_EQ(set["keys"].size(), 2U);
  EXPECT_EQ(set.At("/keys/0/kty").StringOrEmpty(), "RSA");
  EXPECT_EQ(set.At("/keys/0/e").StringOrEmpty(), "AQAB");
  EXPECT_EQ(set.At("/keys/1/crv").StringOrEmpty(), "P-256");
  EXPECT_EQ(set.At("/keys/1/x").StringOrEmpty().size(), 43U);
  EXPECT_THAT(keys->KeySet(), Not(HasSubstr("PRIVATE")));
  // The same key once more is one key.
  EXPECT_EQ(json::Parse(ReadServiceAccountKeys(old_key, old_key).OrExit()->KeySet())
                .OrExit()["keys"]
                .size(),
            1U);
}

TEST(ServiceAccountKeys, WhatIsNoKey_IsAnErrorThatSaysWhatToDo) {
  for (const std::string& text : {std::string(), std::string("x"), CurveKey("secp256k1")}) {
    const auto keys = ReadServiceAccountKeys(text);
    ASSERT_FALSE(keys.ok()) << text;
    EXPECT_THAT(std::string(keys.error().message()), HasSubstr("P-256, P-384 or P-521"));
  }
  const auto keys = ReadServiceAccountKeys(CurveKey("P-256"),
                                           "-----BEGIN PUBLIC KEY-----\nAAAA\n"
                                           "-----END PUBLIC KEY-----\n");
  ASSERT_FALSE(keys.ok());
  EXPECT_THAT(std::string(keys.error().message()), HasSubstr("verifies tokens"));
}

}  // namespace
}  // namespace kinformer::apiserver
