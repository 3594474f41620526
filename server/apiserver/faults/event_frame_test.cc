#include "apiserver/faults/event_frame.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/errors/protobuf_envelope.h"

namespace kinformer::apiserver {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kEnd = "k8s.io/initial-events-end";

// Fields of a message by number; the last of each.
std::map<std::uint32_t, std::string> Fields(std::string_view message) {
  std::map<std::uint32_t, std::string> out;
  const auto fields = ReadFields(message).value();
  for (const WireField& field : fields) out[field.number] = field.bytes;
  return out;
}

std::string Entry(std::string_view key, std::string_view value) {
  std::string out;
  AppendBytesField(1, key, out);
  AppendBytesField(2, value, out);
  return out;
}

// Returns an envelope with a Pod default/a. `field` is one more field of its metadata.
std::string Pod(std::string_view version, std::uint32_t field = 2, std::string_view value = "x") {
  std::string metadata;
  AppendBytesField(1, "a", metadata);
  AppendBytesField(3, "default", metadata);
  AppendBytesField(6, version, metadata);
  AppendBytesField(field, value, metadata);
  std::string message;
  AppendBytesField(1, metadata, message);
  AppendBytesField(2, "spec", message);
  return Envelope("v1", "Pod", message);
}

EventFrame Frame(std::string_view type, std::string_view object, bool protobuf) {
  std::string bytes = EventFrame::Make(type, object, protobuf);
  const std::string whole = bytes;
  std::optional<EventFrame> frame = EventFrame::Take(bytes, protobuf);
  EXPECT_TRUE(frame.has_value());
  EXPECT_EQ(bytes, "");
  EXPECT_EQ(frame->bytes(), whole);
  return *frame;
}

TEST(EventFrame, Json_IsTakenLineByLine) {
  EXPECT_EQ(EventFrame::Make("ADDED", "{}", false), "{\"type\":\"ADDED\",\"object\":{}}\n");
  const std::string first = "{\"type\":\"ADDED\"}\n";
  std::string bytes = first + "\nhalf";
  EXPECT_EQ(EventFrame::Take(bytes, false)->bytes(), first);
  EXPECT_EQ(bytes, "\nhalf");
  EXPECT_EQ(EventFrame::Take(bytes, false)->bytes(), "\n");
  EXPECT_EQ(bytes, "half");
  EXPECT_FALSE(EventFrame::Take(bytes, false).has_value());
  EXPECT_EQ(bytes, "half");
  bytes.clear();
  EXPECT_FALSE(EventFrame::Take(bytes, false).has_value());
}

TEST(EventFrame, Protobuf_IsTakenByItsLength) {
  const std::string frame = "\0\0\0\x0c\x0a\x05"s + "ADDED" + "\x12\x03\x0a\x01x";
  EXPECT_EQ(EventFrame::Make("ADDED", "x", true), frame);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    std::string part = frame.substr(0, size);
    EXPECT_FALSE(EventFrame::Take(part, true).has_value()) << size;
    EXPECT_EQ(part, frame.substr(0, size));
  }
  std::string bytes = frame + frame + "\0"s;
  EXPECT_EQ(EventFrame::Take(bytes, true)->bytes(), frame);
  EXPECT_EQ(bytes, frame + "\0"s);
  EXPECT_EQ(EventFrame::Take(bytes, true)->bytes(), frame);
  EXPECT_EQ(bytes, "\0"s);

  // An event without any field is complete.
  std::string empty("\0\0\0\0", 4);
  const auto taken = EventFrame::Take(empty, true);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->bytes(), "\0\0\0\0"s);
  EXPECT_EQ(taken->resource_version(), 0);
  EXPECT_EQ(empty, "");
}

TEST(EventFrame, ProtobufLengths_HaveFourBytes) {
  for (const std::size_t size : {200U, 300U, 70'000U, 0x1020304U}) {
    std::string bytes = EventFrame::Make("ADDED", std::string(size, 'x'), true);
    const std::size_t whole = bytes.size();
    std::size_t told = 0;
    for (int i = 0; i < 4; ++i) {
      told = told << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(told, whole - 4);
    bytes += "rest";
    const auto frame = EventFrame::Take(bytes, true);
    ASSERT_TRUE(frame.has_value()) << size;
    EXPECT_EQ(frame->bytes().size(), whole);
    EXPECT_EQ(bytes, "rest");
  }
}

TEST(EventFrame, Types_AreToldApart) {
  for (const bool protobuf : {false, true}) {
    const std::string object = protobuf ? Pod("7") : R"({"metadata":{"resourceVersion":"7"}})";
    for (const std::string type : {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}) {
      const EventFrame frame = Frame(type, object, protobuf);
      EXPECT_EQ(frame.bookmark(), type == "BOOKMARK") << type;
      EXPECT_EQ(frame.deleted(), type == "DELETED") << type;
      EXPECT_EQ(frame.error(), type == "ERROR") << type;
      EXPECT_FALSE(frame.ends_initial_events());
      if (type != "ERROR") {
        EXPECT_EQ(frame.resource_version(), 7) << type;
      }
    }
  }
  EXPECT_EQ(Frame("ERROR", Pod("7"), true).resource_version(), 0) << "a Status has none";
}

TEST(EventFrame, Json_MetadataIsRead) {
  struct Row {
    const char* object;
    std::int64_t version;
    bool ends;
  };
  for (const Row& row : {
           Row{R"({"metadata":{"resourceVersion":"12"}})", 12, false},
           Row{R"({"metadata":{"resourceVersion":"x"}})", 0, false},
           Row{R"({"metadata":{}})", 0, false},
           Row{R"({})", 0, false},
           Row{R"({"metadata":{"resourceVersion":"3","annotations":{"a":"b"}}})", 3, false},
           Row{R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}})", 0, true},
           Row{R"({"rows":[{"object":{"metadata":{"annotations":)"
               R"({"k8s.io/initial-events-end":"true"}}}}]})",
               0, true},
           Row{R"({"rows":[{"object":{"metadata":{"annotations":{"a":"true"}}}}]})", 0, false},
           Row{R"(no json)", 0, false},
       }) {
    const EventFrame frame = Frame("BOOKMARK", row.object, false);
    EXPECT_EQ(frame.resource_version(), row.version) << row.object;
    EXPECT_EQ(frame.ends_initial_events(), row.ends) << row.object;
  }
}

TEST(EventFrame, Protobuf_MetadataIsRead) {
  struct Row {
    std::string object;
    std::int64_t version;
    bool ends;
  };
  std::string bare;
  AppendBytesField(2, "spec", bare);
  const std::string broken = Envelope("v1", "Pod", "\x0a\x02\x32\x05"s);
  for (const Row& row : {
           Row{Pod("12"), 12, false},
           Row{Pod("x"), 0, false},
           Row{Pod("5", 12, Entry(kEnd, "true")), 5, true},
           Row{Pod("5", 12, Entry("a", "true")), 5, false},
           Row{Pod("5", 12, Entry("a", kEnd)), 5, false},
           Row{Pod("5", 11, Entry(kEnd, "true")), 5, false},  // a label
           Row{Envelope("v1", "Pod", bare), 0, false},
           Row{broken, 0, false},
           Row{Envelope("v1", "Pod", "\x0a\x05"s), 0, false},
           Row{"no envelope", 0, false},
       }) {
    const EventFrame frame = Frame("BOOKMARK", row.object, true);
    EXPECT_EQ(frame.resource_version(), row.version);
    EXPECT_EQ(frame.ends_initial_events(), row.ends);
    EXPECT_TRUE(frame.bookmark());
  }
}

TEST(EventFrame, Json_IsChangedToAnAddedObject) {
  const EventFrame frame =
      Frame("DELETED", R"({"kind":"Pod","metadata":{"name":"a","namespace":"b"},"spec":1})", false);
  EXPECT_EQ(frame.InNamespace("other"),
            R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"other"},)"
            "\"spec\":1}}\n");
  EXPECT_EQ(frame.OfKind("Job"),
            R"({"type":"ADDED","object":{"kind":"Job","metadata":{"name":"a","namespace":"b"},)"
            "\"spec\":1}}\n");
}

TEST(EventFrame, Protobuf_IsChangedToAnAddedObject) {
  const EventFrame frame = Frame("DELETED", Pod("7"), true);
  const auto parts = [](const std::string& changed) {
    const auto event = Fields(std::string_view(changed).substr(4));
    EXPECT_EQ(event.at(1), "ADDED");
    const std::string object = Fields(event.at(2)).at(1);
    const auto envelope = ParseEnvelope(object);
    EXPECT_TRUE(envelope.has_value());
    EXPECT_EQ(envelope->api_version, "v1");
    auto message = Fields(envelope->raw);
    std::string text = std::string(envelope->kind) + " " + message.at(2);
    EXPECT_EQ(message.size(), 2U);
    for (const auto& [number, value] : Fields(message.at(1))) {
      text += " " + std::to_string(number) + "=" + value;
    }
    return text;
  };
  EXPECT_EQ(parts(frame.InNamespace("other")), "Pod spec 1=a 2=x 3=other 6=7");
  EXPECT_EQ(parts(frame.OfKind("Job")), "Job spec 1=a 2=x 3=default 6=7");

  const EventFrame none = Frame("ADDED", "no envelope", true);
  EXPECT_EQ(none.InNamespace("other"), "");
  EXPECT_EQ(none.OfKind("Job"), "");
}

}  // namespace
}  // namespace kinformer::apiserver
