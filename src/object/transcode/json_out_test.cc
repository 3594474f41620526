// TextOut and ValueOut must give the same result for the same calls.

#include "object/transcode/json_out.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::internal {
namespace {

// Calls every function, with empty and non-empty values. Two keys become equal as valid UTF-8.
template <class Out>
void Write(Out& out) {
  bool first = true;
  out.BeginObject({});
  out.Name("empty", first);
  out.BeginObject({});
  out.EndObject();
  out.Name("none", first);
  out.BeginList();
  out.EndList();
  out.Name("list", first);
  out.BeginList();
  bool first_item = true;
  out.Element(first_item);
  out.Null();
  out.Element(first_item);
  out.Bool(true);
  out.Element(first_item);
  out.Integer(-7);
  out.Element(first_item);
  out.Double(0.5);
  out.Element(first_item);
  out.String("a\xff<");
  out.Element(first_item);
  out.Plain([](std::string& text) { text += "plain"; });
  out.Element(first_item);
  out.Raw(R"( { "x" : [ 1.50 , "<" ] } )");
  EXPECT_TRUE(out.Discarded([&] {
    out.String("nobody reads this");
    return true;
  }));
  EXPECT_FALSE(out.Discarded([] { return false; }));
  out.Element(first_item);
  out.Bool(false);
  out.EndList();
  out.RawMember(R"("raw" : [ ])", "raw", first);
  out.Name("map", first);
  out.BeginObject({});
  bool first_key = true;
  out.Key("k\"", first_key);
  out.Integer(1);
  out.Key("bad\xff", first_key);
  out.Integer(2);
  out.Key("later", first_key);
  out.Integer(3);
  out.EndObject();
  out.Name("last", first);
  out.String("");
  out.EndObject();
}

TEST(JsonOut, TextAndDocumentSayTheSame) {
  std::string text = "before";
  TextOut text_out(text);
  Write(text_out);
  EXPECT_EQ(text, R"(before{"empty":{},"none":[],"list":[null,true,-7,0.5,"a\ufffd\u003c","plain",)"
                  R"({"x":[1.50,"\u003c"]},false],"raw":[],"map":{"k\"":1,"bad\ufffd":2,)"
                  R"("later":3},"last":""})");
  // The result is the parsed value, and any previous value is overwritten.
  const std::string want = json::Parse(text.substr(6)).OrExit().Dump();
  for (json::Value value : {json::Value(), json::Value("text"), json::Value(7)}) {
    ValueOut value_out(value, 512);
    Write(value_out);
    EXPECT_FALSE(value_out.failed());
    EXPECT_EQ(value.Dump(), want);
  }
  std::string head;
  TextOut with_head(head);
  with_head.BeginObject(R"("kind":"K")");
  bool first = false;
  with_head.Name("a", first);
  with_head.Null();
  with_head.EndObject();
  EXPECT_EQ(head, R"({"kind":"K","a":null})");
}

// Keys may become equal when they are converted to UTF-8; then the last value is used.
TEST(JsonOut, KeysRepairedToSameText_BecomeOne) {
  json::Value value;
  ValueOut out(value, 512);
  bool first = true;
  out.BeginObject({});
  for (const std::string_view key :
       {"a\xfe", "\xef\xbf\xbd", "a\xff", "b", "\xff", "\xef\xbf\xbd"}) {
    out.Key(key, first);
    out.BeginList();
    out.EndList();
    out.Key("n\xff", first);
    out.Integer(static_cast<std::int64_t>(key.size()));
  }
  out.EndObject();
  EXPECT_EQ(value.size(), 4U) << value;
  EXPECT_EQ(value.Dump(), R"({"a�":[],"n�":3,"�":[],"b":[]})");
}

bool Fits(std::size_t objects, std::size_t lists, std::string_view raw, std::size_t most) {
  json::Value value;
  ValueOut out(value, most);
  bool first = true;
  for (std::size_t i = 0; i < objects; ++i) {
    out.BeginObject({});
    out.Name("a", first);
  }
  for (std::size_t i = 0; i < lists; ++i) {
    out.BeginList();
    out.Element(first);
  }
  if (!raw.empty()) out.Raw(raw);
  for (std::size_t i = 0; i < lists; ++i) out.EndList();
  for (std::size_t i = 0; i < objects; ++i) out.EndObject();
  return !out.failed();
}

// Objects, lists and the JSON texts in them all count.
TEST(JsonOut, DocumentsHaveADepth) {
  EXPECT_TRUE(Fits(2, 1, "7", 3));
  EXPECT_FALSE(Fits(2, 2, "", 3));
  EXPECT_FALSE(Fits(4, 0, "", 3));
  EXPECT_FALSE(Fits(4, 1, "7", 3));
  EXPECT_TRUE(Fits(1, 1, "[]", 3));
  EXPECT_TRUE(Fits(1, 0, "[{}]", 3));
  EXPECT_FALSE(Fits(1, 1, "[[]]", 3));
  EXPECT_FALSE(Fits(2, 1, "[]", 3));
  EXPECT_FALSE(Fits(1, 0, "no JSON", 3));
  const auto member_fits = [](std::string_view member, std::size_t most) {
    json::Value value;
    ValueOut out(value, most);
    bool first = true;
    out.BeginObject({});
    out.RawMember(member, "m", first);
    out.EndObject();
    return !out.failed() && value.contains("m");
  };
  EXPECT_TRUE(member_fits(R"("m":7)", 1));
  EXPECT_FALSE(member_fits(R"("m":[])", 1));
  EXPECT_TRUE(member_fits(R"("m":[])", 2));
  EXPECT_FALSE(member_fits(R"("m":[[]])", 2));
  EXPECT_FALSE(member_fits(R"("m":)", 2));
}

}  // namespace
}  // namespace kinformer::internal
