#include "apiserver/request/object_encoder.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/table_convertor.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kMetadata =
    R"({"name":"a","namespace":"ns","resourceVersion":"7","labels":{"x":"}{"}})";

class ObjectEncoderTest : public ::testing::Test {
 protected:
  ObjectEncoderTest() {
    const auto defined = DefinedResource::Make(
        yaml::Parse("{group: g.io, scope: Namespaced, names: {plural: foos, kind: Foo}, versions: "
                    "[{name: v1, served: true, storage: true, additionalPrinterColumns: [{name: "
                    "Size, type: integer, jsonPath: .spec.size}]}]}")
            .OrExit());
    (void)table_.Install(defined,
                         yaml::Parse("{plural: foos, kind: Foo, listKind: FooList}").OrExit());
    custom_ = table_.Find("g.io", "v1", "foos");
    builtin_ = table_.Find("", "v1", "configmaps");
  }

  static StoredObjectPtr Stored(std::string_view rest) {
    return StoredObject::Make(
        json::Parse("{\"metadata\":" + std::string(kMetadata) + "," + std::string(rest) + "}")
            .OrExit(),
        7, {});
  }
  static ObjectEncoder Encoder(const ResourceAt& at, OutputFormat format) {
    return ObjectEncoder(at, std::move(format), WallTime());
  }
  static std::string Metadata() { return std::string(kMetadata); }
  static std::string List(const ObjectEncoder& encoder, const ListHead& head,
                          const StoredObjectPtr& stored) {
    std::string out;
    encoder.AppendListHead(head, out);
    encoder.AppendListItem(stored, true, out);
    encoder.AppendListItem(stored, false, out);
    ObjectEncoder::AppendListTail(out);
    return out;
  }

  ResourceTable table_{HistoryLimits()};
  ResourceAt custom_{};
  ResourceAt builtin_{};
  StoredObjectPtr map_ = Stored(R"("data":{"k":"v"})");
  StoredObjectPtr foo_ = Stored(R"("spec":{"size":3})");
  std::string map_json_ =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)" + Metadata() + R"(,"data":{"k":"v"}})";
  std::string foo_json_ =
      R"({"kind":"Foo","apiVersion":"g.io/v1","metadata":)" + Metadata() + R"(,"spec":{"size":3}})";
  std::string partial_ = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                         R"("metadata":)" +
                         Metadata() + "}";
};

TEST_F(ObjectEncoderTest, Object_InEachForm) {
  EXPECT_EQ(Encoder(builtin_, {}).Object(map_), map_json_ + "\n");
  EXPECT_EQ(Encoder(custom_, {}).Object(foo_), foo_json_ + "\n");
  EXPECT_EQ(Encoder(builtin_, {.form = Form::kPartialMetadata}).Object(map_), partial_ + "\n");
  const std::string rows = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)"
                           R"({"resourceVersion":"7"},"columnDefinitions":)" +
                           ColumnDefinitionsJson(custom_) +
                           R"(,"rows":[{"cells":["a",3],"object":)";
  EXPECT_EQ(Encoder(custom_, {.form = Form::kTable}).Object(foo_), rows + partial_ + "}]}\n");
  EXPECT_EQ(
      Encoder(custom_, {.form = Form::kTable, .include = IncludeObject::kObject}).Object(foo_),
      rows + foo_json_ + "}]}\n");
  EXPECT_EQ(Encoder(custom_, {.form = Form::kTable, .include = IncludeObject::kNone}).Object(foo_),
            rows + "null}]}\n");
}

TEST_F(ObjectEncoderTest, List_HasItsMetadataAndItems) {
  const ListHead head{.resource_version = "9", .continue_ = "c", .remaining = 3};
  const std::string meta = R"({"resourceVersion":"9","continue":"c","remainingItemCount":3})";
  const std::string item = "{" + map_->body();
  EXPECT_EQ(List(Encoder(builtin_, {}), head, map_),
            R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)" + meta + R"(,"items":[)" +
                item + "," + item + "]}");
  EXPECT_EQ(List(Encoder(custom_, {}), {.resource_version = "9"}, foo_),
            R"({"kind":"FooList","apiVersion":"g.io/v1","metadata":{"resourceVersion":"9"},)"
            R"("items":[)" +
                foo_json_ + "," + foo_json_ + "]}");
  EXPECT_EQ(
      List(Encoder(custom_, {}), {.resource_version = "9", .remaining = 1}, foo_).substr(0, 90),
      R"({"kind":"FooList","apiVersion":"g.io/v1","metadata":{"resourceVersion":"9",)"
      R"("remainingItemC)");
  EXPECT_EQ(List(Encoder(builtin_, {.form = Form::kPartialMetadata}), head, map_),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)" +
                meta + R"(,"items":[)" + partial_ + "," + partial_ + "]}");
  const std::string row = R"({"cells":["a",3],"object":null})";
  EXPECT_EQ(List(Encoder(custom_, {.form = Form::kTable,
                                   .form_version = "v1beta1",
                                   .include = IncludeObject::kNone}),
                 head, foo_),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":)" + meta +
                R"(,"columnDefinitions":)" + ColumnDefinitionsJson(custom_) + R"(,"rows":[)" + row +
                "," + row + "]}");
}

TEST_F(ObjectEncoderTest, ListMetaField_IsProtobuf) {
  EXPECT_EQ(ObjectEncoder::ListMetaField({.resource_version = "9"}),
            std::string_view("\x0a\x07\x0a\x00\x12\x01"
                             "9\x1a\x00",
                             9));
  EXPECT_EQ(
      ObjectEncoder::ListMetaField({.resource_version = "9", .continue_ = "c", .remaining = 1}),
      std::string_view("\x0a\x0a\x0a\x00\x12\x01"
                       "9\x1a\x01"
                       "c\x20\x01",
                       12));
}

TEST_F(ObjectEncoderTest, Protobuf_IsKeptWithTheObject) {
  const ObjectEncoder encoder = Encoder(builtin_, {.media = MediaType::kProtobuf});
  std::string scratch;
  EXPECT_FALSE(map_->protobuf_size().has_value());
  const std::string message(encoder.ListItemMessage(map_, scratch));
  EXPECT_GT(message.size(), 20U);
  ASSERT_NE(map_->protobuf(), nullptr);
  EXPECT_EQ(*map_->protobuf(), message);
  EXPECT_EQ(map_->protobuf_size(), message.size());
  EXPECT_EQ(encoder.ListItemSize(map_), message.size());
  EXPECT_EQ(encoder.Object(map_), Envelope("v1", "ConfigMap", message));
  // From an object that is parsed already.
  const StoredObjectPtr other = Stored(R"("data":{"k":"v"})");
  EXPECT_EQ(encoder.Object(other, other->Parse()), Envelope("v1", "ConfigMap", message));
  // A copy for another thread keeps nothing.
  const StoredObjectPtr copy = Stored(R"("data":{"k":"v"})")->Copy();
  EXPECT_EQ(encoder.ListItemMessage(copy, scratch), message);
  EXPECT_EQ(copy->protobuf(), nullptr);
  EXPECT_EQ(copy->protobuf_size(), message.size());

  const ObjectEncoder partial =
      Encoder(builtin_, {.media = MediaType::kProtobuf, .form = Form::kPartialMetadata});
  const std::string metadata(partial.ListItemMessage(map_, scratch));
  EXPECT_LT(metadata.size(), message.size());
  EXPECT_EQ(message.substr(0, metadata.size()), metadata) << "metadata is the first field of both";
  EXPECT_EQ(partial.ListItemSize(map_), metadata.size());
  EXPECT_EQ(partial.Object(map_), Envelope("meta.k8s.io/v1", "PartialObjectMetadata", metadata));
}

TEST_F(ObjectEncoderTest, Frames_HaveATypeAndAnObject) {
  const ObjectEncoder json = Encoder(builtin_, {});
  EXPECT_EQ(json.Frame(EventType::kAdded, map_, true),
            R"({"type":"ADDED","object":)" + map_json_ + "}\n");
  EXPECT_EQ(json.Frame(EventType::kModified, map_, false),
            R"({"type":"MODIFIED","object":)" + map_json_ + "}\n");
  EXPECT_EQ(json.Frame(EventType::kDeleted, map_, false),
            R"({"type":"DELETED","object":)" + map_json_ + "}\n");
  EXPECT_TRUE(json.plain());
  const ObjectEncoder table =
      Encoder(custom_, {.form = Form::kTable, .include = IncludeObject::kNone});
  EXPECT_FALSE(table.plain());
  const auto frame = [&](const std::string& columns) {
    return R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)"
           R"({"resourceVersion":"7"},"columnDefinitions":)" +
           columns + R"(,"rows":[{"cells":["a",3],"object":null}]}})" + "\n";
  };
  EXPECT_EQ(table.Frame(EventType::kAdded, foo_, true), frame(ColumnDefinitionsJson(custom_)));
  EXPECT_EQ(table.Frame(EventType::kAdded, foo_, false), frame("null"));
  const Error error = BadRequestError("why");
  EXPECT_EQ(json.ErrorFrame(error), R"({"type":"ERROR","object":)" + StatusJson(error) + "}\n");
}

TEST_F(ObjectEncoderTest, ProtobufFrame_HasItsLengthInFrontInFourBytes) {
  const ObjectEncoder encoder = Encoder(builtin_, {.media = MediaType::kProtobuf});
  EXPECT_FALSE(encoder.plain());
  const auto check = [](const std::string& frame, const std::string& type,
                        const std::string& envelope) {
    ASSERT_GT(frame.size(), 4U);
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i) {
      size = size << 8 | static_cast<unsigned char>(frame[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(size, frame.size() - 4);
    std::string event;
    AppendBytesField(1, type, event);
    std::string extension;
    AppendBytesField(1, envelope, extension);
    AppendBytesField(2, extension, event);
    EXPECT_EQ(frame.substr(4), event);
  };
  for (const std::size_t bytes : {1U, 300U, 70'000U}) {
    const StoredObjectPtr stored = Stored(R"("data":{"k":")" + std::string(bytes, 'v') + "\"}");
    check(encoder.Frame(EventType::kModified, stored, false), "MODIFIED", encoder.Object(stored));
  }
  const ObjectEncoder partial =
      Encoder(builtin_, {.media = MediaType::kProtobuf, .form = Form::kPartialMetadata});
  check(partial.Frame(EventType::kAdded, map_, false), "ADDED", partial.Object(map_));
  const Error error = BadRequestError("why");
  check(encoder.ErrorFrame(error), "ERROR", Envelope("v1", "Status", StatusProtobuf(error)));
  EXPECT_NE(encoder.Bookmark(9, false).find("BOOKMARK"), std::string::npos);
  EXPECT_NE(encoder.Bookmark(9, false).find("ConfigMap"), std::string::npos);
  EXPECT_NE(partial.Bookmark(9, false).find("PartialObjectMetadata"), std::string::npos);
  EXPECT_NE(partial.Bookmark(9, false).find("meta.k8s.io/v1"), std::string::npos);
  // resourceVersion is field 6 of ObjectMeta.
  EXPECT_NE(encoder.Bookmark(9, false).find("\x32\x01"
                                            "9"),
            std::string::npos);
  EXPECT_EQ(encoder.Bookmark(9, false).find("initial-events-end"), std::string::npos);
  EXPECT_NE(encoder.Bookmark(9, true).find("initial-events-end"), std::string::npos);
}

TEST_F(ObjectEncoderTest, Bookmark_HasAVersionAndNoObject) {
  const std::string end = R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  EXPECT_EQ(Encoder(builtin_, {}).Bookmark(9, false),
            R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":)"
            R"({"resourceVersion":"9"}}})"
            "\n");
  EXPECT_EQ(Encoder(custom_, {}).Bookmark(9, true),
            R"({"type":"BOOKMARK","object":{"kind":"Foo","apiVersion":"g.io/v1","metadata":)"
            R"({"resourceVersion":"9")" +
                end + "}}}\n");
  EXPECT_EQ(Encoder(custom_, {.form = Form::kPartialMetadata}).Bookmark(9, false),
            R"({"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":)"
            R"("meta.k8s.io/v1","metadata":{"resourceVersion":"9"}}})"
            "\n");
  EXPECT_EQ(Encoder(custom_, {.form = Form::kTable}).Bookmark(9, true),
            R"({"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"resourceVersion":"9"},"columnDefinitions":null,"rows":[{"cells":[],)"
            R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"
            R"({"resourceVersion":"9")" +
                end + "}}}]}}\n");
}

TEST_F(ObjectEncoderTest, FrameKeys_DifferWithTheFrames) {
  std::set<std::string> keys;
  std::size_t count = 0;
  for (const MediaType media : {MediaType::kJson, MediaType::kProtobuf}) {
    for (const Form form : {Form::kObject, Form::kPartialMetadata, Form::kTable}) {
      for (const char* version : {"v1", "v1beta1"}) {
        for (const IncludeObject include :
             {IncludeObject::kMetadata, IncludeObject::kObject, IncludeObject::kNone}) {
          const ObjectEncoder encoder = Encoder(
              custom_, {.media = media, .form = form, .form_version = version, .include = include});
          for (const EventType type :
               {EventType::kAdded, EventType::kModified, EventType::kDeleted}) {
            keys.insert(encoder.FrameKey(type, false));
            ++count;
            if (form == Form::kTable) {
              EXPECT_NE(encoder.FrameKey(type, true), encoder.FrameKey(type, false));
              keys.insert(encoder.FrameKey(type, true));
              ++count;
            } else {
              EXPECT_EQ(encoder.FrameKey(type, true), encoder.FrameKey(type, false));
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(keys.size(), count);
  EXPECT_NE(Encoder(builtin_, {}).FrameKey(EventType::kAdded, false),
            Encoder(custom_, {}).FrameKey(EventType::kAdded, false));
}

TEST_F(ObjectEncoderTest, ConvertedEvent_IsShownInItsForm) {
  const ResourceAt events = table_.Find("events.k8s.io", "v1", "events");
  const StoredObjectPtr event = Stored(R"("message":"m")");
  const std::string body = "\"metadata\":" + Metadata() + R"(,"note":"m"})";
  const ObjectEncoder json = Encoder(events, {});
  EXPECT_FALSE(json.plain());
  EXPECT_FALSE(IsStoredText(events, {}));
  EXPECT_EQ(json.Object(event),
            R"({"kind":"Event","apiVersion":"events.k8s.io/v1",)" + body + "\n");
  EXPECT_NE(List(json, {.resource_version = "9"}, event).find("\"items\":[{" + body),
            std::string::npos);
  EXPECT_EQ(Encoder(events, {.form = Form::kPartialMetadata}).Object(event), partial_ + "\n");
  const ObjectEncoder protobuf = Encoder(events, {.media = MediaType::kProtobuf});
  std::string scratch;
  const std::string message(protobuf.ListItemMessage(event, scratch));
  EXPECT_NE(message.find("m"), std::string::npos);
  EXPECT_EQ(event->protobuf(), nullptr) << "the stored form is another";
  EXPECT_EQ(protobuf.ListItemSize(event), message.size());

  EXPECT_TRUE(IsStoredText(builtin_, {}));
  EXPECT_TRUE(IsStoredText(builtin_, {.form = Form::kPartialMetadata}));
  EXPECT_TRUE(IsStoredText(events, {.form = Form::kPartialMetadata}));
  EXPECT_FALSE(IsStoredText(builtin_, {.form = Form::kTable}));
  EXPECT_FALSE(IsStoredText(builtin_, {.pretty = true}));
  EXPECT_FALSE(IsStoredText(builtin_, {.media = MediaType::kYaml}));
  EXPECT_EQ(Unchanging(builtin_).resource, builtin_.resource);
  EXPECT_NE(Unchanging(custom_).resource, custom_.resource);
}

}  // namespace
}  // namespace kinformer::apiserver
