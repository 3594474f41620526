#include "apiserver/discovery/openapi_hashes.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::apiserver {
namespace {

TEST(OpenApiHashesTest, TheLatestHashOfAPathStays) {
  OpenApiHashes hashes;
  EXPECT_EQ(hashes.Find("api/v1"), nullptr);
  hashes.Note("api/v1", 2, "two");
  hashes.Note("api/v1", 1, "one");
  ASSERT_NE(hashes.Find("api/v1"), nullptr);
  EXPECT_EQ(hashes.Find("api/v1")->text, "two");
  hashes.Note("api/v1", 2, "two again");
  EXPECT_EQ(hashes.Find("api/v1")->text, "two again");
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(OpenApiHashesTest, GroupsThatComeAndGo_FillAThousandPlacesAndNoMore) {
  OpenApiHashes hashes;
  hashes.Note("api/v1", 1, "core");
  for (std::size_t i = 1; i < 5 * OpenApiHashes::kMost; ++i) {
    const std::string path = "apis/g" + std::to_string(i) + ".example/v1";
    hashes.Note(path, i, "hash");
    ASSERT_LE(hashes.size(), OpenApiHashes::kMost);
    ASSERT_NE(hashes.Find(path), nullptr) << "the newest is there";
    if (i + 1 == OpenApiHashes::kMost) {
      EXPECT_NE(hashes.Find("api/v1"), nullptr) << "there is room for so many";
      hashes.Note("api/v1", i, "newer");
      EXPECT_EQ(hashes.size(), OpenApiHashes::kMost) << "one that is there needs no room";
    }
  }
}

}  // namespace
}  // namespace kinformer::apiserver
