// Keys and values of objects in a shared storage.

#include "apiserver/registry/stored_values.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/registry/stored_keys.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

class StoredForm : public ::testing::Test {
 protected:
  std::shared_ptr<ServedResource> Of(std::string_view group, std::string_view plural) {
    return resources_.FindGroupResource(group, plural);
  }
  std::string KeyOf(std::string_view group, std::string_view plural, std::string_view key) {
    return StoredKeyOf(*Of(group, plural), key);
  }
  std::string PlaceOf(std::string_view key) {
    const StoredPlace place = PlaceOfStored(resources_, key);
    return place.group + "|" + place.plural + "|" + place.key;
  }

  ResourceTable resources_{HistoryLimits{}};
};

TEST_F(StoredForm, Keys_AreThoseOfKubeApiserver) {
  struct Row {
    const char* group;
    const char* plural;
    const char* key;
    const char* stored;
  };
  for (const Row& row :
       {Row{"", "pods", "default/web-0", "pods/default/web-0"}, Row{"", "nodes", "n", "minions/n"},
        Row{"", "services", "d/s", "services/specs/d/s"},
        Row{"", "endpoints", "d/s", "services/endpoints/d/s"},
        Row{"", "replicationcontrollers", "d/s", "controllers/d/s"},
        Row{"networking.k8s.io", "ingresses", "d/s", "ingress/d/s"},
        Row{"apps", "deployments", "d/s", "deployments/d/s"},
        Row{"", "namespaces", "d", "namespaces/d"},
        Row{"rbac.authorization.k8s.io", "clusterroles", "system:node", "clusterroles/system:node"},
        Row{"apiextensions.k8s.io", "customresourcedefinitions", "a.b.c",
            "apiextensions.k8s.io/customresourcedefinitions/a.b.c"}}) {
    EXPECT_EQ(KeyOf(row.group, row.plural, row.key), row.stored);
    EXPECT_EQ(PlaceOf(row.stored), std::string(row.group) + "|" + row.plural + "|" + row.key);
  }
  EXPECT_EQ(PlaceOf("example.com/widgets/d/w"), "example.com|widgets|d/w");
  for (const char* other : {"ranges/serviceips", "masterleases/10.0.0.1", "pods", "services",
                            "services/specs/", "example.com", "example.com/widgets", ""}) {
    EXPECT_EQ(PlaceOf(other), "||") << other;
  }
}

TEST_F(StoredForm, Value_IsTheObjectWithoutItsVersion) {
  const json::Value map = json::Parse(R"({"metadata":{"name":"x","namespace":"d","uid":"u",
      "creationTimestamp":"t","labels":{"resourceVersion":"no"}},"data":{"a":"b"}})")
                              .OrExit();
  const auto maps = Of("", "configmaps");
  const std::string value = ValueOf(*maps, *StoredObject::Make(map, 7, {}));
  EXPECT_EQ(value,
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"d",)"
            R"("uid":"u","creationTimestamp":"t","labels":{"resourceVersion":"no"}},)"
            R"("data":{"a":"b"}})");
  const auto read = ReadValue(resources_, maps.get(), value);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->version, "v1");
  EXPECT_EQ(read->object, map);
  // The version may be the last member.
  const json::Value bare = json::Parse(R"({"metadata":{"name":"x","uid":"u"}})").OrExit();
  EXPECT_EQ(ValueOf(*maps, *StoredObject::Make(bare, 7, {})),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","uid":"u"}})");
}

TEST_F(StoredForm, ProtobufOfKubeApiserver_IsRead) {
  const auto maps = Of("", "configmaps");
  const std::string message =
      internal::JsonToProtobuf(*maps->versions.front()->message,
                               R"({"metadata":{"name":"x","namespace":"d"},"data":{"a":"b"}})")
          .OrExit();
  const auto read = ReadValue(resources_, maps.get(), Envelope("v1", "ConfigMap", message));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->object["data"].Dump(), R"({"a":"b"})");
  EXPECT_EQ(read->object.At("/metadata/name").StringOrEmpty(), "x");
}

TEST_F(StoredForm, ValueInAnotherVersion_IsConverted) {
  const auto events = Of("", "events");
  const auto read = ReadValue(resources_, events.get(),
                              R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":
      {"name":"e","namespace":"d"},"note":"hello","regarding":{"kind":"Pod","name":"p"}})");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->object["message"].StringOrEmpty(), "hello");
  EXPECT_EQ(read->object.At("/involvedObject/name").StringOrEmpty(), "p");
}

TEST_F(StoredForm, OtherValues_AreErrors) {
  const auto maps = Of("", "configmaps");
  for (const std::string& value :
       {std::string("nothing"), std::string("{}"), std::string("k8s:enc:aescbc:v1:key:x"),
        std::string(R"({"kind":"Gadget","apiVersion":"v9","metadata":{}})"),
        Envelope("v9", "Gadget", "x"), Envelope("v1", "ConfigMap", "\xff")}) {
    const auto read = ReadValue(resources_, maps.get(), value);
    ASSERT_FALSE(read.ok()) << value;
    EXPECT_EQ(read.error().reason(), Reason::kDecode);
  }
}

TEST_F(StoredForm, Claims_AreWhatOneServiceMayHave) {
  const json::Value service = json::Parse(R"({"metadata":{"name":"s","namespace":"d"},"spec":{
      "clusterIPs":["10.96.0.5"],"ports":[{"port":80,"protocol":"TCP","nodePort":30001},
      {"port":81,"protocol":"TCP"}]}})")
                                  .OrExit();
  const StoredObjectPtr stored = StoredObject::Make(service, 1, {});
  EXPECT_EQ(ClaimsOf(*Of("", "services"), stored.get()),
            (std::vector<std::string>{"address/10.96.0.5", "port/30001/TCP"}));
  EXPECT_TRUE(ClaimsOf(*Of("", "services"), nullptr).empty());
  EXPECT_TRUE(ClaimsOf(*Of("", "pods"), stored.get()).empty());
}

}  // namespace
}  // namespace kinformer::apiserver
