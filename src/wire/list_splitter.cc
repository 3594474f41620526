#include "wire/list_splitter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kinformer/json/json.h"

#include "wire/envelope.h"
#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::wire {
namespace {

// A tag and a length take at most this many bytes.
constexpr std::size_t kMaxVarint = 10;
constexpr std::size_t kMaxFieldHead = 2 * kMaxVarint;

// Size of the window of JSON that is scanned before items are extracted; it fits into the cache.
constexpr std::size_t kWindow = std::size_t{32} << 10;

// Bytes kept of a protobuf item above the limit: the metadata comes first and has the name.
constexpr std::size_t kFront = std::size_t{64} << 10;

}  // namespace

// "byte 123, after 7 items: "
std::string ListSplitter::Where(std::uint64_t at) const {
  return "byte " + std::to_string(at) + ", after " + std::to_string(items_) + " items: ";
}

Error ListSplitter::Fail(std::uint64_t at, std::string_view why) const {
  const bool protobuf = encoding_ == internal::Encoding::kProtobuf;
  return Error(Reason::kDecode,
               std::string("list in ") + (protobuf ? "protobuf, " : "JSON, ") + Where(at) +
                   std::string(why) +
                   "; the answer is damaged, or not an API server's own (a proxy's?)");
}

Error ListSplitter::TooLarge(std::uint64_t at, std::uint64_t size) const {
  return Error(Reason::kOverLimit, "list, " + Where(at) + "an object of " + std::to_string(size) +
                                       " bytes or more; the limit is " +
                                       std::to_string(max_object_bytes_) +
                                       "; max_object_bytes of the informer's options raises it");
}

Error ListSplitter::Unexpected(std::uint64_t at, char found, std::string_view expected) const {
  return Fail(at,
              "found " + json::ShowByte(found) + " where " + std::string(expected) + " should be");
}

Result<void> ListSplitter::Feed(std::string_view chunk, Sink& sink) {
  return encoding_ == internal::Encoding::kProtobuf ? FeedProtobuf(chunk, sink)
                                                    : FeedJson(chunk, sink);
}

Result<void> ListSplitter::Finish() {
  const bool complete = encoding_ == internal::Encoding::kProtobuf
                            ? protobuf_state_ == ProtobufState::kEnvelope && partial_.empty()
                            : json_state_ == JsonState::kEnd;
  if (complete) return {};
  return Error(Reason::kUnexpectedEof,
               "the list ends in the middle, after " + std::to_string(offset_) + " bytes and " +
                   std::to_string(items_) +
                   " items: the server or a proxy cut it off; ask for smaller pages (limit)");
}

// ---- Protobuf

Result<void> ListSplitter::FeedProtobuf(std::string_view chunk, Sink& sink) {
  while (!chunk.empty()) {
    if (partial_.empty()) {
      Result<std::size_t> used = ConsumeProtobuf(chunk, sink);
      if (!used) return std::move(used).error();
      chunk.remove_prefix(*used);
      partial_.assign(chunk);
      offset_ += chunk.size();
      return {};
    }
    // Completes the unit that the last piece cut; the rest is read in place again.
    const std::size_t take = std::min(need_ - partial_.size(), chunk.size());
    partial_.append(chunk.substr(0, take));
    chunk.remove_prefix(take);
    offset_ += take;
    if (partial_.size() < need_) return {};
    offset_ -= partial_.size();
    const std::string unit = std::exchange(partial_, {});
    Result<std::size_t> used = ConsumeProtobuf(unit, sink);
    if (!used) return std::move(used).error();
    partial_.assign(unit, *used, std::string::npos);
    offset_ += partial_.size();
  }
  return {};
}

const char* ListSplitter::CutOff(std::size_t need) {
  need_ = need;
  return nullptr;
}

const char* ListSplitter::Stop(Error error) {
  failure_ = std::move(error);
  return nullptr;
}

const char* ListSplitter::TakeMagic(const char* at, const char* end) {
  if (static_cast<std::size_t>(end - at) < kEnvelopeMagic.size()) {
    return CutOff(kEnvelopeMagic.size());
  }
  if (std::string_view(at, kEnvelopeMagic.size()) != kEnvelopeMagic) {
    return Stop(Fail(offset_, "the magic \"k8s\\0\" is missing"));
  }
  protobuf_state_ = ProtobufState::kEnvelope;
  return at + kEnvelopeMagic.size();
}

[[gnu::always_inline]] inline const char* ListSplitter::ReadFieldHead(const char* at,
                                                                      const char* end,
                                                                      FieldHead& head) {
  const auto left = static_cast<std::size_t>(end - at);
  // The list is complete: none of its bytes are missing.
  const auto ends_list = [&] {
    return protobuf_state_ == ProtobufState::kList && left >= list_left_;
  };
  const char* const length_at = ReadVarint(at, end, head.tag);
  const char* next = length_at;
  if (next != nullptr && head.type() == 2) next = ReadVarint(next, end, head.length);
  if (next == nullptr) {
    // Either more bytes are needed, or these can never become a field.
    const std::size_t varint =
        length_at == nullptr ? left : static_cast<std::size_t>(end - length_at);
    if (left >= kMaxFieldHead || varint >= kMaxVarint || ends_list()) {
      return Stop(Fail(offset_, "malformed field"));
    }
    return CutOff(left + 1);
  }
  if (head.tag > 0xffffffffU || head.number() == 0) return Stop(Fail(offset_, "malformed field"));
  if (head.type() == 2) return next;
  WireField scalar;
  next = ReadField(at, end, scalar);
  if (next != nullptr) return next;
  const bool known = head.type() == 0 || head.type() == 1 || head.type() == 5;
  if (left >= kMaxFieldHead || !known || ends_list()) {
    return Stop(Fail(offset_, "malformed field"));
  }
  return CutOff(left + 1);
}

[[gnu::always_inline]] inline Result<void> ListSplitter::TakeListField(const FieldHead& head,
                                                                       std::string_view bytes,
                                                                       Sink& sink) {
  if (head.IsBytes(1)) return ReadListMeta(bytes);
  if (!head.IsBytes(2)) return {};
  if (Result<void> item = sink.OnItem(bytes, nullptr); !item) return item;
  ++items_;
  return {};
}

Result<void> ListSplitter::TakeEnvelopeField(const FieldHead& head, std::string_view bytes) {
  if (!head.IsBytes(1)) return {};
  std::string_view api_version;
  std::string_view kind;
  if (!ReadTypeMeta(bytes, api_version, kind)) return Fail(offset_, "malformed TypeMeta");
  head_.apiVersion = api_version;
  head_.kind = kind;
  return {};
}

[[gnu::always_inline]] inline const char* ListSplitter::TakeField(const char* at, const char* end,
                                                                  Sink& sink) {
  FieldHead head;
  const char* const content = ReadFieldHead(at, end, head);
  if (content == nullptr) return nullptr;
  const bool in_list = protobuf_state_ == ProtobufState::kList;
  if (!in_list && head.IsBytes(2)) {
    // The list itself: its fields are read one by one.
    list_left_ = head.length;
    if (head.length > 0) protobuf_state_ = ProtobufState::kList;
    return content;
  }
  const auto before = static_cast<std::uint64_t>(content - at);
  if (in_list && (before > list_left_ || head.length > list_left_ - before)) {
    return Stop(Fail(offset_, "a field reaches beyond the end of the list"));
  }
  if (head.length > max_object_bytes_) {
    if (!in_list || !head.IsBytes(2)) return Stop(TooLarge(offset_, head.length));
    list_left_ -= before + head.length;
    skip_left_ = skip_size_ = head.length;
    item_start_ = offset_;
    return content;
  }
  if (head.length > static_cast<std::uint64_t>(end - content)) {
    return CutOff(static_cast<std::size_t>(before + head.length));
  }
  const std::string_view bytes(content, static_cast<std::size_t>(head.length));
  Result<void> taken = in_list ? TakeListField(head, bytes, sink) : TakeEnvelopeField(head, bytes);
  if (!taken) return Stop(std::move(taken).error());
  if (in_list) {
    list_left_ -= before + head.length;
    if (list_left_ == 0) protobuf_state_ = ProtobufState::kEnvelope;
  }
  return bytes.data() + bytes.size();
}

const char* ListSplitter::SkipSome(const char* at, const char* end, Sink& sink) {
  const auto some = static_cast<std::size_t>(
      std::min<std::uint64_t>(static_cast<std::size_t>(end - at), skip_left_));
  front_.append(at, std::min(some, kFront - front_.size()));
  skip_left_ -= some;
  if (skip_left_ > 0) return at + some;
  const std::string front = std::exchange(front_, {});
  Result<void> without = sink.OnTooLarge(front, TooLarge(item_start_, skip_size_));
  if (!without) return Stop(std::move(without).error());
  ++items_;
  if (list_left_ == 0) protobuf_state_ = ProtobufState::kEnvelope;
  return at + some;
}

Result<std::size_t> ListSplitter::ConsumeProtobuf(std::string_view data, Sink& sink) {
  const char* at = data.data();
  const char* const end = at + data.size();
  while (at != end) {
    const char* next = nullptr;
    if (skip_left_ > 0) {
      next = SkipSome(at, end, sink);
    } else {
      next =
          protobuf_state_ == ProtobufState::kMagic ? TakeMagic(at, end) : TakeField(at, end, sink);
    }
    if (next == nullptr) break;
    offset_ += static_cast<std::uint64_t>(next - at);
    at = next;
  }
  if (failure_) return *std::exchange(failure_, std::nullopt);
  return static_cast<std::size_t>(at - data.data());
}

Result<void> ListSplitter::ReadListMeta(std::string_view message) {
  ProtobufReader reader(message);
  while (reader.Next()) {
    switch (reader.field()) {
      case 2:
        head_.resourceVersion = reader.bytes();
        break;
      case 3:
        head_.continue_ = reader.bytes();
        break;
      case 4:
        head_.remainingItemCount = static_cast<std::int64_t>(reader.varint());
        break;
      case 5: {
        ProtobufReader info(reader.bytes());
        while (info.Next()) {
          if (info.field() == 1) head_.shardInfo = info.bytes();
        }
        if (!info.ok()) return Fail(offset_, "malformed ShardInfo");
        break;
      }
      default:
        break;
    }
  }
  if (!reader.ok()) return Fail(offset_, "malformed ListMeta");
  return {};
}

// ---- JSON

Result<void> ListSplitter::FeedJson(std::string_view chunk, Sink& sink) {
  while (!chunk.empty()) {
    if (skipper_ || !cut_.empty()) {
      const Result<std::size_t> taken = FeedJsonToken(chunk, sink);
      if (!taken) return taken.error();
      chunk.remove_prefix(*taken);
      continue;
    }
    const std::string_view window = chunk.substr(0, kWindow);
    chunk.remove_prefix(window.size());
    if (Result<void> fed = FeedJsonWindow(window, sink); !fed) return fed;
  }
  return {};
}

Result<std::size_t> ListSplitter::FeedJsonToken(std::string_view chunk, Sink& sink) {
  if (skipper_) {
    const std::size_t taken = skipper_->Feed(chunk);
    offset_ += taken;
    if (!skipper_->Done()) return taken;
    skipper_.reset();
    in_token_ = false;
    carry_ = {};
    ++items_;
    json_state_ = JsonState::kAfterItem;
    return taken;
  }
  bool complete = false;
  const std::size_t taken = cut_.Add(chunk, complete);
  offset_ += taken;
  if (complete) {
    carry_ = {};  // behind a value, outside strings
    if (Result<void> done = TakeJson(cut_.value(), cut_.bitmap(), sink); !done) return done.error();
    cut_.Clear();
  } else if (cut_.value().size() > max_object_bytes_) {
    Error error = TooLarge(item_start_, cut_.value().size());
    if (json_state_ != JsonState::kItem) return error;
    Result<void> without = sink.OnTooLarge(cut_.value(), std::move(error));
    if (!without) return std::move(without).error();
    skipper_.emplace().Feed(cut_.value());
    cut_.Clear();
  }
  return taken;
}

Result<void> ListSplitter::FeedJsonWindow(std::string_view window, Sink& sink) {
  const char* at = window.data();
  const char* const end = at + window.size();
  const std::uint64_t base = offset_;
  offset_ += window.size();
  bitmap_.Read(window, carry_);
  const auto position = [&] { return base + static_cast<std::uint64_t>(at - window.data()); };
  while (at != end) {
    if (in_token_) {
      const char* const after = scanner_.Scan(bitmap_, at);
      const std::string_view piece(at,
                                   static_cast<std::size_t>((after != nullptr ? after : end) - at));
      if (after == nullptr) {
        if (keep_) cut_.Begin(bitmap_, at, scanner_);
        break;
      }
      at = after;
      if (Result<void> done = TakeJson(piece, bitmap_, sink); !done) return done;
    } else if (IsJsonBlank(*at)) {
      ++at;
    } else {
      const std::string_view expected = StepJson(*at);
      if (!expected.empty()) return Unexpected(position(), *at, expected);
      if (in_token_) {
        item_start_ = position();
      } else {
        ++at;
      }
    }
  }
  return {};
}

std::string_view ListSplitter::StepJson(char c) {
  switch (json_state_) {
    case JsonState::kStart:
      if (c != '{') return "the list's '{'";
      json_state_ = JsonState::kNameOrEnd;
      return {};
    case JsonState::kNameOrEnd:
      if (c != '}') return BeginName(c);
      json_state_ = JsonState::kEnd;
      return {};
    case JsonState::kName:
      return BeginName(c);
    case JsonState::kColon:
      if (c != ':') return "':'";
      json_state_ = JsonState::kValue;
      return {};
    case JsonState::kValue:
      return BeginValue(c);
    case JsonState::kAfterMember:
      if (c != ',' && c != '}') return "',' or '}'";
      json_state_ = c == ',' ? JsonState::kName : JsonState::kEnd;
      return {};
    case JsonState::kItemOrEnd:
      if (c != ']') return BeginItem(c);
      json_state_ = JsonState::kAfterMember;
      return {};
    case JsonState::kItem:
      return BeginItem(c);
    case JsonState::kAfterItem:
      if (c != ',' && c != ']') return "',' or ']'";
      json_state_ = c == ',' ? JsonState::kItem : JsonState::kAfterMember;
      return {};
    case JsonState::kEnd:
      break;
  }
  return "the end";
}

std::string_view ListSplitter::BeginName(char c) {
  if (c != '"') return "a member's name";
  json_state_ = JsonState::kName;
  BeginToken(true);
  return {};
}

std::string_view ListSplitter::BeginValue(char c) {
  if (c == ',' || c == '}' || c == ']' || c == ':') return "a value";
  if (name_ != "items") {
    BeginToken(name_ == "metadata" || name_ == "kind" || name_ == "apiVersion");
  } else if (c == '[') {
    json_state_ = JsonState::kItemOrEnd;
  } else if (c == 'n') {
    BeginToken(false);
  } else {
    return "the array of items";
  }
  return {};
}

std::string_view ListSplitter::BeginItem(char c) {
  if (c != '{') return "an item's '{'";
  json_state_ = JsonState::kItem;
  BeginToken(true);
  return {};
}

void ListSplitter::BeginToken(bool keep) {
  in_token_ = true;
  keep_ = keep;
  scanner_.Reset();
}

Result<void> ListSplitter::TakeJson(std::string_view token, const JsonBitmap& bitmap, Sink& sink) {
  in_token_ = false;
  const bool too_large = keep_ && token.size() > max_object_bytes_;
  if (too_large && json_state_ != JsonState::kItem) return TooLarge(item_start_, token.size());
  switch (json_state_) {
    case JsonState::kName:
      name_ = PlainJsonString(token);
      json_state_ = JsonState::kColon;
      return {};
    case JsonState::kItem:
      if (Result<void> item = too_large
                                  ? sink.OnTooLarge(token, TooLarge(item_start_, token.size()))
                                  : sink.OnItem(token, &bitmap);
          !item) {
        return item;
      }
      ++items_;
      json_state_ = JsonState::kAfterItem;
      return {};
    default:
      json_state_ = JsonState::kAfterMember;
      return keep_ ? TakeJsonMember(token) : Result<void>();
  }
}

Result<void> ListSplitter::TakeJsonMember(std::string_view value) {
  Result<json::Value> parsed = json::Parse(value);
  if (!parsed) {
    return Fail(offset_, "in or before this piece, the member \"" + name_ +
                             "\" is malformed: " + parsed.error().message());
  }
  if (name_ == "kind") {
    head_.kind = parsed->StringOrEmpty();
  } else if (name_ == "apiVersion") {
    head_.apiVersion = parsed->StringOrEmpty();
  } else {
    head_.resourceVersion = std::as_const(*parsed)["resourceVersion"].StringOrEmpty();
    head_.continue_ = std::as_const(*parsed)["continue"].StringOrEmpty();
    head_.remainingItemCount = std::as_const(*parsed)["remainingItemCount"].AsInt64().value_or(0);
    head_.shardInfo = std::as_const(*parsed)["shardInfo"]["selector"].StringOrEmpty();
  }
  return {};
}

}  // namespace kinformer::wire
