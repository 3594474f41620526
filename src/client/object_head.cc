#include "client/object_head.h"

#include "kinformer/json.h"

#include "wire/protobuf_reader.h"

namespace kinformer::internal::client {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// The value of a string member in text that is no whole JSON. Good enough for names, which hold no
// escapes; the first one is taken, since metadata comes early.
std::string FirstStringMember(std::string_view text, std::string_view name) {
  const std::string quoted = "\"" + std::string(name) + "\"";
  std::size_t at = text.find(quoted);
  if (at == std::string_view::npos) return {};
  at = text.find_first_not_of(" \t\r\n", at + quoted.size());
  if (at == std::string_view::npos || text[at] != ':') return {};
  at = text.find_first_not_of(" \t\r\n", at + 1);
  if (at == std::string_view::npos || text[at] != '"') return {};
  const std::size_t end = text.find('"', at + 1);
  if (end == std::string_view::npos) return {};
  return std::string(text.substr(at + 1, end - at - 1));
}

// One entry of metadata.annotations.
bool MarksInitialEventsEnd(std::string_view bytes) {
  std::string_view key;
  std::string_view value;
  wire::ProtobufReader entry(bytes);
  while (entry.Next()) {
    if (entry.field() == 1) key = entry.bytes();
    if (entry.field() == 2) value = entry.bytes();
  }
  return key == kInitialEventsEnd && value == "true";
}

void ReadMetadata(std::string_view bytes, ObjectHead& head) {
  wire::ProtobufReader meta(bytes);
  while (meta.Next()) {
    switch (meta.field()) {
      case 1:
        head.name = meta.bytes();
        break;
      case 3:
        head.namespace_ = meta.bytes();
        break;
      case 6:
        head.resourceVersion = meta.bytes();
        break;
      case 12:
        if (MarksInitialEventsEnd(meta.bytes())) head.initial_events_end = true;
        break;
      default:
        break;
    }
  }
}

ObjectHead HeadOfProtobuf(std::string_view message) {
  ObjectHead head;
  wire::ProtobufReader reader(message);
  while (reader.Next()) {
    if (reader.field() == 1) ReadMetadata(reader.bytes(), head);
  }
  return head;
}

ObjectHead HeadOfJson(std::string_view text) {
  ObjectHead head;
  if (const Result<json::Value> object = json::Parse(text)) {
    const json::Value& meta = (*object)["metadata"];
    head.namespace_ = meta["namespace"].StringOrEmpty();
    head.name = meta["name"].StringOrEmpty();
    head.resourceVersion = meta["resourceVersion"].StringOrEmpty();
    head.initial_events_end = meta["annotations"][kInitialEventsEnd].StringOrEmpty() == "true";
    return head;
  }
  const std::size_t metadata = text.find("\"metadata\"");
  if (metadata == std::string_view::npos) return head;
  text.remove_prefix(metadata);
  head.namespace_ = FirstStringMember(text, "namespace");
  head.name = FirstStringMember(text, "name");
  head.resourceVersion = FirstStringMember(text, "resourceVersion");
  return head;
}

}  // namespace

ObjectHead HeadOf(Encoding encoding, std::string_view bytes) {
  return encoding == Encoding::kProtobuf ? HeadOfProtobuf(bytes) : HeadOfJson(bytes);
}

std::string OnlyMetadata(std::string_view message) {
  std::string out;
  wire::ProtobufReader reader(message);
  while (reader.Next()) {
    if (reader.field() == 1) out += reader.whole();
  }
  return out;
}

}  // namespace kinformer::internal::client
