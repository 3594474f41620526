// Effects of a custom resource's schemas on objects in writes and reads: defaults, differences
// between versions, and limits.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kThings = "/apis/x.example/v1/namespaces/default/things";
constexpr std::string_view kOthers = "/apis/x.example/v2/namespaces/default/things";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const HeaderList kApply = {{"Content-Type", "application/apply-patch+yaml"}};

class CustomVersionsTest : public ::testing::Test {
 protected:
  // `versions`: YAML.
  void Define(const std::string& versions) {
    const json::Value definition = yaml::Parse(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.x.example}
spec:
  group: x.example
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:)" + versions)
                                       .OrExit();
    const Reply reply = server_.Do("POST", kDefinitions, definition.Dump());
    ASSERT_EQ(reply.status, 201) << reply.body;
  }

  Reply Make(std::string_view path, std::string_view name, std::string_view spec,
             std::string_view query = "") {
    return server_.Do("POST", std::string(path) + std::string(query),
                      R"({"apiVersion":"x.example/)" + std::string(path == kThings ? "v1" : "v2") +
                          R"(","kind":"Thing","metadata":{"name":")" + std::string(name) +
                          R"("},"spec":)" + std::string(spec) + "}");
  }

  static std::string Part(const Reply& reply, std::string_view pointer) {
    return reply.Json().At(pointer).Dump({.sort_keys = true});
  }

  TestServer server_;
};

constexpr std::string_view kStatusDefault = R"(
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {a: {type: string, default: A}}}
          status:
            type: object
            default: {phase: New}
            properties: {phase: {type: string}, k: {type: integer, default: 7}}
)";

TEST_F(CustomVersionsTest, StatusDefault_IsShownByEveryWriteAndRead) {
  Define(std::string(kStatusDefault));
  constexpr std::string_view kStatus = R"({"k":7,"phase":"New"})";
  EXPECT_EQ(Part(Make(kThings, "dry", "{}", "?dryRun=All"), "/status"), kStatus);
  const Reply made = Make(kThings, "a", "{}");
  EXPECT_EQ(Part(made, "/status"), kStatus);
  const std::string item = std::string(kThings) + "/a";
  EXPECT_EQ(Part(server_.Get(item), "/status"), kStatus);
  EXPECT_EQ(Part(server_.Get(kThings), "/items/0/status"), kStatus);
  const auto watch = server_.Open(std::string(kThings) + "?watch=1");
  watch->Pull();
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].At("/object/status").Dump({.sort_keys = true}), kStatus);
  // A status in a write of the object is ignored.
  EXPECT_EQ(
      Part(server_.Do("PATCH", item, R"({"spec":{"a":"B"},"status":{"phase":"Old"}})", kMerge),
           "/status"),
      kStatus);
  EXPECT_EQ(Part(server_.Do("PATCH", item + "/status", R"({"status":{"phase":"Old"}})", kMerge),
                 "/status"),
            R"({"k":7,"phase":"Old"})");
}

constexpr std::string_view kTwoVersions = R"(
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,
      properties: {x: {type: string, default: one}, z: {type: string}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,
      properties: {"y": {type: string}, z: {type: string}}}}}}
)";

TEST_F(CustomVersionsTest, ConversionNone_EachVersionShowsWhatItHas) {
  Define(std::string(kTwoVersions));
  EXPECT_EQ(Part(Make(kThings, "a", R"({"z":"s"})"), "/spec"), R"({"x":"one","z":"s"})");
  constexpr std::string_view kShown = R"({"z":"s"})";
  EXPECT_EQ(Part(server_.Get(std::string(kOthers) + "/a"), "/spec"), kShown);
  EXPECT_EQ(Part(server_.Get(kOthers), "/items/0/spec"), kShown);
  const auto watch = server_.Open(std::string(kOthers) + "?watch=1");
  watch->Pull();
  // A write in that version loses its unknown fields, and cannot set fields of the stored version.
  EXPECT_EQ(Part(Make(kOthers, "b", R"({"y":"b"})"), "/spec"), "{}");
  EXPECT_EQ(Part(server_.Get(std::string(kThings) + "/b"), "/spec"), R"({"x":"one"})");
  server_.sim().RunFor(std::chrono::seconds(1));
  watch->Pull();
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].At("/object/spec").Dump(), kShown);
  EXPECT_EQ(frames[1].At("/object/spec").Dump(), "{}");
  EXPECT_EQ(frames[1].At("/object/apiVersion").StringOrEmpty(), "x.example/v2");
}

TEST_F(CustomVersionsTest, ConversionNone_CallsInTheProcessNeedNotWait) {
  Define(std::string(kTwoVersions));
  Make(kThings, "a", R"({"z":"s"})");
  const GroupVersionResource v2{.group = "x.example", .version = "v2", .resource = "things"};
  const auto got = server_.server().Get(v2, {"default", "a"});
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)["spec"].Dump(), R"({"z":"s"})");
  const auto all = server_.server().List(v2);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ((*all)[0]["spec"].Dump(), R"({"z":"s"})");
}

// A hundred thousand empty objects, each with a default of 40 KB, in a body of some 300 KB.
TEST_F(CustomVersionsTest, DefaultsThatMultiply_AreRefusedWhileTheyAreMade) {
  Define(R"(
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      list: {type: array, items: {type: object, properties: {
        fat: {type: string, default: )" +
         std::string(40'000, 'x') + "}}}}}}}}}\n");
  std::string list = "{";
  for (int i = 0; i < 100'000; ++i) list += i == 0 ? R"("list":[{})" : ",{}";
  for (const char* query : {"", "?dryRun=All"}) {
    const Reply reply = Make(kThings, "a", list + "]}", query);
    EXPECT_EQ(reply.status, 413) << reply.body.substr(0, 200);
    EXPECT_THAT(reply.body, HasSubstr("the defaults of its schema would add more than"));
  }
  EXPECT_EQ(Make(kThings, "a", R"({"list":[{},{}]})").status, 201);
}

// The server keeps all objects once more for each version that is read.
TEST_F(CustomVersionsTest, ManyVersions_AreNotAllKept) {
  constexpr int kVersions = 40;
  std::string versions;
  for (int i = 1; i <= kVersions; ++i) {
    const std::string n = std::to_string(i);
    versions += "\n  - {name: v" + n + ", served: true, storage: " + (i == 1 ? "true" : "false") +
                ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, "
                "properties: {x: {type: string}, f" +
                n + ": {type: string}}}}}}}";
  }
  Define(versions);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(
        Make(kThings, "o" + std::to_string(i), R"({"x":")" + std::string(500'000, 'x') + "\"}")
            .status,
        201);
  }
  const auto path = [](int i, std::string_view query) {
    return "/apis/x.example/v" + std::to_string(i) + "/namespaces/default/things" +
           std::string(query);
  };
  // Watched versions are kept for as long as there is room.
  const auto watch = server_.Open(path(2, "?watch=1"));
  server_.sim().RunReady();
  const std::size_t before = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  for (int round = 0; round < 2; ++round) {
    for (int i = 2; i <= kVersions; ++i) {
      const Reply reply = server_.Get(path(i, "?limit=1"));
      ASSERT_EQ(reply.status, 200) << reply.body.substr(0, 500);
      ASSERT_THAT(reply.body, HasSubstr("\"o0\""));
    }
  }
  // Eight versions of 2 MB each. With a sanitizer's allocator, mallinfo2 reports nothing.
  EXPECT_LT(::mallinfo2().uordblks + ::mallinfo2().hblkhd, before + (std::size_t{24} << 20));
  EXPECT_FALSE(watch->ended()) << "of those that may go, the watched one is the last";
  // If all are watched, the least recently used version is dropped.
  std::vector<std::unique_ptr<OpenReply>> watches;
  for (int i = 3; i <= 12; ++i) {
    watches.push_back(server_.Open(path(i, "?watch=1")));
    server_.sim().RunReady();
    watches.back()->Pull(std::size_t{16} << 20);
  }
  server_.sim().RunReady();
  watch->Pull(std::size_t{16} << 20);
  EXPECT_TRUE(watch->ended()) << "its client begins anew";
  EXPECT_FALSE(watches.back()->ended());
}

TEST_F(CustomVersionsTest, DeprecatedVersion_TheWarningNamesTheNewer) {
  std::string versions;
  for (const char* name : {"v1beta1", "v1beta2", "v1", "v2"}) {
    const bool deprecated = std::string_view(name) == "v1beta1" || std::string_view(name) == "v2";
    versions += "\n  - {name: " + std::string(name) +
                ", served: true, storage: " + (std::string_view(name) == "v1" ? "true" : "false") +
                ", deprecated: " + (deprecated ? "true" : "false") +
                ", schema: {openAPIV3Schema: {type: object}}}";
  }
  Define(versions + "\n");
  const auto warning = [&](const std::string& version) {
    const Reply reply = server_.Get("/apis/x.example/" + version + "/namespaces/default/things");
    return std::string(reply.headers.Get("Warning"));
  };
  EXPECT_EQ(warning("v1beta1"),
            R"(299 - "x.example/v1beta1 Thing is deprecated; use x.example/v1 Thing")");
  EXPECT_EQ(warning("v2"), R"(299 - "x.example/v2 Thing is deprecated")");
}

TEST_F(CustomVersionsTest, FinalizerWithoutADomain_IsSaidWhereItComesIn) {
  Define(std::string(kStatusDefault));
  const std::string all(kThings);
  const Reply made = server_.Do("POST", all,
                                R"({"apiVersion":"x.example/v1","kind":"Thing",
          "metadata":{"name":"a","finalizers":["mine","a.b","c.d/e"]}})");
  EXPECT_EQ(made.status, 201);
  std::vector<std::string> warnings;
  for (const auto& [name, value] : made.headers) {
    if (name == "Warning") warnings.emplace_back(value);
  }
  constexpr const char* kEnd = "to avoid accidental conflicts with other finalizer writers";
  EXPECT_THAT(
      warnings,
      ElementsAre(AllOf(HasSubstr("a.b"), HasSubstr("including a path (/)"), HasSubstr(kEnd)),
                  AllOf(HasSubstr("mine"), Not(HasSubstr("including")), HasSubstr(kEnd))));
  const Reply again = server_.Do("PATCH", all + "/a", R"({"spec":{"a":"c"}})", kMerge);
  EXPECT_EQ(again.headers.Get("Warning"), "");
}

TEST_F(CustomVersionsTest, Apply_ListsByKeyKeepTheElementsOfOthers) {
  Define(R"(
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
             items: {type: object, required: [k], properties: {k: {type: string},
                     v: {type: integer}}}}}}}}}
)");
  const auto apply = [&](const std::string& manager, const std::string& list) {
    return server_.Do(
        "PATCH", std::string(kThings) + "/a?fieldManager=" + manager,
        "{apiVersion: x.example/v1, kind: Thing, metadata: {name: a}, spec: {list: " + list + "}}",
        kApply);
  };
  EXPECT_EQ(apply("m1", "[{k: a, v: 1}]").status, 201);
  EXPECT_EQ(Part(apply("m2", "[{k: b}]"), "/spec/list"), R"([{"k":"a","v":1},{"k":"b"}])");
  EXPECT_EQ(apply("m2", "[{v: 1}]").status, 500);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
