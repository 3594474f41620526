#include "wire/watch_framer.h"

#include <algorithm>
#include <utility>

#include "wire/envelope.h"
#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::wire {
namespace {

constexpr std::size_t kLengthBytes = 4;

// Size of the window of JSON that is scanned before frames are extracted; it fits into the cache.
constexpr std::size_t kWindow = std::size_t{32} << 10;

// Longer beginnings of frames are not remembered.
constexpr std::size_t kLongestHead = 256;

// Bytes kept of a protobuf frame above the limit: enough for the metadata, which comes first and
// contains the name.
constexpr std::size_t kFront = std::size_t{64} << 10;

// No object has this length: the length is text or damaged.
constexpr std::size_t kNoLength = std::size_t{256} << 20;

std::size_t FrameLength(std::string_view head) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = (length << 8) | static_cast<unsigned char>(head[i]);
  }
  return length;
}

// Reads the fields at the front of a truncated message. The last field may be incomplete. Stops at
// a field that is not of bytes.
class FrontFields {
 public:
  explicit FrontFields(std::string_view front) : rest_(front) {}

  bool Next() {
    constexpr std::uint64_t kBytes = 2;
    std::uint64_t tag = 0;
    std::uint64_t size = 0;
    const char* const end = rest_.data() + rest_.size();
    const char* at = rest_.empty() ? nullptr : ReadVarint(rest_.data(), end, tag);
    if (at == nullptr || (tag & 7) != kBytes) return false;
    at = ReadVarint(at, end, size);
    if (at == nullptr) return false;
    number_ = tag >> 3;
    const auto there = static_cast<std::size_t>(end - at);
    bytes_ = {at, static_cast<std::size_t>(std::min<std::uint64_t>(size, there))};
    rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()) + bytes_.size());
    return true;
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view rest_;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
};

// Reads type and object from the front of a protobuf frame.
WatchFrame ReadProtobufFront(std::string_view front) {
  WatchFrame event;
  std::string_view raw;
  for (FrontFields fields(front); fields.Next();) {
    if (fields.number() == 1) event.type = fields.bytes();
    if (fields.number() != 2) continue;
    for (FrontFields extension(fields.bytes()); extension.Next();) {
      if (extension.number() == 1) raw = extension.bytes();
    }
  }
  if (!raw.starts_with(kEnvelopeMagic)) return event;
  for (FrontFields unknown(raw.substr(kEnvelopeMagic.size())); unknown.Next();) {
    if (unknown.number() == 1) ReadTypeMeta(unknown.bytes(), event.apiVersion, event.kind);
    if (unknown.number() == 2) event.object = unknown.bytes();
  }
  return event;
}

}  // namespace

Error WatchFramer::Fail(std::string_view why) const {
  return Error(Reason::kDecode,
               std::string("watch in ") +
                   (encoding_ == internal::Encoding::kProtobuf ? "protobuf" : "JSON") +
                   ", frame at byte " + std::to_string(frame_start_) + ": " + std::string(why) +
                   "; the answer is damaged, or not an API server's own (a proxy's?)");
}

Error WatchFramer::TooLarge(std::uint64_t size) const {
  return Error(Reason::kOverLimit, "watch, frame at byte " + std::to_string(frame_start_) +
                                       ": an object of about " + std::to_string(size) +
                                       " bytes or more; the limit is " +
                                       std::to_string(max_object_bytes_) +
                                       "; max_object_bytes of the informer's options raises it");
}

// Clears the partial frame; unusually large memory is freed.
void WatchFramer::DropPartial() {
  partial_.clear();
  if (partial_.capacity() > (std::size_t{1} << 20)) partial_.shrink_to_fit();
}

Result<void> WatchFramer::Feed(std::string_view chunk, Sink& sink) {
  Result<void> result = encoding_ == internal::Encoding::kProtobuf ? FeedProtobuf(chunk, sink)
                                                                   : FeedJson(chunk, sink);
  // A busy stream's pieces nearly always end inside an event. If no event is open, the stream is
  // idle, as most watches are nearly always, so the buffers are freed.
  if (partial_.empty() && cut_.empty()) ReleaseMemory();
  return result;
}

void WatchFramer::ReleaseMemory() {
  partial_.shrink_to_fit();
  cut_.ReleaseMemory();
  bitmap_ = JsonBitmap();
}

Result<void> WatchFramer::Finish() {
  if (partial_.empty() && cut_.empty() && skip_left_ == 0 && !skipper_) return {};
  return Error(
      Reason::kUnexpectedEof,
      "the watch ends inside the frame at byte " + std::to_string(frame_start_) + ", after " +
          std::to_string(offset_) +
          " bytes: the server or a proxy cut it off; watch again from the last resourceVersion");
}

Result<void> WatchFramer::BeginSkipping(std::size_t length) {
  if (length >= kNoLength) return TooLarge(length);
  skip_size_ = skip_left_ = length;
  front_.emplace();
  return {};
}

Result<void> WatchFramer::SkipProtobuf(std::string_view& chunk, Sink& sink) {
  const std::string_view some = chunk.substr(0, skip_left_);
  chunk.remove_prefix(some.size());
  skip_left_ -= some.size();
  if (front_) {
    front_->append(some.substr(0, kFront - front_->size()));
    if (front_->size() == std::min(kFront, skip_size_)) {
      const WatchFrame front = ReadProtobufFront(*front_);
      if (front.type.empty()) return TooLarge(skip_size_);
      if (Result<void> r = sink.OnTooLarge(front, TooLarge(skip_size_)); !r) return r;
      front_.reset();
    }
  }
  if (skip_left_ == 0) frame_start_ += kLengthBytes + skip_size_;
  return {};
}

Result<void> WatchFramer::FeedPartial(std::string_view& chunk, Sink& sink) {
  const std::size_t need =
      partial_.size() < kLengthBytes ? kLengthBytes : kLengthBytes + FrameLength(partial_);
  const std::size_t take = std::min(need - partial_.size(), chunk.size());
  partial_.append(chunk.substr(0, take));
  chunk.remove_prefix(take);
  if (partial_.size() < kLengthBytes) return {};
  const std::size_t length = FrameLength(partial_);
  if (length > max_frame_bytes_) {
    DropPartial();
    return BeginSkipping(length);
  }
  if (partial_.size() < kLengthBytes + length) return {};
  if (Result<void> r = EmitProtobuf(std::string_view(partial_).substr(kLengthBytes), sink); !r) {
    return r;
  }
  frame_start_ += kLengthBytes + length;
  DropPartial();
  return {};
}

Result<void> WatchFramer::FeedProtobuf(std::string_view chunk, Sink& sink) {
  offset_ += chunk.size();
  while (!chunk.empty()) {
    if (skip_left_ > 0) {
      if (Result<void> r = SkipProtobuf(chunk, sink); !r) return r;
      continue;
    }
    if (!partial_.empty()) {
      if (Result<void> r = FeedPartial(chunk, sink); !r) return r;
      continue;
    }
    if (chunk.size() >= kLengthBytes) {
      const std::size_t length = FrameLength(chunk);
      if (length > max_frame_bytes_) {
        chunk.remove_prefix(kLengthBytes);
        if (Result<void> r = BeginSkipping(length); !r) return r;
        continue;
      }
      if (chunk.size() >= kLengthBytes + length) {
        if (Result<void> r = EmitProtobuf(chunk.substr(kLengthBytes, length), sink); !r) return r;
        frame_start_ += kLengthBytes + length;
        chunk.remove_prefix(kLengthBytes + length);
        continue;
      }
      partial_.reserve(kLengthBytes + length);
    }
    partial_.assign(chunk);
    return {};
  }
  return {};
}

Result<void> WatchFramer::EmitProtobuf(std::string_view frame, Sink& sink) {
  WatchFrame event;
  std::string_view raw;
  ProtobufReader reader(frame);
  while (reader.Next()) {
    if (reader.field() == 1) {
      event.type = reader.bytes();
    } else if (reader.field() == 2) {
      ProtobufReader extension(reader.bytes());
      while (extension.Next()) {
        if (extension.field() == 1) raw = extension.bytes();
      }
      if (!extension.ok()) return Fail("malformed RawExtension");
    }
  }
  if (!reader.ok()) {
    return Fail("malformed WatchEvent, " + std::to_string(reader.offset()) + " bytes into it");
  }
  if (event.type.empty()) return Fail("the event has no type");
  if (!raw.empty()) {
    Result<Envelope> envelope = OpenEnvelope(raw);
    if (!envelope) return Fail(envelope.error().message());
    event.apiVersion = envelope->apiVersion;
    event.kind = envelope->kind;
    event.object = envelope->message;
  }
  return sink.OnFrame(event);
}

Result<void> WatchFramer::FeedJson(std::string_view chunk, Sink& sink) {
  while (!chunk.empty()) {
    if (skipper_) {
      const std::size_t taken = skipper_->Feed(chunk);
      offset_ += taken;
      chunk.remove_prefix(taken);
      if (skipper_->Done()) skipper_.reset();
      continue;
    }
    if (!cut_.empty()) {
      bool complete = false;
      const std::size_t taken = cut_.Add(chunk, complete);
      offset_ += taken;
      chunk.remove_prefix(taken);
      carry_ = {};  // behind a value, outside strings
      if (complete) {
        if (Result<void> r = TakeJson(cut_.value(), cut_.bitmap(), sink); !r) return r;
        cut_.Clear();
      } else if (cut_.value().size() > max_frame_bytes_) {
        if (Result<void> r = EmitJsonFront(cut_.value(), cut_.bitmap(), sink); !r) return r;
        skipper_.emplace().Feed(cut_.value());
        cut_.Clear();
      }
      continue;
    }
    const std::string_view window = chunk.substr(0, kWindow);
    chunk.remove_prefix(window.size());
    if (Result<void> fed = FeedJsonWindow(window, sink); !fed) return fed;
  }
  return {};
}

Result<void> WatchFramer::FeedJsonWindow(std::string_view window, Sink& sink) {
  const std::uint64_t base = offset_;
  offset_ += window.size();
  bitmap_.Read(window, carry_);
  const char* at = window.data();
  const char* const end = at + window.size();
  while (at != end) {
    if (IsJsonBlank(*at)) {
      ++at;
      continue;
    }
    frame_start_ = base + static_cast<std::uint64_t>(at - window.data());
    if (*at != '{') {
      return Fail("found " + json::ShowByte(*at) + " where an event's '{' should be");
    }
    // A complete event is read without searching for its end first.
    WatchFrame event;
    std::size_t used = 0;
    if (ReadEvent({at, static_cast<std::size_t>(end - at)}, bitmap_, event, used)) {
      Result<void> r = used > max_frame_bytes_ ? EmitJsonFront({at, used}, bitmap_, sink)
                                               : EmitJson(event, sink);
      if (!r) return r;
      at += used;
      continue;
    }
    JsonValueScanner scanner;
    const char* const after = scanner.Scan(bitmap_, at);
    if (after == nullptr) {
      cut_.Begin(bitmap_, at, scanner);
      return {};
    }
    const auto size = static_cast<std::size_t>(after - at);
    if (Result<void> r = TakeJson({at, size}, bitmap_, sink); !r) return r;
    at = after;
  }
  return {};
}

bool WatchFramer::ReadEvent(std::string_view text, const JsonBitmap& bitmap, WatchFrame& event,
                            std::size_t& used) {
  event.bitmap = &bitmap;
  if (!event_head_.text.empty() && text.starts_with(event_head_.text)) {
    const char* const begin = text.data() + event_head_.text.size() - 1;
    const char* const end = text.data() + text.size();
    const char* const after = bitmap.SkipValue(begin, end);
    if (after == nullptr) {
      used = static_cast<std::size_t>(begin - text.data());
      return false;
    }
    if (after != end && *after == '}') {
      event.type = event_head_.type.Of(text);
      event.object = {begin, static_cast<std::size_t>(after - begin)};
      used = static_cast<std::size_t>(after + 1 - text.data());
      return true;
    }
  }
  JsonMembers members(text, bitmap);
  std::size_t count = 0;
  for (; members.Next(); ++count) {
    if (members.name() == "type") event.type = PlainJsonString(members.value());
    if (members.name() == "object") event.object = members.value();
  }
  used = members.offset();
  if (members.ok() && count == 2 && !event.type.empty() && event.object.starts_with('{') &&
      event.type.data() < event.object.data()) {
    const std::size_t head = static_cast<std::size_t>(event.object.data() - text.data()) + 1;
    if (head <= kLongestHead) {
      event_head_.text = text.substr(0, head);
      event_head_.type = Span::From(text, event.type);
    }
  }
  return members.ok();
}

Result<void> WatchFramer::ReadJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink) {
  WatchFrame event;
  std::size_t used = 0;
  if (!ReadEvent(frame, bitmap, event, used)) {
    return Fail("malformed event, " + std::to_string(used) + " bytes into it");
  }
  return EmitJson(event, sink);
}

Result<void> WatchFramer::TakeJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink) {
  return frame.size() > max_frame_bytes_ ? EmitJsonFront(frame, bitmap, sink)
                                         : ReadJson(frame, bitmap, sink);
}

Result<void> WatchFramer::EmitJsonFront(std::string_view front, const JsonBitmap& bitmap,
                                        Sink& sink) {
  WatchFrame event{.bitmap = &bitmap};
  for (JsonMembers members(front, bitmap); members.Next();) {
    if (members.name() == "type") event.type = PlainJsonString(members.value());
    if (members.name() != "object") continue;
    event.object = members.value();
    if (event.object.empty()) event.object = members.rest();  // the object itself is truncated
  }
  if (event.type.empty()) return TooLarge(front.size());
  JsonMembers object(event.object, bitmap);
  while ((event.kind.empty() || event.apiVersion.empty()) && object.Next()) {
    if (object.name() == "kind") event.kind = PlainJsonString(object.value());
    if (object.name() == "apiVersion") event.apiVersion = PlainJsonString(object.value());
  }
  return sink.OnTooLarge(event, TooLarge(front.size()));
}

Result<void> WatchFramer::EmitJson(WatchFrame& event, Sink& sink) {
  if (event.type.empty()) return Fail("the event has no type");
  if (!event.object.empty()) {
    if (event.object.front() != '{') return Fail("the event's object is not a JSON object");
    if (!object_head_.text.empty() && event.object.starts_with(object_head_.text)) {
      event.kind = object_head_.kind.Of(event.object);
      event.apiVersion = object_head_.api_version.Of(event.object);
      return sink.OnFrame(event);
    }
    JsonMembers object(event.object, *event.bitmap);
    std::size_t head = 0;
    // Servers write both first, so the rest need not be scanned.
    while ((event.kind.empty() || event.apiVersion.empty()) && object.Next()) {
      if (object.name() == "kind") event.kind = PlainJsonString(object.value());
      if (object.name() == "apiVersion") event.apiVersion = PlainJsonString(object.value());
      head = static_cast<std::size_t>(object.rest().data() - event.object.data()) +
             object.value().size();
    }
    if (!object.ok()) return Fail("the event's object is malformed");
    if (!event.kind.empty() && !event.apiVersion.empty() && head <= kLongestHead) {
      object_head_ = {std::string(event.object.substr(0, head)),
                      Span::From(event.object, event.kind),
                      Span::From(event.object, event.apiVersion)};
    }
  }
  return sink.OnFrame(event);
}

}  // namespace kinformer::wire
