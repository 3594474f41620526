#include "kinformer/interop/nlohmann_json.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "interop/further_values.h"

namespace kinformer::testing {
namespace {

using interop::FromNlohmann;
using interop::NlohmannError;
using interop::ToNlohmann;
using ::testing::HasSubstr;
using Document = nlohmann::json;

TEST(NlohmannJsonTest, EachDocument_IsTheSameInBothDirections) {
  const char* const kTexts[] = {
      "null",
      "true",
      "-7",
      "18446744073709551615",
      "-9223372036854775808",
      "1.5",
      R"("a\u0000\u00e4")",
      "[]",
      "{}",
      R"({"a":[1,{"b":null},[false,"x"]],"z":{"y":{"":2.25}}})",
  };
  for (const char* const text : kTexts) {
    const json::Value value = json::Parse(text).OrExit();
    const Document document = value;
    EXPECT_EQ(document, Document::parse(text));
    EXPECT_EQ(document.get<json::Value>(), value) << text;
    EXPECT_EQ(FromNlohmann<json::Value>(document).OrExit().Dump(), value.Dump());
  }
}

TEST(NlohmannJsonTest, OrderedJson_KeepsTheOrderOfMembers) {
  const json::Value value = json::Parse(R"({"z":1,"a":2})").OrExit();
  EXPECT_EQ(ToNlohmann<nlohmann::ordered_json>(value).dump(), R"({"z":1,"a":2})");
  EXPECT_EQ(ToNlohmann(value).dump(), R"({"a":2,"z":1})");
  const nlohmann::ordered_json ordered = value;
  EXPECT_EQ(FromNlohmann<json::Value>(ordered).OrExit().Dump(), R"({"z":1,"a":2})");
}

TEST(NlohmannJsonTest, View_IsTheWholeObject) {
  const Ref<corev1::Pod> pod = ExamplePod();
  const Document document = *pod;
  EXPECT_EQ(document["kind"], "Pod");
  EXPECT_EQ(document["apiVersion"], "v1");
  EXPECT_EQ(document["spec"]["nodeName"], "node-7");
  const Document spec = pod->spec();
  EXPECT_EQ(spec["nodeName"], "node-7");
  const Ref<Widgets> widget = ExampleWidget();
  EXPECT_EQ(Document(*widget)["metadata"]["name"], "blue");
  EXPECT_EQ(Document(Unstructured(widget.object().get()))["size"], 7);
  EXPECT_EQ(Document(widget->root()["size"]), 7);
}

TEST(NlohmannJsonTest, StructToWrite_IsTheSameInBothDirections) {
  corev1::PodMutable pod;
  pod.metadata.name = "web-0";
  pod.spec.containers.push_back({.name = "web", .image = "example.com/web:1"});
  const Document document = pod;
  EXPECT_EQ(document["spec"]["containers"][0]["image"], "example.com/web:1");
  EXPECT_EQ(document.get<corev1::PodMutable>(), pod);
}

TEST(NlohmannJsonTest, CustomResource_IsTheSameInBothDirections) {
  CustomObject<Widget> widget;
  widget.metadata.name = "blue";
  widget.size = 7;
  Document document = widget;
  EXPECT_EQ(document["kind"], "Widget");
  EXPECT_EQ(document["size"], 7);
  EXPECT_EQ(document.get<CustomObject<Widget>>(), widget);
  document["colour"] = "blue";
  const auto partial = FromNlohmann<CustomObject<Widget>>(document).OrExit();
  EXPECT_TRUE(partial.is_partial) << "an update would delete the member that it lacks";
  document["metadata"] = "none";
  const auto wrong = FromNlohmann<CustomObject<Widget>>(document);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("metadata"));
}

TEST(NlohmannJsonTest, MemberThatDoesNotFit_IsAnErrorWithItsPath) {
  const Document document = {{"spec", {{"nodeName", 7}}}};
  const Result<corev1::PodMutable> pod = FromNlohmann<corev1::PodMutable>(document);
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().reason(), Reason::kDecode);
  EXPECT_THAT(pod.error().message(), HasSubstr("spec.nodeName"));
  try {
    static_cast<void>(document.get<corev1::PodMutable>());
    FAIL() << "nothing was thrown";
  } catch (const Document::exception& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("spec.nodeName"));
    const auto* const ours = dynamic_cast<const NlohmannError*>(&thrown);
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->error().reason(), Reason::kDecode);
  }
}

TEST(NlohmannJsonTest, ValueThatJsonDoesNotHave_IsAnError) {
  const Document binary = {{"a", Document::binary({1, 2})}};
  EXPECT_THAT(FromNlohmann<json::Value>(binary).error().message(), HasSubstr("binary"));
  Document deep = 1;
  for (std::size_t i = 0; i < json::ParseOptions().max_depth; ++i) {
    deep = Document::array({std::move(deep)});
  }
  EXPECT_THAT(FromNlohmann<json::Value>(deep).error().message(), HasSubstr("512 levels"));
  EXPECT_TRUE(FromNlohmann<json::Value>(deep[0]).ok());
}

TEST(NlohmannJsonTest, NullObject_IsNull) { EXPECT_TRUE(Document(corev1::Pod()).is_null()); }

}  // namespace
}  // namespace kinformer::testing
