#include "x509/token_key.h"

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string>

#include "x509/openssl.h"

namespace kinformer::internal::x509 {
namespace {

using ::testing::SizeIs;

std::string RsaKey() { return KeyText(KeyPtr(EVP_RSA_gen(2048)).get()); }
std::string CurveKey(const char* curve) { return KeyText(KeyPtr(EVP_EC_gen(curve)).get()); }

TEST(TokenKeys, Signatures_AreVerifiedByTheirKeyOnly) {
  struct Row {
    std::string pem;
    const char* algorithm;
    const char* curve;
    std::size_t size;  // of a signature
  };
  const TokenKey other = TokenKey::Signing(CurveKey("P-256")).value();
  for (const Row& row :
       {Row{CurveKey("P-256"), "ES256", "P-256", 64}, Row{CurveKey("P-384"), "ES384", "P-384", 96},
        Row{CurveKey("P-521"), "ES512", "P-521", 132}, Row{RsaKey(), "RS256", "", 256}}) {
    const auto key = TokenKey::Signing(row.pem);
    ASSERT_TRUE(key) << row.algorithm;
    EXPECT_EQ(key->algorithm(), row.algorithm);
    EXPECT_EQ(key->curve(), row.curve);
    EXPECT_THAT(key->Hash(), SizeIs(32));
    const std::string signature = key->Sign("text").value();
    EXPECT_THAT(signature, SizeIs(row.size)) << row.algorithm;
    EXPECT_TRUE(key->Verify("text", signature)) << row.algorithm;
    EXPECT_FALSE(key->Verify("texts", signature)) << row.algorithm;
    EXPECT_FALSE(key->Verify("text", signature.substr(1))) << row.algorithm;
    EXPECT_FALSE(key->Verify("text", "")) << row.algorithm;
    EXPECT_FALSE(other.Verify("text", signature)) << row.algorithm;
    const auto again = TokenKey::Verifying(row.pem);
    ASSERT_TRUE(again) << row.algorithm;
    ASSERT_THAT(*again, SizeIs(1));
    EXPECT_TRUE(again->front().Verify("text", signature)) << row.algorithm;
    EXPECT_EQ(again->front().Hash(), key->Hash()) << row.algorithm;
  }
}

TEST(TokenKeys, Numbers_AreThoseOfTheKind) {
  const auto curve = TokenKey::Signing(CurveKey("P-521")).value().Numbers();
  EXPECT_THAT(curve.first, SizeIs(66));
  EXPECT_THAT(curve.second, SizeIs(66));
  const auto rsa = TokenKey::Signing(RsaKey()).value().Numbers();
  EXPECT_THAT(rsa.first, SizeIs(256));
  EXPECT_EQ(rsa.second, std::string("\x01\x00\x01", 3));
}

TEST(TokenKeys, OtherPem_IsNone) {
  for (const std::string& text : {std::string(), std::string("x"), CurveKey("secp256k1")}) {
    EXPECT_FALSE(TokenKey::Signing(text)) << text;
  }
  EXPECT_FALSE(TokenKey::Verifying("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"));
  EXPECT_THAT(TokenKey::Verifying("").value(), SizeIs(0));
  EXPECT_THAT(TokenKey::Verifying(CurveKey("P-256") + CurveKey("P-384")).value(), SizeIs(2));
}

}  // namespace
}  // namespace kinformer::internal::x509
