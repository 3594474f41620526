#include "kinformer/object/shard_selector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace kinformer {
namespace {

constexpr std::string_view kUidPath = "object.metadata.uid";
constexpr std::string_view kNamespacePath = "object.metadata.namespace";
constexpr std::string_view kEndOfAll = "0x10000000000000000";  // 2^64
constexpr std::size_t kDigits = 16;

std::string HexOf(std::uint64_t value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text(kDigits, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, value >>= 4) *at = kHex[value & 15];
  return "0x" + text;
}

// Reads the text from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  struct Call {
    ShardSelector::Field field{};
    ShardSelector::Range range{};
  };

  Result<Call> ParseCall() {
    if (!Take("shardRange")) return Expected("shardRange(");
    if (!Take("(")) return Expected("'(' behind shardRange");
    Call call;
    if (Take(kUidPath)) {
      call.field = ShardSelector::Field::kUid;
    } else if (Take(kNamespacePath)) {
      call.field = ShardSelector::Field::kNamespace;
    } else {
      return Expected(std::string(kUidPath) + " or " + std::string(kNamespacePath));
    }
    if (!Take(",")) return Expected("','");
    const Result<std::optional<std::uint64_t>> first = ParseHash();
    if (!first) return first.error();
    if (!Take(",")) return Expected("','");
    const std::size_t end_at = at_;
    const Result<std::optional<std::uint64_t>> end = ParseHash();
    if (!end) return end.error();
    if (!Take(")")) return Expected("')'");
    if (!*first || (*end && **end <= **first)) {
      at_ = end_at;
      return Expected("an end that is greater than the start");
    }
    call.range = {**first, *end ? **end - 1 : ~std::uint64_t{0}};
    return call;
  }

  // Returns whether another call follows.
  Result<bool> ParseOr() {
    if (Take("||")) return true;
    if (at_ != text_.size()) return Expected("|| or the end");
    return false;
  }

  [[nodiscard]] Error Expected(const std::string& what) const {
    return Error(Reason::kInvalidArgument, "invalid shard selector: expected " + what +
                                               " at position " + std::to_string(at_ + 1) +
                                               " of \"" + std::string(text_) + '"');
  }

 private:
  bool Take(std::string_view word) {
    SkipSpaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    SkipSpaces();
    return true;
  }
  void SkipSpaces() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }

  // Reads a hash in quotes. Returns nullopt for 2^64.
  Result<std::optional<std::uint64_t>> ParseHash() {
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = text_.find(quote, at_ + 1);
    const std::string_view digits =
        end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
    constexpr const char* kForm =
        "0x and 16 digits from 0 to 9 and a to f in quotes, or '0x10000000000000000'";
    if (quote != '\'' && quote != '"') return Expected(kForm);
    if (digits == kEndOfAll) {
      at_ = end + 1;
      return std::optional<std::uint64_t>();
    }
    if (digits.size() != kDigits + 2 || !digits.starts_with("0x") ||
        digits.find_first_not_of("0123456789abcdef", 2) != std::string_view::npos) {
      return Expected(kForm);
    }
    std::uint64_t value = 0;
    std::from_chars(digits.data() + 2, digits.data() + digits.size(), value, 16);
    at_ = end + 1;
    return std::optional(value);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

// Returns the start of a part: index * 2^64 / count.
std::uint64_t StartOf(std::size_t index, std::size_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(index) << 64) / count);
}

}  // namespace

ShardSelector ShardSelector::Part(std::size_t index, std::size_t count, Field field) {
  ShardSelector selector;
  if (count <= 1) return selector;
  selector.field_ = field;
  const std::uint64_t last = index + 1 >= count ? ~std::uint64_t{0} : StartOf(index + 1, count) - 1;
  selector.ranges_.push_back({StartOf(index, count), last});
  return selector;
}

Result<ShardSelector> ShardSelector::Parse(std::string_view text) {
  ShardSelector selector;
  if (text.find_first_not_of(" \t\n\r") == std::string_view::npos) return selector;
  Parser parser(text);
  for (bool more = true; more;) {
    const Result<Parser::Call> call = parser.ParseCall();
    if (!call) return call.error();
    if (!selector.ranges_.empty() && call->field != selector.field_) {
      return parser.Expected("ranges of one field only");
    }
    selector.field_ = call->field;
    selector.ranges_.push_back(call->range);
    const Result<bool> another = parser.ParseOr();
    if (!another.ok()) return another.error();
    more = *another;
  }
  return selector;
}

std::uint64_t ShardSelector::HashField(std::string_view value) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : value) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

bool ShardSelector::Matches(std::string_view uid, std::string_view namespace_) const {
  if (ranges_.empty()) return true;
  const std::uint64_t hash = HashField(field_ == Field::kUid ? uid : namespace_);
  return std::ranges::any_of(
      ranges_, [hash](const Range& range) { return range.first <= hash && hash <= range.last; });
}

std::string ShardSelector::ToString() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += " || ";
    text += "shardRange(";
    text += field_ == Field::kUid ? kUidPath : kNamespacePath;
    text += ", '" + HexOf(range.first) + "', '";
    text += range.last == ~std::uint64_t{0} ? std::string(kEndOfAll) : HexOf(range.last + 1);
    text += "')";
  }
  return text;
}

}  // namespace kinformer
