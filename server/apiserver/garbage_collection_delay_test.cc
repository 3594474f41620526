// Dependents of an owner that is deleted but not yet collected.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

std::string MapPath(const std::string& ns, const std::string& name) {
  return "/api/v1/namespaces/" + ns + "/configmaps/" + name;
}

class CollectionDelay : public ::testing::Test {
 protected:
  CollectionDelay() {
    EXPECT_TRUE(
        server_.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: far}").ok());
  }
  void MakeDependent(const std::string& ns, const std::string& name, const std::string& owner) {
    const json::Value object = Json(
        R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns +
        R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
        owner + R"("}]}})");
    ASSERT_TRUE(server_.server().Create(kConfigMaps, object).ok());
  }
  int Status(const std::string& ns, const std::string& name) {
    return server_.Get(MapPath(ns, name)).status;
  }
  TestServer server_{{.garbage_collection_delay = seconds(10)}};
};

TEST_F(CollectionDelay, LateDependents_GoAtOnceIfTheyAreOfTheNamespace) {
  server_.MakeConfigMap("default", "owner");
  const std::string owner =
      server_.Get(MapPath("default", "owner")).Json().At("/metadata/uid").StringOrEmpty();
  MakeDependent("default", "early", owner);
  ASSERT_TRUE(server_.server().Delete(kConfigMaps, {"default", "owner"}).ok());
  // So many others are deleted that the owner is remembered only as one that is collected.
  for (int i = 0; i < 4097; ++i) {
    server_.MakeConfigMap("default", "other");
    ASSERT_TRUE(server_.server().Delete(kConfigMaps, {"default", "other"}).ok());
  }
  MakeDependent("default", "late", owner);
  MakeDependent("far", "late", owner);
  server_.sim().RunReady();
  EXPECT_EQ(Status("default", "late"), 404);
  EXPECT_EQ(Status("default", "early"), 200) << "its time has not come";
  EXPECT_EQ(Status("far", "late"), 200) << "an owner of another namespace does not count";
  server_.sim().RunFor(seconds(10));
  EXPECT_EQ(Status("default", "early"), 404);
  EXPECT_EQ(Status("far", "late"), 200);
}

TEST_F(CollectionDelay, OwnerDeletedAgainAfterARestore_IsCollectedOnce) {
  server_.MakeConfigMap("default", "owner");
  const std::string owner =
      server_.Get(MapPath("default", "owner")).Json().At("/metadata/uid").StringOrEmpty();
  MakeDependent("default", "child", owner);
  const std::int64_t before = server_.server().current_resource_version();
  server_.server().Delete(kConfigMaps, {"default", "owner"}).OrExit();
  server_.sim().RunFor(seconds(1));
  server_.server().Restore(before).OrExit();
  server_.server().Delete(kConfigMaps, {"default", "owner"}).OrExit();
  server_.sim().RunFor(seconds(20));
  EXPECT_EQ(Status("default", "child"), 404);
  EXPECT_EQ(Status("default", "owner"), 404);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
