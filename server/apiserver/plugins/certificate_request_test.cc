#include "apiserver/plugins/certificate_request.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::apiserver {
namespace {

constexpr const char* kRequest = R"(-----BEGIN CERTIFICATE REQUEST-----
MIHqMIGRAgEAMC8xFTATBgNVBAoMDHN5c3RlbTpub2RlczEWMBQGA1UEAwwNc3lz
dGVtOm5vZGU6YTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFtSSD02eujmFj4y
X1cEa+blcGMtQU4WEvpew0PhWMEzZhT+L7tnG2t4ja7JrMOcNQ6rvJrMWdR/wteT
Qqo/QqigADAKBggqhkjOPQQDAgNIADBFAiEAim/nS0XTtX2tBmbetPBJW2uK0q9m
MNdA2U9cyKX4z4YCICgT+kP4bxs7lYmbfs9ht/Mxkm/Uae1T43ihsH3Z9Fmy
-----END CERTIFICATE REQUEST-----
)";

TEST(CertificateRequest, CommonName_IsThatOfTheSubject) {
  EXPECT_EQ(CommonNameOf(kRequest), "system:node:a");
  EXPECT_EQ(CommonNameOf("text before\n" + std::string(kRequest)), "system:node:a");
}

TEST(CertificateRequest, TextThatIsNoRequest_HasNone) {
  EXPECT_EQ(CommonNameOf(""), std::nullopt);
  EXPECT_EQ(CommonNameOf("-----BEGIN CERTIFICATE REQUEST-----\n"), std::nullopt);
  EXPECT_EQ(
      CommonNameOf("-----BEGIN CERTIFICATE REQUEST-----\n!\n-----END CERTIFICATE REQUEST-----"),
      std::nullopt);
}

// However much of it is missing, and whatever its lengths say.
TEST(CertificateRequest, BytesThatAreCutOff_AreRefused) {
  const std::string request(kRequest);
  const std::size_t begin = request.find('\n') + 1;
  const std::size_t end = request.find("-----END");
  for (std::size_t size = 0; begin + size + 120 < end; size += 4) {
    const std::string cut =
        request.substr(0, begin) + request.substr(begin, size) + "\n" + request.substr(end);
    EXPECT_EQ(CommonNameOf(cut), std::nullopt) << size;
  }
  const std::string long_size =
      "-----BEGIN CERTIFICATE REQUEST-----\nMIT/////\n"
      "-----END CERTIFICATE REQUEST-----\n";
  EXPECT_EQ(CommonNameOf(long_size), std::nullopt);
}

}  // namespace
}  // namespace kinformer::apiserver
