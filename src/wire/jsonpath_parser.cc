#include "wire/jsonpath_parser.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text/go_text.h"
#include "base/text/number_in.h"

namespace kinformer::wire {
namespace {

using Kind = PathStep::Kind;

// Ranges within ranges, and filters within filters.
constexpr int kMaxDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Whether the character ends a name.
bool EndsName(char c) {
  return IsBlank(c) || std::string_view("\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the first position from `at` that holds one of `wanted` outside of quotes. A backslash
// makes the next character an ordinary one.
std::size_t FindUnquoted(std::string_view text, std::size_t at, std::string_view wanted) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (wanted.find(c) != std::string_view::npos) {
      return at;
    }
  }
  return std::string_view::npos;
}

// An action between braces.
struct Action {
  std::string word{};  // "range", "end" or ""
  PathSteps steps{};
};

class Parser {
 public:
  // `offset`: position of `text` in the template, for errors.
  Parser(std::string_view text, std::size_t offset, int depth)
      : text_(text), offset_(offset), depth_(depth) {}

  // Reads items up to the end of the text, or of the range that begins at `range`.
  Result<std::vector<PathItem>> Items(std::optional<std::size_t> range) {
    std::vector<PathItem> items;
    while (at_ < text_.size()) {
      if (text_[at_] != '{') {
        const std::size_t end = std::min(text_.find('{', at_), text_.size());
        items.push_back({.steps = {Literal(json::Value(text_.substr(at_, end - at_)))}});
        at_ = end;
        continue;
      }
      const std::size_t begin = at_++;
      Result<Action> action = ReadAction(begin);
      if (!action) return std::move(action).error();
      if (action->word == "end") {
        if (!range) return Wrong(begin, "{end} has no {range}");
        return items;
      }
      PathItem item{.steps = std::move(action->steps), .is_range = action->word == "range"};
      if (item.is_range) {
        if (++depth_ > kMaxDepth) return Wrong(begin, "ranges are nested too deeply");
        Result<std::vector<PathItem>> body = Items(begin);
        if (!body) return std::move(body).error();
        item.body = *std::move(body);
        --depth_;
      }
      items.push_back(std::move(item));
    }
    if (range) return Wrong(*range, "{range} has no {end}");
    return items;
  }

  // Reads a side of a filter.
  Result<PathSteps> Side() {
    Action action;
    while (at_ < text_.size()) {
      if (Result<void> read = ReadStep(action, /*in_action=*/false); !read) {
        return std::move(read).error();
      }
    }
    return std::move(action.steps);
  }

 private:
  [[nodiscard]] Error Wrong(std::size_t at, const std::string& what) const {
    return Error(Reason::kInvalidArgument, "at " + std::to_string(offset_ + at + 1) + ": " + what);
  }

  static PathStep Literal(json::Value value) {
    PathStep step{.kind = Kind::kLiteral};
    step.literal = std::move(value);
    return step;
  }

  // `begin`: position of its brace.
  Result<Action> ReadAction(std::size_t begin) {
    Action action;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (text_[at_] == '}') {
        ++at_;
        if (action.word == "end" && !action.steps.empty()) {
          return Wrong(begin, "{end} stands alone in its braces");
        }
        return action;
      }
      if (Result<void> read = ReadStep(action, /*in_action=*/true); !read) {
        return std::move(read).error();
      }
    }
    return Wrong(begin, "a brace is not closed in its line");
  }

  Result<void> ReadStep(Action& action, bool in_action) {
    const char c = text_[at_];
    if (IsBlank(c) || c == '@' || c == '$') {
      ++at_;
      return {};
    }
    if (c == '[') return ReadBracket(action.steps);
    if (c == '.') return ReadMember(action.steps);
    if (c == '"' || c == '\'') return ReadQuoted(action.steps);
    if (IsDigit(c) || c == '+' || c == '-') return ReadNumber(action.steps);
    if (IsLetter(c)) return ReadWord(action, in_action);
    return Wrong(at_, "\"" + std::string(1, c) + "\" has no meaning here" +
                          (c == '*' ? "; .* is every member, [*] every item" : ""));
  }

  Result<void> ReadWord(Action& action, bool in_action) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !EndsName(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false") {
      action.steps.push_back(Literal(json::Value(word == "true")));
      return {};
    }
    if (in_action && (word == "range" || word == "end") && action.word.empty() &&
        action.steps.empty()) {
      action.word = word;
      return {};
    }
    return Wrong(begin, "\"" + word + "\" is no word of templates; a member is written ." + word +
                            ", a text in quotes");
  }

  Result<void> ReadNumber(PathSteps& steps) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && (IsDigit(text_[at_]) || text_[at_] == '.')) ++at_;
    std::string_view digits = text_.substr(begin, at_ - begin);
    if (digits.front() == '+') digits.remove_prefix(1);
    // Not "+-1", and leading zeros are no JSON.
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    while (digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1])) digits.remove_prefix(1);
    Result<json::Value> number = json::Parse((negative ? "-" : "") + std::string(digits));
    if (!number) {
      return Wrong(begin, "\"" + std::string(text_.substr(begin, at_ - begin)) + "\" is no number");
    }
    steps.push_back(Literal(*std::move(number)));
    return {};
  }

  Result<void> ReadQuoted(PathSteps& steps) {
    const std::size_t begin = at_++;
    const char quote = text_[begin];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size() || text_[at_] != quote) return Wrong(begin, "a quote is not closed");
    const std::string_view inside = text_.substr(begin + 1, at_ - begin - 1);
    ++at_;
    std::optional<std::string> text = internal::base::GoUnquoted(inside, quote);
    if (!text) return Wrong(begin, "the text in quotes has an unknown escape");
    steps.push_back(Literal(json::Value(*std::move(text))));
    return {};
  }

  // Reads ".name", ".*" and "..".
  Result<void> ReadMember(PathSteps& steps) {
    const std::size_t begin = at_++;
    if (at_ < text_.size() && text_[at_] == '.') {
      if (!steps.empty() && steps.back().kind == Kind::kRecursive) {
        return Wrong(begin, "\"..\" stands behind \"..\"");
      }
      ++at_;
      steps.push_back({.kind = Kind::kRecursive});
      // "..name" is a name at any depth, ".." alone everything.
      if (at_ == text_.size() || !(IsLetter(text_[at_]) || IsDigit(text_[at_]))) return {};
    }
    std::string name = TakeName();
    if (name == "*") {
      steps.push_back({.kind = Kind::kEvery});
    } else {
      steps.push_back({.kind = Kind::kMember, .name = std::move(name)});
    }
    return {};
  }

  std::string TakeName() {
    std::string name;
    while (at_ < text_.size() && !EndsName(text_[at_])) {
      if (text_[at_] == '\\') ++at_;
      if (at_ == text_.size()) break;
      name += text_[at_++];
    }
    return name;
  }

  Result<void> ReadBracket(PathSteps& steps) {
    const std::size_t begin = at_++;
    if (text_.substr(at_).starts_with("?(")) return ReadFilter(begin, steps);
    const std::size_t close = FindUnquoted(text_, at_, "]\n");
    if (close == std::string_view::npos || text_[close] == '\n') {
      return Wrong(begin, "a bracket is not closed");
    }
    const std::string_view inside = text_.substr(at_, close - at_);
    PathSteps parts;
    for (std::size_t from = 0; from <= inside.size();) {
      const std::size_t comma = std::min(FindUnquoted(inside, from, ","), inside.size());
      Result<PathStep> part = ReadPart(Trimmed(inside.substr(from, comma - from)), at_ + from);
      if (!part) return std::move(part).error();
      parts.push_back(*std::move(part));
      from = comma + 1;
    }
    at_ = close + 1;
    if (parts.size() == 1) {
      steps.push_back(std::move(parts.front()));
      return {};
    }
    PathStep all{.kind = Kind::kUnion};
    for (PathStep& part : parts) {
      all.unions.emplace_back();
      all.unions.back().push_back(std::move(part));
    }
    steps.push_back(std::move(all));
    return {};
  }

  // Reads 'name', an index, a slice or * in brackets.
  [[nodiscard]] Result<PathStep> ReadPart(std::string_view text, std::size_t at) const {
    PathStep step;
    if (text.empty()) return Wrong(at, "an index is missing; [*] is every item");
    if (text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
        text.back() == text.front()) {
      for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == text.front()) return Wrong(at, "one name stands in quotes: ['a','b']");
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        step.name += text[i];
      }
      return step;
    }
    step.kind = Kind::kSlice;
    if (text == "*") return step;
    std::optional<std::int64_t>* const places[] = {&step.from, &step.to, &step.by};
    std::size_t count = 0;
    for (std::size_t from = 0; from <= text.size(); ++count) {
      const std::size_t colon = std::min(text.find(':', from), text.size());
      const std::string_view number = Trimmed(text.substr(from, colon - from));
      from = colon + 1;
      if (count == 3) return Wrong(at, "a slice has at most three parts: [from:to:step]");
      if (number.empty()) continue;
      *places[count] = internal::base::NumberIn(number);
      if (!*places[count]) {
        return Wrong(at, "\"" + std::string(text) +
                             "\" is no index; a member is written with quotes: ['name']");
      }
    }
    step.is_index = count == 1;
    if (step.by && *step.by <= 0) return Wrong(at, "the step of a slice must be above 0");
    return step;
  }

  // Reads from "?(" to ")]".
  Result<void> ReadFilter(std::size_t begin, PathSteps& steps) {
    if (depth_ >= kMaxDepth) return Wrong(begin, "filters are nested too deeply");
    at_ += 2;
    const std::size_t close = FindUnquoted(text_, at_, ")\n");
    if (close == std::string_view::npos || text_[close] == '\n') {
      return Wrong(begin, "a filter is not closed");
    }
    const std::string_view inside = text_.substr(at_, close - at_);
    if (close + 1 >= text_.size() || text_[close + 1] != ']') {
      return Wrong(close, "a filter ends with )]");
    }
    if (Trimmed(inside).empty()) return Wrong(begin, "a filter is empty");
    PathStep step{.kind = Kind::kFilter};
    const std::size_t from = FindUnquoted(inside, 0, "!<>=");
    std::size_t to = from;
    while (to < inside.size() && std::string_view("!<>=").find(inside[to]) != std::string::npos) {
      ++to;
    }
    if (from < inside.size()) {
      step.comparison = inside.substr(from, to - from);
      const std::string_view known[] = {"==", "!=", "<", ">", "<=", ">="};
      if (std::find(std::begin(known), std::end(known), step.comparison) == std::end(known)) {
        return Wrong(at_ + from,
                     "\"" + step.comparison + "\" is none of the comparisons == != < > <= >=");
      }
      if (Trimmed(inside.substr(0, from)).empty() || Trimmed(inside.substr(to)).empty()) {
        return Wrong(at_ + from, "a comparison lacks one of its sides");
      }
      Result<PathSteps> right = Parser(inside.substr(to), offset_ + at_ + to, depth_ + 1).Side();
      if (!right) return std::move(right).error();
      step.right = *std::move(right);
    }
    Result<PathSteps> left = Parser(inside.substr(0, from), offset_ + at_, depth_ + 1).Side();
    if (!left) return std::move(left).error();
    step.left = *std::move(left);
    steps.push_back(std::move(step));
    at_ = close + 2;
    return {};
  }

  const std::string_view text_;
  const std::size_t offset_;
  int depth_;
  std::size_t at_ = 0;
};

}  // namespace

Result<PathTemplate> ParsePathTemplate(std::string_view text) {
  Result<std::vector<PathItem>> items = Parser(text, 0, 0).Items(std::nullopt);
  if (!items) return std::move(items).error();
  return PathTemplate{.items = *std::move(items)};
}

}  // namespace kinformer::wire
