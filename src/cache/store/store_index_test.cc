// Memory that an index takes for its values, and that it frees all of it.

#include "cache/store/store_index.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cache/store/retire_list.h"

namespace kinformer::internal::cache {
namespace {

class StoreIndexTest : public ::testing::Test {
 protected:
  void Add(std::uint32_t entry, const std::string& value) { index_.SetFirst(entry, {value}); }
  void Remove(std::uint32_t entry, const std::string& value) { index_.Clear(entry, value); }
  [[nodiscard]] const EntryList& ListOf(const std::string& value) const {
    return *index_.Find(value)->entries.load(std::memory_order_relaxed);
  }
  // Returns the entries in the list of a value, including stale ones.
  [[nodiscard]] std::vector<std::uint32_t> EntriesOf(const std::string& value) const {
    const EntryList& list = ListOf(value);
    std::vector<std::uint32_t> entries;
    for (std::uint32_t i = 0; i < list.size.load(std::memory_order_relaxed); ++i) {
      entries.push_back(list.at[i].load(std::memory_order_relaxed));
    }
    return entries;
  }
  // Returns the memory of all postings and their lists.
  static std::size_t BytesOfValues(const StoreIndex& index) {
    std::size_t bytes = 0;
    index.ForEach([&](const Posting& posting) {
      const EntryList& list = *posting.entries.load(std::memory_order_relaxed);
      bytes += sizeof(Posting) + posting.value.size() + 16 + sizeof(EntryList) +
               list.capacity * sizeof(std::atomic<std::uint32_t>);
    });
    return bytes;
  }

  RetireList retired_;
  StoreIndex index_{"namespace", IndexFunction(), /*by_namespace=*/true, retired_};
};

TEST_F(StoreIndexTest, Bytes_AreThoseOfValues_ZeroWhenEmpty) {
  const auto value_of = [](std::uint32_t entry) {
    return std::string(1 + entry % 6, static_cast<char>('a' + static_cast<int>(entry % 6)));
  };
  EXPECT_EQ(index_.bytes(), 0U);
  for (std::uint32_t entry = 0; entry < 100; ++entry) {
    Add(entry, value_of(entry));
    EXPECT_EQ(index_.bytes(), BytesOfValues(index_)) << entry;
  }
  // Removes in an order in which lists shrink now and then and values disappear one by one.
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint32_t entry = i * 37 % 100;
    Remove(entry, value_of(entry));
    EXPECT_EQ(index_.bytes(), BytesOfValues(index_)) << i;
  }
  EXPECT_EQ(index_.bytes(), 0U);
  EXPECT_EQ(index_.Find("a"), nullptr);
}

// A value takes one pointer in the table. The table starts with eight places and is at most three
// quarters full.
TEST_F(StoreIndexTest, ItsTableGrowsWithTheValues) {
  const auto table_at = [this](std::uint32_t values) {
    for (std::uint32_t entry = 0; entry < values; ++entry) Add(entry, "v" + std::to_string(entry));
    const std::size_t bytes = index_.bytes() - BytesOfValues(index_);
    for (std::uint32_t entry = 0; entry < values; ++entry) {
      EXPECT_NE(index_.Find("v" + std::to_string(entry)), nullptr);
      Remove(entry, "v" + std::to_string(entry));
      EXPECT_EQ(index_.Find("v" + std::to_string(entry)), nullptr);
    }
    EXPECT_EQ(index_.bytes(), bytes);
    return 8 + bytes / sizeof(void*);
  };
  EXPECT_EQ(table_at(6), 8U);
  // Growing the table drops the removed values.
  EXPECT_EQ(table_at(3), 8U);
  EXPECT_EQ(table_at(200), 512U);
}

TEST_F(StoreIndexTest, ValuesThatComeAndGoTakeNoMoreAndMoreRoom) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    Add(7, "v" + std::to_string(i));
    Remove(7, "v" + std::to_string(i));
    ASSERT_EQ(index_.bytes(), 0U) << i;
  }
}

TEST_F(StoreIndexTest, AListGrowsByHalf) {
  std::vector<std::uint32_t> capacities;
  for (std::uint32_t entry = 0; entry < 12; ++entry) {
    Add(entry, "a");
    if (capacities.empty() || capacities.back() != ListOf("a").capacity) {
      capacities.push_back(ListOf("a").capacity);
    }
    EXPECT_EQ(EntriesOf("a").size(), entry + 1);
  }
  EXPECT_EQ(capacities, (std::vector<std::uint32_t>{2, 4, 7, 11, 17}));
}

// Readers may be in a list, so it is copied, but only once a quarter of it is stale.
TEST_F(StoreIndexTest, AListIsMadeAnewOnceAQuarterOfItHasLeft) {
  for (std::uint32_t entry = 0; entry < 16; ++entry) Add(entry, "a");
  const EntryList* const before = &ListOf("a");
  for (const std::uint32_t entry : {5U, 0U, 15U}) Remove(entry, "a");
  EXPECT_EQ(&ListOf("a"), before);
  EXPECT_EQ(EntriesOf("a").size(), 16U);
  Remove(1, "a");
  EXPECT_EQ(EntriesOf("a"), (std::vector<std::uint32_t>{2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_EQ(ListOf("a").capacity, 13U);

  for (std::uint32_t entry = 0; entry < 64; ++entry) Add(entry, "b");
  const EntryList* const larger = &ListOf("b");
  for (std::uint32_t entry = 0; entry < 15; ++entry) Remove(entry, "b");
  EXPECT_EQ(&ListOf("b"), larger);
  Remove(15, "b");
  EXPECT_EQ(EntriesOf("b").size(), 48U);
  EXPECT_EQ(ListOf("b").capacity, 54U) << "with an eighth more";
}

TEST_F(StoreIndexTest, EntryRemovedAndAddedAgain_IsListedOnce) {
  for (std::uint32_t entry = 0; entry < 16; ++entry) Add(entry, "a");
  for (int i = 0; i < 10; ++i) {
    Remove(5, "a");
    Remove(6, "a");
    Add(6, "a");
    Add(5, "a");
  }
  EXPECT_EQ(EntriesOf("a").size(), 16U);
  for (std::uint32_t entry = 0; entry < 16; ++entry) {
    ASSERT_NE(index_.Find("a"), nullptr) << entry;
    Remove(entry, "a");
  }
  EXPECT_EQ(index_.Find("a"), nullptr);
  EXPECT_EQ(index_.bytes(), 0U);
}

TEST_F(StoreIndexTest, OrderedIndex_BytesAreThoseOfValues) {
  IndexFunction function;
  function.ordered = true;
  StoreIndex ordered("label", function, /*by_namespace=*/false, retired_);
  // An object without values takes only the memory for its set.
  ordered.SetFirst(0, {});
  const std::size_t empty = ordered.bytes();
  EXPECT_GT(empty, 0U);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t entry = 1; entry < 6; ++entry) {
      const std::string value = "v" + std::to_string(entry);
      ordered.SetFirst(entry, {"all", value});
    }
    EXPECT_GT(ordered.bytes(), empty + BytesOfValues(ordered)) << "and their order";
    for (std::uint32_t entry = 5; entry > 0; --entry) ordered.Clear(entry, "");
    EXPECT_EQ(ordered.bytes(), empty);
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
