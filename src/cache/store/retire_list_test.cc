#include "cache/store/retire_list.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RetireListTest : public ::testing::Test {
 protected:
  void Retire(int number) {
    list_.Retire(
        new int(number),
        [](void* context, void* item) {
          const auto* value = static_cast<int*>(item);
          static_cast<std::vector<int>*>(context)->push_back(*value);
          delete value;
        },
        &freed_);
  }

  std::vector<int> freed_;
  RetireList list_;
};

TEST_F(RetireListTest, FreesInItsOrderAndNoMoreThanIsAskedFor) {
  for (int i = 0; i < 20; ++i) Retire(i);
  list_.Stamp();
  list_.FreeBefore(SafeToFree(), 0);
  EXPECT_THAT(freed_, IsEmpty());
  list_.FreeBefore(SafeToFree(), 1);
  EXPECT_THAT(freed_, ElementsAre(0));
  list_.FreeBefore(SafeToFree(), 3);
  EXPECT_THAT(freed_, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(list_.size(), 16U);
  list_.FreeBefore(SafeToFree(), 100);
  EXPECT_EQ(freed_.size(), 20U);
  EXPECT_TRUE(list_.empty());
}

TEST_F(RetireListTest, RetiredAfterStamp_WaitsForNextStamp) {
  Retire(1);
  list_.FreeBefore(SafeToFree(), SIZE_MAX);
  EXPECT_THAT(freed_, IsEmpty()) << "it has none";
  list_.Stamp();
  Retire(2);
  Retire(3);
  list_.FreeBefore(SafeToFree(), SIZE_MAX);
  EXPECT_THAT(freed_, ElementsAre(1));
  list_.Stamp();
  list_.FreeBefore(SafeToFree(), SIZE_MAX);
  EXPECT_THAT(freed_, ElementsAre(1, 2, 3));
}

TEST_F(RetireListTest, NothingIsFreedBeforeItsTime) {
  Retire(1);
  const std::uint64_t before = StampRetired();
  list_.Stamp();
  const std::uint64_t after = StampRetired();
  list_.FreeBefore(before + 1, SIZE_MAX);
  EXPECT_THAT(freed_, IsEmpty());
  list_.FreeBefore(after, SIZE_MAX);
  EXPECT_THAT(freed_, ElementsAre(1));
}

TEST_F(RetireListTest, WithTheListAllGoes) {
  std::vector<int> freed;
  {
    RetireList list;
    for (int i = 0; i < 3; ++i) {
      list.Retire(
          new int(i),
          [](void* context, void* item) {
            const auto* value = static_cast<int*>(item);
            static_cast<std::vector<int>*>(context)->push_back(*value);
            delete value;
          },
          &freed);
      if (i == 0) list.Stamp();
    }
  }
  EXPECT_THAT(freed, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace kinformer::internal::cache
