// Golden objects of the k8s.io/api module, of its newest and of older releases: for every kind,
// JSON to protobuf gives its .pb byte for byte, protobuf to JSON gives its .json, and its .yaml has
// the same content. Fields unknown to older tables survive. The environment names the folder;
// without it the tests are skipped.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "object/transcode/transcode.h"
#include "object/values/text_forms.h"
#include "wire/envelope.h"

namespace kinformer::internal {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Returns the kind of "apps.v1.Deployment"; the group may contain points.
const KindInfo* TypeOf(const std::string& stem) {
  const std::size_t kind = stem.rfind('.');
  const std::size_t version = stem.rfind('.', kind - 1);
  std::string group = stem.substr(0, version);
  if (group == "core") group.clear();
  return FindType(group, stem.substr(version + 1, kind - version - 1), stem.substr(kind + 1));
}

// Kinds of older releases that the newest module no longer has: alpha versions change often, v0.36
// removed betas that no server has served for a long time, and v0.37 a kind that none ever has.
bool IsGone(const std::string& stem) {
  return stem.find("alpha") != std::string::npos || stem == "core.v1.PodStatusResult" ||
         stem == "autoscaling.v2beta1.HorizontalPodAutoscaler" ||
         stem == "autoscaling.v2beta2.HorizontalPodAutoscaler";
}

fs::path Testdata() {
  const char* const folder = std::getenv("KINFORMER_K8S_API_TESTDATA");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

// Golden objects of one release, by "group.version.Kind".
struct Golden {
  std::string json;  // compact, since embedded objects are kept verbatim
  std::string pb;
  std::string yaml;
  // Result of Go for an older release's object, where the newest tables read it differently;
  // otherwise the same as above.
  std::string json_again;
  std::string pb_again;
};

// The oldest release whose results of Go come from the newest module. An older module does not know
// what newer types add to its objects; the result for the same object here does.
constexpr const char* kOldestOfNewestModule = "v1.33.0";

std::map<std::string, Golden> ReadRelease(const std::string& release) {
  std::map<std::string, Golden> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(Testdata() / release)) {
    const fs::path& path = entry.path();
    const std::string stem = path.stem().string();
    // A WatchEvent is sent without an envelope and a kind.
    if (path.extension() != ".json" || stem.ends_with(".after_roundtrip") ||
        stem == "core.v1.WatchEvent")
      continue;
    const auto beside = [&](const char* extension) {
      return ReadFile(fs::path(path).replace_extension(extension));
    };
    Golden golden;
    AppendCompactJson(ReadFile(path), golden.json);
    golden.pb = beside(".pb");
    golden.yaml = beside(".yaml");
    AppendCompactJson(beside(".after_roundtrip.json"), golden.json_again);
    golden.pb_again = beside(".after_roundtrip.pb");
    const fs::path newer = Testdata() / kOldestOfNewestModule / path.stem();
    if (golden.json_again.empty() && golden.pb == ReadFile(newer.string() + ".pb")) {
      AppendCompactJson(ReadFile(newer.string() + ".after_roundtrip.json"), golden.json_again);
      golden.pb_again = ReadFile(newer.string() + ".after_roundtrip.pb");
    }
    if (golden.json_again.empty()) golden.json_again = golden.json;
    if (golden.pb_again.empty()) golden.pb_again = golden.pb;
    if (!golden.pb.empty()) all.emplace(stem, std::move(golden));
  }
  return all;
}

std::string JsonOf(const KindInfo& type, std::string_view message) {
  std::string json;
  const Result<void> done =
      ProtobufToJson(*type.message, message, json, TypeMetaJson(type.kind, type.apiVersion()));
  if (!done.ok()) ADD_FAILURE() << done.error();
  return json;
}

class Fixtures : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (Testdata().empty()) GTEST_SKIP() << "KINFORMER_K8S_API_TESTDATA does not name a folder";
    if (!fs::exists(Testdata() / GetParam())) FAIL() << Testdata() / GetParam() << " is missing";
  }
};

TEST_P(Fixtures, BothWays) {
  const bool newest = std::string(GetParam()) == "HEAD";
  // The bytes of its module lack the zeros of two members that pods have since 1.33, and that Go
  // writes since then.
  const bool other_zeros = std::string(GetParam()) == "v1.30.0";
  int kinds = 0;
  for (const auto& [stem, golden] : ReadRelease(GetParam())) {
    SCOPED_TRACE(stem);
    const KindInfo* type = TypeOf(stem);
    if (type == nullptr) {
      EXPECT_TRUE(IsGone(stem)) << "the kind is unknown";
      EXPECT_FALSE(newest);
      continue;
    }
    FieldProblems problems;
    const Result<std::string> message = JsonToProtobuf(*type->message, golden.json, &problems);
    if (!message) {
      ADD_FAILURE() << message.error();
      continue;
    }
    if (newest) {
      EXPECT_TRUE(problems.unknown.empty()) << problems.unknown.front();
    }
    EXPECT_TRUE(wire::SealEnvelope(type->apiVersion(), type->kind, *message) == golden.pb_again ||
                (other_zeros && stem == "core.v1.Pod"))
        << "protobuf differs";
    EXPECT_EQ(JsonOf(*type, *message), golden.json_again);
    // Also from the bytes of the release itself.
    const Result<wire::Envelope> opened = wire::OpenEnvelope(golden.pb);
    ASSERT_TRUE(opened) << opened.error();
    EXPECT_EQ(JsonOf(*type, opened->message), golden.json_again);

    const Result<json::Value> from_json = json::Parse(golden.json);
    const Result<json::Value> from_yaml = yaml::Parse(golden.yaml);
    ASSERT_TRUE(from_json) << from_json.error();
    ASSERT_TRUE(from_yaml) << from_yaml.error();
    EXPECT_TRUE(*from_yaml == *from_json) << "YAML differs";
    EXPECT_EQ(yaml::Dump(*from_json), golden.yaml);
    ++kinds;
  }
  EXPECT_GT(kinds, 140);
}

// Blocks keep fields that their kind's tables do not know: everything in a newer release's object
// read with an older release's tables.
TEST_P(Fixtures, BlocksKeepAll) {
  int kinds = 0;
  for (const auto& [stem, golden] : ReadRelease(GetParam())) {
    const KindInfo* type = TypeOf(stem);
    if (type == nullptr || stem.ends_with("List")) continue;
    SCOPED_TRACE(stem);
    const Result<wire::Envelope> opened = wire::OpenEnvelope(golden.pb);
    ASSERT_TRUE(opened) << opened.error();
    const Result<ObjectRef> block = BuildFromProtobuf(*type, opened->message);
    if (!block) continue;  // options and reviews have no metadata
    EXPECT_TRUE((*block)->payload() == opened->message);
    ++kinds;
  }
  EXPECT_GT(kinds, 90);
}

INSTANTIATE_TEST_SUITE_P(Releases, Fixtures,
                         testing::Values("HEAD", "v1.36.0", "v1.35.0", "v1.34.0", "v1.33.0",
                                         "v1.32.0", "v1.31.0", "v1.30.0"),
                         [](const auto& release) {
                           std::string name = release.param;
                           std::erase(name, '.');
                           return name;
                         });

// Tables of an older release: without the field `cut`, and without the messages that only this
// field uses.
class OlderTables {
 public:
  explicit OlderTables(const MutableTable& newest, std::set<std::string_view> cut)
      : cut_(std::move(cut)), root_(Make(newest)) {}
  [[nodiscard]] const MutableTable& root() const { return *root_; }

 private:
  struct Table {
    std::vector<FieldDescriptor> fields;
    std::vector<std::uint16_t> by_name;
    std::vector<std::uint16_t> json_order;
    std::vector<MutableField> members;
    MessageDescriptor message;
    MutableTable table;
  };

  const MutableTable* Make(const MutableTable& newest) {
    if (const auto made = made_.find(&newest); made != made_.end()) return &made->second.table;
    Table& older = made_[&newest];
    std::vector<std::size_t> place(newest.fields.size(), newest.fields.size());
    for (std::size_t i = 0; i < newest.fields.size(); ++i) {
      const FieldDescriptor& field = newest.message->fields[i];
      if (cut_.contains(field.json_name)) continue;
      place[i] = older.fields.size();
      older.fields.push_back(field);
      older.members.push_back(newest.fields[i]);
    }
    const auto keep = [&](std::span<const std::uint16_t> from, std::vector<std::uint16_t>& to) {
      for (const std::uint16_t i : from) {
        if (place[i] != newest.fields.size()) to.push_back(static_cast<std::uint16_t>(place[i]));
      }
    };
    keep(newest.message->by_name, older.by_name);
    keep(newest.message->json_order, older.json_order);
    for (std::size_t i = 0; i < older.fields.size(); ++i) {
      if (older.members[i].table == nullptr) continue;
      older.members[i].table = Make(*older.members[i].table);
      older.fields[i].message = older.members[i].table->message;
    }
    older.message = *newest.message;
    older.message.fields = older.fields;
    older.message.by_name = older.by_name;
    older.message.json_order = older.json_order;
    older.table = newest;
    older.table.message = &older.message;
    older.table.fields = older.members;
    return &older.table;
  }

  std::set<std::string_view> cut_;
  std::map<const MutableTable*, Table> made_;
  const MutableTable* root_;
};

// A client built before these fields existed reads a pod, changes it and sends it: all the fields
// must survive.
TEST(OlderTables, FieldsTheyDoNotKnowSurviveAReadModifyWrite) {
  if (Testdata().empty()) GTEST_SKIP() << "KINFORMER_K8S_API_TESTDATA does not name a folder";
  const MutableTable& newest = corev1::PodMutable::mutable_table();
  // The fields are in children of the root, and further down: in lists, in values of maps, and in
  // messages inside those.
  const OlderTables older(newest, {"resizePolicy", "ephemeralContainers", "schedulingGates",
                                   "hostUsers", "resourceClaimStatuses", "observedGeneration",
                                   "ownerReferences", "seccompProfile", "claims", "phase"});
  const std::map<std::string, Golden> release = ReadRelease("HEAD");
  const Result<wire::Envelope> opened = wire::OpenEnvelope(release.at("core.v1.Pod").pb);
  ASSERT_TRUE(opened) << opened.error();
  const std::string before = JsonOf(corev1::Pod::kind_info(), opened->message);
  ASSERT_NE(before.find("\"resizePolicy\""), std::string::npos);

  corev1::PodMutable pod;
  ASSERT_TRUE(DecodeMutable(older.root(), opened->message, &pod).ok());
  EXPECT_EQ(pod.status.phase, "") << "older tables know no phase";
  pod.spec.nodeName = "elsewhere";
  const std::string written = EncodeMutable(older.root(), &pod);
  EXPECT_EQ(EncodeMutableJson(older.root(), &pod).find("\"resizePolicy\""), std::string::npos);

  Result<json::Value> expected = json::Parse(before);
  ASSERT_TRUE(expected) << expected.error();
  expected->Ensure("spec", "nodeName") = "elsewhere";
  const Result<json::Value> after = json::Parse(JsonOf(corev1::Pod::kind_info(), written));
  ASSERT_TRUE(after) << after.error();
  EXPECT_TRUE(*after == *expected) << after->Dump();
}

}  // namespace
}  // namespace kinformer::internal
