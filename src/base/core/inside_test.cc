#include "base/core/inside.h"

#include <gtest/gtest.h>
#include <span>
#include <thread>
#include <vector>

namespace kinformer::internal::base {
namespace {

using Marks = std::vector<const void*>;

TEST(InsideTest, Marks_AreNestedAndEndWithTheirScope) {
  const int a = 0;
  const int b = 0;
  const int c = 0;
  const int d = 0;
  EXPECT_FALSE(Inside::Of(&a));
  EXPECT_FALSE(Inside::Of(nullptr));
  EXPECT_EQ(Inside::All(), Marks());
  {
    const Inside outer(&a);
    EXPECT_TRUE(Inside::Of(&a));
    EXPECT_FALSE(Inside::Of(&b));
    EXPECT_FALSE(Inside::Of(nullptr));
    EXPECT_EQ(Inside::All(), Marks{&a});
    {
      const Marks several = {&b, &c};
      const Inside inner(several);
      for (const int* in : {&a, &b, &c}) EXPECT_TRUE(Inside::Of(in));
      EXPECT_FALSE(Inside::Of(&d));
      EXPECT_EQ(Inside::All(), (Marks{&b, &c, &a}));
      const Inside none{std::span<const void* const>()};
      EXPECT_TRUE(Inside::Of(&a));
      EXPECT_FALSE(Inside::Of(&d));
      EXPECT_EQ(Inside::All(), (Marks{&b, &c, &a}));
    }
    EXPECT_TRUE(Inside::Of(&a));
    EXPECT_FALSE(Inside::Of(&b));
    EXPECT_EQ(Inside::All(), Marks{&a});
  }
  EXPECT_FALSE(Inside::Of(&a));
  EXPECT_EQ(Inside::All(), Marks());
}

TEST(InsideTest, AnotherThread_WorksForNothingUntilTold) {
  const int a = 0;
  const Inside here(&a);
  const Marks all = Inside::All();
  bool before = true;
  bool told = false;
  std::thread([&] {
    before = Inside::Of(&a);
    const Inside there(all);
    told = Inside::Of(&a);
  }).join();
  EXPECT_FALSE(before);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace kinformer::internal::base
