#include "cli/pager.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

TEST(Pager, OnlyATerminalHasOne) {
  EXPECT_EQ(PagerCommand(/*terminal=*/true, "less -R"), "less -R");
  EXPECT_EQ(PagerCommand(/*terminal=*/false, "less -R"), "");
}

TEST(Pager, UnsetOrCatPrintsTheTextAlone) {
  EXPECT_EQ(PagerCommand(/*terminal=*/true, nullptr), "");
  EXPECT_EQ(PagerCommand(/*terminal=*/true, ""), "");
  EXPECT_EQ(PagerCommand(/*terminal=*/true, "cat"), "");
}

}  // namespace
}  // namespace kinformer::cli
