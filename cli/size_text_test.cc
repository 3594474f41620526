#include "cli/size_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using ::testing::ElementsAre;

ClusterSize Example() {
  ClusterSize size;
  size.process = {100, 0.002, 16e6, 15e6};
  SizedResource pods{.name = "pods",
                     .objects = 50'000,
                     .sampled = 250,
                     .names = 50'000,
                     .error = 0.0123,
                     .encoding = "protobuf",
                     .initial_list = "watch-list",
                     .figures = {100e6, 0.12, 111e6, 110e6}};
  pods.options.push_back({"drop_managed_fields", {100e6, 0.11, 81e6, 80e6}});
  pods.namespaces = {{"batch", 40'000}};
  size.resources.push_back(pods);
  size.resources.push_back(
      {.name = "nodes", .objects = 3, .sampled = 3, .names = 3, .figures = {2000, 0, 3000, 1024}});
  size.resources.back().namespaces = {{"", 3}};
  return size;
}

TEST(SizeText, Bytes_HaveThreeDigitsAndAUnit) {
  EXPECT_EQ(BytesText(0), "0");
  EXPECT_EQ(BytesText(1023), "1023");
  EXPECT_EQ(BytesText(1536), "1.50Ki");
  EXPECT_EQ(BytesText(98.25 * 1024), "98.2Ki");
  EXPECT_EQ(BytesText(200.0 * 1024 * 1024), "200Mi");
  EXPECT_EQ(BytesText(3.0 * 1024 * 1024 * 1024 * 1024 * 1024), "3072Ti");
}

TEST(SizeText, Table_HasOptionsProcessAndTotal) {
  EXPECT_THAT(
      SizeTable(Example()),
      ElementsAre("RESOURCE                OBJECTS   WIRE     CPU     START    SETTLED   SAMPLE",
                  "pods                    50000     95.4Mi   120ms   106Mi    105Mi     250 ±2%",
                  "  drop_managed_fields             95.4Mi   110ms   77.2Mi   76.3Mi",
                  "nodes                   3         1.95Ki   0ms     2.93Ki   1.00Ki    all",
                  "process                           100      2ms     15.3Mi   14.3Mi",
                  "total                   50003     95.4Mi   122ms   121Mi    119Mi"));
}

TEST(SizeText, Measured_AddsTheDifference) {
  ClusterSize size = Example();
  size.measured = SizeFigures{100e6, 0, 130e6, 125e6};
  size.measured_objects = 50'010;
  const std::vector<std::string> lines = SizeTable(size);
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[6], "measured                50010     95.4Mi   0ms     124Mi    119Mi");
  EXPECT_EQ(lines[7], "difference                        +0.0%            -2.3%    +0.0%");
}

TEST(SizeText, Json_HasAllFigures) {
  ClusterSize size = Example();
  size.measured = SizeFigures{100e6, 0, 130e6, 125e6};
  size.measured_objects = 50'010;
  const json::Value value = SizeJson(size);
  EXPECT_EQ(value.At("/resources/0/resource").StringOrEmpty(), "pods");
  EXPECT_EQ(value.At("/resources/0/error").AsDouble(), 0.0123);
  EXPECT_EQ(value.At("/resources/0/settledBytes").AsInt64(), 110'000'000);
  EXPECT_EQ(value.At("/resources/0/options/0/option").StringOrEmpty(), "drop_managed_fields");
  EXPECT_EQ(value.At("/resources/0/options/0/startBytes").AsInt64(), 81'000'000);
  EXPECT_EQ(value.At("/resources/0/namespaces/0/objects").AsInt64(), 40'000);
  EXPECT_EQ(value.At("/resources/1/namespaces").size(), 0U);
  EXPECT_EQ(value.At("/process/wireBytes").AsInt64(), 100);
  EXPECT_EQ(value.At("/total/settledBytes").AsInt64(), 125'001'024);
  EXPECT_EQ(value.At("/measured/objects").AsInt64(), 50'010);
}

}  // namespace
}  // namespace kinformer::cli
