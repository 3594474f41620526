// Transcoding, validation and canonical order of a message with every kind of field, including
// itself. No kind of the API has all of them together, or nests without a limit.

#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "object/transcode/canonical.h"
#include "object/transcode/drop_unknown.h"
#include "object/transcode/protobuf_to_value.h"
#include "object/transcode/transcode.h"
#include "object/transcode/validate.h"
#include "object/transcode/value_to_protobuf.h"
#include "object/values/text_forms.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

using ::testing::HasSubstr;
using wire::ProtobufWriter;

// A message whose tables are created at its first use.
class Made {
 public:
  Made(std::string_view name, std::vector<FieldDescriptor> fields) : fields_(std::move(fields)) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      order_.push_back(static_cast<std::uint16_t>(i));
      if (!fields_[i].inlined) by_name_.push_back(static_cast<std::uint16_t>(i));
    }
    std::sort(by_name_.begin(), by_name_.end(), [this](std::uint16_t a, std::uint16_t b) {
      return fields_[a].json_name < fields_[b].json_name;
    });
    message_ = {.name = name, .fields = fields_, .by_name = by_name_, .json_order = order_};
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  FieldDescriptor& field(std::size_t i) { return fields_[i]; }
  [[nodiscard]] const MessageDescriptor& message() const { return message_; }

 private:
  std::vector<FieldDescriptor> fields_;
  std::vector<std::uint16_t> by_name_;
  std::vector<std::uint16_t> order_;
  MessageDescriptor message_;
};

const MessageDescriptor& Every() {
  static const Made* const made = [] {
    static Made inner("Inner", {{.json_name = "innerText", .number = 1}});
    auto* const every = new Made(
        "Every",
        {{.json_name = "text", .number = 1},
         {.json_name = "flag", .number = 2, .kind = FieldKind::kBool},
         {.json_name = "small", .number = 3, .kind = FieldKind::kInt32},
         {.json_name = "large", .number = 4, .kind = FieldKind::kInt64},
         {.json_name = "real", .number = 5, .kind = FieldKind::kDouble},
         {.json_name = "data", .number = 6, .kind = FieldKind::kBytes},
         {.json_name = "self", .number = 7, .kind = FieldKind::kMessage, .pointer = true},
         {.json_name = "time", .number = 8, .kind = FieldKind::kTime, .pointer = true},
         {.json_name = "micro", .number = 9, .kind = FieldKind::kMicroTime, .pointer = true},
         {.json_name = "span", .number = 10, .kind = FieldKind::kDuration, .pointer = true},
         {.json_name = "amount", .number = 11, .kind = FieldKind::kQuantity, .pointer = true},
         {.json_name = "port", .number = 12, .kind = FieldKind::kIntOrString, .pointer = true},
         {.json_name = "raw", .number = 13, .kind = FieldKind::kRawJson, .pointer = true},
         {.json_name = "texts", .number = 14, .repeated = true},
         {.json_name = "numbers", .number = 15, .kind = FieldKind::kInt64, .repeated = true},
         {.json_name = "reals", .number = 16, .kind = FieldKind::kDouble, .repeated = true},
         {.json_name = "selves", .number = 17, .kind = FieldKind::kMessage, .repeated = true},
         {.json_name = "named", .number = 18, .kind = FieldKind::kMessage, .map = true},
         {.json_name = "labels", .number = 19, .map = true},
         {.json_name = "counts", .number = 20, .kind = FieldKind::kInt32, .map = true},
         {.json_name = "maybe", .number = 21, .pointer = true},
         {.json_name = "",
          .number = 22,
          .kind = FieldKind::kMessage,
          .inlined = true,
          .message = &inner.message()},
         {.json_name = "must", .number = 23, .repeated = true, .omitempty = false},
         {.json_name = "far", .number = 2000}});
    for (const std::size_t i : {6U, 16U, 17U}) every->field(i).message = &every->message();
    return every;
  }();
  return made->message();
}

std::string ToJson(std::string_view bytes) {
  std::string json = "kept";
  const Result<void> done = ProtobufToJson(Every(), bytes, json);
  if (!done.ok()) {
    EXPECT_EQ(json, "kept") << "on an error it is as it was";
    return done.error().message();
  }
  return json.substr(4);
}

std::string ToValue(std::string_view bytes) {
  const Result<json::Value> value = ProtobufToValue(Every(), bytes, "K", "v");
  if (!value.ok()) return value.error().message();
  json::Value object = *value;
  EXPECT_EQ(object.members().begin()->second, json::Value("K"));
  EXPECT_TRUE(object.Erase("kind") && object.Erase("apiVersion"));
  return object.Dump();
}

std::string FromJson(std::string_view json) {
  const Result<std::string> bytes = JsonToProtobuf(Every(), json);
  const Result<std::string> from_value = ValueToProtobuf(Every(), json::Parse(json).OrExit());
  EXPECT_EQ(bytes.ok(), from_value.ok()) << json;
  if (!bytes.ok()) return bytes.error().message();
  EXPECT_EQ(*bytes, *from_value) << json;
  return *bytes;
}

constexpr char kWhole[] =
    R"({"text":"a\u003cb","flag":true,"small":-5,"large":9007199254740993,"real":-1.5,)"
    R"("data":"Zm9v","self":{"text":"b","self":{"must":null},"must":null},)"
    R"("time":"2026-03-01T10:00:00Z","micro":"2026-03-01T10:00:00.000007Z","span":"1h30m0s",)"
    R"("amount":"500m","port":80,"raw":{"x":[1,{"z":null}]},"texts":["","t"],)"
    R"("numbers":[0,-1,300],"reals":[0.5,0],"selves":[{"must":null},{"text":"c","must":[]}],)"
    R"("named":{"":{"must":null},"n":{"flag":true,"must":null}},"labels":{"a":"","b":"2"},)"
    R"("counts":{"x":7,"z":-7},"maybe":"","innerText":"in","must":["m"],"far":"away"})";

TEST(EveryKind, IsTheSameInAllForms) {
  const std::string bytes = FromJson(kWhole);
  // An empty list reads as null, because it has no bytes in the message.
  std::string want = kWhole;
  want.replace(want.find(R"("must":[])"), 9, R"("must":null)");
  EXPECT_EQ(ToJson(bytes), want);
  EXPECT_EQ(ToValue(bytes), want);
  EXPECT_TRUE(ValidateMessage(Every(), bytes).ok());
  EXPECT_FALSE(HasUnknownFields(Every(), bytes));
  EXPECT_EQ(Canonicalize(Every(), bytes).OrExit(), bytes);
  // Empty values are left out, except for fields without omitempty.
  EXPECT_EQ(ToJson(FromJson("{}")), R"({"must":null})");
  EXPECT_EQ(ToValue(FromJson("{}")), R"({"must":null})");
  EXPECT_EQ(ToJson(""), R"({"must":null})");
  EXPECT_EQ(ToJson(FromJson(R"({"port":"http","time":null,"raw":"r","amount":7})")),
            R"({"amount":"7","port":"http","raw":"r","must":null})");
  EXPECT_EQ(ToJson(JsonToProtobuf(Every(), R"({"raw": [ "<" ] })").OrExit()),
            R"({"raw":["\u003c"],"must":null})")
      << "kept as it was sent, and written as JSON is";
}

TEST(EveryKind, UnknownMembersAreDroppedAtAnyDepth) {
  json::Value object = json::Parse(kWhole).OrExit();
  const json::Value known = object;
  object.Ensure("x") = 1;
  object.Ensure("self", "x") = 1;
  object.Ensure("self", "self", "kind") = "K";
  object.Ensure("selves", 1, "x") = json::Value::MakeObject();
  object.Ensure("named", "n", "x") = nullptr;
  object.Ensure("named", "n", "kind") = "K";
  object.Ensure("selves", 0, "apiVersion") = "v";
  object.Ensure("innerText2") = "x";
  DropUnknownMembers(Every(), object);
  EXPECT_EQ(object, known) << object;
  object.Ensure("kind") = "K";
  object.Ensure("apiVersion") = "v";
  DropUnknownMembers(Every(), object);
  EXPECT_TRUE(object.contains("kind") && object.contains("apiVersion")) << "the root says its type";
  // A value whose type is not the schema's is kept; the reader of the value must handle it.
  json::Value odd = json::Parse(R"({"self":7,"selves":{"x":1},"named":[{"x":1}]})").OrExit();
  DropUnknownMembers(Every(), odd);
  EXPECT_EQ(odd.Dump(), R"({"self":7,"selves":{"x":1},"named":[{"x":1}]})");
}

// kind and apiVersion of the root are not kept; deeper they are ordinary members.
TEST(EveryKind, MembersThatTheSchemaLacksMayBeKept) {
  const auto keep = [](const char* json) {
    return JsonToProtobuf(Every(), json, nullptr, UnknownMembers::kKeep).OrExit();
  };
  EXPECT_FALSE(HasKeptMembers(keep(R"({"kind":"K","apiVersion":"v","text":"a"})")));
  const std::string bytes =
      keep(R"({"kind":"K","apiVersion":"v","text":"a","later":[1],"self":{"kind":"K","text":"b"},)"
           R"("innerText":"in"})");
  const std::string want = R"({"text":"a","self":{"text":"b","must":null,"kind":"K"},)"
                           R"("innerText":"in","must":null,"later":[1]})";
  EXPECT_TRUE(HasKeptMembers(bytes));
  EXPECT_EQ(ToJson(bytes), want);
  EXPECT_EQ(ToValue(bytes), want);
  EXPECT_FALSE(HasUnknownFields(Every(), bytes));
}

TEST(EveryKind, NumbersHaveBounds) {
  EXPECT_EQ(ToJson(FromJson(R"({"small":2147483647,"large":9223372036854775807,"must":["m"]})")),
            R"({"small":2147483647,"large":9223372036854775807,"must":["m"]})");
  EXPECT_EQ(ToJson(FromJson(R"({"small":-2147483648,"large":-9223372036854775808})")),
            R"({"small":-2147483648,"large":-9223372036854775808,"must":null})");
  const std::pair<const char*, const char*> cases[] = {
      {R"({"small":2147483648})", "small: 2147483648 does not fit into 32 bits"},
      {R"({"small":-2147483649})", "small: -2147483649 does not fit into 32 bits"},
      {R"({"small":99999999999999999999})", "does not fit into 32 bits"},
      {R"({"large":9223372036854775808})", "9223372036854775808 does not fit into 64 bits"},
      {R"({"large":1e3})", "large: expected an integer, got 1e3"},
      {R"({"large":"1"})", "large: expected an integer, got a string"},
      {R"({"real":1e999})", "real: 1e999 is too large"},
      {R"({"real":"1"})", "real: expected a number, got a string"},
      {R"({"port":2147483648})", "port: 2147483648 does not fit into 32 bits"},
      {R"({"port":true})", "port: expected a number or a string, got a boolean"},
      {R"({"flag":0})", "flag: expected a boolean, got a number"},
      {R"({"data":"Zg"})", "data: the string is not valid base64"},
      {R"({"data":7})", "data: expected a string, got a number"},
      {R"({"span":"1"})", "span: \"1\" is no duration such as \"1h30m\""},
      {R"({"span":1})", "span: expected a string, got a number"},
      {R"({"micro":"now"})", "micro: \"now\" is no RFC 3339 time such as"},
      {R"({"amount":"1 core"})", "amount: \"1 core\" is no quantity such as"},
      {R"({"amount":[]})", "amount: expected a quantity, got an array"},
      {R"({"texts":{}})", "texts: expected an array, got an object"},
      {R"({"texts":["a",1]})", "texts[1]: expected a string, got a number"},
      {R"({"labels":[]})", "labels: expected an object, got an array"},
      {R"({"counts":{"a":"x"}})", "counts.a: expected an integer, got a string"},
      {R"({"selves":[{},{"self":{"flag":null,"text":false}}]})",
       "selves[1].self.text: expected a string, got a boolean"},
      {R"({"named":{"n":null,"m":{"innerText":7}}})",
       "named.m.innerText: expected a string, got a number"},
  };
  for (const auto& [json, message] : cases) {
    EXPECT_THAT(JsonToProtobuf(Every(), json).error().message(), HasSubstr(message)) << json;
    EXPECT_FALSE(ValueToProtobuf(Every(), json::Parse(json).OrExit()).ok()) << json;
  }
  EXPECT_EQ(ToJson(FromJson(R"({"amount":"  5Ki ","real":1e-5})")),
            R"({"real":0.00001,"amount":"5Ki","must":null})");
}

TEST(EveryKind, ListsOfNumbersMayBePacked) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  writer.VarintField(15, 1);
  writer.BytesField(15, std::string("\x02\xac\x02\0", 4));
  writer.BytesField(15, "");
  writer.VarintField(15, 4);
  writer.BytesField(16, std::string("\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\x40", 16));
  EXPECT_EQ(ToJson(bytes), R"({"numbers":[1,2,300,0,4],"reals":[1.5,2],"must":null})");
  EXPECT_TRUE(ValidateMessage(Every(), bytes).ok());
  const auto one = [](std::uint32_t number, std::string_view content) {
    std::string field;
    ProtobufWriter(field).BytesField(number, content);
    return field;
  };
  for (const std::string& bad : {one(15, "\x01\x80"), one(16, "1234567"), one(16, "123456789")}) {
    EXPECT_THAT(ToJson(bad), HasSubstr(": malformed list"));
    EXPECT_THAT(ValidateMessage(Every(), bad).error().message(), HasSubstr("another wire type"));
  }
  EXPECT_EQ(ToJson(one(3, "\x01")), "protobuf: Every: field small: wire type 2") << "no list";
  std::string text;
  ProtobufWriter(text).VarintField(14, 1);
  EXPECT_EQ(ToJson(text), "protobuf: Every: field texts: wire type 0");
  std::string maybe;
  ProtobufWriter(maybe).DoubleField(21, 1);
  EXPECT_EQ(ToJson(maybe), "protobuf: Every: field maybe: wire type 1");
}

std::string Nested(std::uint32_t number, std::size_t levels, std::string bytes = {}) {
  for (std::size_t i = 0; i < levels; ++i) {
    std::string outer;
    ProtobufWriter(outer).BytesField(number, bytes);
    bytes = std::move(outer);
  }
  return bytes;
}

TEST(EveryKind, MessagesNestAtMost512Deep) {
  EXPECT_THAT(ToJson(Nested(7, 511)), HasSubstr(R"({"self":{"must":null},"must":null})"));
  EXPECT_EQ(ToJson(Nested(7, 512)), "protobuf: Every: nested too deeply");
  EXPECT_EQ(ToValue(Nested(7, 511)), ToJson(Nested(7, 511)));
  EXPECT_EQ(ToValue(Nested(7, 512)), "protobuf: Every: nested too deeply");
  // In a document lists count as well: 255 lists in 256 objects are allowed, one more is not.
  EXPECT_EQ(ToValue(Nested(17, 255)), ToJson(Nested(17, 255)));
  EXPECT_EQ(ToValue(Nested(17, 256)), "protobuf: nested too deeply");
  EXPECT_THAT(ToJson(Nested(17, 256)), HasSubstr("selves"));
  // Validation limits the depth as other protobuf decoders do.
  EXPECT_TRUE(ValidateMessage(Every(), Nested(7, 99)).ok());
  EXPECT_THAT(ValidateMessage(Every(), Nested(7, 100)).error().message(),
              HasSubstr("self: messages nest deeper than 100 levels"));
}

// The last of several entries with equal keys wins, and the last of equal parts of an entry.
TEST(EveryKind, EntriesOfMaps) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  const auto entry = [&](std::uint32_t number, const std::string& content) {
    writer.BytesField(number, content);
  };
  entry(19,
        "\x0a\x01"
        "b\x12\x01"
        "1");
  entry(19,
        "\x0a\x01"
        "a\x12\x01"
        "2");
  entry(19,
        "\x0a\x01"
        "b\x12\x01"
        "3");
  entry(19,
        "\x12\x01"
        "4");
  entry(19,
        "\x0a\x01"
        "c");
  entry(19,
        "\x12\x01"
        "x\x0a\x01"
        "z\x12\x01"
        "y\x0a\x01"
        "d\x1a\x01?");
  entry(20, std::string("\x0a\x01"
                        "n\x10\x05",
                        5));
  const std::string want =
      R"({"labels":{"":"4","a":"2","b":"3","c":"","d":"y"},"counts":{"n":5},"must":null})";
  EXPECT_EQ(ToJson(bytes), want);
  EXPECT_EQ(ToValue(bytes), want);
  EXPECT_TRUE(ValidateMessage(Every(), bytes).ok());
  const auto wrong = [](std::uint32_t number, std::string_view content) {
    std::string field;
    ProtobufWriter(field).BytesField(number, content);
    EXPECT_FALSE(ValidateMessage(Every(), field).ok());
    EXPECT_FALSE(ProtobufToValue(Every(), field, "K", "v").ok());
    return ToJson(field);
  };
  EXPECT_EQ(wrong(19, std::string_view("\x08\x01", 2)),
            "protobuf: Every: field labels: wire type 0");
  EXPECT_EQ(wrong(19, std::string_view("\x10\x01", 2)),
            "protobuf: Every: field labels: wire type 0");
  EXPECT_EQ(wrong(20, "\x12\x01x"), "protobuf: Every: field counts: wire type 2");
  EXPECT_EQ(wrong(19, "\x0a\x05x"), "protobuf: Every: field labels: malformed map entry");
  // All values of an entry must be well-formed, even those that are overridden.
  EXPECT_THAT(wrong(18, std::string_view("\x12\x01\x0a\x12\0", 5)), HasSubstr("Every: malformed"));
}

TEST(EveryKind, TimesThatCanBeWritten) {
  const auto time = [](std::uint32_t number, std::int64_t seconds, std::int64_t nanos) {
    std::string bytes;
    ProtobufWriter(bytes).Nested(number, [&](ProtobufWriter& w) {
      w.Int64Field(1, seconds);
      w.Int64Field(2, nanos);
    });
    return ToJson(bytes);
  };
  EXPECT_EQ(time(8, -62167219200, 0), R"({"time":"0000-01-01T00:00:00Z","must":null})");
  EXPECT_EQ(time(8, 253402300799, 999999999), R"({"time":"9999-12-31T23:59:59Z","must":null})");
  EXPECT_EQ(time(9, -1, 999999999), R"({"micro":"1969-12-31T23:59:59.999999Z","must":null})");
  EXPECT_EQ(time(9, kZeroTimeSeconds, 0), R"({"micro":null,"must":null})");
  EXPECT_EQ(time(9, kZeroTimeSeconds, 1000),
            R"({"micro":"0001-01-01T00:00:00.000001Z","must":null})");
  for (const auto& [seconds, nanos] : {std::pair<std::int64_t, std::int64_t>{-62167219201, 0},
                                       {253402300800, 0},
                                       {0, -1},
                                       {0, 1000000000}}) {
    EXPECT_EQ(time(8, seconds, nanos), "protobuf: Every: field time: the time is out of range");
  }
  // Fractions of a second are dropped in times, and fractions of a microsecond in microtimes.
  EXPECT_EQ(ToJson(FromJson(R"({"time":"2026-03-01T10:00:00.9Z"})")),
            R"({"time":"2026-03-01T10:00:00Z","must":null})");
  EXPECT_EQ(FromJson(R"({"micro":"1970-01-01T00:00:01.123456789Z"})"),
            FromJson(R"({"micro":"1970-01-01T00:00:01.123456Z"})"));
  EXPECT_EQ(ToJson(FromJson(R"({"time":"0001-01-01T00:00:00Z"})")), R"({"time":null,"must":null})");
}

TEST(EveryKind, CanonicalOrder) {
  std::string mixed;
  ProtobufWriter writer(mixed);
  writer.BytesField(14, "t1");
  writer.BytesField(1, "first");
  writer.BytesField(7,
                    "\x0a\x01"
                    "a\x10\x01");
  writer.BytesField(2100, "unknown");
  writer.BytesField(14, "t2");
  writer.BytesField(1, "last");
  writer.BytesField(7, std::string_view("\x10\0\x18\x05", 4));
  writer.BytesField(2100, "again");
  writer.VarintField(7, 5);
  // Parts of one message are merged, other wire types dropped; the last scalar wins.
  std::string want;
  ProtobufWriter ordered(want);
  ordered.BytesField(1, "last");
  ordered.BytesField(7, std::string_view("\x0a\x01"
                                         "a\x10\0\x18\x05",
                                         7));
  ordered.BytesField(14, "t1");
  ordered.BytesField(14, "t2");
  ordered.BytesField(2100, "unknown");
  ordered.BytesField(2100, "again");
  EXPECT_EQ(Canonicalize(Every(), mixed).OrExit(), want);
  std::vector<FieldSpan> fields;
  ASSERT_TRUE(ScanFields(mixed, fields).ok());
  EXPECT_EQ(fields.size(), 9U);
  EXPECT_FALSE(IsCanonical(Every(), fields));
  ASSERT_TRUE(ScanFields(want, fields).ok());
  ASSERT_EQ(fields.size(), 6U);
  EXPECT_TRUE(IsCanonical(Every(), fields));
  EXPECT_EQ(fields[0].begin, 0U);
  EXPECT_EQ(fields[0].end, 6U);
  EXPECT_EQ(fields[1].begin, 6U);
  std::string twice;
  ProtobufWriter(twice).VarintField(2, 1);
  ASSERT_TRUE(ScanFields(twice + twice, fields).ok());
  EXPECT_FALSE(IsCanonical(Every(), fields)) << "a field that is not repeated stands once";
  EXPECT_EQ(ScanFields(twice + "\x0a\x05", fields).error().message(),
            "malformed protobuf field at byte 2 of 4");
  // Messages below the direct children stay as they are, unless they were merged from parts.
  std::string children;
  ProtobufWriter(children).BytesField(14, "z");
  ProtobufWriter(children).BytesField(1, "a");
  EXPECT_EQ(Canonicalize(Every(), Nested(7, 2, children)).OrExit(), Nested(7, 2, children));
  EXPECT_EQ(Canonicalize(Every(), twice + Nested(7, 2, children)).OrExit(),
            twice + Nested(7, 2, children));
  EXPECT_EQ(Canonicalize(Every(), Nested(7, 1, "\x0a\x05")).error().message(),
            "self: malformed protobuf field at byte 0 of 2");
  std::string sorted;
  ProtobufWriter(sorted).BytesField(1, "a");
  ProtobufWriter(sorted).BytesField(14, "z");
  EXPECT_EQ(Canonicalize(Every(), Nested(7, 1, children)).OrExit(), Nested(7, 1, sorted));
  EXPECT_EQ(Canonicalize(Every(), Nested(7, 3, children) + Nested(7, 1)).OrExit(),
            Nested(7, 3, sorted));
}

TEST(EveryKind, Validation_NamesFieldAndPlaceOfDamage) {
  const auto wrong = [](std::string_view bytes) {
    const Result<void> valid = ValidateMessage(Every(), bytes);
    return valid.ok() ? std::string() : valid.error().message();
  };
  const auto field = [](std::uint32_t number, std::string_view content) {
    std::string out;
    ProtobufWriter(out).BytesField(number, content);
    return out;
  };
  EXPECT_EQ(wrong(field(1, "ok\xc3\xa9")), "");
  EXPECT_EQ(wrong(field(1, "bad\xff")), "text: a text that is not UTF-8 at byte 0 of 6");
  EXPECT_EQ(wrong(field(6, "\xff")), "") << "bytes may be anything";
  EXPECT_EQ(wrong(field(3, "")), "small: another wire type at byte 0 of 2");
  EXPECT_EQ(wrong(field(1, "a") + field(7, field(1, "b") + "\x09")),
            "self: malformed protobuf field at byte 3 of 4");
  EXPECT_EQ(wrong(field(11, "\x0a\x01\xff")), "amount: a text that is not UTF-8 at byte 0 of 5");
  EXPECT_EQ(wrong(field(11, "\x0a\x05x")), "amount: a malformed value at byte 0 of 5");
  EXPECT_EQ(wrong(field(13, "\x0a\x01\xff")), "") << "JSON of any kind is not looked into";
  EXPECT_THAT(wrong(field(19, "\x0a\x01\xff")),
              HasSubstr("labels: a map's key that is not UTF-8 at byte 0 of 6"));
  EXPECT_THAT(wrong(field(19, "\x12\x01\xff")), HasSubstr("labels: a text that is not UTF-8"));
  EXPECT_THAT(wrong(field(19, "\x0a\x05")), HasSubstr("labels: malformed map entry"));
  EXPECT_THAT(wrong(field(19, std::string_view("\x08\0", 2))),
              HasSubstr("another wire type of a map's key"));
  EXPECT_THAT(wrong(field(19, std::string_view("\x10\0", 2))),
              HasSubstr("another wire type of a map's value"));
  EXPECT_EQ(wrong(field(18, "\x12\x03\x0a\x01\xff")),
            "named: text: a text that is not UTF-8 at "
            "byte 0 of 3");
  // The invalid byte may be at any position.
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t behind = 0; behind < 10; ++behind) {
      const std::string head(before, 'a');
      const std::string tail(behind, 'b');
      EXPECT_NE(wrong(field(1, head + "\x80" + tail)), "") << before << ' ' << behind;
      EXPECT_EQ(wrong(field(1, head + "\u00e9" + tail)), "") << before << ' ' << behind;
    }
  }
}

}  // namespace
}  // namespace kinformer::internal
