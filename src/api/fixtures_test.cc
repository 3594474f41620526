// The golden objects of the k8s.io/api module (testdata/HEAD): for every kind, JSON to protobuf gives its .pb byte for
// byte, and protobuf to JSON gives its .json. The folder comes from the environment; without it the tests are skipped.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "kinformer/internal/registry.h"

#include "object/text_forms.h"
#include "object/transcode.h"
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

// The kind of "apps.v1.Deployment"; the group may have points of its own.
const TypeInfo* TypeOf(const std::string& stem) {
  const std::size_t kind = stem.rfind('.');
  const std::size_t version = stem.rfind('.', kind - 1);
  std::string group = stem.substr(0, version);
  if (group == "core") group.clear();
  return FindType(group, stem.substr(version + 1, kind - version - 1), stem.substr(kind + 1));
}

TEST(Fixtures, BothWays) {
  const char* folder = std::getenv("KINFORMER_K8S_API_TESTDATA");
  if (folder == nullptr) GTEST_SKIP() << "KINFORMER_K8S_API_TESTDATA does not name a folder";
  int kinds = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder) / "HEAD")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json") continue;
    fs::path pb_path = path;
    pb_path.replace_extension(".pb");
    const std::string stem = path.stem().string();
    // A WatchEvent travels bare: no envelope, no kind.
    if (!fs::exists(pb_path) || stem == "core.v1.WatchEvent") continue;
    SCOPED_TRACE(stem);
    const TypeInfo* type = TypeOf(stem);
    ASSERT_NE(type, nullptr);
    // Compact, since embedded objects are kept verbatim.
    std::string json;
    AppendCompactJson(ReadFile(path), json);
    const std::string pb = ReadFile(pb_path);

    FieldProblems problems;
    Result<std::string> message = JsonToProtobuf(*type->message, json, &problems);
    if (!message) {
      ADD_FAILURE() << message.error();
      continue;
    }
    EXPECT_TRUE(problems.unknown.empty()) << problems.unknown.front();
    EXPECT_TRUE(wire::SealEnvelope(type->apiVersion(), type->kind, *message) == pb)
        << "protobuf differs";

    std::string back;
    const Result<void> done = ProtobufToJson(*type->message, *message, back,
                                             TypeMetaJson(type->kind, type->apiVersion()));
    if (!done.ok()) {
      ADD_FAILURE() << done.error();
      continue;
    }
    EXPECT_EQ(back, json);
    ++kinds;
  }
  EXPECT_GT(kinds, 150);
}

}  // namespace
}  // namespace kinformer::internal
