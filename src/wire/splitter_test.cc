// ListSplitter and the scanner under it: every place to cut, malformed and oversize
// input, random documents.

#include <gtest/gtest.h>
#include <random>
#include <simdjson.h>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "wire/envelope.h"
#include "wire/json_scanner.h"
#include "wire/list_splitter.h"
#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"
#include "wire/testing/feed.h"
#include "wire/testing/random_json.h"

namespace kinformer::wire {
namespace {

using internal::Encoding;

class Items : public ListSplitter::Sink {
 public:
  Result<void> OnItem(std::string_view item, const JsonBitmap*) override {
    items.emplace_back(item);
    return {};
  }
  std::vector<std::string> items;
};

std::string ProtobufList(const std::vector<std::string>& items, bool meta_last = false) {
  std::string list;
  ProtobufWriter writer(list);
  const auto meta = [&] {
    writer.Nested(1, [](ProtobufWriter& m) {
      m.BytesField(1, "");
      m.BytesField(2, "4711");
      m.BytesField(3, "more");
      m.VarintField(4, 300);
    });
  };
  if (!meta_last) meta();
  for (const std::string& item : items) writer.BytesField(2, item);
  if (meta_last) meta();
  // Unknown fields of any type are skipped.
  writer.VarintField(9, 1);
  writer.DoubleField(10, 0.5);
  list += std::string("\x5d\1\2\3\4", 5);
  return SealEnvelope("v1", "PodList", list);
}

TEST(ListSplitter, ProtobufAtEveryPieceSize) {
  const std::vector<std::string> want = {"first", "", std::string(300, 'x'), "last"};
  for (const bool meta_last : {false, true}) {
    const std::string body = ProtobufList(want, meta_last);
    for (std::size_t size = 1; size <= body.size(); ++size) {
      ListSplitter splitter(Encoding::kProtobuf);
      Items items;
      const Result<void> r = FeedInPieces(splitter, items, body, size);
      ASSERT_TRUE(r.ok()) << size << r.error().message();
      EXPECT_EQ(items.items, want) << size;
      EXPECT_EQ(splitter.head().kind, "PodList");
      EXPECT_EQ(splitter.head().apiVersion, "v1");
      EXPECT_EQ(splitter.head().resourceVersion, "4711");
      EXPECT_EQ(splitter.head().continue_, "more");
      EXPECT_EQ(splitter.head().remainingItemCount, 300);
      EXPECT_EQ(splitter.offset(), body.size());
    }
  }
}

TEST(ListSplitter, ProtobufCutOffAnywhereIsNoticed) {
  const std::string body = ProtobufList({"one", "two"});
  // The two empty strings at the end of the envelope are optional, so a cut between them is not an
  // error.
  for (std::size_t size = 0; size < body.size() - 4; ++size) {
    ListSplitter splitter(Encoding::kProtobuf);
    Items items;
    const Result<void> r = FeedInPieces(splitter, items, body.substr(0, size), 7);
    // Before the list itself, an envelope without a list is complete, too.
    if (size == 4 || size == 4 + 15) continue;
    ASSERT_FALSE(r.ok()) << size;
    EXPECT_EQ(r.error().reason(), Reason::kUnexpectedEof);
  }
}

TEST(ListSplitter, ProtobufErrors) {
  const auto error = [](std::string_view body, std::size_t limit = 1000) {
    ListSplitter splitter(Encoding::kProtobuf, limit);
    Items items;
    const Result<void> r = FeedInPieces(splitter, items, body, 3);
    return r.ok() ? std::string("ok") : r.error().message();
  };
  EXPECT_EQ(error("{\"kind\":\"PodList\"}"),
            "list in protobuf, byte 0, after 0 items: the magic \"k8s\\0\" is missing; the answer "
            "is damaged, or not an API server's own (a proxy's?)");
  const std::string body = ProtobufList({std::string(50, 'x')});
  EXPECT_NE(error(body, 49).find("the limit is 49"), std::string::npos);
  std::string list = "\x12\x7f";
  EXPECT_NE(error(SealEnvelope("v1", "L", list)).find("beyond the end of the list"),
            std::string::npos);
  list = std::string("\x0b\x01", 2);  // a group
  EXPECT_NE(error(SealEnvelope("v1", "L", list)).find("malformed field"), std::string::npos);
  list = std::string(12, '\xff');
  EXPECT_NE(error(SealEnvelope("v1", "L", list)).find("malformed field"), std::string::npos);
}

constexpr std::string_view kJsonList =
    R"({"kind":"PodList", "apiVersion":"v1","items":[{"a":"}]\"{"},{"b":[1,{"c":{}}]} , {}],)"
    R"("other":[{"items":[1]}],"n":-1.5e3,"metadata":{"resourceVersion":"12",)"
    R"("continue":"a\u002fb",)"
    R"("remainingItemCount":7}})"
    "\n";

TEST(ListSplitter, JsonAtEveryPieceSize) {
  const std::vector<std::string> want = {R"({"a":"}]\"{"})", R"({"b":[1,{"c":{}}]})", "{}"};
  for (std::size_t size = 1; size <= kJsonList.size(); ++size) {
    ListSplitter splitter(Encoding::kJson);
    Items items;
    const Result<void> r = FeedInPieces(splitter, items, kJsonList, size);
    ASSERT_TRUE(r.ok()) << size << r.error().message();
    EXPECT_EQ(items.items, want) << size;
    EXPECT_EQ(splitter.head().kind, "PodList");
    EXPECT_EQ(splitter.head().apiVersion, "v1");
    EXPECT_EQ(splitter.head().resourceVersion, "12");
    EXPECT_EQ(splitter.head().continue_, "a/b");
    EXPECT_EQ(splitter.head().remainingItemCount, 7);
  }
}

TEST(ListSplitter, JsonCutOffAnywhereIsNoticed) {
  for (std::size_t size = 0; size + 1 < kJsonList.size(); ++size) {
    ListSplitter splitter(Encoding::kJson);
    Items items;
    const Result<void> r = FeedInPieces(splitter, items, kJsonList.substr(0, size), 5);
    ASSERT_FALSE(r.ok()) << size;
    EXPECT_EQ(r.error().reason(), Reason::kUnexpectedEof);
  }
}

TEST(ListSplitter, JsonErrorsSayWhere) {
  struct Case {
    const char* body;
    const char* message;
  };
  for (const Case& c : {
           Case{"[]", "byte 0, after 0 items: found '[' where the list's '{' should be"},
           Case{"{\"items\":{}}",
                "byte 9, after 0 items: found '{' where the array of items should be"},
           Case{"{\"items\":[1]}",
                "byte 10, after 0 items: found '1' where an item's '{' should be"},
           Case{"{\"items\":[{} {}]}",
                "byte 13, after 1 items: found '{' where ',' or ']' should be"},
           Case{"{\"items\":[{},]}",
                "byte 13, after 1 items: found ']' where an item's '{' should be"},
           Case{"{\"items\" 1}", "byte 9, after 0 items: found '1' where ':' should be"},
           Case{"{\"a\":}", "byte 5, after 0 items: found '}' where a value should be"},
           Case{"{\"a\":1,}", "byte 7, after 0 items: found '}' where a member's name should be"},
           Case{"{} {}", "byte 3, after 0 items: found '{' where the end should be"},
           Case{"{\"metadata\":{\"x\"}}", "the member \"metadata\" is malformed"},
       }) {
    ListSplitter splitter(Encoding::kJson);
    Items items;
    const Result<void> r = splitter.Feed(c.body, items);
    ASSERT_FALSE(r.ok()) << c.body;
    EXPECT_NE(r.error().message().find(c.message), std::string::npos)
        << c.body << ": " << r.error().message();
  }
  ListSplitter splitter(Encoding::kJson, 20);
  Items items;
  const Result<void> r = FeedInPieces(
      splitter, items,
      "{\"skipped\":\"this is long and not kept\",\"items\":[{\"a\":\"much too long\"}]}", 4);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().reason(), Reason::kOverLimit);
  EXPECT_NE(r.error().message().find("the limit is 20"), std::string::npos);
}

// Skips items that are too large, and records their first bytes.
class Patient final : public Items {
 public:
  Result<void> OnTooLarge(std::string_view front, Error error) override {
    EXPECT_EQ(error.reason(), Reason::kOverLimit);
    items.push_back("too large: " + std::string(front.substr(0, 8)));
    return {};
  }
};

TEST(ListSplitter, ItemsThatAreTooLargeAreSkippedWhereTheSinkDoesWithoutThem_Row63) {
  const std::string large = R"({"a":"}\"{[","b":[{},{}],"c":")" + std::string(60, 'x') + "\"}";
  const std::string body = R"({"kind":"L","items":[{"n":1},)" + large + R"(,{"n":2},)" + large +
                           R"(],"metadata":{"resourceVersion":"7"}})";
  for (const std::size_t size : {1U, 3U, 16U, 50U, 1000U}) {
    SCOPED_TRACE(size);
    ListSplitter splitter(Encoding::kJson, 40);
    Patient items;
    ASSERT_TRUE(FeedInPieces(splitter, items, body, size).ok());
    ASSERT_TRUE(splitter.Finish().ok());
    EXPECT_EQ(items.items, (std::vector<std::string>{R"({"n":1})", R"(too large: {"a":"}\)",
                                                     R"({"n":2})", R"(too large: {"a":"}\)"}));
    EXPECT_EQ(splitter.head().resourceVersion, "7");
  }
  const std::string bytes =
      ProtobufList({"one", std::string(50, 'a'), "two", std::string(90, 'b')});
  for (const std::size_t size : {1U, 3U, 16U, 50U, 1000U}) {
    SCOPED_TRACE(size);
    ListSplitter splitter(Encoding::kProtobuf, 40);
    Patient items;
    ASSERT_TRUE(FeedInPieces(splitter, items, bytes, size).ok());
    ASSERT_TRUE(splitter.Finish().ok());
    EXPECT_EQ(items.items, (std::vector<std::string>{"one", "too large: aaaaaaaa", "two",
                                                     "too large: bbbbbbbb"}));
    ListSplitter cut(Encoding::kProtobuf, 40);
    const Result<void> ended =
        FeedInPieces(cut, items, std::string_view(bytes).substr(0, bytes.size() - 20), size);
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.error().reason(), Reason::kUnexpectedEof);
  }
}

// Only items can be skipped.
TEST(ListSplitter, OtherFieldsThatAreTooLargeEndTheList) {
  std::string list;
  ProtobufWriter writer(list);
  writer.Nested(1, [](ProtobufWriter& m) { m.BytesField(3, std::string(60, 'c')); });
  writer.BytesField(2, "one");
  const std::string large_list = SealEnvelope("v1", "L", list);
  for (const std::string& body : {large_list, SealEnvelope(std::string(60, 'v'), "L", "")}) {
    for (const std::size_t size : {1U, 16U, 1000U}) {
      ListSplitter splitter(Encoding::kProtobuf, 40);
      Patient items;
      const Result<void> ended = FeedInPieces(splitter, items, body, size);
      ASSERT_FALSE(ended.ok()) << size;
      EXPECT_EQ(ended.error().reason(), Reason::kOverLimit) << size;
      EXPECT_TRUE(items.items.empty()) << size;
    }
  }
}

TEST(ListSplitter, ListsWithoutItems) {
  for (const char* body : {"{}", "{\"items\":[]}", "{\"items\":null}", " { } "}) {
    ListSplitter splitter(Encoding::kJson);
    Items items;
    EXPECT_TRUE(FeedInPieces(splitter, items, body, 1).ok()) << body;
    EXPECT_TRUE(items.items.empty());
  }
  // Without items the result is the metadata before them.
  ListSplitter none(Encoding::kJson);
  Items no_items;
  EXPECT_TRUE(
      FeedInPieces(none, no_items, R"({"metadata":{"resourceVersion":"7"},"items":null})", 3).ok());
  EXPECT_EQ(none.head().resourceVersion, "7");
  EXPECT_EQ(none.head().remainingItemCount, 0);
  ListSplitter splitter(Encoding::kProtobuf);
  Items items;
  EXPECT_TRUE(FeedInPieces(splitter, items, SealEnvelope("v1", "PodList", ""), 1).ok());
  EXPECT_TRUE(items.items.empty());
}

TEST(JsonScanner, PlainStringsAreBetweenQuotes) {
  EXPECT_EQ(PlainJsonString(R"("a b")"), "a b");
  for (const char* none : {"", "\"", "\"\"", "\"abc", "abc\"", "7", "{}"}) {
    EXPECT_EQ(PlainJsonString(none), "") << none;
  }
}

// Writes values one after another and cuts at random places: the scanner must find the borders of
// the values.
TEST(JsonScanner, FindsTheBordersOfRandomValues) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto generate = [&](auto& self, int depth) -> json::Value {
    switch (pick(depth > 5 ? 4 : 6)) {
      case 0:
        return json::Value(static_cast<int>(random()));
      case 1:
        return json::Value(pick(2) == 0);
      case 2:
      case 3: {
        std::string text;
        const std::size_t n = pick(80);
        static constexpr char kBytes[] = "{}[]\",:\\ \nabcdefghijklmnop";
        for (std::size_t i = 0; i < n; ++i) text.push_back(kBytes[pick(sizeof(kBytes) - 1)]);
        return json::Value(std::move(text));
      }
      case 4: {
        json::Value array = json::Value::MakeArray();
        for (std::size_t i = pick(6); i > 0; --i) array.Append(self(self, depth + 1));
        return array;
      }
      default: {
        json::Value object = json::Value::MakeObject();
        for (std::size_t i = pick(6); i > 0; --i) {
          object.Set("k\"" + std::to_string(i), self(self, depth + 1));
        }
        return object;
      }
    }
  };
  for (int round = 0; round < 3000; ++round) {
    json::Value list = json::Value::MakeObject({{"items", json::Value::MakeArray()}});
    std::vector<std::string> want;
    for (std::size_t i = pick(6); i > 0; --i) {
      json::Value item = json::Value::MakeObject({{"v", generate(generate, 0)}});
      want.push_back(item.Dump());
      list.Ensure("items").Append(std::move(item));
    }
    const std::string body = list.Dump();
    ListSplitter splitter(Encoding::kJson);
    Items items;
    const Result<void> r = FeedInPieces(splitter, items, body, 1 + pick(200));
    ASSERT_TRUE(r.ok()) << r.error().message() << body;
    EXPECT_EQ(items.items, want);
  }
}

// Documents with spaces, escapes and multi-byte characters, cut at every byte: each item must be
// what simdjson finds in its place.
TEST(JsonScanner, AgreesWithSimdjsonWhereverTheBodyIsCut) {
  testing::RandomJson random(17);
  simdjson::dom::parser parser;
  for (int round = 0; round < 300; ++round) {
    std::string body = R"({"metadata":{},"items":[)";
    for (unsigned i = random.Pick(4); i > 0; --i) {
      body += "{\"v\": " + random.Make() + "} " + (i > 1 ? ", " : "");
    }
    body += "] , \"kind\":\"L\"}";
    if (body.size() > 700) continue;
    std::vector<std::string> want;
    simdjson::dom::array items;
    ASSERT_EQ(parser.parse(simdjson::padded_string(body))["items"].get(items), simdjson::SUCCESS)
        << body;
    for (const simdjson::dom::element item : items) want.push_back(simdjson::minify(item));
    for (std::size_t cut = 0; cut <= body.size(); ++cut) {
      ListSplitter splitter(Encoding::kJson);
      Items found;
      ASSERT_TRUE(splitter.Feed(std::string_view(body).substr(0, cut), found).ok()) << body;
      ASSERT_TRUE(splitter.Feed(std::string_view(body).substr(cut), found).ok()) << body;
      ASSERT_TRUE(splitter.Finish().ok());
      ASSERT_EQ(found.items.size(), want.size());
      if (cut % 16 != 0) continue;
      for (std::size_t i = 0; i < want.size(); ++i) {
        const simdjson::dom::element item = parser.parse(simdjson::padded_string(found.items[i]));
        ASSERT_EQ(std::string(simdjson::minify(item)), want[i]);
      }
    }
  }
}

TEST(JsonScanner, NeverReadsPastTheEnd) {
  std::mt19937 random(11);
  static constexpr char kBytes[] = "{}[]\",:\\ 0a";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n)
      text.push_back(kBytes[random() % (sizeof(kBytes) - 1)]);
    const std::vector<char> exact(text.begin(), text.end());
    const char* const end = exact.data() + exact.size();
    JsonBitmap bitmap;
    bitmap.Read({exact.data(), exact.size()});
    const char* const at = bitmap.SkipValue(exact.data(), end);
    EXPECT_TRUE(at == nullptr || (at <= end && at >= exact.data()));
    JsonMembers members(bitmap.text(), bitmap);
    while (members.Next()) {
      EXPECT_LE(members.value().data() + members.value().size(), end);
    }
    EXPECT_LE(members.offset(), exact.size());
  }
}

TEST(ProtobufReader, ReadsWhatTheWriterWrites) {
  std::string message;
  ProtobufWriter writer(message);
  writer.VarintField(1, 0);
  writer.VarintField(2, ~std::uint64_t{0});
  writer.Int64Field(3, -5);
  writer.BytesField(500, "text");
  writer.DoubleField(7, -2.5);
  writer.Nested(8, [](ProtobufWriter& w) { w.BytesField(1, std::string(200, 'y')); });
  ProtobufReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), 0U);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), ~std::uint64_t{0});
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(static_cast<std::int64_t>(reader.varint()), -5);
  EXPECT_EQ(reader.bytes(), "");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 500U);
  EXPECT_EQ(reader.bytes(), "text");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.fixed64_double(), -2.5);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.bytes().size(), 203U);
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.ok());
}

TEST(ProtobufReader, NumbersOfPackedLists) {
  const std::string bytes("\x96\x01\x01\x02\x03\x04\x05\x06\x07\x08", 10);
  struct Row {
    WireType type;
    std::size_t at;
    std::size_t size;
    std::uint64_t number;
  };
  for (const Row& row :
       {Row{WireType::kVarint, 0, 2, 150}, Row{WireType::kFixed32, 2, 4, 0x04030201},
        Row{WireType::kFixed64, 2, 8, 0x0807060504030201}}) {
    const char* const at = bytes.data() + row.at;
    WireField field;
    EXPECT_EQ(ReadPacked(at, at + row.size, row.type, field), at + row.size);
    EXPECT_EQ(field.scalar, row.number);
    EXPECT_EQ(field.type, row.type);
    EXPECT_EQ(ReadPacked(at, at + row.size - 1, row.type, field), nullptr);
  }
}

TEST(ProtobufReader, EveryCutIsNoticed) {
  std::string message;
  ProtobufWriter writer(message);
  writer.VarintField(1, 300);
  writer.BytesField(2, "text");
  writer.DoubleField(3, 1);
  const std::vector<std::size_t> borders = {0, 3, 9, 18};
  for (std::size_t size = 0; size <= message.size(); ++size) {
    ProtobufReader reader(std::string_view(message).substr(0, size));
    while (reader.Next()) {
    }
    const bool border = std::find(borders.begin(), borders.end(), size) != borders.end();
    EXPECT_EQ(reader.ok(), border) << size;
  }
  for (const char* bad : {"\x0b", "\x0c", "\x0e\x01", "\x02\x01"}) {
    ProtobufReader reader(bad);
    EXPECT_FALSE(reader.Next());
    EXPECT_FALSE(reader.ok());
  }
}

}  // namespace
}  // namespace kinformer::wire
