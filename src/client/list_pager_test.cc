#include "client/list_pager.h"

#include <gtest/gtest.h>

namespace kinformer::internal::client {
namespace {

const Error kExpired = Error(Reason::kExpired, "too old").WithHttpStatus(410);

TEST(ListPager, AsksForPageAfterPage) {
  ListPager pager({.labelSelector = "a=b", .resourceVersion = "0", .limit = 2});
  EXPECT_EQ(pager.request().resourceVersion, "0");
  EXPECT_TRUE(pager.Took({.resourceVersion = "7", .continue_ = "c1"}));
  EXPECT_EQ(pager.request().continue_, "c1");
  EXPECT_EQ(pager.request().resourceVersion, "");
  EXPECT_EQ(pager.request().labelSelector, "a=b");
  EXPECT_EQ(pager.request().limit, 2);
  EXPECT_FALSE(pager.Took({.resourceVersion = "9"}));
  EXPECT_EQ(pager.resourceVersion(), "7");
  EXPECT_TRUE(pager.paginated());
}

TEST(ListPager, TakesTheListInOnePieceOnceItsPagesAreTooOld) {
  ListPager pager({.resourceVersion = "5", .limit = 2});
  // The first page is no later page of anything.
  EXPECT_FALSE(pager.StartsOver(kExpired));
  EXPECT_TRUE(pager.Took({.resourceVersion = "7", .continue_ = "c1"}));
  EXPECT_FALSE(pager.StartsOver(Error(Reason::kForbidden, "no")));
  EXPECT_TRUE(pager.StartsOver(kExpired));
  EXPECT_EQ(pager.request().limit, 0);
  EXPECT_EQ(pager.request().continue_, "");
  EXPECT_EQ(pager.request().resourceVersion, "5");
  EXPECT_FALSE(pager.StartsOver(kExpired));
  EXPECT_FALSE(pager.Took({.resourceVersion = "8"}));
  EXPECT_EQ(pager.resourceVersion(), "8");
}

}  // namespace
}  // namespace kinformer::internal::client
