#include "apiserver/faults/event_frame.h"

#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "base/text/number_in.h"
#include "wire/protobuf_reader.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// Field numbers in metav1.ObjectMeta and in the messages around it.
constexpr std::uint32_t kNamespace = 3;
constexpr std::uint32_t kResourceVersion = 6;
constexpr std::uint32_t kAnnotations = 12;

std::int64_t Number(std::string_view text) { return internal::base::NumberIn(text).value_or(0); }

// Returns the length-delimited field of that number; empty if there is none.
std::string_view FieldOf(std::string_view message, std::uint32_t number) {
  const auto fields = ReadFields(message);
  if (!fields) return {};
  for (const WireField& field : *fields) {
    if (field.number == number) return field.bytes;
  }
  return {};
}

// Returns the message with that field replaced.
std::string Replaced(std::string_view message, std::uint32_t number, std::string_view bytes) {
  std::string out;
  AppendBytesField(number, bytes, out);
  const char* at = message.data();
  const char* const end = at + message.size();
  while (at != end) {
    wire::WireField field;
    const char* const next = wire::ReadField(at, end, field);
    if (next == nullptr) break;
    if (field.number != number) out.append(at, next);
    at = next;
  }
  return out;
}

// Returns the envelope in a protobuf frame.
std::string_view EnvelopeIn(std::string_view frame) {
  return FieldOf(FieldOf(frame.substr(4), 2), 1);
}

}  // namespace

std::optional<EventFrame> EventFrame::Take(std::string& bytes, bool protobuf) {
  std::size_t size = 0;
  if (protobuf) {
    if (bytes.size() < 4) return std::nullopt;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8U | static_cast<unsigned char>(bytes[i]);
    size += 4;
    if (bytes.size() < size) return std::nullopt;
  } else {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string::npos) return std::nullopt;
    size = newline + 1;
  }
  EventFrame frame;
  frame.bytes_ = bytes.substr(0, size);
  frame.protobuf_ = protobuf;
  bytes.erase(0, size);
  if (protobuf) {
    frame.ReadProtobuf();
  } else {
    frame.ReadJson();
  }
  return frame;
}

std::string EventFrame::Make(std::string_view type, std::string_view object, bool protobuf) {
  if (!protobuf) {
    return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
  }
  std::string extension;
  AppendBytesField(1, object, extension);
  std::string event;
  AppendBytesField(1, type, event);
  AppendBytesField(2, extension, event);
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>((event.size() >> shift) & 0xff));
  }
  return out + event;
}

void EventFrame::ReadJson() {
  const json::Value frame = json::Parse(bytes_).value_or(json::Value());
  type_ = frame["type"].StringOrEmpty();
  const json::Value& metadata = frame["object"]["metadata"];
  resource_version_ = Number(metadata["resourceVersion"].StringOrEmpty());
  const json::Value& row = frame.At("/object/rows/0/object/metadata");
  ends_initial_events_ = metadata["annotations"].contains(kInitialEventsEnd) ||
                         row["annotations"].contains(kInitialEventsEnd);
}

void EventFrame::ReadProtobuf() {
  type_ = FieldOf(std::string_view(bytes_).substr(4), 1);
  const auto envelope = ParseEnvelope(EnvelopeIn(bytes_));
  if (!envelope || error()) return;
  const auto metadata = ReadFields(FieldOf(envelope->raw, 1));
  if (!metadata) return;
  for (const WireField& field : *metadata) {
    if (field.number == kResourceVersion) resource_version_ = Number(field.bytes);
    if (field.number == kAnnotations && FieldOf(field.bytes, 1) == kInitialEventsEnd) {
      ends_initial_events_ = true;
    }
  }
}

std::string EventFrame::InNamespace(std::string_view namespace_) const {
  if (!protobuf_) {
    json::Value frame = json::Parse(bytes_).value_or(json::Value());
    frame.Ensure("object", "metadata").Set("namespace", namespace_);
    return Make("ADDED", frame["object"].Dump(), false);
  }
  const auto envelope = ParseEnvelope(EnvelopeIn(bytes_));
  if (!envelope) return {};
  const std::string metadata = Replaced(FieldOf(envelope->raw, 1), kNamespace, namespace_);
  return Make("ADDED",
              Envelope(envelope->api_version, envelope->kind, Replaced(envelope->raw, 1, metadata)),
              true);
}

std::string EventFrame::OfKind(std::string_view kind) const {
  if (!protobuf_) {
    json::Value frame = json::Parse(bytes_).value_or(json::Value());
    frame.Ensure("object").Set("kind", kind);
    return Make("ADDED", frame["object"].Dump(), false);
  }
  const auto envelope = ParseEnvelope(EnvelopeIn(bytes_));
  if (!envelope) return {};
  return Make("ADDED", Envelope(envelope->api_version, kind, envelope->raw), true);
}

}  // namespace kinformer::apiserver
