#include <bitset>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/read/list_stream.h"

namespace kinformer::apiserver {
namespace {

TEST(ContinueToken, Text_IsUnpaddedBase64Url) {
  // All remainders of the length by three, and the two characters that differ from base64.
  for (const auto& [token, text] : std::vector<std::pair<ContinueToken, std::string>>{
           {{.resource_version = 5, .start = std::string("a\0", 2), .remaining = 0},
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhXHUwMDAwIn0"},
           {{.resource_version = 5, .start = "abc", .remaining = 3},
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhYmMiLCJuIjozfQ"},
           {{.resource_version = 5, .start = "abc", .remaining = 1},
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhYmMiLCJuIjoxfQ"},
           {{.resource_version = -1, .start = "\xc3\xbf\xc3\xbe?~~", .remaining = -1},
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0Ijoiw7_Dvj9-fiJ9"},
       }) {
    EXPECT_EQ(EncodeContinue(token), text);
    const auto decoded = DecodeContinue(text);
    ASSERT_TRUE(decoded.ok()) << decoded.error();
    EXPECT_EQ(decoded->resource_version, token.resource_version);
    EXPECT_EQ(decoded->start, token.start);
    EXPECT_EQ(decoded->remaining, token.remaining > 0 ? token.remaining : 0);
  }
}

TEST(ContinueToken, Names_OfAnyLengthSurvive) {
  for (std::size_t size = 1; size < 20; ++size) {
    const std::string start(size, 'y');
    const auto decoded = DecodeContinue(EncodeContinue({.resource_version = 7, .start = start}));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->start, start);
    // Padding, as other encoders write it, ends the text.
    const std::string padded = EncodeContinue({.resource_version = 7, .start = start}) + "==?";
    EXPECT_EQ(DecodeContinue(padded).OrExit().start, start);
  }
}

TEST(ContinueToken, FaultyText_IsRefused) {
  const auto base64url = [](const std::string& json) {
    // Encodes by the characters of the JSON, six bits at a time.
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string bits;
    for (const char c : json) {
      bits += std::bitset<8>(static_cast<unsigned char>(c)).to_string();
    }
    while (bits.size() % 6 != 0) bits += '0';
    std::string out;
    for (std::size_t at = 0; at < bits.size(); at += 6) {
      out += kDigits[std::stoul(bits.substr(at, 6), nullptr, 2)];
    }
    return out;
  };
  const std::string head = R"({"v":"meta.k8s.io/v1","rv":)";
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"a+b", "it is not base64url"},
           {"a b", "it is not base64url"},
           {base64url(R"({"v":"meta.k8s.io/v2","rv":5,"start":"a"})"),
            "its version is not meta.k8s.io/v1"},
           {base64url(R"({"rv":5,"start":"a"})"), "its version is not meta.k8s.io/v1"},
           {base64url(R"({"v":"meta.k8s.io/v1","start":"a"})"),
            "incorrect encoded start resourceVersion"},
           {base64url(head + R"(0,"start":"a"})"), "incorrect encoded start resourceVersion"},
           {base64url(head + R"("5","start":"a"})"), "incorrect encoded start resourceVersion"},
           {base64url(head + "5}"), "no encoded start key"},
           {base64url(head + R"(5,"start":""})"), "no encoded start key"},
           {base64url(head + R"(5,"start":"/a"})"), "encoded start key is not clean"},
           {base64url(head + R"(5,"start":"a/../b"})"), "encoded start key is not clean"},
       }) {
    const auto decoded = DecodeContinue(text);
    ASSERT_FALSE(decoded.ok()) << text;
    EXPECT_EQ(decoded.error().message(), "invalid continue token: " + why) << text;
    EXPECT_EQ(decoded.error().reason(), Reason::kBadRequest);
  }
  EXPECT_TRUE(
      DecodeContinue(base64url("{")).error().message().starts_with("invalid continue token: "));
  for (const char* start : {"a", "a/b", "a.b", "."}) {
    const auto decoded = DecodeContinue(base64url(head + R"(5,"start":")" + start + "\"}"));
    ASSERT_TRUE(decoded.ok()) << start;
    EXPECT_EQ(decoded->start, start);
    EXPECT_EQ(decoded->remaining, 0);
  }
}

}  // namespace
}  // namespace kinformer::apiserver
