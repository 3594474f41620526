#include "client/list_pager.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::client {
namespace {

const Error kExpired = Error(Reason::kExpired, "too old").WithHttpStatus(410);

TEST(ListPager, AsksForPageAfterPage) {
  ListPager pager({.labelSelector = "a=b", .resourceVersion = "0", .limit = 2});
  EXPECT_EQ(pager.request().resourceVersion, "0");
  EXPECT_EQ(pager.Took({.resourceVersion = "7", .continue_ = "c1"}).value(), true);
  EXPECT_EQ(pager.request().continue_, "c1");
  EXPECT_EQ(pager.request().resourceVersion, "");
  EXPECT_EQ(pager.request().labelSelector, "a=b");
  EXPECT_EQ(pager.request().limit, 2);
  EXPECT_EQ(pager.Took({.resourceVersion = "9"}).value(), false);
  EXPECT_EQ(pager.resourceVersion(), "7");
  EXPECT_TRUE(pager.paginated());
}

TEST(ListPager, TakesTheListInOnePieceOnceItsPagesAreTooOld) {
  ListPager pager({.resourceVersion = "5", .limit = 2});
  // The first page does not continue another.
  EXPECT_FALSE(pager.StartsOver(kExpired));
  EXPECT_EQ(pager.Took({.resourceVersion = "7", .continue_ = "c1"}).value(), true);
  EXPECT_FALSE(pager.StartsOver(Error(Reason::kForbidden, "no")));
  EXPECT_TRUE(pager.StartsOver(kExpired));
  EXPECT_EQ(pager.request().limit, 0);
  EXPECT_EQ(pager.request().continue_, "");
  EXPECT_EQ(pager.request().resourceVersion, "5");
  EXPECT_FALSE(pager.StartsOver(kExpired));
  EXPECT_EQ(pager.Took({.resourceVersion = "8"}).value(), false);
  EXPECT_EQ(pager.resourceVersion(), "8");
}

TEST(ListPager, ExpiredLaterPage_StartsAFullListOver) {
  for (const bool full : {true, false}) {
    for (const bool later_page : {true, false}) {
      for (const Error& error :
           {kExpired, Error(Reason::kGone, "gone"), Error(Reason::kExpired, "no status"),
            Error(Reason::kInternalError, "no").WithHttpStatus(500)}) {
        ListPager pager({.resourceVersionMatch = "Exact", .limit = 2, .continue_ = "begin"}, full);
        if (later_page) {
          EXPECT_EQ(pager.Took({.resourceVersion = "7", .continue_ = "c1"}).value(), true);
          EXPECT_EQ(pager.request().resourceVersionMatch, "") << "the token says it";
        }
        const bool expired = error.reason() != Reason::kInternalError;
        EXPECT_EQ(pager.StartsOver(error), full && later_page && expired) << error;
        EXPECT_EQ(pager.request().continue_, !later_page ? "begin" : full && expired ? "" : "c1");
      }
    }
  }
}

// If a server sends a full list in pages nevertheless, they are accepted, each without a limit.
TEST(ListPager, FullListSentInPages_PagesAreAccepted) {
  ListPager pager({.limit = 2});
  EXPECT_EQ(pager.Took({.resourceVersion = "7", .continue_ = "c1"}).value(), true);
  EXPECT_TRUE(pager.StartsOver(kExpired));
  EXPECT_EQ(pager.Took({.resourceVersion = "8", .continue_ = "c2"}).value(), true);
  EXPECT_EQ(pager.request().limit, 0);
  EXPECT_EQ(pager.request().continue_, "c2");
  EXPECT_FALSE(pager.StartsOver(kExpired));
}

TEST(ListPager, AppendPage_AddsItemsAndUnreadable) {
  const auto page = [](std::size_t items, std::size_t unreadable) {
    ListedObjects objects;
    objects.items.resize(items);
    objects.unreadable = unreadable;
    objects.metadata.resourceVersion = std::to_string(items);
    return objects;
  };
  ListedObjects all;
  AppendPage(page(0, 1), all);
  EXPECT_EQ(all.items.size(), 0U);
  EXPECT_EQ(all.unreadable, 1U);
  AppendPage(page(2, 3), all);
  EXPECT_EQ(all.items.size(), 2U);
  EXPECT_EQ(all.unreadable, 4U);
  AppendPage(page(5, 7), all);
  EXPECT_EQ(all.items.size(), 7U);
  EXPECT_EQ(all.unreadable, 11U);
  EXPECT_EQ(all.metadata.resourceVersion, "") << "that of the whole is the caller's to set";
}

}  // namespace
}  // namespace kinformer::internal::client
