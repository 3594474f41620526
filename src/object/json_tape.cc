#include "object/json_tape.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "wire/json_index.h"
#include "wire/json_scanner.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

// Of larger tapes the memory is given back.
constexpr std::size_t kMostSpareNodes = 65536;

// Reads byte by byte, says what is wrong and where, and lets pass what Go lets pass: strings that are not UTF-8.
class CarefulParser {
 public:
  CarefulParser(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {
    nodes_.reserve(text.size() / 12 + 8);
  }

  Result<std::vector<JsonNode>> Run() {
    SkipSpace();
    if (Value(0)) {
      SkipSpace();
      if (at_ == text_.size()) return std::move(nodes_);
      Fail("more text after the value");
    }
    return Error(Reason::kDecode, "JSON: " + error_ + " at byte " + std::to_string(at_));
  }

 private:
  bool TooDeep() {
    error_ = "nested deeper than " + std::to_string(max_depth_) + " levels";
    return false;
  }

  bool Fail(const char* what) {
    if (error_.empty()) error_ = at_ < text_.size() ? what : "unexpected end";
    return false;
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::uint32_t Open(JsonType type) {
    nodes_.push_back({static_cast<std::uint32_t>(at_), 0, 0, type, true});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  bool Close(std::uint32_t node) {
    nodes_[node].end = static_cast<std::uint32_t>(at_);
    nodes_[node].next = static_cast<std::uint32_t>(nodes_.size());
    return true;
  }

  bool Value(int depth) {
    if (at_ >= text_.size()) return Fail("a value is missing");
    switch (text_[at_]) {
      case '{':
        return depth < max_depth_ ? Object(depth) : TooDeep();
      case '[':
        return depth < max_depth_ ? Array(depth) : TooDeep();
      case '"':
        return String();
      case 't':
        return Word("true", JsonType::kTrue);
      case 'f':
        return Word("false", JsonType::kFalse);
      case 'n':
        return Word("null", JsonType::kNull);
      default:
        return Number();
    }
  }

  bool Object(int depth) {
    const std::uint32_t self = Open(JsonType::kObject);
    ++at_;
    SkipSpace();
    if (Take('}')) return Close(self);
    while (true) {
      if (at_ >= text_.size() || text_[at_] != '"') return Fail("a member's name is missing");
      if (!String()) return false;
      SkipSpace();
      if (!Take(':')) return Fail("':' is missing");
      SkipSpace();
      if (!Value(depth + 1)) return false;
      SkipSpace();
      if (Take('}')) return Close(self);
      if (!Take(',')) return Fail("',' or '}' is missing");
      SkipSpace();
    }
  }

  bool Array(int depth) {
    const std::uint32_t self = Open(JsonType::kArray);
    ++at_;
    SkipSpace();
    if (Take(']')) return Close(self);
    while (true) {
      if (!Value(depth + 1)) return false;
      SkipSpace();
      if (Take(']')) return Close(self);
      if (!Take(',')) return Fail("',' or ']' is missing");
      SkipSpace();
    }
  }

  bool String() {
    const std::uint32_t self = Open(JsonType::kString);
    ++at_;
    bool plain = true;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        nodes_[self].plain = plain;
        return Close(self);
      }
      if (c == '\\') {
        plain = false;
        if (!Escape()) return false;
      } else if (c < 0x20) {
        return Fail("a control character in a string");
      } else if (c < 0x80) {
        ++at_;
      } else {
        const std::size_t length = json::Utf8SequenceLength(text_.substr(at_));
        if (length == 0) plain = false;
        at_ += length == 0 ? 1 : length;
      }
    }
    return Fail("");
  }

  bool Escape() {
    const char* const end = text_.data() + text_.size();
    const char* bad = nullptr;
    const char* const next = json::ReadEscape(text_.data() + at_, end, nullptr, bad);
    if (next == nullptr) {
      const bool unknown = bad == text_.data() + at_;
      at_ = static_cast<std::size_t>(bad - text_.data());
      return Fail(unknown ? "an unknown escape" : "\\u without four hex digits");
    }
    at_ = static_cast<std::size_t>(next - text_.data());
    return true;
  }

  bool Word(std::string_view word, JsonType type) {
    if (text_.substr(at_, word.size()) != word) return Fail("an unknown word");
    const std::uint32_t self = Open(type);
    at_ += word.size();
    return Close(self);
  }

  bool Digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start ? true : Fail("a digit is missing");
  }

  bool Number() {
    const char first = text_[at_];
    if (first != '-' && (first < '0' || first > '9')) return Fail("a value is missing");
    const std::uint32_t self = Open(JsonType::kNumber);
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      if (!Digits()) return false;
    }
    return Close(self);
  }

  std::string_view text_;
  const int max_depth_;
  std::size_t at_ = 0;
  std::string error_;
  std::vector<JsonNode> nodes_;
};

// Makes the nodes from the positions of the tokens. False for whatever is not right: the careful parser says what. `nodes` has room
// for as many as there are positions.
class IndexedParser {
 public:
  IndexedParser(std::string_view text, std::span<const std::uint32_t> positions,
                std::size_t max_depth, JsonNode* nodes)
      : text_(text.data()),
        size_(static_cast<std::uint32_t>(text.size())),
        at_(positions.data()),
        end_(positions.data() + positions.size()),
        max_depth_(std::min(max_depth, parents_.size())),
        nodes_(nodes) {}

  bool Run() {
    FindBackslash(0);
    while (Value()) {
      // A value has ended: what it was in goes on, or ends too.
      while (true) {
        if (depth_ == 0) return at_ == end_;
        if (at_ == end_) return false;
        JsonNode& parent = nodes_[parents_[depth_ - 1]];
        const bool object = parent.type == JsonType::kObject;
        const std::uint32_t position = *at_++;
        if (text_[position] == ',') {
          if (object && !Name()) return false;
          break;
        }
        if (text_[position] != (object ? '}' : ']')) return false;
        parent.end = position + 1;
        parent.next = count_;
        unread_ = false;
        --depth_;
      }
    }
    return false;
  }

 private:
  // Where the token after the current one begins.
  [[nodiscard]] std::uint32_t Following() const { return at_ != end_ ? *at_ : size_; }

  // A whole value, or the beginning of one that holds others, up to where the first of them begins.
  bool Value() {
    while (at_ != end_) {
      const std::uint32_t begin = *at_++;
      switch (text_[begin]) {
        case '"':
          return String(begin);
        case '{':
          if (Empty(begin, JsonType::kObject, '}')) return true;
          if (unread_) return SkipUnread(begin);
          if (!Open(begin, JsonType::kObject) || !Name()) return false;
          break;
        case '[':
          if (Empty(begin, JsonType::kArray, ']')) return true;
          if (!Open(begin, JsonType::kArray)) return false;
          break;
        case 't':
          return Word(begin, "true", JsonType::kTrue);
        case 'f':
          return Word(begin, "false", JsonType::kFalse);
        case 'n':
          return Word(begin, "null", JsonType::kNull);
        default:
          return Scalar(begin, NumberEnd(begin), JsonType::kNumber);
      }
    }
    return false;
  }

  bool Add(const JsonNode& node) {
    nodes_[count_++] = node;
    return true;
  }

  bool Empty(std::uint32_t begin, JsonType type, char close) {
    if (at_ == end_ || text_[*at_] != close || depth_ == max_depth_) return false;
    unread_ = false;
    return Add({begin, *at_++ + 1, count_ + 1, type, true});
  }

  bool Open(std::uint32_t begin, JsonType type) {
    if (depth_ == max_depth_) return false;
    unread_ = false;
    parents_[depth_++] = count_;
    return Add({begin, 0, 0, type, true});
  }

  // A member's name and its colon.
  bool Name() {
    if (at_ == end_ || text_[*at_] != '"') return false;
    const std::uint32_t begin = *at_++;
    if (!String(begin) || at_ == end_ || text_[*at_] != ':') return false;
    ++at_;
    if (depth_ == 1) in_metadata_ = Is(begin, "\"metadata\"");
    unread_ = depth_ == 4 && in_metadata_ && Is(begin, "\"fieldsV1\"");
    return true;
  }

  [[nodiscard]] bool Is(std::uint32_t begin, std::string_view word) const {
    return std::string_view(text_ + begin, size_ - begin).starts_with(word);
  }

  // To the bracket that closes the one at `begin`.
  bool SkipUnread(std::uint32_t begin) {
    unread_ = false;
    std::size_t depth = 1;
    while (at_ != end_) {
      const std::uint32_t position = *at_++;
      const char c = text_[position];
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) {
        return Add({begin, position + 1, count_ + 1, JsonType::kObject, true});
      }
    }
    return false;
  }

  bool String(std::uint32_t begin) {
    std::uint32_t end = Following();
    while (end > begin && wire::IsJsonBlank(text_[end - 1])) --end;
    if (end < begin + 2 || text_[end - 1] != '"') return false;
    if (backslash_ < begin) FindBackslash(begin);
    const bool plain = backslash_ >= end;
    if (!plain && !EscapesAreGood(end - 1)) return false;
    return Add({begin, end, count_ + 1, JsonType::kString, plain});
  }

  // Most texts have few backslashes: the next one is found once for all strings before it.
  void FindBackslash(std::uint32_t from) {
    const void* const found = std::memchr(text_ + from, '\\', size_ - from);
    backslash_ = found != nullptr
                     ? static_cast<std::uint32_t>(static_cast<const char*>(found) - text_)
                     : size_;
  }

  bool EscapesAreGood(std::uint32_t end) {
    while (backslash_ < end) {
      const char* bad = nullptr;
      const char* const next = json::ReadEscape(text_ + backslash_, text_ + end, nullptr, bad);
      if (next == nullptr) return false;
      FindBackslash(static_cast<std::uint32_t>(next - text_));
    }
    return true;
  }

  bool Word(std::uint32_t begin, std::string_view word, JsonType type) {
    const auto size = static_cast<std::uint32_t>(word.size());
    return Scalar(begin, Is(begin, word) ? begin + size : begin, type);
  }

  // `begin` if there is no number.
  [[nodiscard]] std::uint32_t NumberEnd(std::uint32_t begin) const {
    std::uint32_t at = begin;
    const auto is = [&](char c) { return at < size_ && text_[at] == c; };
    const auto digits = [&] {
      const std::uint32_t first = at;
      while (at < size_ && text_[at] >= '0' && text_[at] <= '9') ++at;
      return at > first;
    };
    if (is('-')) ++at;
    if (is('0')) {
      ++at;
    } else if (!digits()) {
      return begin;
    }
    if (is('.')) {
      ++at;
      if (!digits()) return begin;
    }
    if (is('e') || is('E')) {
      ++at;
      if (is('+') || is('-')) ++at;
      if (!digits()) return begin;
    }
    return at;
  }

  // Between the scalar and the next token there are only blanks.
  bool Scalar(std::uint32_t begin, std::uint32_t end, JsonType type) {
    if (end == begin) return false;
    const std::uint32_t following = Following();
    for (std::uint32_t at = end; at < following; ++at) {
      if (!wire::IsJsonBlank(text_[at])) return false;
    }
    return Add({begin, end, count_ + 1, type, true});
  }

  const char* const text_;
  const std::uint32_t size_;
  const std::uint32_t* at_;
  const std::uint32_t* const end_;
  std::array<std::uint32_t, 512> parents_;  // the nodes that are open
  const std::size_t max_depth_;
  JsonNode* const nodes_;
  std::uint32_t count_ = 0;
  std::size_t depth_ = 0;
  bool in_metadata_ = false;     // the root's member
  bool unread_ = false;          // the value to come is metadata.managedFields[].fieldsV1
  std::uint32_t backslash_ = 0;  // the first one that is not before the current string
};

thread_local JsonNodes spare_nodes;

}  // namespace

JsonTape::~JsonTape() {
  if (nodes_.at != nullptr && nodes_.capacity > spare_nodes.capacity &&
      nodes_.capacity <= kMostSpareNodes) {
    spare_nodes = std::move(nodes_);
  }
}

Result<JsonTape> JsonTape::Parse(std::string_view text, int max_depth) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Error(Reason::kDecode, "JSON: the text is larger than 4 GiB");
  }
  const std::span<const std::uint32_t> positions = wire::IndexJson(text);
  if (!positions.empty()) {
    JsonNodes nodes = std::exchange(spare_nodes, {});
    if (nodes.capacity < positions.size()) {
      nodes.capacity = std::max<std::size_t>(1024, positions.size() * 5 / 4);
      nodes.at = std::make_unique_for_overwrite<JsonNode[]>(nodes.capacity);
    }
    JsonTape tape(text, std::move(nodes));
    IndexedParser parser(text, positions, static_cast<std::size_t>(max_depth),
                         tape.nodes_.at.get());
    if (parser.Run()) return tape;
  }
  return ParseCarefully(text, max_depth);
}

Result<JsonTape> JsonTape::ParseCarefully(std::string_view text, int max_depth) {
  Result<std::vector<JsonNode>> read = CarefulParser(text, max_depth).Run();
  if (!read) return std::move(read).error();
  JsonNodes nodes{std::make_unique_for_overwrite<JsonNode[]>(read->size()), read->size()};
  std::copy(read->begin(), read->end(), nodes.at.get());
  return JsonTape(text, std::move(nodes));
}

std::string_view JsonTape::Unescape(std::string_view in, std::string& scratch) {
  scratch.clear();
  std::size_t at = 0;
  while (at < in.size()) {
    if (in[at] != '\\') {
      const std::size_t length = json::Utf8SequenceLength(in.substr(at));
      if (length == 0) {
        json::AppendUtf8(0xfffd, scratch);
        ++at;
      } else {
        scratch.append(in.substr(at, length));
        at += length;
      }
      continue;
    }
    const char* bad = nullptr;
    const char* const next = json::ReadEscape(in.data() + at, in.data() + in.size(), &scratch, bad);
    if (next == nullptr) break;  // cannot be: it was read before
    at = static_cast<std::size_t>(next - in.data());
  }
  return scratch;
}

std::string JsonTape::PathOf(std::uint32_t node) const {
  std::string path;
  std::string scratch;
  std::uint32_t at = 0;
  while (at != node) {
    const JsonNode& parent = nodes_[at];
    std::uint32_t child = at + 1;
    std::size_t index = 0;
    std::uint32_t key = 0;
    while (child < parent.next) {
      if (parent.type == JsonType::kObject) {
        key = child;
        child = nodes_[child].next;
      }
      if (node == key || (node >= child && node < nodes_[child].next)) break;
      child = nodes_[child].next;
      ++index;
    }
    if (child >= parent.next) break;
    if (parent.type == JsonType::kObject) {
      if (!path.empty()) path += '.';
      path += String(key, scratch);
      if (node == key) break;
    } else {
      path += '[' + std::to_string(index) + ']';
    }
    at = child;
  }
  return path;
}

std::string_view JsonTape::TypeName(std::uint32_t node) const {
  switch (nodes_[node].type) {
    case JsonType::kNull:
      return "null";
    case JsonType::kFalse:
    case JsonType::kTrue:
      return "a boolean";
    case JsonType::kNumber:
      return "a number";
    case JsonType::kString:
      return "a string";
    case JsonType::kObject:
      return "an object";
    case JsonType::kArray:
      break;
  }
  return "an array";
}

}  // namespace kinformer::internal
