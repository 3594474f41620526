#include "cache/store/key_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

// Any number will do, as links are not followed.
Link FakeLink(std::uint32_t entry) { return Link{entry + 1} * 16; }

std::size_t FindFake(const KeyTable& table, std::uint32_t hash, std::uint32_t entry) {
  return table.Find(hash, [entry](Link link) { return link == FakeLink(entry); });
}

TEST(KeyTable, FindsAmongEqualHashes) {
  KeyTable table(8);
  constexpr std::uint32_t kHash = 0x42000001;
  for (std::uint32_t entry = 0; entry < 30; ++entry) table.Insert(kHash, entry, FakeLink(entry));
  for (std::uint32_t entry = 0; entry < 30; ++entry) {
    const std::size_t slot = FindFake(table, kHash, entry);
    ASSERT_NE(slot, KeyTable::kNoSlot);
    EXPECT_EQ(table.EntryAt(slot), entry);
    EXPECT_EQ(table.LinkAt(slot), FakeLink(entry));
  }
  for (std::uint32_t entry = 0; entry < 30; entry += 2) table.Erase(kHash, entry);
  for (std::uint32_t entry = 0; entry < 30; ++entry) {
    EXPECT_EQ(FindFake(table, kHash, entry) == KeyTable::kNoSlot, entry % 2 == 0);
  }
}

// The count of keys that overflowed a bucket has one byte.
TEST(KeyTable, OverflowCountSaturates_KeysAreStillFound) {
  KeyTable table(64);
  constexpr std::uint32_t kHash = 0x07000003;
  constexpr std::uint32_t kKeys = 300;
  for (std::uint32_t entry = 0; entry < kKeys; ++entry) {
    table.Insert(kHash, entry, FakeLink(entry));
  }
  for (std::uint32_t entry = 0; entry + 1 < kKeys; ++entry) table.Erase(kHash, entry);
  const std::size_t slot = FindFake(table, kHash, kKeys - 1);
  ASSERT_NE(slot, KeyTable::kNoSlot);
  EXPECT_EQ(table.EntryAt(slot), kKeys - 1);
}

TEST(KeyTable, AChangedLinkIsFoundWhereItWas) {
  KeyTable table(1);
  table.Insert(5, 3, FakeLink(3));
  const std::size_t slot = FindFake(table, 5, 3);
  table.SetLinkAt(slot, FakeLink(9));
  EXPECT_EQ(FindFake(table, 5, 9), slot);
  EXPECT_EQ(FindFake(table, 5, 3), KeyTable::kNoSlot);
  EXPECT_EQ(table.EntryAt(slot), 3U);
}

// Keys as clusters have them: few differ in more than some characters.
TEST(KeyTable, SimilarKeysSpread) {
  constexpr std::size_t kBuckets = 1024;
  constexpr std::size_t kKeys = kBuckets * 4;
  std::vector<std::size_t> in_bucket(kBuckets);
  std::map<std::uint32_t, std::size_t> of_tag;
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::uint32_t hash =
        HashKey(1, "ns-" + std::to_string(i % 3), "web-7d9c6b5f48-" + std::to_string(i));
    ++in_bucket[hash % kBuckets];
    ++of_tag[hash >> 24];
  }
  // A bucket has four keys on average; with random hashes the fullest one has 14 or fewer in all
  // but one of ten thousand cases.
  EXPECT_LE(*std::max_element(in_bucket.begin(), in_bucket.end()), 16U);
  EXPECT_GE(of_tag.size(), 250U);
  for (const auto& [tag, count] : of_tag) EXPECT_LE(count, 40U) << tag;
}

}  // namespace
}  // namespace kinformer::internal::cache
