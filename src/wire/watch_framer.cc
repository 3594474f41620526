#include "wire/watch_framer.h"

#include <algorithm>
#include <utility>

#include "wire/envelope.h"
#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::wire {
namespace {

constexpr std::size_t kLengthBytes = 4;

// So much JSON is looked at before frames are taken out of it: what stays in the cache.
constexpr std::size_t kWindow = std::size_t{32} << 10;

// Longer beginnings are not remembered.
constexpr std::size_t kLongestHead = 256;

std::size_t FrameLength(std::string_view head) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = (length << 8) | static_cast<unsigned char>(head[i]);
  }
  return length;
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
  return Error(Reason::kOverLimit, "watch, frame at byte " + std::to_string(frame_start_) + ": " +
                                       std::to_string(size) + " bytes or more; the limit is " +
                                       std::to_string(max_frame_bytes_) +
                                       "; max_object_bytes of the informer's options raises it");
}

// Clears the partial frame; the memory of an unusually large one is given back.
void WatchFramer::DropPartial() {
  partial_.clear();
  if (partial_.capacity() > (std::size_t{1} << 20)) partial_.shrink_to_fit();
}

Result<void> WatchFramer::Feed(std::string_view chunk, Sink& sink) {
  Result<void> result = encoding_ == internal::Encoding::kProtobuf ? FeedProtobuf(chunk, sink)
                                                                   : FeedJson(chunk, sink);
  // Where much comes, a piece nearly always ends inside an event. So the stream rests now, and most
  // watches rest nearly always.
  if (partial_.empty() && cut_.empty()) ReleaseMemory();
  return result;
}

void WatchFramer::ReleaseMemory() {
  partial_.shrink_to_fit();
  cut_.ReleaseMemory();
  bitmap_ = JsonBitmap();
}

Result<void> WatchFramer::Finish() {
  if (partial_.empty() && cut_.empty()) return {};
  return Error(
      Reason::kUnexpectedEof,
      "the watch ends inside the frame at byte " + std::to_string(frame_start_) + ", after " +
          std::to_string(offset_) +
          " bytes: the server or a proxy cut it off; watch again from the last resourceVersion");
}

Result<void> WatchFramer::FeedProtobuf(std::string_view chunk, Sink& sink) {
  offset_ += chunk.size();
  while (!chunk.empty()) {
    if (!partial_.empty()) {
      const std::size_t need =
          partial_.size() < kLengthBytes ? kLengthBytes : kLengthBytes + FrameLength(partial_);
      const std::size_t take = std::min(need - partial_.size(), chunk.size());
      partial_.append(chunk.substr(0, take));
      chunk.remove_prefix(take);
      if (partial_.size() < kLengthBytes) return {};
      const std::size_t length = FrameLength(partial_);
      if (length > max_frame_bytes_) return TooLarge(length);
      if (partial_.size() < kLengthBytes + length) continue;
      if (Result<void> r = EmitProtobuf(std::string_view(partial_).substr(kLengthBytes), sink);
          !r) {
        return r;
      }
      frame_start_ += kLengthBytes + length;
      DropPartial();
      continue;
    }
    if (chunk.size() >= kLengthBytes) {
      const std::size_t length = FrameLength(chunk);
      if (length > max_frame_bytes_) return TooLarge(length);
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
    if (!cut_.empty()) {
      bool complete = false;
      const std::size_t taken = cut_.Add(chunk, complete);
      if (cut_.value().size() > max_frame_bytes_) return TooLarge(cut_.value().size());
      offset_ += taken;
      chunk.remove_prefix(taken);
      if (!complete) return {};
      carry_ = {};  // behind a value, outside strings
      if (Result<void> r = ReadJson(cut_.value(), cut_.bitmap(), sink); !r) return r;
      cut_.Clear();
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
    // One that is all there is read without looking for its end first.
    WatchFrame event;
    std::size_t used = 0;
    if (ReadEvent({at, static_cast<std::size_t>(end - at)}, bitmap_, event, used)) {
      if (used > max_frame_bytes_) return TooLarge(used);
      if (Result<void> r = EmitJson(event, sink); !r) return r;
      at += used;
      continue;
    }
    JsonValueScanner scanner;
    const char* const after = scanner.Scan(bitmap_, at);
    const auto size = static_cast<std::size_t>((after != nullptr ? after : end) - at);
    if (size > max_frame_bytes_) return TooLarge(size);
    if (after == nullptr) {
      cut_.Begin(bitmap_, at, scanner);
      return {};
    }
    if (Result<void> r = ReadJson({at, size}, bitmap_, sink); !r) return r;
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
    // Servers write both first: no need to walk the rest.
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
