// json::Parse: one pass by recursive descent, after simdjson has checked that the text is UTF-8.
// simdjson's own parsers are not used: the DOM keeps neither the text of numbers nor numbers beyond
// 64 bits, and errors must name their position.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <simdjson.h>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "wire/json_text.h"

namespace kinformer::json {
namespace {

// Members to reserve at once; most objects have no more.
constexpr std::size_t kUsualMembers = 4;
// Limit for the total bytes of reported paths to duplicate members.
constexpr std::size_t kMostNoted = std::size_t{1} << 20;

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : text_(text), at_(text.data()), end_(text.data() + text.size()), options_(options) {}

  Result<Value> Run() {
    if (!simdjson::validate_utf8(text_.data(), text_.size())) {
      return ErrorAt(FirstInvalidUtf8(text_), "the text is not UTF-8");
    }
    Value value;
    SkipBlanks();
    if (!ParseValue(value, 0)) return ErrorAt(error_at_, error_);
    SkipBlanks();
    if (at_ != end_) return ErrorAt(Offset(), "something follows the document");
    return value;
  }

 private:
  // A step of a path: a member, or an item of an array.
  struct Step {
    const Object* object = nullptr;
    const Value* value = nullptr;
    std::size_t index = 0;
  };

  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool Fail(std::string why) {
    error_at_ = Offset();
    error_ = std::move(why);
    return false;
  }

  bool FailExpecting(std::string_view what) {
    if (at_ == end_) return Fail("the text ends where " + std::string(what) + " should be");
    return Fail("found " + ShowByte(*at_) + " where " + std::string(what) + " should be");
  }

  bool ParseValue(Value& out, std::size_t depth) {
    if (at_ == end_) return FailExpecting("a value");
    switch (*at_) {
      case '{':
        return ParseObject(out, depth + 1);
      case '[':
        return ParseArray(out, depth + 1);
      case '"': {
        std::string& text = out.EnsureString();
        text.clear();
        return ParseString(text);
      }
      case 't':
        out = Value(true);
        return ParseWord("true");
      case 'f':
        out = Value(false);
        return ParseWord("false");
      case 'n':
        return ParseWord("null");
      default:
        return ParseNumber(out);
    }
  }

  bool ParseWord(std::string_view word) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.substr(0, word.size()) != word) return FailExpecting("a value");
    at_ += word.size();
    return true;
  }

  bool CheckDepth(std::size_t depth) {
    if (depth <= options_.max_depth) return true;
    return Fail("nested deeper than " + std::to_string(options_.max_depth) + " levels");
  }

  bool ParseObject(Value& out, std::size_t depth) {
    if (!CheckDepth(depth)) return false;
    ++at_;
    Object& object = out.EnsureObject();
    SkipBlanks();
    if (at_ != end_ && *at_ == '}') {
      ++at_;
      return true;
    }
    object.Reserve(kUsualMembers);
    while (true) {
      if (at_ == end_ || *at_ != '"') return FailExpecting("a member's name");
      const char* const name_at = at_;
      std::string name;
      if (!ParseString(name)) return false;
      Value* slot = object.Find(name);
      if (slot != nullptr) {
        if (options_.reject_duplicate_keys) {
          at_ = name_at;
          return Fail("the member \"" + name + "\" occurs twice");
        }
        if (options_.duplicate_keys != nullptr) NoteDuplicate(name);
        *slot = Value();
      } else {
        slot = &object.Add(std::move(name), Value());
      }
      SkipBlanks();
      if (at_ == end_ || *at_ != ':') return FailExpecting("':'");
      ++at_;
      SkipBlanks();
      if (options_.duplicate_keys != nullptr) path_.push_back({.object = &object, .value = slot});
      if (!ParseValue(*slot, depth)) return false;
      if (options_.duplicate_keys != nullptr) path_.pop_back();
      SkipBlanks();
      if (at_ != end_ && *at_ == ',') {
        ++at_;
        SkipBlanks();
        continue;
      }
      if (at_ == end_ || *at_ != '}') return FailExpecting("',' or '}'");
      ++at_;
      return true;
    }
  }

  bool ParseArray(Value& out, std::size_t depth) {
    if (!CheckDepth(depth)) return false;
    ++at_;
    Array& array = out.EnsureArray();
    SkipBlanks();
    if (at_ != end_ && *at_ == ']') {
      ++at_;
      return true;
    }
    while (true) {
      array.emplace_back();
      if (options_.duplicate_keys != nullptr) path_.push_back({.index = array.size() - 1});
      if (!ParseValue(array.back(), depth)) return false;
      if (options_.duplicate_keys != nullptr) path_.pop_back();
      SkipBlanks();
      if (at_ != end_ && *at_ == ',') {
        ++at_;
        SkipBlanks();
        continue;
      }
      if (at_ == end_ || *at_ != ']') return FailExpecting("',' or ']'");
      ++at_;
      return true;
    }
  }

  bool ParseString(std::string& out) {
    ++at_;
    while (true) {
      const char* const run = at_;
      at_ = EndOfRun(at_, end_);
      out.append(run, at_);
      if (at_ == end_) return Fail("the text ends inside a string");
      if (*at_ == '"') {
        ++at_;
        return true;
      }
      if (*at_ != '\\') return Fail(ShowByte(*at_) + " must be escaped in a string");
      if (!ParseEscape(out)) return false;
    }
  }

  // Returns the first byte that ends a plain run of a string: a quote, a backslash or a control
  // character; `end` if there is none.
  static const char* EndOfRun(const char* at, const char* end) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kHighs = 0x8080808080808080;
    const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word; };
    for (; end - at >= 8; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof(word));
      const std::uint64_t found = has_zero(word ^ kOnes * '"') | has_zero(word ^ kOnes * '\\') |
                                  ((word - kOnes * 0x20) & ~word);
      if ((found & kHighs) != 0) break;
    }
    while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
    return at;
  }

  bool ParseEscape(std::string& out) {
    const char* bad = nullptr;
    const char* const next = ReadEscape(at_, end_, &out, bad);
    if (next != nullptr) {
      at_ = next;
      return true;
    }
    const char* const start = std::exchange(at_, bad);
    if (at_ == end_) return Fail("the text ends inside a string");
    if (at_ != start) return FailExpecting("one of four hexadecimal digits");
    return Fail("there is no such escape as '\\" + std::string(1, start[1]) + "'");
  }

  bool Digits(std::string_view what) {
    const char* const from = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != from || FailExpecting(what);
  }

  bool ParseNumber(Value& out) {
    const char* const start = at_;
    if (*at_ != '-' && (*at_ < '0' || *at_ > '9')) return FailExpecting("a value");
    if (*at_ == '-') ++at_;
    const char* const whole = at_;
    if (!Digits("a digit")) return false;
    if (*whole == '0' && at_ - whole > 1) {
      at_ = whole;
      return Fail("a number begins with a needless 0");
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!Digits("a digit")) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!Digits("a digit")) return false;
    }
    out = Value::MakeNumber(std::string_view(start, static_cast<std::size_t>(at_ - start)));
    return true;
  }

  // Paths may be long and duplicates many, so beyond the limit no more are reported.
  void NoteDuplicate(std::string_view name) {
    if (noted_bytes_ > kMostNoted) return;
    std::string pointer;
    for (const Step& step : path_) {
      pointer += '/';
      pointer +=
          step.object == nullptr ? std::to_string(step.index) : EscapePointerToken(NameOf(step));
    }
    pointer.append("/").append(EscapePointerToken(name));
    noted_bytes_ += pointer.size();
    options_.duplicate_keys->push_back(std::move(pointer));
  }
  // Finds the member by its address: members are stored in a row, and there may be many.
  static const std::string& NameOf(const Step& step) {
    const auto first = step.object->begin();
    const auto* const begin = reinterpret_cast<const char*>(&first->second);
    const auto* const here = reinterpret_cast<const char*>(step.value);
    return first[(here - begin) / static_cast<std::ptrdiff_t>(sizeof(*first))].first;
  }

  [[nodiscard]] std::size_t Offset() const { return static_cast<std::size_t>(at_ - text_.data()); }

  [[nodiscard]] Error ErrorAt(std::size_t offset, std::string_view why) const {
    const std::string_view before = text_.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? offset + 1 : offset - newline;
    return Error(Reason::kDecode, "JSON, line " + std::to_string(line) + ", column " +
                                      std::to_string(column) + " (byte " + std::to_string(offset) +
                                      "): " + std::string(why));
  }

  const std::string_view text_;
  const char* at_;
  const char* const end_;
  const ParseOptions& options_;
  std::vector<Step> path_;       // kept only for duplicate_keys
  std::size_t noted_bytes_ = 0;  // in duplicate_keys
  std::size_t error_at_ = 0;
  std::string error_;
};

}  // namespace

Result<Value> Parse(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).Run();
}

}  // namespace kinformer::json
