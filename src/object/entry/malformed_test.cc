// Truncated and malformed bodies, from the first byte of the response to a block: exact texts of
// the errors.

#include <gtest/gtest.h>
#include <string>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"

#include "wire/envelope.h"
#include "wire/list_splitter.h"
#include "wire/protobuf_writer.h"
#include "wire/watch_framer.h"

namespace kinformer::internal {
namespace {

constexpr std::string_view kDamaged =
    "; the answer is damaged, or not an API server's own (a proxy's?)";
constexpr std::string_view kCompare =
    "; compare with what `kubectl get --raw` shows: the object is damaged, or what lies between "
    "the "
    "server and here changes it";

class Drop : public wire::ListSplitter::Sink, public wire::WatchFramer::Sink {
 public:
  Result<void> OnItem(std::string_view, const wire::JsonBitmap*) override { return {}; }
  Result<void> OnFrame(const wire::WatchFrame&) override { return {}; }
};

// Returns the error of a whole body that arrives in pieces of three bytes; empty if none.
template <class Splitter>
std::string Wrong(Encoding encoding, std::string_view body, std::size_t limit) {
  Splitter splitter(encoding, limit);
  Drop drop;
  for (std::size_t at = 0; at < body.size(); at += 3) {
    const Result<void> fed = splitter.Feed(body.substr(at, 3), drop);
    if (!fed) return fed.error().message();
  }
  const Result<void> finished = splitter.Finish();
  return finished ? "" : finished.error().message();
}
std::string WrongList(Encoding encoding, std::string_view body, std::size_t limit = 1000) {
  return Wrong<wire::ListSplitter>(encoding, body, limit);
}
std::string WrongWatch(Encoding encoding, std::string_view body, std::size_t limit = 1000) {
  return Wrong<wire::WatchFramer>(encoding, body, limit);
}

std::string ProtobufList() {
  std::string list;
  wire::ProtobufWriter writer(list);
  writer.Nested(1, [](wire::ProtobufWriter& meta) { meta.BytesField(2, "7"); });
  writer.BytesField(2, std::string(40, 'a'));
  writer.BytesField(2, std::string(40, 'b'));
  return wire::SealEnvelope("v1", "PodList", list);
}

TEST(MalformedBodies, ListsThatAreCutOff) {
  const std::string list = ProtobufList();
  EXPECT_EQ(WrongList(Encoding::kProtobuf, list), "");
  EXPECT_EQ(WrongList(Encoding::kProtobuf, std::string_view(list).substr(0, 80)),
            "the list ends in the middle, after 80 bytes and 1 items: the server or a proxy cut it "
            "off; ask for smaller pages (limit)");
  EXPECT_EQ(WrongList(Encoding::kJson, R"({"kind":"PodList","items":[{"a":1},{"b":)"),
            "the list ends in the middle, after 40 bytes and 1 items: the server or a proxy cut it "
            "off; ask for smaller pages (limit)");
  EXPECT_EQ(WrongList(Encoding::kJson, ""),
            "the list ends in the middle, after 0 bytes and 0 items: the server or a proxy cut it "
            "off; ask for smaller pages (limit)");
}

TEST(MalformedBodies, ListsThatAreSomethingElse) {
  struct Case {
    Encoding encoding;
    std::string body;
    std::string message;
  };
  for (const Case& c : {
           Case{Encoding::kProtobuf, "<html>",
                "list in protobuf, byte 0, after 0 items: the magic \"k8s\\0\" is missing"},
           Case{Encoding::kJson, "<html>",
                "list in JSON, byte 0, after 0 items: found '<' where the list's '{' should be"},
           Case{Encoding::kJson, R"({"items":[{"a":1},7]})",
                "list in JSON, byte 18, after 1 items: found '7' where an item's '{' should be"},
           Case{Encoding::kJson, R"({"items":[{"a":1}{}]})",
                "list in JSON, byte 17, after 1 items: found '{' where ',' or ']' should be"},
           Case{Encoding::kJson, "{\"items\":\x01",
                "list in JSON, byte 9, after 0 items: found byte 0x01 where the array of items "
                "should be"},
           Case{Encoding::kJson, R"({"items":[]}x)",
                "list in JSON, byte 12, after 0 items: found 'x' where the end should be"},
       }) {
    EXPECT_EQ(WrongList(c.encoding, c.body), c.message + std::string(kDamaged));
  }
  EXPECT_EQ(WrongList(Encoding::kProtobuf, ProtobufList(), 39),
            "list, byte 26, after 0 items: an object of 40 bytes or more; the limit is 39; "
            "max_object_bytes of the informer's options raises it");
  EXPECT_EQ(WrongList(Encoding::kJson, R"({"items":[{"a":"0123456789"}]})", 10),
            "list, byte 10, after 0 items: an object of 11 bytes or more; the limit is 10; "
            "max_object_bytes of the informer's options raises it");
}

TEST(MalformedBodies, Watches) {
  const std::string cut_off =
      " bytes: the server or a proxy cut it off; watch again from the last resourceVersion";
  EXPECT_EQ(WrongWatch(Encoding::kJson, "{\"type\":\"ADDED\",\"object\":{}}\n{\"type\""),
            "the watch ends inside the frame at byte 29, after 36" + cut_off);
  EXPECT_EQ(WrongWatch(Encoding::kProtobuf, std::string("\0\0\0\x09\x0a", 5)),
            "the watch ends inside the frame at byte 0, after 5" + cut_off);
  EXPECT_EQ(WrongWatch(Encoding::kJson, "<html>"),
            "watch in JSON, frame at byte 0: found '<' where an event's '{' should be" +
                std::string(kDamaged));
  EXPECT_EQ(
      WrongWatch(Encoding::kJson, "{\"type\":\"ADDED\" \"object\":{}}"),
      "watch in JSON, frame at byte 0: malformed event, 16 bytes into it" + std::string(kDamaged));
  EXPECT_EQ(WrongWatch(Encoding::kProtobuf, "HTTP/1.1 502 Bad Gateway"),
            "watch, frame at byte 0: an object of about 1213486160 bytes or more; the limit is "
            "1000; max_object_bytes of the informer's options raises it");
}

std::string WrongWidget(std::string_view json, std::size_t limit = 100000) {
  const KindInfo& type = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const Result<ObjectRef> built =
      BuildFromJson(type, json, {.max_object_bytes = limit, .validation = Validation::kFull});
  return built ? "" : built.error().message();
}

TEST(MalformedBodies, ObjectsInJson) {
  struct Case {
    std::string json;
    std::string message;
  };
  for (const Case& c : {
           Case{R"({"metadata":{"name":"a"},"spec":{"x" 1}})",
                "Widget: JSON: ':' is missing at byte 37"},
           Case{R"({"metadata":{"name":"a"},"spec":{"x":tru}})",
                "Widget: JSON: an unknown word at byte 37"},
           Case{R"({"metadata":{"name":"a"},"spec":"\q"})",
                "Widget: JSON: an unknown escape at byte 33"},
           Case{R"({"metadata":{"name":"a"},"spec":[1,2)",
                "Widget: JSON: unexpected end at byte 36"},
           Case{"{\"metadata\":{\"name\":\"a\nb\"}}",
                "Widget: JSON: a control character in a string at byte 22"},
           Case{R"({"metadata":{"name":"a"}}{})",
                "Widget: JSON: more text after the value at byte 25"},
           Case{R"({"metadata":{"name":7}})",
                "Widget: JSON: metadata.name: expected a string, got a number at byte 20"},
           Case{R"({"metadata":{"creationTimestamp":"noon"}})",
                "Widget: JSON: metadata.creationTimestamp: \"noon\" is no RFC 3339 time such as "
                "\"2026-03-01T10:00:00Z\" at byte 33"},
           Case{R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a" 1}}]}})",
                "Widget: metadata.managedFields[0].fieldsV1: JSON: ':' is missing at byte 7"},
           Case{R"({"spec":{}})", "Widget: metadata: missing"},
           Case{"[]", "Widget: expected an object, found an array"},
       }) {
    EXPECT_EQ(WrongWidget(c.json), c.message + std::string(kCompare)) << c.json;
  }
  EXPECT_EQ(WrongWidget(R"({"metadata":{},"spec":)" + std::string(600, '[')),
            "Widget: JSON: nested deeper than 512 levels at byte 533" + std::string(kCompare));
  EXPECT_EQ(WrongWidget(R"({"metadata":{}})", 14),
            "Widget: object of 15 bytes exceeds the limit of 14; max_object_bytes of the "
            "informer's options raises it");
}

// Bytes that are not UTF-8 are replaced, not refused, as in Go.
TEST(MalformedBodies, StringsThatAreNotUtf8) {
  const KindInfo& type = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const Result<ObjectRef> built = BuildFromJson(type, "{\"metadata\":{\"name\":\"a\xff\"}}");
  ASSERT_TRUE(built) << built.error();
  EXPECT_EQ((*built)->name(), "a\xef\xbf\xbd");
}

TEST(MalformedBodies, ObjectsInProtobuf) {
  const KindInfo& type = *MetadataKindInfo("", "v1", "Pod", "pods", true);
  const auto wrong = [&](std::string_view bytes) {
    const Result<ObjectRef> built = BuildFromProtobuf(type, bytes);
    return built ? "" : built.error().message();
  };
  const auto damaged = [](std::string_view what) {
    return std::string(what) + std::string(kCompare);
  };
  EXPECT_EQ(wrong("\x0a\x07\x0a\x01x"), damaged("Pod: malformed protobuf field at byte 0 of 5"));
  EXPECT_EQ(wrong("\x0a\x03\x0a\x05x"),
            damaged("Pod: metadata: malformed protobuf field at byte 0 of 3"));
  EXPECT_EQ(wrong("\x12\x01x"), damaged("Pod: metadata: missing"));
  std::string long_name;
  wire::ProtobufWriter(long_name).Nested(
      1, [](wire::ProtobufWriter& meta) { meta.BytesField(1, std::string(300, 'x')); });
  EXPECT_EQ(wrong(long_name), damaged("Pod: metadata: field 1 is no text of at most 255 bytes"));
  const auto envelope = wire::OpenEnvelope("{}");
  ASSERT_FALSE(envelope);
  EXPECT_EQ(envelope.error().message(),
            "protobuf object, byte 0: the magic \"k8s\\0\" is missing; is this another encoding?");
}

}  // namespace
}  // namespace kinformer::internal
