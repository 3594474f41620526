#include "kinformer/cache/expiration_cache.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Token {
  std::string user{};
  std::string text{};
};

Result<std::string> UserOf(const Token& token) { return token.user; }

class ExpirationCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<ExpirationCache<Token>> NewFake(std::set<std::string, std::less<>> never) {
    return NewFakeExpirationStore<Token>(sim_.env(), UserOf, deleted_,
                                         std::make_shared<FakeExpirationPolicy<Token>>(never));
  }
  Simulation sim_;
  std::vector<std::string> deleted_;
};

TEST_F(ExpirationCacheTest, ExpiredItemsAreAbsentAndRemoved_TTL01) {
  const auto cache = NewFake({});
  ASSERT_TRUE(cache->Add({"ann", "1"}));
  EXPECT_THAT(cache->ListKeys(), ElementsAre("ann")) << "nobody has read it";
  EXPECT_FALSE(*cache->Get({"ann", ""}));
  EXPECT_THAT(deleted_, ElementsAre("ann"));
  EXPECT_THAT(cache->ListKeys(), IsEmpty());
  EXPECT_FALSE(cache->GetByKey("ann"));
  EXPECT_EQ(deleted_.size(), 1U) << "once";
}

TEST_F(ExpirationCacheTest, AnItemWrittenAgainHasTheNewValue_TTL02) {
  const auto cache = NewTTLStore<Token>(sim_.env(), UserOf, seconds(10));
  ASSERT_TRUE(cache->Add({"ann", "1"}));
  sim_.RunFor(seconds(11));
  ASSERT_TRUE(cache->Update({"ann", "2"}));
  EXPECT_EQ(cache->GetByKey("ann")->text, "2");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(cache->GetByKey("ann")->text, "2") << "its time begins with the second write";
}

TEST_F(ExpirationCacheTest, AListLeavesOutAndRemovesWhatHasExpired_TTL03) {
  const auto cache = NewFake({"ann", "dan"});
  for (const char* user : {"ann", "bob", "cat", "dan"}) ASSERT_TRUE(cache->Add({user, "1"}));
  std::vector<std::string> users;
  for (const Token& token : cache->List()) users.push_back(token.user);
  EXPECT_THAT(users, UnorderedElementsAre("ann", "dan"));
  EXPECT_THAT(deleted_, UnorderedElementsAre("bob", "cat"));
  EXPECT_THAT(cache->ListKeys(), UnorderedElementsAre("ann", "dan"));
}

TEST_F(ExpirationCacheTest, AnItemExpiresAfterItsAge_TTL04) {
  const auto cache = NewTTLStore<Token>(sim_.env(), UserOf, seconds(10));
  ASSERT_TRUE(cache->Add({"ann", "1"}));
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(cache->GetByKey("ann")) << "at its age, not after it";
  sim_.RunFor(nanoseconds(1));
  EXPECT_FALSE(cache->GetByKey("ann"));
}

TEST_F(ExpirationCacheTest, WithoutAnAgeNothingExpires_TTL05) {
  for (const Duration ttl : {seconds(0), seconds(-1)}) {
    const auto cache = NewTTLStore<Token>(sim_.env(), UserOf, ttl);
    ASSERT_TRUE(cache->Add({"ann", "1"}));
    sim_.RunFor(std::chrono::hours(10000));
    EXPECT_TRUE(cache->GetByKey("ann"));
  }
}

TEST_F(ExpirationCacheTest, TheCacheIsAStore) {
  const auto cache = NewTTLStore<Token>(sim_.env(), UserOf, seconds(10));
  ASSERT_TRUE(cache->Add({"ann", "1"}));
  ASSERT_TRUE(cache->Delete({"ann", ""}));
  EXPECT_FALSE(cache->GetByKey("ann"));
  ASSERT_TRUE(cache->Delete({"ann", ""}));
  EXPECT_EQ(cache->LastStoreSyncResourceVersion(), "");
  ASSERT_TRUE(cache->Add({"old", "1"}));
  ASSERT_TRUE(cache->Replace({{"bob", "2"}, {"cat", "3"}}, "7"));
  EXPECT_THAT(cache->ListKeys(), UnorderedElementsAre("bob", "cat"));
  EXPECT_EQ(cache->LastStoreSyncResourceVersion(), "7");
  ASSERT_TRUE(cache->Bookmark("8"));
  EXPECT_EQ(cache->LastStoreSyncResourceVersion(), "8");
  ASSERT_TRUE(cache->Resync());
  EXPECT_EQ(cache->Replace({{"dan", "2"}, {"", "3"}}, "9").error().reason(),
            Reason::kInvalidArgument);
  EXPECT_THAT(cache->ListKeys(), UnorderedElementsAre("bob", "cat"));
  for (const Result<void>& refused : {cache->Add({"", "1"}), cache->Delete({"", "1"})}) {
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
  }
  EXPECT_FALSE(cache->Get({"", "1"}));
  sim_.RunFor(seconds(11));
  EXPECT_THAT(cache->List(), IsEmpty());
}

TEST_F(ExpirationCacheTest, APolicyThatThrowsHarmsOnlyTheRead) {
  struct Thrower final : ExpirationPolicy<Token> {
    [[nodiscard]] bool IsExpired(const TimestampedEntry<Token>& entry) const override {
      if (entry.item.text == "bad") throw std::runtime_error("policy");
      return false;
    }
  };
  ExpirationCache<Token> cache(sim_.env(), UserOf, std::make_shared<Thrower>());
  ASSERT_TRUE(cache.Add({"ann", "bad"}));
  EXPECT_THROW((void)cache.GetByKey("ann"), std::runtime_error);
  EXPECT_THROW((void)cache.List(), std::runtime_error);
  ASSERT_TRUE(cache.Add({"ann", "good"}));
  EXPECT_EQ(cache.GetByKey("ann")->text, "good");
}

}  // namespace
}  // namespace kinformer
