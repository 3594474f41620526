// Tests of which versions may still be read, without a store.

#include "cache/store/versions.h"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::seconds;

class VersionsTest : public ::testing::Test {
 protected:
  void Publish() { versions_.Publish(content_); }

  VersionContent content_{.indexes = std::make_shared<const IndexList>()};
  Versions versions_;
};

TEST_F(VersionsTest, AreSettledOnceNoGuardCanHavePickedThemUp) {
  const std::uint64_t first = versions_.Current().version;
  Publish();
  {
    const ReadGuard guard;
    Publish();
    EXPECT_EQ(versions_.SettledBelow(), first);
    versions_.Settle(SafeToFree());
    EXPECT_TRUE(versions_.HasUnsettled()) << "the guard may have seen it";
    EXPECT_EQ(versions_.SettledBelow(), first + 1);
  }
  versions_.Settle(SafeToFree());
  EXPECT_FALSE(versions_.HasUnsettled());
  EXPECT_EQ(versions_.SettledBelow(), first + 2);
  EXPECT_EQ(versions_.pinned(), 0U);
}

TEST_F(VersionsTest, AreNotSettledBeforeTheirTime) {
  VersionNode* const node = versions_.Pin();
  Publish();
  versions_.Settle(node->retired_at);
  EXPECT_TRUE(versions_.HasUnsettled());
  versions_.Settle(node->retired_at + 1);
  EXPECT_FALSE(versions_.HasUnsettled());
  EXPECT_EQ(versions_.pinned(), 1U);
  versions_.Unpin(node);
}

TEST_F(VersionsTest, PinnedVersion_IsFoundInItsRangeOnly) {
  Publish();
  VersionNode* const node = versions_.Pin();
  const std::uint64_t version = node->version;
  Publish();
  Publish();
  versions_.Settle(SafeToFree());
  EXPECT_EQ(versions_.PinnedIn(version, version + 1), node);
  EXPECT_EQ(versions_.PinnedIn(0, UINT64_MAX), node);
  EXPECT_EQ(versions_.PinnedIn(0, version), nullptr);
  EXPECT_EQ(versions_.PinnedIn(version + 1, UINT64_MAX), nullptr);
  EXPECT_TRUE(versions_.MayBeRead(version, version + 1));
  EXPECT_FALSE(versions_.MayBeRead(version + 1, version + 2)) << "settled, and nobody has it";
  EXPECT_TRUE(versions_.MayBeRead(version + 1, version + 3)) << "it is the current one";
  versions_.Unpin(node);
  EXPECT_TRUE(versions_.SawUnpin());
  versions_.Settle(SafeToFree());
  EXPECT_FALSE(versions_.SawUnpin());
  EXPECT_EQ(versions_.PinnedIn(0, UINT64_MAX), nullptr);
}

TEST_F(VersionsTest, PinnedSince_IsTimeOfFirstLook) {
  const auto pin_old = [this] {
    VersionNode* const node = versions_.Pin();
    Publish();
    versions_.Settle(SafeToFree());
    return node;
  };
  const SteadyTime start{std::chrono::hours(1)};
  VersionNode* const first = pin_old();
  EXPECT_EQ(versions_.PinnedSince(start), start);
  VersionNode* const second = pin_old();
  EXPECT_EQ(versions_.PinnedSince(start + seconds(1)), start) << "the oldest one's";
  versions_.Unpin(first);
  versions_.Settle(SafeToFree());
  EXPECT_EQ(versions_.PinnedSince(start + seconds(2)), start + seconds(1));
  versions_.Unpin(second);
  versions_.Settle(SafeToFree());
  EXPECT_EQ(versions_.pinned(), 0U);
  // Reused nodes keep no time from their former use.
  for (int i = 3; i < 8; ++i) {
    VersionNode* const node = pin_old();
    EXPECT_EQ(versions_.PinnedSince(start + seconds(i)), start + seconds(i));
    versions_.Unpin(node);
    versions_.Settle(SafeToFree());
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
