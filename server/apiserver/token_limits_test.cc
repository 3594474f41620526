// How many tokens a server remembers, and which it forgets.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/request/service_account_tokens.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::seconds;

constexpr const char* kAudience = "https://kubernetes.default.svc";
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class TokenLimits : public ::testing::Test {
 protected:
  TokenLimits() {
    const auto accounts = state_.resources.FindGroupResource("", "serviceaccounts");
    for (const char* name : {"a", "b"}) {
      const json::Value account = json::Value::MakeObject(
          {{"metadata", json::Value::MakeObject({{"namespace", "default"}, {"name", name}})}});
      accounts->store->Put(StoredObject::Make(account, ++state_.resource_version, {}),
                           state_.env.Now());
    }
  }
  std::string Issue(const std::string& account, std::int64_t valid_seconds, std::size_t bytes = 0) {
    json::Value audiences = json::Value::MakeArray();
    audiences.Append(kAudience);
    if (bytes > 0) audiences.Append(std::string(bytes, 'a'));
    json::Value request = json::Value::MakeObject(
        {{"spec", json::Value::MakeObject({{"audiences", std::move(audiences)},
                                           {"expirationSeconds", valid_seconds}})}});
    const auto issued =
        tokens_.Issue({.namespace_ = "default", .name = account}, std::move(request)).OrExit();
    return issued.At("/status/token").StringOrEmpty();
  }
  // Issues that many tokens; returns how many of them are valid afterwards.
  int Issued(int count, const std::string& account, std::int64_t valid_seconds, std::size_t bytes) {
    std::vector<std::string> secrets;
    for (int i = 0; i < count; ++i) secrets.push_back(Issue(account, valid_seconds, bytes));
    int valid = 0;
    for (const std::string& secret : secrets)
      valid += tokens_.Authenticate(secret, {}).ok() ? 1 : 0;
    return valid;
  }

  Simulation sim_;
  ServerState state_{sim_.env(), {}};
  ServiceAccountTokens tokens_{state_};
};

TEST_F(TokenLimits, Memory_IsLimitedTo16MiB) {
  EXPECT_EQ(Issued(15, "a", 700, kMebibyte), 15);
  EXPECT_EQ(Issued(1, "a", 800, kMebibyte - 32768), 1);
  EXPECT_EQ(Issued(17, "b", 700, kMebibyte), 1) << "one takes another's place, then its own";
  EXPECT_EQ(Issued(1, "a", 600, 20 * kMebibyte), 1) << "even if it alone is too large";
}

// Tokens of other accounts are discarded last, even if they have expired; so only once these are
// swept there is room for as many tokens of an account as the memory allows.
TEST_F(TokenLimits, ExpiredTokens_AreSweptWithEvery1024OrTwiceAsManyAsRemain) {
  constexpr std::size_t kPart = (std::size_t{15} << 10) - 64;
  const auto room = [&] { return Issued(12, "b", 600, kMebibyte); };
  EXPECT_EQ(Issued(1011, "a", 600, kPart), 1011);
  sim_.RunFor(seconds(600));
  EXPECT_EQ(room(), 1);
  EXPECT_EQ(Issued(22, "a", 600, 0), 22);
  EXPECT_EQ(room(), 1) << "1023 tokens in all: none is swept";
  EXPECT_EQ(Issued(1, "a", 600, 0), 1);
  EXPECT_EQ(room(), 12) << "the expired ones went after the 1024th";
}

TEST_F(TokenLimits, TokensThatRemain_DelayTheNextSweep) {
  constexpr std::size_t kPart = std::size_t{22} << 10;
  const auto room = [&] { return Issued(12, "b", 600, kMebibyte); };
  EXPECT_EQ(Issued(600, "a", 10'000, 0), 600);
  EXPECT_EQ(Issued(425, "a", 600, 0), 425) << "the last one finds none expired";
  sim_.RunFor(seconds(600));
  // 1024 were there then, so the next look is at 2048.
  EXPECT_EQ(Issued(600, "a", 600, kPart), 600);
  sim_.RunFor(seconds(600));
  EXPECT_EQ(room(), 2);
  sim_.RunFor(seconds(1));  // the older ones of an account go first
  EXPECT_EQ(Issued(420, "a", 600, 0), 420);
  EXPECT_EQ(room(), 2) << "2047 tokens in all: none is swept";
  EXPECT_EQ(Issued(1, "a", 600, 0), 1);
  EXPECT_EQ(room(), 12);
}

}  // namespace
}  // namespace kinformer::apiserver
