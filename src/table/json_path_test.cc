#include "table/json_path.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::table {
namespace {

constexpr char kObject[] = R"({
  "spec": {"replicas": 3, "a.b": "dot", "hosts": ["x", "y", "z"], "on": true},
  "status": {"conditions": [{"type": "Ready", "status": "True", "n": 1},
                            {"type": "Old]", "status": "False", "n": 2}]}})";

TEST(JsonPath, FindsWhatColumnsNeed) {
  const struct {
    const char* path;
    const char* want;  // values, each followed by a blank
  } kCases[] = {
      {".spec.replicas", "3 "},
      {"$.spec.replicas", "3 "},
      {"{.spec.replicas}", "3 "},
      {"spec.replicas", "3 "},
      {".spec['replicas']", "3 "},
      {R"(.spec.a\.b)", "\"dot\" "},
      {".spec[\"a.b\"]", "\"dot\" "},
      {".spec.hosts[0]", "\"x\" "},
      {".spec.hosts[-1]", "\"z\" "},
      {".spec.hosts[*]", "\"x\" \"y\" \"z\" "},
      {".spec.hosts[3]", ""},
      {".status.conditions[?(@.type==\"Ready\")].status", "\"True\" "},
      {".status.conditions[?(@.type == 'Old]')].n", "2 "},
      {".status.conditions[?(@.type!='Ready')].n", "2 "},
      {".status.conditions[?(@.n==1)].type", "\"Ready\" "},
      {".status.conditions[*].n", "1 2 "},
      {".nothing.at.all", ""},
      {"..replicas", ""},
      {".spec.hosts[", ""},
      {".spec.hosts[x]", ""},
      {".status.conditions[?(nonsense)]", ""},
  };
  const json::Value object = json::Parse(kObject).OrExit();
  for (const auto& c : kCases) {
    std::string got;
    for (const json::Value* value : FindByPath(object, c.path)) got += value->Dump() + " ";
    EXPECT_EQ(got, c.want) << c.path;
  }
}

}  // namespace
}  // namespace kinformer::internal::table
