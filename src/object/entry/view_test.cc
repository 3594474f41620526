// Reads of single fields: their values, and that a read of a malformed field or of a field of
// another type gives nothing and is counted once.

#include "kinformer/internal/view.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/object.h"
#include "kinformer/object/unstructured.h"

#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using wire::ProtobufWriter;

// Returns how many malformed reads `what` counted.
template <class F>
std::uint64_t Counted(const F& what) {
  const std::uint64_t before = MalformedReads();
  const std::uint64_t here = MalformedReadsHere();
  what();
  EXPECT_EQ(MalformedReads() - before, MalformedReadsHere() - here);
  return MalformedReads() - before;
}

template <class T>
std::vector<T> All(const MessageView& message, std::uint32_t number) {
  std::vector<T> all;
  for (const T& one : Repeated<T>(message, number)) all.push_back(one);
  EXPECT_EQ(Repeated<T>(message, number).size(), all.size());
  return all;
}

std::vector<std::pair<std::string_view, std::string_view>> Entries(const MessageView& message,
                                                                   std::uint32_t number) {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const auto& [key, value] : StringMap(message, number)) all.emplace_back(key, value);
  return all;
}

TEST(MalformedReads, ValuesOfAnotherTypeAreCounted) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  writer.BytesField(1, "text");
  writer.VarintField(2, 7);
  writer.DoubleField(3, 0.5);
  bytes += std::string("\x25\x01\0\0\0", 5);  // 4: four bytes
  const MessageView message(bytes);
  EXPECT_EQ(Counted([&] {
              EXPECT_EQ(GetString(message, 1), "text");
              EXPECT_EQ(GetInt64(message, 2), 7);
              EXPECT_TRUE(GetBool(message, 2));
              EXPECT_EQ(GetDouble(message, 3), 0.5);
              EXPECT_EQ(GetMessage<MessageView>(message, 1).bytes(), "text");
              EXPECT_EQ(GetInt64(message, 9), 0);
              EXPECT_EQ(GetString(message, 9), "");
              EXPECT_FALSE(Has(message, 9));
              EXPECT_TRUE(Has(message, 4));
            }),
            0U);
  for (const std::uint32_t number : {1U, 3U, 4U}) {
    EXPECT_EQ(Counted([&] { EXPECT_EQ(GetInt64(message, number), 0); }), 1U) << number;
    EXPECT_EQ(Counted([&] { EXPECT_FALSE(GetBool(message, number)); }), 1U) << number;
  }
  for (const std::uint32_t number : {1U, 2U, 4U}) {
    EXPECT_EQ(Counted([&] { EXPECT_EQ(GetDouble(message, number), 0.0); }), 1U) << number;
  }
  for (const std::uint32_t number : {2U, 3U, 4U}) {
    EXPECT_EQ(Counted([&] { EXPECT_EQ(GetString(message, number), ""); }), 1U) << number;
    EXPECT_EQ(Counted([&] { EXPECT_EQ(GetMessage<MessageView>(message, number).bytes(), ""); }), 1U)
        << number;
  }
}

TEST(MalformedReads, TruncatedField_IsCounted) {
  std::string bytes;
  ProtobufWriter(bytes).BytesField(1, "text");
  ProtobufWriter(bytes).BytesField(2, "more");
  const MessageView cut(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(Counted([&] { EXPECT_EQ(GetString(cut, 1), "text"); }), 1U) << "what is behind it, too";
  EXPECT_EQ(Counted([&] { EXPECT_EQ(GetString(cut, 2), ""); }), 1U);
  EXPECT_EQ(Counted([&] { EXPECT_THAT(All<std::string_view>(cut, 2), IsEmpty()); }), 2U)
      << "walked twice";
}

TEST(RepeatedFields, RepeatedNumbers_MayBePacked) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  writer.VarintField(1, 1);
  writer.BytesField(1, std::string("\x02\xac\x02\0", 4));
  writer.VarintField(9, 9);
  writer.BytesField(1, "");
  writer.VarintField(1, 4);
  writer.BytesField(2, std::string("\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\x40", 16));
  writer.DoubleField(2, -1);
  writer.BytesField(3, "\x01");
  writer.BytesField(3, "");
  const MessageView message(bytes);
  EXPECT_EQ(Counted([&] {
              EXPECT_THAT(All<std::int64_t>(message, 1), ElementsAre(1, 2, 300, 0, 4));
              EXPECT_THAT(All<double>(message, 2), ElementsAre(1.5, 2, -1));
              EXPECT_THAT(All<std::string_view>(message, 3), ElementsAre("\x01", ""));
              EXPECT_THAT(All<std::int64_t>(message, 7), IsEmpty());
              EXPECT_EQ(Repeated<std::int64_t>(message, 1)[2], 300);
              EXPECT_EQ(Repeated<std::int64_t>(message, 1)[5], 0);
              EXPECT_TRUE(Repeated<std::int64_t>(message, 1).contains(4));
              EXPECT_FALSE(Repeated<std::int64_t>(message, 1).contains(5));
            }),
            0U);
  // A truncated number ends the list.
  std::string bad;
  ProtobufWriter(bad).BytesField(1, "\x05\x80");
  ProtobufWriter(bad).VarintField(1, 6);
  ProtobufWriter(bad).BytesField(2, "1234567");
  EXPECT_EQ(Counted([&] { EXPECT_EQ(Repeated<std::int64_t>(MessageView(bad), 1).size(), 1U); }),
            1U);
  EXPECT_EQ(Counted([&] { EXPECT_TRUE(Repeated<double>(MessageView(bad), 2).empty()); }), 1U);
}

TEST(MapFields, DuplicateKeys_LastEntryWins) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  const auto entry = [&](std::string_view content) { writer.BytesField(5, content); };
  entry(
      "\x0a\x01"
      "a\x12\x01"
      "1");
  entry(
      "\x0a\x01"
      "b\x12\x01"
      "2");
  writer.VarintField(6, 1);
  entry(
      "\x12\x01"
      "3\x0a\x01"
      "a");
  entry(
      "\x0a\x01"
      "c");
  entry(
      "\x12\x01"
      "4");
  entry(
      "\x0a\x01"
      "d\x12\x01"
      "5\x12\x01"
      "6\x1a\x01?");
  const MessageView message(bytes);
  EXPECT_EQ(Counted([&] {
              EXPECT_THAT(Entries(message, 5),
                          ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("a", "3"), Pair("c", ""),
                                      Pair("", "4"), Pair("d", "6")));
              const StringMap map(message, 5);
              EXPECT_EQ(map["a"], "3");
              EXPECT_EQ(map["b"], "2");
              EXPECT_EQ(map.Find("c"), "");
              EXPECT_EQ(map[""], "4");
              EXPECT_EQ(map["d"], "6");
              EXPECT_EQ(map.Find("e"), std::nullopt);
              EXPECT_TRUE(map.contains("c"));
              EXPECT_EQ(map.size(), 6U);
              EXPECT_FALSE(StringMap(message, 7).contains("a"));
            }),
            0U);
  // An entry whose value has another type exists and reads as empty.
  std::string number;
  ProtobufWriter(number).BytesField(5, std::string_view("\x0a\x01"
                                                        "a\x10\x07",
                                                        5));
  EXPECT_EQ(Counted([&] { EXPECT_EQ(StringMap(MessageView(number), 5).Find("a"), ""); }), 1U);
  // A truncated entry has the fields before the cut.
  std::string cut;
  ProtobufWriter(cut).BytesField(5,
                                 "\x0a\x01"
                                 "a\x12\x05"
                                 "1");
  EXPECT_EQ(Counted([&] { EXPECT_EQ(StringMap(MessageView(cut), 5).Find("a"), ""); }), 1U);
  EXPECT_EQ(Counted([&] { EXPECT_FALSE(StringMap(MessageView(cut), 5).contains("b")); }), 1U);
  EXPECT_EQ(Counted([&] { EXPECT_THAT(Entries(MessageView(cut), 5), ElementsAre(Pair("a", ""))); }),
            1U);
  const std::string half = bytes.substr(0, bytes.size() - 1);
  EXPECT_EQ(Counted([&] { EXPECT_EQ(StringMap(MessageView(half), 5)["b"], "2"); }), 1U);
}

// Views of a block's metadata, whose fields have no index, and of a child with an index.
TEST(Views, BlockViews_FindFieldsWithAndWithoutIndex) {
  std::string metadata;
  ProtobufWriter writer(metadata);
  writer.BytesField(1, "n");
  for (const char* key : {"a", "b"}) {
    writer.Nested(11, [&](ProtobufWriter& w) {
      w.BytesField(1, key);
      w.BytesField(2, "v");
    });
  }
  writer.BytesField(14, "f1");
  writer.BytesField(14, "f2");
  std::string message;
  ProtobufWriter(message).BytesField(1, metadata);
  ProtobufWriter(message).BytesField(2, "later");
  ProtobufWriter(message).BytesField(2, "and again");
  const KindInfo& type = *MetadataKindInfo("", "v1", "Pod", "pods", true);
  const ObjectRef object = BuildFromProtobuf(type, message).OrExit();
  const Object view(object.get());
  EXPECT_EQ(Counted([&] {
              EXPECT_EQ(view.metadata().name(), "n");
              EXPECT_THAT(All<std::string_view>(view.metadata(), 14), ElementsAre("f1", "f2"));
              EXPECT_THAT(Entries(view.metadata(), 11),
                          ElementsAre(Pair("a", "v"), Pair("b", "v")));
              const MessageView root = RootView(object.get()).message();
              EXPECT_THAT(All<std::string_view>(root, 2), ElementsAre("later", "and again"));
              EXPECT_EQ(GetString(root, 3), "");
              EXPECT_EQ(GetString(root, 200), "");
              MessageView child;
              ReadChild(object.get(), 1, child);
              EXPECT_EQ(GetString(child, 1), "n");
              MessageView none;
              ReadChild(object.get(), 7, none);
              ReadChild(object.get(), 200, none);
              ReadChild(nullptr, 1, none);
              EXPECT_EQ(none.bytes(), "");
            }),
            0U);
  EXPECT_EQ(RootView().message().bytes(), "");
  EXPECT_EQ(RootView().ToJson(), "");
  std::ostringstream text;
  text << RootView();
  EXPECT_EQ(text.str(), "(none)");
  EXPECT_EQ(HashContent(nullptr), 0U);
  EXPECT_FALSE(SameContent(object.get(), nullptr));
  EXPECT_FALSE(SameContent(nullptr, object.get()));
  EXPECT_TRUE(SameContent(nullptr, nullptr));
}

TEST(ManagedFields, DroppedManagedFields_LaterFieldsStay) {
  const KindInfo& type = *MetadataKindInfo("", "v1", "Pod", "pods", true);
  for (const std::size_t size : {3U, 100U, 200U, 20000U}) {
    for (const std::size_t beside : {0U, 100U, 130U}) {
      const auto message = [&](bool with) {
        std::string metadata;
        ProtobufWriter writer(metadata);
        writer.BytesField(1, "n");
        writer.BytesField(2, std::string(beside, 'g'));
        if (with) writer.BytesField(17, std::string(size, 'm'));
        if (with) writer.BytesField(17, "second");
        writer.BytesField(18, "later");
        std::string out;
        ProtobufWriter(out).BytesField(1, metadata);
        ProtobufWriter(out).BytesField(2, "behind");
        ProtobufWriter(out).BytesField(3, "the metadata");
        return out;
      };
      const ObjectRef object =
          BuildFromProtobuf(type, message(true), {.drop_managed_fields = true}).OrExit();
      EXPECT_EQ(object->payload(), message(false)) << size;
      EXPECT_EQ(object->name(), "n");
      EXPECT_TRUE(object->SameAs(*BuildFromProtobuf(type, message(false)).OrExit()));
      EXPECT_EQ(GetString(RootView(object.get()).message(), 2), "behind");
      EXPECT_EQ(GetString(RootView(object.get()).message(), 3), "the metadata");
    }
  }
}

// The index has a repeated field of the root only once.
TEST(Views, Index_HoldsRepeatedFieldOnce) {
  const KindInfo& type = *MetadataKindInfo("", "v1", "Pod", "pods", true);
  std::string message;
  ProtobufWriter writer(message);
  writer.BytesField(1, "\x0a\x01n");
  for (int i = 0; i < 1000; ++i) writer.BytesField(2, "");
  writer.BytesField(3, "behind");
  const ObjectRef object = BuildFromProtobuf(type, message).OrExit();
  EXPECT_EQ(object->payload(), message);
  EXPECT_LT(object->allocated_bytes(), message.size() + 150);
  EXPECT_EQ(GetString(RootView(object.get()).message(), 3), "behind");
  EXPECT_EQ(All<std::string_view>(RootView(object.get()).message(), 2).size(), 1000U);
}

// Reads a JSON value of every type as every other type.
TEST(JsonViews, ValuesOfAnotherTypeAreNothing) {
  const KindInfo& type = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const ObjectRef object =
      BuildFromJson(type,
                    R"({"metadata":{"name":"x"},"n":1234,"r":-1.5,"s":"text","t":true,"f":false,)"
                    R"("z":null,"l":[1,[2],"]"],"o":{"a":{"b":1},"c":"}"},"e":[],"m":{} ,)"
                    R"("big":99999999999999999999,"last":"\u00e9"})")
          .OrExit();
  const json::View root = Unstructured(object.get()).root();
  EXPECT_EQ(
      Counted([&] {
        const std::pair<const char*, json::Type> types[] = {
            {"n", json::Type::kNumber}, {"r", json::Type::kNumber},   {"s", json::Type::kString},
            {"t", json::Type::kBool},   {"f", json::Type::kBool},     {"z", json::Type::kNull},
            {"l", json::Type::kArray},  {"o", json::Type::kObject},   {"e", json::Type::kArray},
            {"m", json::Type::kObject}, {"absent", json::Type::kNull}};
        for (const auto& [name, wanted] : types) {
          const json::View view = root[name];
          EXPECT_EQ(view.type(), wanted) << name;
          const std::size_t size = std::string_view(name) == "l"   ? 3
                                   : std::string_view(name) == "o" ? 2
                                                                   : 0;
          EXPECT_EQ(view.size(), size) << name;
          EXPECT_EQ(view.AsBool().has_value(), wanted == json::Type::kBool) << name;
          EXPECT_EQ(view.AsDouble().has_value(), wanted == json::Type::kNumber) << name;
          EXPECT_EQ(view.AsString().has_value(), wanted == json::Type::kString) << name;
          EXPECT_EQ(view.items().begin() != view.items().end(), std::string_view(name) == "l")
              << name;
          EXPECT_EQ(view.members().begin() != view.members().end(), std::string_view(name) == "o")
              << name;
          EXPECT_FALSE(view["absent"].exists()) << name;
          EXPECT_FALSE(view[7].exists()) << name;
        }
        EXPECT_EQ(root["n"].AsInt64(), 1234);
        EXPECT_EQ(root["r"].AsInt64(), std::nullopt);
        EXPECT_EQ(root["r"].AsDouble(), -1.5);
        EXPECT_EQ(root["big"].AsInt64(), std::nullopt);
        EXPECT_EQ(root["t"].AsBool(), true);
        EXPECT_EQ(root["f"].AsBool(), false);
        EXPECT_EQ(root["l"][0].raw(), "1");
        EXPECT_EQ(root["l"][1].raw(), "[2]");
        EXPECT_EQ(root["l"][2].AsString(), "]");
        EXPECT_EQ(root["o"]["a"]["b"].raw(), "1");
        EXPECT_EQ(root["o"].raw(), R"({"a":{"b":1},"c":"}"})");
        EXPECT_EQ(root["last"].AsString(), "\u00e9");
        EXPECT_EQ(root["absent"].raw(), "");
        EXPECT_TRUE(root["absent"].ToValue().is_null());
        EXPECT_EQ(root["o"].ToValue().Dump(), R"({"a":{"b":1},"c":"}"})");
      }),
      0U);
}

// Invalid JSON deep in an object is found when it is read, as is the end of a scalar.
TEST(JsonViews, Scalars_EndAtFirstForeignCharacter) {
  const KindInfo& type = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const auto build = [&](const std::string& text) {
    return BuildFromJson(type, R"({"metadata":{"name":"x"},"spec":{"in":)" + text + "}}").OrExit();
  };
  const auto in = [](const ObjectRef& object) {
    return Unstructured(object.get()).root()["spec"]["in"];
  };
  for (const std::string behind :
       {",", " ", "\t", "\n", "\r", "\"x\"", "{}", "[]", ":", "}", "]"}) {
    const bool closes = behind == "}" || behind == "]";
    const ObjectRef object = build((behind == "]" ? "[12" : R"({"a":12)") + (closes ? "" : behind) +
                                   (behind == "]" ? "]" : "}"));
    EXPECT_EQ((behind == "]" ? in(object)[0] : in(object)["a"]).raw(), "12") << behind;
  }
  const ObjectRef numbers = build(R"({"a":12x,"b":1.5x,"c":1e999,"d":-,"e":1})");
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(in(numbers)[name].AsInt64(), std::nullopt) << name;
    EXPECT_EQ(in(numbers)[name].AsDouble(), std::nullopt) << name;
  }
  EXPECT_EQ(Counted([&] {
              EXPECT_EQ(in(build(R"({"a":12x,"e":1})")).ToValue().Dump(), R"({"a":null,"e":1})");
            }),
            1U);
}

}  // namespace
}  // namespace kinformer::internal
