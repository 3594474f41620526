#include "cel/regular_expression.h"

#include <algorithm>
#include <re2/re2.h>
#include <utility>

namespace kinformer::internal::cel {
namespace {

constexpr std::int64_t kMaxProgramBytes = std::int64_t{2} << 20;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// Returns Go's message for an error of RE2.
std::string_view Wording(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

// Go allows two notations of a named group, RE2 only (?P<name>...).
std::string InRe2Syntax(std::string_view text) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      out.append(text.substr(i++, 2));
      continue;
    }
    if (text[i] == '[') in_class = true;
    if (text[i] == ']') in_class = false;
    const std::string_view rest = text.substr(i);
    if (!in_class && rest.size() > 3 && rest.starts_with("(?<")) {
      out += "(?P<";
      i += 2;
      continue;
    }
    out += text[i];
  }
  return out;
}

}  // namespace

RegularExpression::RegularExpression(std::string text, std::unique_ptr<const re2::RE2> compiled)
    : text_(std::move(text)), compiled_(std::move(compiled)) {}

RegularExpression::~RegularExpression() = default;

Result<std::shared_ptr<const RegularExpression>> RegularExpression::Compile(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxProgramBytes);
  auto compiled = std::make_unique<const re2::RE2>(InRe2Syntax(text), options);
  if (!compiled->ok()) {
    std::string argument = compiled->error_arg();
    // Shows the notation of the pattern.
    if (argument.starts_with("(?P<") && text.find(argument) == std::string_view::npos) {
      argument.erase(2, 1);
    }
    const auto code = compiled->error_code();
    const bool whole = code == re2::RE2::ErrorMissingParen ||
                       code == re2::RE2::ErrorUnexpectedParen || argument.empty();
    std::string message = "error parsing regexp: ";
    message.append(Wording(code)).append(": `");
    if (code != re2::RE2::ErrorTrailingBackslash) message.append(whole ? text : argument);
    return Error(Reason::kInvalidArgument, message + "`");
  }
  return std::shared_ptr<const RegularExpression>(
      new RegularExpression(std::string(text), std::move(compiled)));
}

bool RegularExpression::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(Piece(text), *compiled_);
}

std::optional<std::string_view> RegularExpression::Find(std::string_view text,
                                                        std::size_t from) const {
  re2::StringPiece found;
  if (!compiled_->Match(Piece(text), from, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  return std::string_view(found.data(), found.size());
}

std::size_t RegularExpression::size() const {
  return static_cast<std::size_t>(std::max(1, compiled_->ProgramSize()));
}

}  // namespace kinformer::internal::cel
