// Texts of responses that need no encoder: the metadata of a stored body, and pretty JSON or YAML.

#include <gtest/gtest.h>
#include <string_view>

#include "apiserver/request/object_encoder.h"

namespace kinformer::apiserver {
namespace {

TEST(Rendering, MetadataText_EndsWithItsBrace) {
  struct Row {
    std::string_view body;
    std::string_view text;
  };
  for (const Row& row : {
           Row{R"("metadata":{"name":"a"},"data":{}})", R"({"name":"a"})"},
           Row{R"("metadata":{},"data":{}})", "{}"},
           Row{R"("metadata":{"l":{"a":"b"},"m":{"c":{}}},"x":1})",
               R"({"l":{"a":"b"},"m":{"c":{}}})"},
           Row{R"("metadata":{"a":"}","b":"{"},"x":1})", R"({"a":"}","b":"{"})"},
           Row{R"("metadata":{"a":"\"}"},"x":{}})", R"({"a":"\"}"})"},
           Row{R"("metadata":{"a":"\\"},"x":{}})", R"({"a":"\\"})"},
           Row{R"("metadata":{"a":1)", "{}"},
           Row{"", "{}"},
       }) {
    EXPECT_EQ(MetadataText(row.body), row.text) << row.body;
  }
}

TEST(Rendering, Render_WritesJsonPrettyJsonOrYaml) {
  EXPECT_EQ(Render({}, R"({"a":1})"), "{\"a\":1}\n");
  EXPECT_EQ(Render({.pretty = true}, R"({"a":1})"), "{\n  \"a\": 1\n}");
  EXPECT_EQ(Render({.media = MediaType::kYaml}, R"({"a":1})"), "a: 1\n");
  EXPECT_EQ(Render({.media = MediaType::kYaml, .pretty = true}, R"({"a":1})"), "a: 1\n");
  EXPECT_EQ(Render({.media = MediaType::kYaml}, "no json"), "no json");
}

}  // namespace
}  // namespace kinformer::apiserver
