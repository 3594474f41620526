// JSON and protobuf form of a message, tested with metadata only: it is the only message that needs
// no generated code. The other tests are in src/api.

#include "object/transcode/transcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/internal/kind_info.h"
#include "kinformer/json/json.h"

#include "object/transcode/value_to_protobuf.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MessageDescriptor& Root() {
  return *MetadataKindInfo("", "v1", "Pod", "pods", true)->message;
}

std::string Back(const std::string& message) {
  std::string json;
  EXPECT_TRUE(ProtobufToJson(Root(), message, json).ok());
  return json;
}

constexpr char kWhole[] =
    R"({"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"5","generation":7,)"
    R"("creationTimestamp":"2026-01-01T12:00:00Z","deletionGracePeriodSeconds":30,)"
    R"("labels":{"b":"2","a":"1"},"annotations":{"x":""},"ownerReferences":[)"
    R"({"apiVersion":"v1","kind":"K","name":"o","uid":"1","controller":true},)"
    R"({"apiVersion":"v1","kind":"K","name":"p","uid":"2","blockOwnerDeletion":false}],)"
    R"("finalizers":["f1","f2","f3"],"managedFields":[{"manager":"m","operation":"Update",)"
    R"("fieldsV1":{"f:metadata":{}}}]}})";

TEST(ValueToProtobuf, SaysTheSameAsTheText) {
  for (const std::string& text :
       {std::string(kWhole), std::string("{}"), std::string(R"({"metadata":{}})"),
        std::string(R"({"metadata":{"finalizers":[],"labels":null}})")}) {
    const std::string from_text = JsonToProtobuf(Root(), text).OrExit();
    const json::Value value = json::Parse(text).OrExit();
    EXPECT_EQ(ValueToProtobuf(Root(), value).OrExit(), from_text) << text;
  }
  const std::string json = Back(JsonToProtobuf(Root(), kWhole).OrExit());
  EXPECT_THAT(json, HasSubstr(R"("finalizers":["f1","f2","f3"])"));
  EXPECT_THAT(json, HasSubstr(R"("labels":{"a":"1","b":"2"})"));
  EXPECT_THAT(json, HasSubstr(R"("generation":7)"));
}

TEST(ValueToProtobuf, Value_IsRefusedWhereItsTextIs) {
  for (const char* text :
       {R"({"metadata":[]})", R"({"metadata":{"name":1}})", R"({"metadata":{"name":{}}})",
        R"({"metadata":{"generation":"x"}})", R"({"metadata":{"generation":true}})",
        R"({"metadata":{"labels":["a"]}})", R"({"metadata":{"finalizers":{"a":"b"}}})",
        R"({"metadata":{"finalizers":"a"}})", R"({"metadata":{"finalizers":[1]}})",
        R"({"metadata":{"ownerReferences":[{"controller":"yes"}]}})",
        R"({"metadata":{"creationTimestamp":"now"}})"}) {
    const Result<std::string> from_text = JsonToProtobuf(Root(), text);
    ASSERT_FALSE(from_text.ok()) << text;
    EXPECT_EQ(from_text.error().reason(), Reason::kDecode) << text;
    const Result<std::string> from_value = ValueToProtobuf(Root(), json::Parse(text).OrExit());
    ASSERT_FALSE(from_value.ok()) << text;
    // Both errors have the same text; the one for JSON text also names the position.
    const std::string whole = from_value.error().message();
    const std::string what = whole.substr(0, whole.find(", got"));
    EXPECT_EQ(what.substr(0, 6), "JSON: ");
    EXPECT_THAT(from_text.error().message(), HasSubstr(what.substr(6)));
    EXPECT_THAT(from_text.error().message(), HasSubstr(" at byte ")) << text;
    EXPECT_THAT(from_text.error().message(), HasSubstr("metadata")) << text;
  }
}

TEST(KeptMembers, UnknownMembers_AreKept_TypeMetaIsNot) {
  const auto kept = [](const char* text) {
    const std::string message =
        JsonToProtobuf(Root(), text, nullptr, UnknownMembers::kKeep).OrExit();
    return HasKeptMembers(message) ? Back(message) : std::string();
  };
  EXPECT_EQ(kept(kWhole), "");
  EXPECT_EQ(kept(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"), "");
  EXPECT_THAT(kept(R"({"metadata":{"kind":"K","name":"a"}})"), HasSubstr(R"("kind":"K")"))
      << "elsewhere they are members";
  EXPECT_THAT(kept(R"({"metadata":{"apiVersion":"v9"}})"), HasSubstr(R"("apiVersion":"v9")"));
  EXPECT_THAT(kept(R"({"metadata":{"later":[1,{"a":null}],"new":"x"},"other":{}})"),
              ::testing::AllOf(HasSubstr(R"("later":[1,{"a":null}],"new":"x")"),
                               HasSubstr(R"("other":{})")));
  EXPECT_EQ(JsonToProtobuf(Root(), R"({"metadata":{"later":1}})").OrExit(),
            JsonToProtobuf(Root(), R"({"metadata":{}})").OrExit())
      << "dropped where nobody asks for them";
}

TEST(FieldProblems, NameEveryPlace) {
  FieldProblems problems;
  ASSERT_TRUE(JsonToProtobuf(Root(),
                             R"({"kind":"Pod","apiVersion":"v1","x":1,"metadata":{"kind":"K",)"
                             R"("name":"a","name":"b","ownerReferences":[{"name":"n"},)"
                             R"({"y":1,"name":"n","name":"m"}],"labels":{"free":"1"}},"x":2})",
                             &problems)
                  .ok());
  EXPECT_THAT(problems.unknown,
              ElementsAre("unknown field \"x\"", "unknown field \"metadata.kind\"",
                          "unknown field \"metadata.ownerReferences[1].y\""));
  EXPECT_THAT(problems.duplicate, ElementsAre("duplicate field \"metadata.name\"",
                                              "duplicate field "
                                              "\"metadata.ownerReferences[1].name\"",
                                              "duplicate field \"x\""));
  EXPECT_EQ(problems.more, 0U);
}

// The texts of problems are limited to a megabyte; further problems are only counted.
TEST(FieldProblems, AreBounded) {
  const std::string long_name(std::size_t{300} << 10, 'n');
  std::string text = "{";
  for (int i = 0; i < 6; ++i) text += "\"" + long_name + std::to_string(i) + "\":1,";
  text += "\"metadata\":{}}";
  FieldProblems problems;
  ASSERT_TRUE(JsonToProtobuf(Root(), text, &problems).ok());
  EXPECT_EQ(problems.unknown.size(), 4U);
  EXPECT_EQ(problems.more, 2U);
}

TEST(UnknownFields, AreFoundAtAnyDepth) {
  const std::string whole = JsonToProtobuf(Root(), kWhole).OrExit();
  EXPECT_FALSE(HasUnknownFields(Root(), whole));
  EXPECT_FALSE(HasUnknownFields(Root(), ""));
  const std::string unknown = "\xc2\x3e\x01x";  // field 1000
  const auto nested = [](char tag, const std::string& content) {
    return std::string{tag, static_cast<char>(content.size())} + content;
  };
  EXPECT_TRUE(HasUnknownFields(Root(), unknown));
  EXPECT_TRUE(HasUnknownFields(Root(), nested('\x0a', unknown)));
  EXPECT_TRUE(HasUnknownFields(Root(), nested('\x0a', nested('\x6a', unknown))))
      << "in an owner reference";
  const std::string kept =
      JsonToProtobuf(Root(), R"({"metadata":{"later":1}})", nullptr, UnknownMembers::kKeep)
          .OrExit();
  EXPECT_FALSE(HasUnknownFields(Root(), kept));
  EXPECT_TRUE(HasUnknownFields(Root(), kept + unknown));
}

TEST(TypeMetaText, IsQuoted) {
  EXPECT_EQ(TypeMetaJson("P\"d", "a/v1"), R"("kind":"P\"d","apiVersion":"a/v1")");
}

}  // namespace
}  // namespace kinformer::internal
