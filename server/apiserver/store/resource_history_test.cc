// Versions, history and memory of a ResourceStore, step by step.

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

class ResourceHistoryTest : public ::testing::Test {
 protected:
  void Use(HistoryLimits limits) { store_ = std::make_shared<ResourceStore>(limits); }
  // Writes an object; returns its size in memory.
  std::size_t Put(const std::string& ns, const std::string& name) {
    const json::Value metadata = json::Value::MakeObject({{"namespace", ns}, {"name", name}});
    const StoredObjectPtr stored =
        StoredObject::Make(json::Value::MakeObject({{"metadata", metadata}}), ++version_, {});
    store_->Put(stored, now_);
    return stored->bytes();
  }
  std::size_t Delete(const std::string& key) {
    const StoredObjectPtr tombstone = store_->Get(key)->AtResourceVersion(++version_, true);
    store_->Delete(tombstone, now_);
    return tombstone->bytes();
  }
  // Returns "ns/a@3 ns/b@2" for the objects at that version.
  [[nodiscard]] std::string At(std::int64_t version, const std::string& prefix = "",
                               const std::string& from = "", std::size_t most = 99) const {
    std::string out;
    store_->Walk(prefix, from, version, [&](const StoredObjectPtr& stored) {
      if (!out.empty()) out += ' ';
      out += stored->key() + "@" + std::to_string(stored->resource_version());
      return --most > 0;
    });
    return out;
  }
  [[nodiscard]] std::uint64_t Events() const {
    return store_->end_sequence() - store_->begin_sequence();
  }

  std::shared_ptr<ResourceStore> store_ = std::make_shared<ResourceStore>(HistoryLimits{});
  std::int64_t version_ = 0;
  SteadyTime now_{std::chrono::hours(1)};
};

TEST_F(ResourceHistoryTest, Events_TellEachWrite) {
  struct Row {
    EventType type;
    std::int64_t previous;  // 0: none
  };
  for (const char* write : {"+a", "+a", "-a", "+a", "+b"}) {
    now_ += seconds(1);
    if (write[0] == '+') {
      Put("ns", write + 1);
    } else {
      Delete(std::string("ns/") + (write + 1));
    }
  }
  const std::vector<Row> rows = {{EventType::kAdded, 0},
                                 {EventType::kModified, 1},
                                 {EventType::kDeleted, 2},
                                 {EventType::kAdded, 0},
                                 {EventType::kAdded, 0}};
  EXPECT_EQ(store_->begin_sequence(), 0U);
  ASSERT_EQ(store_->end_sequence(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StoreEvent& event = store_->event(i);
    const auto version = static_cast<std::int64_t>(i + 1);
    EXPECT_EQ(event.type, rows[i].type) << i;
    EXPECT_EQ(event.resource_version, version);
    EXPECT_EQ(event.current->resource_version(), version);
    EXPECT_EQ(event.current->tombstone(), event.type == EventType::kDeleted);
    EXPECT_EQ(event.previous == nullptr ? 0 : event.previous->resource_version(), rows[i].previous);
    EXPECT_EQ(event.time, SteadyTime(std::chrono::hours(1)) + seconds(version));
    EXPECT_EQ(store_->SequenceAfter(version), i + 1);
    EXPECT_EQ(store_->SequenceAfter(version - 1), i);
  }
}

TEST_F(ResourceHistoryTest, Deletion_OfNothing_ChangesNothing) {
  Put("ns", "a");
  const StoredObjectPtr a = store_->Get("ns/a");
  store_->Delete(a->AtResourceVersion(2, true), now_);
  const std::size_t bytes = store_->bytes();
  store_->Delete(a->AtResourceVersion(3, true), now_);
  EXPECT_EQ(store_->bytes(), bytes);
  EXPECT_EQ(store_->end_sequence(), 2U);
  EXPECT_EQ(store_->size(), 0U);
  EXPECT_EQ(store_->Get("ns/a"), nullptr);
  store_->Compact(3);
  store_->Delete(a->AtResourceVersion(4, true), now_);
  EXPECT_EQ(store_->bytes(), 0U);
  EXPECT_EQ(Events(), 0U);
  EXPECT_EQ(store_->Get("ns/other"), nullptr);
}

TEST_F(ResourceHistoryTest, Sizes_CountLiveObjects) {
  const auto sizes = [&] {
    return std::to_string(store_->size()) + " " + std::to_string(store_->size("a")) + " " +
           std::to_string(store_->size("b"));
  };
  EXPECT_EQ(sizes(), "0 0 0");
  Put("a", "x");
  Put("a", "x");
  EXPECT_EQ(sizes(), "1 1 0");
  Put("a", "y");
  Put("b", "x");
  EXPECT_EQ(sizes(), "3 2 1");
  Delete("a/x");
  EXPECT_EQ(sizes(), "2 1 1");
  Delete("a/y");
  Delete("b/x");
  EXPECT_EQ(sizes(), "0 0 0");
  Put("a", "x");
  EXPECT_EQ(sizes(), "1 1 0");
}

TEST_F(ResourceHistoryTest, Walk_BeginsAndEndsWhereItIsTold) {
  for (const char* name : {"a", "b", "c"}) Put("n", name);  // 1 to 3
  Put("m", "a");                                            // 4
  Put("o", "a");                                            // 5
  Delete("n/b");                                            // 6
  EXPECT_EQ(At(5), "m/a@4 n/a@1 n/b@2 n/c@3 o/a@5");
  EXPECT_EQ(At(6), "m/a@4 n/a@1 n/c@3 o/a@5");
  EXPECT_EQ(At(5, "n/"), "n/a@1 n/b@2 n/c@3");
  EXPECT_EQ(At(2, "n/"), "n/a@1 n/b@2");
  EXPECT_EQ(At(5, "n/", "n/b"), "n/b@2 n/c@3");
  EXPECT_EQ(At(5, "n/", "a"), "n/a@1 n/b@2 n/c@3");
  EXPECT_EQ(At(5, "n/", "n/d"), "");
  EXPECT_EQ(At(5, "", "n/c"), "n/c@3 o/a@5");
  EXPECT_EQ(At(5, "", "", 2), "m/a@4 n/a@1");
  EXPECT_EQ(At(0), "");
}

TEST_F(ResourceHistoryTest, History_IsBoundedByNumber) {
  Use({.max_events = 3, .min_events = 1});
  for (int i = 1; i <= 3; ++i) Put("n", "a");
  EXPECT_EQ(store_->floor(), 0);
  EXPECT_EQ(Events(), 3U);
  Put("n", "a");
  EXPECT_EQ(store_->floor(), 1);
  EXPECT_EQ(store_->begin_sequence(), 1U);
  EXPECT_EQ(store_->end_sequence(), 4U);
  EXPECT_EQ(store_->event(1).resource_version, 2);
  EXPECT_EQ(At(1), "n/a@1");
}

TEST_F(ResourceHistoryTest, History_IsBoundedByAge) {
  Use({.max_events = 100, .min_events = 2, .max_age = minutes(5)});
  for (int i = 0; i < 30; ++i) Put("n", "a");
  now_ += minutes(5);
  Put("n", "a");
  EXPECT_EQ(store_->floor(), 0) << "as old as allowed";
  now_ += nanoseconds(1);
  // A few per write, so that no write becomes slow.
  Put("n", "a");
  EXPECT_EQ(store_->floor(), 8);
  EXPECT_EQ(Events(), 24U);
  for (int i = 0; i < 3; ++i) Put("n", "a");
  EXPECT_EQ(store_->floor(), 30);
  EXPECT_EQ(Events(), 5U);
  now_ += minutes(6);
  for (int i = 0; i < 9; ++i) Put("n", "a");
  now_ += minutes(6);
  for (int i = 0; i < 9; ++i) Put("n", "a");
  EXPECT_EQ(store_->floor(), 44);
  now_ += minutes(6);
  Put("n", "a");
  Put("n", "a");
  EXPECT_EQ(Events(), 2U) << "the last ones are kept whatever their age";
}

// A pin at each version, of an object with many.
TEST_F(ResourceHistoryTest, Pin_KeepsItsVersionAndLaterOnes) {
  for (std::int64_t pinned = 1; pinned <= 20; ++pinned) {
    Use({});
    version_ = 0;
    std::map<std::int64_t, std::size_t> sizes;
    const auto total = [&](std::int64_t from) {
      std::size_t sum = 0;
      for (auto at = sizes.lower_bound(from); at != sizes.end(); ++at) sum += at->second;
      return sum;
    };
    for (int i = 1; i <= 20; ++i) {
      const std::size_t size = Put("n", "a");
      sizes[version_] = size;
    }
    EXPECT_EQ(store_->bytes(), total(1));
    auto pin = std::make_unique<ResourceStore::Pin>(store_, pinned);
    const ResourceStore::Pin later(store_, 20);
    EXPECT_EQ(pin->resource_version(), pinned);
    EXPECT_EQ(&pin->store(), store_.get());
    store_->Compact(20);
    EXPECT_EQ(store_->floor(), 20);
    EXPECT_EQ(store_->bytes(), total(pinned)) << pinned;
    for (std::int64_t version = pinned; version <= 20; ++version) {
      EXPECT_EQ(At(version), "n/a@" + std::to_string(version)) << pinned;
    }
    const std::size_t deleted = Delete("n/a");
    pin.reset();
    store_->Compact(21);
    EXPECT_EQ(At(20), "n/a@20");
    EXPECT_EQ(At(21), "");
    EXPECT_EQ(store_->bytes(), sizes[20] + deleted) << pinned;
  }
}

TEST_F(ResourceHistoryTest, Writes_DropWhatAPinHeldAFewAtATime) {
  auto pin = std::make_unique<ResourceStore::Pin>(store_, 0);
  version_ = 100;  // all versions have three digits
  std::size_t size = 0;
  for (int i = 0; i < 50; ++i) size = Put("n", std::to_string(10 + i));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(Put("n", std::to_string(10 + i)), size);
  const std::size_t all = 90;
  store_->Compact(version_);
  EXPECT_EQ(store_->bytes(), all * size);
  pin.reset();
  EXPECT_EQ(store_->bytes(), all * size);
  // The first 16 log entries are of objects with two versions.
  Put("n", "99");
  EXPECT_EQ(store_->bytes(), (all + 1 - 16) * size);
  Put("n", "98");
  EXPECT_EQ(store_->bytes(), (all + 2 - 32) * size);
  store_->Compact(version_);
  EXPECT_EQ(store_->bytes(), 52 * size);
}

TEST_F(ResourceHistoryTest, Compact_ForgetsUpToTheVersion) {
  for (const char* name : {"a", "b", "a", "c"}) Put("n", name);
  store_->Compact(2);
  EXPECT_EQ(store_->floor(), 2);
  EXPECT_EQ(store_->begin_sequence(), 2U);
  EXPECT_EQ(Events(), 2U);
  EXPECT_EQ(At(2), "n/a@1 n/b@2");
  store_->Compact(1);
  EXPECT_EQ(store_->floor(), 2) << "it never sinks";
  EXPECT_EQ(Events(), 2U);
  Delete("n/b");
  store_->Compact(9);
  EXPECT_EQ(store_->floor(), 9);
  EXPECT_EQ(Events(), 0U);
  EXPECT_EQ(At(9), "n/a@3 n/c@4");
  EXPECT_EQ(store_->bytes(), store_->Get("n/a")->bytes() + store_->Get("n/c")->bytes());
  Use({.floor = 7});
  EXPECT_EQ(store_->floor(), 7);
}

TEST_F(ResourceHistoryTest, Messages_AreKeptUpToALimit) {
  constexpr std::size_t kMost = (std::size_t{32} << 20) - sizeof(std::string);
  EXPECT_FALSE(store_->MayKeep(kMost + 1));
  EXPECT_TRUE(store_->MayKeep(kMost));
  EXPECT_FALSE(store_->MayKeep(0));
  Use({});
  EXPECT_TRUE(store_->MayKeep(kMost - sizeof(std::string)));
  EXPECT_FALSE(store_->MayKeep(1));
  EXPECT_TRUE(store_->MayKeep(0));
}

TEST_F(ResourceHistoryTest, Restored_HoldsAnEarlierStateWithoutHistory) {
  for (const char* name : {"c", "b", "a", "b"}) Put("n", name);
  Delete("n/c");
  Put("n", "d");
  const auto restored = store_->RestoredTo(4, now_);
  EXPECT_EQ(restored->size(), 3U);
  EXPECT_EQ(restored->size("n"), 3U);
  EXPECT_EQ(restored->floor(), 4);
  EXPECT_EQ(restored->begin_sequence(), restored->end_sequence());
  std::size_t bytes = 0;
  for (const auto& [key, version] :
       std::vector<std::pair<const char*, std::int64_t>>{{"n/a", 3}, {"n/b", 4}, {"n/c", 1}}) {
    const StoredObjectPtr stored = restored->Get(key);
    ASSERT_NE(stored, nullptr) << key;
    EXPECT_EQ(stored->resource_version(), version);
    bytes += stored->bytes();
  }
  EXPECT_EQ(restored->bytes(), bytes);
  EXPECT_EQ(restored->Get("n/d"), nullptr);
  EXPECT_EQ(At(6), "n/a@3 n/b@4 n/d@6") << "the other one stays as it is";
}

}  // namespace
}  // namespace kinformer::apiserver
