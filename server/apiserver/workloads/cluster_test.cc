#include "apiserver/workloads/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const Objects& objects) {
  std::vector<std::string> out;
  for (const json::Value* object : objects) out.push_back(NameOf(*object));
  return out;
}

json::Value Pod(const std::string& namespace_, const std::string& name, const std::string& node,
                const std::string& owner) {
  return yaml::Parse("metadata: {namespace: " + namespace_ + ", name: " + name +
                     ", ownerReferences: [" +
                     (owner.empty() ? "" : "{uid: " + owner + ", controller: true}") +
                     "]}\nspec: {nodeName: '" + node + "'}\n")
      .OrExit();
}

TEST(Cluster, Indexes_FollowTheObjects) {
  Cluster cluster;
  EXPECT_FALSE(cluster.Put(Kind::kPod, Pod("d", "a", "", "")).has_value());
  cluster.Put(Kind::kPod, Pod("d", "b", "n1", "u"));
  cluster.Put(Kind::kPod, Pod("other", "c", "n1", "u"));
  EXPECT_THAT(Names(cluster.In(Kind::kPod, "d")), ElementsAre("a", "b"));
  EXPECT_THAT(Names(cluster.Orphans(Kind::kPod, "d")), ElementsAre("a"));
  EXPECT_THAT(Names(cluster.OwnedBy(Kind::kPod, "u")), ElementsAre("b", "c"));
  EXPECT_THAT(Names(cluster.PodsOn("")), ElementsAre("a"));
  const auto before = cluster.Put(Kind::kPod, Pod("d", "a", "n1", "v"));
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(Text(*before, "/spec/nodeName"), "");
  EXPECT_THAT(cluster.Orphans(Kind::kPod, "d"), IsEmpty());
  EXPECT_THAT(Names(cluster.PodsOn("n1")), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(cluster.Remove(Kind::kPod, "d/b").has_value());
  EXPECT_FALSE(cluster.Remove(Kind::kPod, "d/b").has_value());
  EXPECT_THAT(Names(cluster.OwnedBy(Kind::kPod, "u")), ElementsAre("c"));
  EXPECT_EQ(cluster.Find(Kind::kPod, "d/b"), nullptr);
  EXPECT_NE(cluster.Find(Kind::kPod, "d", "a"), nullptr);
  cluster.Clear();
  EXPECT_THAT(cluster.PodsOn("n1"), IsEmpty());
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
