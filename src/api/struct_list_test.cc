// StructList: a std::vector in every respect.

#include "kinformer/object/struct_list.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"

namespace kinformer {
namespace {

using Container = corev1::Container::Mutable;
using testing::ElementsAre;

std::vector<std::string> Names(const std::vector<Container>& containers) {
  std::vector<std::string> names;
  for (const Container& container : containers) names.push_back(container.name);
  return names;
}

TEST(StructListTest, TakesWhatAStdVectorTakes) {
  corev1::PodSpec::Mutable spec{.containers = {{.name = "a"}, {.name = "b"}}};
  EXPECT_THAT(Names(spec.containers), ElementsAre("a", "b"));
  spec.containers = {{.name = "c"}};
  spec.containers.push_back({.name = "d"});
  const Container given{.name = "e"};
  spec.containers.push_back(given);
  spec.containers.emplace_back().name = "f";
  spec.containers.emplace_back(given).name = "g";
  EXPECT_THAT(Names(spec.containers), ElementsAre("c", "d", "e", "f", "g"));
  spec.containers.insert(spec.containers.begin(), given);
  std::erase_if(spec.containers, [](const Container& c) { return c.name == "d"; });
  std::ranges::reverse(spec.containers);
  EXPECT_THAT(Names(spec.containers), ElementsAre("g", "f", "e", "c", "e"));
  spec.containers.resize(2);
  spec.containers = spec.containers;  // NOLINT: to itself
  EXPECT_THAT(Names(spec.containers), ElementsAre("g", "f"));
  spec.containers = {};
  EXPECT_TRUE(spec.containers.empty());
}

TEST(StructListTest, ConvertsFromAndToStdVectors) {
  const std::vector<Container> vector{{.name = "a"}, {.name = "b"}};
  StructList<Container> list = vector;
  EXPECT_EQ(list, vector);
  list.clear();
  list = vector;
  EXPECT_EQ(list, vector);
  std::vector<Container> back = list;
  back.push_back({.name = "c"});
  const Container* const first = back.data();
  list = std::move(back);
  EXPECT_EQ(list.data(), first) << "moved, not copied";
  back = std::move(list);
  EXPECT_EQ(back.data(), first);
  std::vector<Container>& same = list;
  same = vector;
  EXPECT_EQ(list, vector);
}

TEST(StructListTest, CopyingCopiesTheItemsAndMovingTakesThem) {
  const StructList<Container> list{{.name = "a"}, {.name = "b"}};
  StructList<Container> copy = list;
  copy[0].name = "changed";
  EXPECT_THAT(Names(list), ElementsAre("a", "b"));
  const Container* const first = copy.data();
  StructList<Container> moved = std::move(copy);
  EXPECT_EQ(moved.data(), first);
  StructList<Container> assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), first);
  assigned = list;
  EXPECT_EQ(assigned, list);
  static_assert(std::is_nothrow_move_constructible_v<StructList<Container>> &&
                std::is_nothrow_move_assignable_v<StructList<Container>>);
}

TEST(StructListTest, AStructMayHaveAListOfItself) {
  apiextensionsv1::JSONSchemaProps::Mutable schema;
  schema.allOf.emplace_back().description = "inner";
  schema.allOf = schema.allOf[0].allOf;
  EXPECT_TRUE(schema.allOf.empty()) << "a list in an item of the list it replaces";
}

}  // namespace
}  // namespace kinformer
