#include "cli/sorting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using testing::HasSubstr;

// Returns the names of objects in the order of their member v.
std::string Order(const char* text, const char* path = ".v") {
  const json::Value all = json::Parse(text).OrExit();
  std::vector<const json::Value*> objects;
  for (const json::Value& object : all.items()) objects.push_back(&object);
  const auto order = OrderBy(path, objects);
  if (!order) return std::string(order.error().message());
  std::string names;
  for (const std::size_t position : *order) names += objects[position]->At("/n").StringOrEmpty();
  return names;
}

TEST(OrderBy, Values_ComeByTheirSize) {
  EXPECT_EQ(Order(R"([{"n":"a","v":10},{"n":"b","v":9},{"n":"c","v":-1},{"n":"d","v":9.5}])"),
            "cbda");
  EXPECT_EQ(
      Order(R"([{"n":"a","v":"z"},{"n":"b","v":"a10"},{"n":"c","v":"a2"},{"n":"d","v":"B"}])"),
      "dbca");
  EXPECT_EQ(Order(R"([{"n":"a","v":true},{"n":"b","v":false}])"), "ba");
}

TEST(OrderBy, Quantities_ComeByAmountWhereAllAreSome) {
  EXPECT_EQ(Order(R"([{"n":"a","v":"1Gi"},{"n":"b","v":"500Mi"},{"n":"c","v":"2"},)"
                  R"({"n":"d","v":"1500m"},{"n":"e","v":"100m"}])"),
            "edcba");
  EXPECT_EQ(Order(R"([{"n":"a","v":"1Gi"},{"n":"b","v":"500Mi"},{"n":"c","v":"x"}])"), "abc");
}

TEST(OrderBy, MissingValues_ComeFirstAndEqualOnesKeepTheirOrder) {
  EXPECT_EQ(
      Order(R"([{"n":"a","v":1},{"n":"b"},{"n":"c","v":null},{"n":"d","v":1},{"n":"e","v":0}])"),
      "bcead");
  EXPECT_EQ(Order(R"([{"n":"a","v":"x"},{"n":"b","v":1},{"n":"c","v":true}])"), "cba");
}

TEST(OrderBy, Paths_AreReadLikeThoseOfColumns) {
  const char* text = R"([{"n":"a","v":{"w":[2]}},{"n":"b","v":{"w":[1]}}])";
  for (const char* path : {"v.w[0]", ".v.w[0]", "{.v.w[*]}", "{v.w[0]}"}) {
    EXPECT_EQ(Order(text, path), "ba") << path;
  }
  EXPECT_EQ(Order(text, ".x"), "--sort-by: no object has a value at .x");
  EXPECT_THAT(Order(text, ".v"), HasSubstr("is no text or number, but an object"));
  EXPECT_THAT(Order(text, ".v.w[3]"), HasSubstr("--sort-by: array index out of bounds"));
  EXPECT_EQ(Order("[]", ".x"), "");
  EXPECT_THAT(CheckSortBy(".a[").error().message(), HasSubstr("--sort-by: {.a[}: at 4: "));
  EXPECT_THAT(CheckSortBy("").error().message(), HasSubstr("a path is empty"));
  EXPECT_TRUE(CheckSortBy(".a").ok());
}

}  // namespace
}  // namespace kinformer::cli
