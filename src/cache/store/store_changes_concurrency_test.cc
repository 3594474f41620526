// Requests for the changes of a store while it is written.

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "kinformer/base/simulation.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/readers.h"
#include "cache/store/testing/test_objects.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

// Each thread follows the store by its changes, and starts over if they are no longer kept.
TEST(StoreChangesConcurrency, FollowersHaveWhatTheStoreHas) {
  using Contents = std::map<std::string, std::string>;
  const auto contents_of = [](const SnapshotCore& snapshot) {
    Contents contents;
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot.Next(cursor)) {
      contents[std::string(block->name())] = block->resourceVersion();
    }
    return contents;
  };
  Simulation sim;
  StoreCore store(sim.env(), {.name = "followed"});
  Readers readers(3, [&](std::mt19937& random) {
    store.KeepChanges(200 + random() % 50, 1 << 20);
    auto known = store.Snapshot();
    Contents contents = contents_of(*known);
    for (int i = 0; i < 20; ++i) {
      auto news = store.ChangesSince(known->version(), known->epoch());
      if (!news) {
        ASSERT_EQ(news.error().reason(), Reason::kExpired);
        return;
      }
      for (const auto& [type, object] : news->changes) {
        const std::string name(object->name());
        ASSERT_EQ(contents.contains(name), type != EventType::kAdded);
        if (type == EventType::kDeleted) {
          contents.erase(name);
        } else {
          contents[name] = object->resourceVersion();
        }
      }
      known = news->snapshot;
      ASSERT_EQ(contents, contents_of(*known));
    }
  });
  std::mt19937 random(5);
  for (int step = 0; step < 200000 && (step < 5000 || readers.rounds() < 300); ++step) {
    store.Begin();
    for (std::uint32_t n = random() % 4; n > 0; --n) {
      const std::string name = std::to_string(random() % 40);
      if (random() % 3 == 0) {
        static_cast<void>(store.Erase("", name));
      } else {
        static_cast<void>(store.Put(MakeObject("", name, std::to_string(step))));
      }
    }
    store.Commit();
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
