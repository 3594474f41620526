#include "client/object_head.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kinformer/json/json.h"

#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal::client {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// Reads metadata's strings from incomplete JSON, which is cut off or malformed further down. Names
// contain no escapes, so strings are taken as written.
class FrontReader {
 public:
  explicit FrontReader(std::string_view text) : text_(text) {}

  ObjectHead Read() {
    while (at_ < text_.size() && !done_) Step();
    return std::move(head_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == '"') return TakeString();
    if (c == '{' || c == '[') {
      if (depth_ == 1) in_metadata_ = c == '{' && member_ == "metadata";
      ++depth_;
    } else if (c == '}' || c == ']') {
      --depth_;
      if (depth_ <= 1) done_ = std::exchange(in_metadata_, false);
    } else if (c == ',') {
      is_value_ = false;
    } else if (c == ':') {
      is_value_ = true;
    }
    if (c == '{') is_value_ = false;
    ++at_;
  }

  void TakeString() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return;
    const std::string_view string = text_.substr(begin, at_++ - begin);
    if (!is_value_) {
      member_ = string;
    } else if (in_metadata_ && depth_ == 2) {
      if (member_ == "name") head_.name = string;
      if (member_ == "namespace") head_.namespace_ = string;
      if (member_ == "resourceVersion") head_.resourceVersion = string;
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_metadata_ = false;
  bool done_ = false;      // the metadata has ended
  bool is_value_ = false;  // the next token is a member's value, not its name
  std::string_view member_;
  ObjectHead head_;
};

// Returns whether an entry of metadata.annotations marks the end of initial events.
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
  return FrontReader(text).Read();
}

// Reads the metadata, which comes first, as far as it is complete.
ObjectHead HeadOfProtobufFront(std::string_view front) {
  ObjectHead head;
  constexpr char kMetadata = 1 << 3 | 2;
  std::uint64_t size = 0;
  if (front.empty() || front.front() != kMetadata) return head;
  const char* const end = front.data() + front.size();
  const char* const at = wire::ReadVarint(front.data() + 1, end, size);
  if (at == nullptr) return head;
  const auto there = static_cast<std::size_t>(end - at);
  ReadMetadata({at, static_cast<std::size_t>(std::min<std::uint64_t>(size, there))}, head);
  return head;
}

}  // namespace

bool IsText(std::string_view bytes) {
  // A JSON reader replaces invalid UTF-8 by U+FFFD.
  return json::IsAscii(bytes) || (json::FirstInvalidUtf8(bytes) == bytes.size() &&
                                  bytes.find("\xef\xbf\xbd") == std::string_view::npos);
}

bool IsName(std::string_view name) {
  if (name.empty() || !IsText(name)) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '/' || c == '%' || c == '\\' ||
           c == '"';
  });
}

ObjectHead HeadOf(Encoding encoding, std::string_view bytes) {
  return encoding == Encoding::kProtobuf ? HeadOfProtobuf(bytes) : HeadOfJson(bytes);
}

ObjectHead HeadOfFront(Encoding encoding, std::string_view front) {
  if (encoding == Encoding::kProtobuf) return HeadOfProtobufFront(front);
  return FrontReader(front).Read();
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
