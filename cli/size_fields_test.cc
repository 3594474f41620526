#include "cli/size_fields.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

internal::ObjectRef ObjectOf(const KindInfo& type, const std::string& json) {
  const AnyRef object = ObjectFromJson(type, json).OrExit();
  return internal::ObjectRef::Share(object->block());
}

SizeSample SampleOf(const KindInfo& type, const std::string& json) {
  SizeSample sample;
  sample.sampled.push_back({ObjectOf(type, json), 1});
  return sample;
}

std::string Images(std::size_t bytes) {
  return R"({"metadata":{"name":"n","annotations":{"a":")" + std::string(1000, 'a') +
         R"("}},"status":{"images":[{"names":[")" + std::string(bytes, 'i') + R"("]}]}})";
}

TEST(LargestField, FieldThatTakesAFifth_IsNamed) {
  const KindInfo& node = corev1::Node::kind_info();
  EXPECT_EQ(LargestField(node, SampleOf(node, Images(3000))), "status.images");
  EXPECT_EQ(LargestField(node, SampleOf(node, Images(1))), "");
}

TEST(LargestField, FieldOfTheRoot_IsNamedWhole) {
  const KindInfo& map = corev1::ConfigMap::kind_info();
  EXPECT_EQ(LargestField(map, SampleOf(map, R"({"metadata":{"name":"m"},"data":{"a.b":")" +
                                                std::string(500, 'd') + R"("}})")),
            "data");
}

TEST(LargestField, NameWithADot_IsQuoted) {
  const KindInfo& widget =
      *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const std::string path =
      LargestField(widget, SampleOf(widget, R"({"metadata":{"name":"m"},"spec":{"a.b":")" +
                                                std::string(500, 'd') + R"("}})"));
  EXPECT_EQ(path, "spec[\"a.b\"]");
}

}  // namespace
}  // namespace kinformer::cli
