#include "client/page_tokens.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::client {
namespace {

TEST(PageTokens, RepeatedTokens_AreFoundAndLongListsPass) {
  for (const int before : {0, 1, 5}) {
    for (const int around : {1, 2, 7}) {
      PageTokens tokens;
      int pages = 0;
      const auto token = [&] {
        return std::to_string(pages < before ? pages : before + (pages - before) % around);
      };
      while (pages < 100 && tokens.Next(token()).ok()) ++pages;
      EXPECT_GE(pages, before + around);
      EXPECT_LE(pages, 3 * (before + around)) << before << ", " << around;
      EXPECT_EQ(tokens.Next(token()).error().reason(), Reason::kDecode);
    }
  }
  PageTokens tokens;
  for (int page = 0; page < 10'000; ++page) EXPECT_TRUE(tokens.Next(std::to_string(page)).ok());
}

}  // namespace
}  // namespace kinformer::internal::client
