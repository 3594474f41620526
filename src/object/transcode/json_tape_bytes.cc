// ParseBytes: parses JSON byte by byte.

#include <utility>

#include "object/transcode/json_tape_parsers.h"
#include "wire/json_scanner.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

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
    while (at_ < text_.size() && wire::IsJsonBlank(text_[at_])) ++at_;
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

}  // namespace

Result<std::vector<JsonNode>> ParseBytes(std::string_view text, int max_depth) {
  return CarefulParser(text, max_depth).Run();
}

}  // namespace kinformer::internal
