// Keys of extra fields in names of headers.

#include "transport/header_key.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::transport {
namespace {

// Decodes as a server does.
std::string Decoded(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      out += name[i];
      continue;
    }
    out += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return out;
}

bool MayStandInAName(char c) {
  static const std::string kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || kOthers.find(c) != std::string::npos;
}

TEST(HeaderKey, EveryByte_ComesBackInSmallLettersAndFitsInAName_TR15) {
  std::string whole;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string key(1, static_cast<char>(byte));
    std::string want = key;
    if (byte >= 'A' && byte <= 'Z') want[0] = static_cast<char>(byte - 'A' + 'a');
    const std::string escaped = EscapedHeaderKey(key);
    EXPECT_EQ(Decoded(escaped), want) << byte;
    for (const char c : escaped.substr(escaped.size() == 3 ? 3 : 0)) {
      EXPECT_TRUE(MayStandInAName(c)) << byte;
    }
    EXPECT_EQ(escaped.size(), MayStandInAName(want[0]) && byte != '%' ? 1U : 3U) << byte;
    whole += want;
  }
  EXPECT_EQ(Decoded(EscapedHeaderKey(whole)), whole);
}

TEST(HeaderKey, TextsOfOtherLanguages_ComeBack_TR15) {
  for (const std::string key : {"", "example.org/größe", "日本語", "%41", "100%", "a b\tc\r\n",
                                "\xf0\x9f\x90\xb3", "authentication.kubernetes.io/pod-name"}) {
    EXPECT_EQ(Decoded(EscapedHeaderKey(key)), key);
  }
  EXPECT_EQ(EscapedHeaderKey("Example.org/ü"), "example.org%2F%C3%BC");
}

}  // namespace
}  // namespace kinformer::internal::transport
