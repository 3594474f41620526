#include "object/json_tape.h"

#include <limits>

#include "wire/json_text.h"

namespace kinformer::internal {

class JsonTapeParser {
 public:
  JsonTapeParser(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {
    tape_.text_ = text;
    tape_.nodes_.reserve(text.size() / 12 + 8);
  }

  Result<JsonTape> Run() {
    if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
      return Error(Reason::kDecode, "JSON: the text is larger than 4 GiB");
    }
    SkipSpace();
    if (Value(0)) {
      SkipSpace();
      if (at_ == text_.size()) return std::move(tape_);
      Fail("more text after the value");
    }
    return Error(Reason::kDecode, "JSON: " + error_ + " at byte " + std::to_string(at_));
  }

 private:
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
    JsonNode node;
    node.begin = static_cast<std::uint32_t>(at_);
    node.type = type;
    tape_.nodes_.push_back(node);
    return static_cast<std::uint32_t>(tape_.nodes_.size() - 1);
  }

  bool Close(std::uint32_t node) {
    tape_.nodes_[node].end = static_cast<std::uint32_t>(at_);
    tape_.nodes_[node].next = static_cast<std::uint32_t>(tape_.nodes_.size());
    return true;
  }

  bool Value(int depth) {
    if (at_ >= text_.size()) return Fail("a value is missing");
    switch (text_[at_]) {
      case '{':
        return depth < max_depth_ ? Object(depth) : Fail("nested too deeply");
      case '[':
        return depth < max_depth_ ? Array(depth) : Fail("nested too deeply");
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
        tape_.nodes_[self].plain = plain;
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
  JsonTape tape_;
};

Result<JsonTape> JsonTape::Parse(std::string_view text, int max_depth) {
  return JsonTapeParser(text, max_depth).Run();
}

std::string_view JsonTape::String(std::uint32_t node, std::string& scratch) const {
  const std::string_view quoted = Text(node);
  const std::string_view in = quoted.substr(1, quoted.size() - 2);
  if (nodes_[node].plain) return in;
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
