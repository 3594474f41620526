// ParseIndexed: parses JSON from the positions of its tokens.

#include <algorithm>
#include <array>
#include <cstring>

#include "object/transcode/json_tape_parsers.h"
#include "wire/json_scanner.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

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
      // A value has ended: its container continues or ends too.
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
  // Start of the token after the current one.
  [[nodiscard]] std::uint32_t Following() const { return at_ != end_ ? *at_ : size_; }

  // Reads a whole value, or the start of a container up to its first element.
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
    return false;  // the text ends inside of brackets
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

  // Reads a member's name and its colon.
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

  // Skips to the bracket that closes the one at `begin`.
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

  // Backslashes are rare, so the next one is searched once for all strings before it.
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

  // Returns `begin` if there is no number.
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

  // Only blanks may follow the scalar before the next token.
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
  std::array<std::uint32_t, 512> parents_;  // open containers
  const std::size_t max_depth_;
  JsonNode* const nodes_;
  std::uint32_t count_ = 0;
  std::size_t depth_ = 0;
  bool in_metadata_ = false;     // the root's member
  bool unread_ = false;          // the next value is metadata.managedFields[].fieldsV1
  std::uint32_t backslash_ = 0;  // the first one at or behind the current string
};

}  // namespace

bool ParseIndexed(std::string_view text, std::span<const std::uint32_t> positions,
                  std::size_t max_depth, JsonNode* nodes) {
  return IndexedParser(text, positions, max_depth, nodes).Run();
}

}  // namespace kinformer::internal
