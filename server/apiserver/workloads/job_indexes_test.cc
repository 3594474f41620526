#include "apiserver/workloads/job_indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::ElementsAre;

TEST(JobIndexes, Text_IsReadAndWritten) {
  EXPECT_EQ(IndexesText({0, 1, 2, 4, 6, 7}), "0-2,4,6,7");
  EXPECT_EQ(IndexesText({}), "");
  EXPECT_THAT(ParseIndexes("0-2,4", 10), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(ParseIndexes("8-99999999999", 10), ElementsAre(8, 9));
  EXPECT_THAT(ParseIndexes("x,3,-1,2-", 10), ElementsAre(3));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
