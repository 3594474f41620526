#include "apiserver/discovery/storage_version_hash.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;

// Returns the hash of a resource of g.io/v1 with such a kind.
std::string HashOfKind(const std::string& kind) {
  ServedResource resource = Builtin("g.io/foos");
  resource.kind = kind;
  resource.verbs = {"get"};
  resource.versions = {ServedVersion::Make({.version = "v1"})};
  return StorageVersionHash(resource);
}

// The hashes of built-in kinds are those that real servers show in discovery; all are the first
// eight bytes of the SHA-256 of "group/version/Kind".
TEST(StorageVersionHashes, AreThoseOfARealServer) {
  const ResourceTable table{HistoryLimits()};
  const auto hash = [&](std::string_view group, std::string_view version, std::string_view plural) {
    return StorageVersionHash(*table.Find(group, version, plural).resource);
  };
  EXPECT_EQ(hash("", "v1", "pods"), "xPOwRZ+Yhw8=");
  EXPECT_EQ(hash("apps", "v1", "deployments"), "8aSe+NMegvE=");
  EXPECT_EQ(hash("", "v1", "events"), "r2yiGXH7wu8=");
  EXPECT_EQ(hash("events.k8s.io", "v1", "events"), "r2yiGXH7wu8=") << "stored in the core group";
  EXPECT_EQ(hash("autoscaling", "v2", "horizontalpodautoscalers"), "qwQve8ut294=");
  EXPECT_EQ(hash("autoscaling", "v1", "horizontalpodautoscalers"), "qwQve8ut294=");
  EXPECT_EQ(hash("apiextensions.k8s.io", "v1", "customresourcedefinitions"), "jfWCUB31mvA=")
      << "v1beta1 is stored";
}

TEST(StorageVersionHashes, TextsOfAllLengths_AreHashed) {
  EXPECT_EQ(HashOfKind("Foo"), "AaBqnOqszfc=");
  struct Row {
    std::size_t length;  // of the whole text, around the limits of blocks
    const char* hash;
  };
  for (const Row& row : {Row{55, "Hip31NfnudQ="}, Row{56, "2UybK7rTSiI="}, Row{64, "ZuGTGwgLWVI="},
                         Row{119, "cQpyd/KGwWQ="}, Row{120, "LKIdKB9HFC0="}}) {
    const std::size_t prefix = std::string_view("g.io/v1/").size();
    EXPECT_EQ(HashOfKind(std::string(row.length - prefix, 'K')), row.hash) << row.length;
  }
}

TEST(StorageVersionHashes, Version_IsTheOneThatIsStored) {
  ServedResource resource = Builtin("g.io/foos");
  resource.kind = "Foo";
  EXPECT_EQ(StorageVersionHash(resource), "");
  resource.verbs = {"get"};
  EXPECT_EQ(StorageVersionHash(resource), "") << "no version";
  resource.versions = {ServedVersion::Make({.version = "v2", .storage = false}),
                       ServedVersion::Make({.version = "v1"})};
  EXPECT_EQ(StorageVersionHash(resource), "AaBqnOqszfc=");
  resource.versions = {ServedVersion::Make({.version = "v1", .storage = false}),
                       ServedVersion::Make({.version = "v2", .storage = false})};
  EXPECT_EQ(StorageVersionHash(resource), "AaBqnOqszfc=") << "the first, if none is stored";
  resource.verbs = {"create"};
  EXPECT_EQ(StorageVersionHash(resource), "") << "reviews are not stored";

  ServedResource statuses = Builtin("componentstatuses");
  statuses.verbs = {"get"};
  statuses.versions = resource.versions;
  EXPECT_EQ(StorageVersionHash(statuses), "");
}

}  // namespace
}  // namespace kinformer::apiserver
