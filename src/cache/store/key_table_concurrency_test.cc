// A table that is read while keys leave it and others take their slots.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "cache/store/key_table.h"
#include "cache/store/testing/readers.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

// A reader may find the tag of the key before in the control word that it has loaded, and then the
// link of the key that has the slot now. Processors that reorder stores, and ThreadSanitizer, show
// whether that key's object is complete then.
TEST(KeyTableConcurrency, SlotChangesItsKey_ReadersSeeWholeObjectsOnly) {
  constexpr std::uint32_t kHash = 5;
  constexpr std::uint32_t kMost = 1'000'000;
  std::vector<int> objects(kMost, 0);
  KeyTable table(1);
  Readers readers(3, [&](std::mt19937&) {
    static_cast<void>(table.Find(kHash, [](Link link) {
      if (link != 0) {
        EXPECT_EQ(*reinterpret_cast<const int*>(link), 1);
      }
      return false;
    }));
  });
  for (std::uint32_t entry = 0; entry < kMost && (entry < 50'000 || readers.rounds() < 50'000);
       ++entry) {
    objects[entry] = 1;
    table.Insert(kHash, entry, reinterpret_cast<Link>(&objects[entry]));
    table.Erase(kHash, entry);
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
