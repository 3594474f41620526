#include "client/object_head.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "wire/protobuf_writer.h"

namespace kinformer::internal::client {
namespace {

// Returns a metadata-only object as protobuf message.
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

TEST(ObjectHead, TruncatedObject_NameIsRead) {
  const ObjectHead json = HeadOfFront(
      Encoding::kJson,
      R"({"kind":"Pod","name":"no","metadata":{"annotations":{"name":"no","x":"{\"name\":"},)"
      R"("finalizers":["name","no"],"name":"web-0","namespace":"default","resourceVersion":"5"},)"
      R"("spec":{"name":"no","metadata":{"name":"no"},"long":"aaaa)");
  EXPECT_EQ(json.name, "web-0");
  EXPECT_EQ(json.namespace_, "default");
  EXPECT_EQ(json.resourceVersion, "5");
  // The status after the metadata has the field number that the namespace has within it.
  const std::string metadata = MetadataMessage("web-0", "5");
  std::string message = metadata;
  wire::ProtobufWriter(message).BytesField(3, "no");
  for (const std::size_t size : {message.size(), metadata.size(), metadata.size() - 2}) {
    const ObjectHead head =
        HeadOfFront(Encoding::kProtobuf, std::string_view(message).substr(0, size));
    EXPECT_EQ(head.name, "web-0");
    EXPECT_EQ(head.namespace_, "default");
    EXPECT_EQ(head.resourceVersion, size < metadata.size() ? "" : "5");
  }
}

TEST(ObjectHead, NameOutsideMetadata_IsIgnored) {
  const ObjectHead head = HeadOfFront(
      Encoding::kJson, R"({"spec":{"name":"no","namespace":"no"},"metadata":{"name":"web-0",)"
                       R"("labels":{"name":"no"}},"status":{"a)");
  EXPECT_EQ(head.name, "web-0");
  EXPECT_EQ(head.namespace_, "");
}

TEST(ObjectHead, ANameThatIsCutOffIsNone) {
  for (const char* name : {"\"", "\"web", "\"web\\", "\"web\\\""}) {
    const ObjectHead head = HeadOfFront(
        Encoding::kJson, std::string(R"({"metadata":{"namespace":"default","name":)") + name);
    EXPECT_EQ(head.name, "") << name;
    EXPECT_EQ(head.namespace_, "default") << name;
  }
}

TEST(ObjectHead, InitialEventsEnd_IsReadFromTheAnnotation) {
  const auto marked = [](std::string_view key, std::string_view value) {
    std::string message;
    wire::ProtobufWriter(message).Nested(1, [&](wire::ProtobufWriter& metadata) {
      metadata.BytesField(6, "5");
      metadata.Nested(12, [&](wire::ProtobufWriter& entry) {
        entry.BytesField(1, key);
        entry.BytesField(2, value);
      });
    });
    const std::string json = R"({"metadata":{"annotations":{")" + std::string(key) + R"(":")" +
                             std::string(value) + R"("}}})";
    const bool in_protobuf = HeadOf(Encoding::kProtobuf, message).initial_events_end;
    EXPECT_EQ(HeadOf(Encoding::kJson, json).initial_events_end, in_protobuf);
    return in_protobuf;
  };
  EXPECT_TRUE(marked("k8s.io/initial-events-end", "true"));
  EXPECT_FALSE(marked("k8s.io/initial-events-end", "false"));
  EXPECT_FALSE(marked("k8s.io/another", "true"));
  EXPECT_FALSE(HeadOf(Encoding::kProtobuf, MetadataMessage("web-0", "5")).initial_events_end);
}

// Bytes like those of metadata, but in a spec, or in a number.
TEST(ObjectHead, BytesWithoutMetadata_HaveNoName) {
  const std::string message = MetadataMessage("web-0", "5");
  for (const char tag : {char{2 << 3 | 2}, char{1 << 3}}) {
    EXPECT_EQ(HeadOfFront(Encoding::kProtobuf, tag + message.substr(1)).name, "");
  }
  EXPECT_EQ(HeadOfFront(Encoding::kProtobuf, "").name, "");
}

TEST(ObjectHead, InvalidJson_IsReadUpToTheError) {
  const ObjectHead head =
      HeadOf(Encoding::kJson,
             R"({"kind":"Pod","metadata":{"name": "a","namespace":"b","labels":{"x":"\q"}}})");
  EXPECT_EQ(head.name, "a");
  EXPECT_EQ(head.namespace_, "b");
  EXPECT_EQ(head.resourceVersion, "");
  EXPECT_EQ(HeadOf(Encoding::kJson, "{").name, "");
  EXPECT_EQ(HeadOf(Encoding::kJson, R"({"metadata":{"name":)").name, "");
}

// An escaped quote does not end a string, whatever follows.
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
