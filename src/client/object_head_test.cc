#include "client/object_head.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "wire/protobuf_writer.h"

namespace kinformer::internal::client {
namespace {

// A metadata-only object as its protobuf message.
std::string MetadataMessage(std::string_view name, std::string_view version) {
  std::string message;
  wire::ProtobufWriter writer(message);
  writer.Nested(1, [&](wire::ProtobufWriter& metadata) {
    metadata.BytesField(1, name);
    metadata.BytesField(3, "default");
    metadata.BytesField(6, version);
  });
  return message;
}

TEST(ObjectHead, OfTheBeginningOfAnObject) {
  const ObjectHead json = HeadOfFront(
      Encoding::kJson,
      R"({"kind":"Pod","name":"no","metadata":{"annotations":{"name":"no","x":"{\"name\":"},)"
      R"("finalizers":["name","no"],"name":"web-0","namespace":"default","resourceVersion":"5"},)"
      R"("spec":{"name":"no","metadata":{"name":"no"},"long":"aaaa)");
  EXPECT_EQ(json.name, "web-0");
  EXPECT_EQ(json.namespace_, "default");
  EXPECT_EQ(json.resourceVersion, "5");
  const std::string message = MetadataMessage("web-0", "5");
  for (const std::size_t cut : {std::size_t{0}, std::size_t{2}}) {
    const ObjectHead head =
        HeadOfFront(Encoding::kProtobuf, std::string_view(message).substr(0, message.size() - cut));
    EXPECT_EQ(head.name, "web-0");
    EXPECT_EQ(head.namespace_, "default");
  }
}

// Like metadata, but in the place of a spec, or of a number.
TEST(ObjectHead, OfAFrontWithoutMetadata) {
  const std::string message = MetadataMessage("web-0", "5");
  for (const char tag : {char{2 << 3 | 2}, char{1 << 3}}) {
    EXPECT_EQ(HeadOfFront(Encoding::kProtobuf, tag + message.substr(1)).name, "");
  }
  EXPECT_EQ(HeadOfFront(Encoding::kProtobuf, "").name, "");
}

TEST(ObjectHead, OfTextThatIsNoJson) {
  const ObjectHead head =
      HeadOf(Encoding::kJson,
             R"({"kind":"Pod","metadata":{"name": "a","namespace":"b","labels":{"x":"\q"}}})");
  EXPECT_EQ(head.name, "a");
  EXPECT_EQ(head.namespace_, "b");
  EXPECT_EQ(head.resourceVersion, "");
  EXPECT_EQ(HeadOf(Encoding::kJson, "{").name, "");
  EXPECT_EQ(HeadOf(Encoding::kJson, R"({"metadata":{"name":)").name, "");
}

// What an escape says is part of its text, whatever stands behind it.
TEST(ObjectHead, EscapesEndNoText) {
  for (const char* text : {R"("a\\")", R"("a\"")", R"("\\\"")", R"("\"x\"")", R"("\"\"")",
                           R"("\\")", R"("\"\\")", R"("\nx")"}) {
    const ObjectHead head = HeadOfFront(
        Encoding::kJson, std::string(R"({"metadata":{"labels":{"x":)") + text + R"(,)" + text +
                             R"(:"y"},"name":"web-0","resourceVersion":"5"},"spec":{"a)");
    EXPECT_EQ(head.name, "web-0") << text;
    EXPECT_EQ(head.resourceVersion, "5") << text;
  }
}

TEST(ObjectHead, AValueThatIsAMapOrAListIsNoName) {
  const ObjectHead head =
      HeadOfFront(Encoding::kJson,
                  R"({"metadata":["name","a"],"metadata":{"name":["no","no"],"name":{"name":"no"},)"
                  R"("name":"web-0"},"spec":{"a)");
  EXPECT_EQ(head.name, "web-0");
}

}  // namespace
}  // namespace kinformer::internal::client
