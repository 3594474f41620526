#include "wire/list_splitter.h"

#include <algorithm>
#include <utility>

#include "kinformer/json.h"

#include "wire/envelope.h"
#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::wire {
namespace {

// A tag and a length take at most this many bytes.
constexpr std::size_t kMaxVarint = 10;
constexpr std::size_t kMaxFieldHead = 2 * kMaxVarint;

// So much JSON is looked at before items are taken out of it: what stays in the cache.
constexpr std::size_t kWindow = std::size_t{32} << 10;

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
    // Completes the unit that the last piece cut off; what follows is read in place again.
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

Result<std::size_t> ListSplitter::ConsumeProtobuf(std::string_view data, Sink& sink) {
  const std::size_t size = data.size();
  const char* at = data.data();
  const char* const end = at + size;
  const auto left = [&] { return static_cast<std::size_t>(end - at); };
  const auto cut_off = [&](std::size_t need) {
    need_ = need;
    return size - left();
  };
  while (at != end) {
    if (protobuf_state_ == ProtobufState::kMagic) {
      if (left() < kEnvelopeMagic.size()) return cut_off(kEnvelopeMagic.size());
      if (std::string_view(at, kEnvelopeMagic.size()) != kEnvelopeMagic) {
        return Fail(offset_, "the magic \"k8s\\0\" is missing");
      }
      at += kEnvelopeMagic.size();
      offset_ += kEnvelopeMagic.size();
      protobuf_state_ = ProtobufState::kEnvelope;
      continue;
    }
    const bool in_list = protobuf_state_ == ProtobufState::kList;
    std::uint64_t tag = 0;
    const char* next = ReadVarint(at, end, tag);
    const unsigned type = static_cast<unsigned>(tag & 7U);
    std::uint64_t length = 0;
    const char* const length_at = next;
    if (next != nullptr && type == 2) next = ReadVarint(next, end, length);
    if (next == nullptr) {
      // Either more bytes are to come, or these can never become a field.
      const bool bad =
          left() >= kMaxFieldHead || (length_at == nullptr && left() >= kMaxVarint) ||
          (length_at != nullptr && static_cast<std::size_t>(end - length_at) >= kMaxVarint) ||
          (in_list && left() >= list_left_);
      if (bad) return Fail(offset_, "malformed field");
      return cut_off(left() + 1);
    }
    if (tag > 0xffffffffU || (tag >> 3) == 0) return Fail(offset_, "malformed field");
    if (type != 2) {
      WireField field;
      next = ReadField(at, end, field);
      if (next == nullptr) {
        if (left() >= kMaxFieldHead || (type != 0 && type != 1 && type != 5)) {
          return Fail(offset_, "malformed field");
        }
        return cut_off(left() + 1);
      }
      length = 0;
    } else if (!in_list && (tag >> 3) == 2) {
      // The list itself: entered, not collected.
      offset_ += static_cast<std::uint64_t>(next - at);
      at = next;
      list_left_ = length;
      if (length > 0) protobuf_state_ = ProtobufState::kList;
      continue;
    }
    const std::uint64_t head = static_cast<std::uint64_t>(next - at);
    if (in_list && (head > list_left_ || length > list_left_ - head)) {
      return Fail(offset_, "a field reaches beyond the end of the list");
    }
    if (length > max_object_bytes_) return TooLarge(offset_, length);
    if (length > static_cast<std::uint64_t>(end - next)) {
      return cut_off(static_cast<std::size_t>(head + length));
    }
    const std::string_view bytes(next, static_cast<std::size_t>(length));
    if (type == 2 && (tag >> 3) == 1) {
      if (in_list) {
        if (Result<void> read = ReadListMeta(bytes); !read) return std::move(read).error();
      } else {
        std::string_view api_version;
        std::string_view kind;
        if (!ReadTypeMeta(bytes, api_version, kind)) return Fail(offset_, "malformed TypeMeta");
        head_.apiVersion = api_version;
        head_.kind = kind;
      }
    } else if (in_list && type == 2 && (tag >> 3) == 2) {
      if (Result<void> item = sink.OnItem(bytes, nullptr); !item) return std::move(item).error();
      ++items_;
    }
    at = next + length;
    offset_ += head + length;
    if (in_list) {
      list_left_ -= head + length;
      if (list_left_ == 0) protobuf_state_ = ProtobufState::kEnvelope;
    }
  }
  return size;
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
    if (!cut_.empty()) {
      bool complete = false;
      const std::size_t taken = cut_.Add(chunk, complete);
      if (cut_.value().size() > max_object_bytes_) {
        return TooLarge(offset_, cut_.value().size());
      }
      offset_ += taken;
      chunk.remove_prefix(taken);
      if (!complete) return {};
      carry_ = {};  // behind a value, outside strings
      if (Result<void> done = TakeJson(cut_.value(), cut_.bitmap(), sink); !done) return done;
      cut_.Clear();
      continue;
    }
    const std::string_view window = chunk.substr(0, kWindow);
    chunk.remove_prefix(window.size());
    if (Result<void> fed = FeedJsonWindow(window, sink); !fed) return fed;
  }
  return {};
}

Result<void> ListSplitter::FeedJsonWindow(std::string_view window, Sink& sink) {
  const char* at = window.data();
  const char* const end = at + window.size();
  const std::uint64_t base = offset_;
  offset_ += window.size();
  bitmap_.Read(window, carry_);
  const auto position = [&](const char* where) {
    return base + static_cast<std::uint64_t>(where - window.data());
  };
  const auto unexpected = [&](const char* where, std::string_view expected) {
    return Fail(position(where), "found " + json::ShowByte(*where) + " where " +
                                     std::string(expected) + " should be");
  };
  const auto begin_token = [&](bool keep) {
    in_token_ = true;
    keep_ = keep;
    scanner_.Reset();
  };

  while (at != end) {
    if (in_token_) {
      const char* const after = scanner_.Scan(bitmap_, at);
      const std::string_view piece(at,
                                   static_cast<std::size_t>((after != nullptr ? after : end) - at));
      if (keep_ && piece.size() > max_object_bytes_) return TooLarge(position(at), piece.size());
      if (after == nullptr) {
        if (keep_) cut_.Begin(bitmap_, at, scanner_);
        return {};
      }
      at = after;
      if (Result<void> done = TakeJson(piece, bitmap_, sink); !done) return done;
      continue;
    }
    const char c = *at;
    if (IsJsonBlank(c)) {
      ++at;
      continue;
    }
    switch (json_state_) {
      case JsonState::kStart:
        if (c != '{') return unexpected(at, "the list's '{'");
        json_state_ = JsonState::kNameOrEnd;
        ++at;
        break;
      case JsonState::kNameOrEnd:
        if (c == '}') {
          json_state_ = JsonState::kEnd;
          ++at;
          break;
        }
        [[fallthrough]];
      case JsonState::kName:
        if (c != '"') return unexpected(at, "a member's name");
        json_state_ = JsonState::kName;
        begin_token(true);
        break;
      case JsonState::kColon:
        if (c != ':') return unexpected(at, "':'");
        json_state_ = JsonState::kValue;
        ++at;
        break;
      case JsonState::kValue:
        if (c == ',' || c == '}' || c == ']' || c == ':') return unexpected(at, "a value");
        if (name_ == "items" && c == '[') {
          json_state_ = JsonState::kItemOrEnd;
          ++at;
        } else if (name_ == "items" && c != 'n') {
          return unexpected(at, "the array of items");
        } else {
          begin_token(name_ == "metadata" || name_ == "kind" || name_ == "apiVersion");
        }
        break;
      case JsonState::kAfterMember:
        if (c == ',') {
          json_state_ = JsonState::kName;
        } else if (c == '}') {
          json_state_ = JsonState::kEnd;
        } else {
          return unexpected(at, "',' or '}'");
        }
        ++at;
        break;
      case JsonState::kItemOrEnd:
        if (c == ']') {
          json_state_ = JsonState::kAfterMember;
          ++at;
          break;
        }
        [[fallthrough]];
      case JsonState::kItem:
        if (c != '{') return unexpected(at, "an item's '{'");
        json_state_ = JsonState::kItem;
        begin_token(true);
        break;
      case JsonState::kAfterItem:
        if (c == ',') {
          json_state_ = JsonState::kItem;
        } else if (c == ']') {
          json_state_ = JsonState::kAfterMember;
        } else {
          return unexpected(at, "',' or ']'");
        }
        ++at;
        break;
      case JsonState::kEnd:
        return unexpected(at, "the end");
    }
  }
  return {};
}

Result<void> ListSplitter::TakeJson(std::string_view token, const JsonBitmap& bitmap, Sink& sink) {
  in_token_ = false;
  switch (json_state_) {
    case JsonState::kName:
      name_ = PlainJsonString(token);
      json_state_ = JsonState::kColon;
      return {};
    case JsonState::kItem:
      if (Result<void> item = sink.OnItem(token, &bitmap); !item) return item;
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
  }
  return {};
}

}  // namespace kinformer::wire
