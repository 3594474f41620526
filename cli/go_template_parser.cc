#include "cli/go_template_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/core/printable.h"
#include "base/text/go_text.h"
#include "cli/go_template_functions.h"

namespace kinformer::cli {
namespace {

using Operand = TemplateOperand;
using Node = TemplateNode;

constexpr int kMaxDepth = 64;
constexpr std::string_view kBlanks = " \t\r\n";

bool IsBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// How a list of nodes ended.
struct Ending {
  std::string word{};  // "end", "else", or "" at the end of the text
  std::size_t at = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Node>> All() {
    std::vector<Node> nodes;
    Result<Ending> ending = List(nodes);
    if (!ending) return std::move(ending).error();
    if (!ending->word.empty()) {
      return Wrong(ending->at, "{{" + ending->word + "}} has no if, with or range");
    }
    return nodes;
  }

 private:
  [[nodiscard]] Error Wrong(std::size_t at, const std::string& what) const {
    return TemplateError(text_, at, what);
  }

  // ---- Texts and actions

  // Appends nodes up to {{end}}, {{else}} or the end of the text. Behind {{else}}, an `if` or
  // `with` of the same action is still to be read.
  Result<Ending> List(std::vector<Node>& nodes) {
    while (at_ < text_.size()) {
      const std::size_t open = std::min(text_.find("{{", at_), text_.size());
      std::string_view plain = text_.substr(at_, open - at_);
      const bool trims = text_.substr(open).starts_with("{{-") && open + 3 < text_.size() &&
                         IsBlank(text_[open + 3]);
      if (trims) {
        plain = plain.substr(0, plain.find_last_not_of(kBlanks) + 1);  // npos + 1 is 0
      }
      if (!plain.empty()) {
        nodes.push_back({.kind = Node::Kind::kText, .at = at_, .text = std::string(plain)});
      }
      at_ = open;
      if (open == text_.size()) break;
      at_ += trims ? 3 : 2;
      Result<std::optional<Ending>> ending = Action(open, nodes);
      if (!ending) return std::move(ending).error();
      if (*ending) return **std::move(ending);
    }
    return Ending{.at = at_};
  }

  // Reads one action. `open`: position of its braces.
  Result<std::optional<Ending>> Action(std::size_t open, std::vector<Node>& nodes) {
    SkipBlanks();
    if (text_.substr(at_).starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return Wrong(open, "a comment is not closed");
      at_ = end + 2;
      if (Result<void> closed = Close(open); !closed) return std::move(closed).error();
      return std::optional<Ending>();
    }
    const std::size_t begin = at_;
    const std::string word = PeekWord();
    if (word == "end") {
      at_ += word.size();
      if (Result<void> closed = Close(open); !closed) return std::move(closed).error();
      return std::optional<Ending>({.word = word, .at = open});
    }
    if (word == "else") {
      at_ += word.size();
      return std::optional<Ending>({.word = word, .at = open});
    }
    if (word == "if" || word == "with" || word == "range") {
      at_ += word.size();
      if (Result<void> read = Block(word, open, nodes); !read) return std::move(read).error();
      return std::optional<Ending>();
    }
    if (word == "break" || word == "continue") {
      at_ += word.size();
      if (ranges_ == 0) return Wrong(begin, "{{" + word + "}} stands outside of a range");
      nodes.push_back(
          {.kind = word == "break" ? Node::Kind::kBreak : Node::Kind::kContinue, .at = open});
      if (Result<void> closed = Close(open); !closed) return std::move(closed).error();
      return std::optional<Ending>();
    }
    if (word == "template" || word == "define" || word == "block") {
      return Wrong(begin, "{{" + word + "}} is not supported here");
    }
    Node node{.kind = Node::Kind::kAction, .at = begin};
    if (Result<void> read = Pipe(node.pipe, "an action"); !read) return std::move(read).error();
    if (Result<void> closed = Close(open); !closed) return std::move(closed).error();
    nodes.push_back(std::move(node));
    return std::optional<Ending>();
  }

  // Reads if, with or range behind that word, up to its end.
  Result<void> Block(const std::string& word, std::size_t open, std::vector<Node>& nodes) {
    if (++depth_ > kMaxDepth) return Wrong(open, "it is nested too deeply");
    const bool range = word == "range";
    Node node{.kind = word == "if"     ? Node::Kind::kIf
                      : word == "with" ? Node::Kind::kWith
                                       : Node::Kind::kRange,
              .at = open};
    const std::size_t variables = variables_.size();
    in_range_clause_ = range;
    Result<void> read = Pipe(node.pipe, word);
    in_range_clause_ = false;
    if (!read) return read;
    if (Result<void> closed = Close(open); !closed) return closed;
    const std::size_t own_variables = variables_.size();
    ranges_ += range ? 1 : 0;
    Result<Ending> ending = List(node.body);
    ranges_ -= range ? 1 : 0;
    variables_.resize(own_variables);
    if (!ending) return std::move(ending).error();
    if (ending->word == "else") {
      if (Result<void> other = Else(range, ending->at, node.otherwise); !other) return other;
    } else if (ending->word.empty()) {
      return Wrong(open, "{{" + word + "}} has no {{end}}");
    }
    variables_.resize(variables);
    --depth_;
    nodes.push_back(std::move(node));
    return {};
  }

  // Reads behind "else": a list up to the end, or the `if` or `with` that shares the end.
  Result<void> Else(bool range, std::size_t open, std::vector<Node>& otherwise) {
    SkipBlanks();
    const std::string word = PeekWord();
    if (word == "if" || word == "with") {
      if (range) return Wrong(at_, "{{else " + word + "}} belongs to no range");
      at_ += word.size();
      return Block(word, open, otherwise);
    }
    if (Result<void> closed = Close(open); !closed) return closed;
    const Result<Ending> ending = List(otherwise);
    if (!ending) return ending.error();
    if (ending->word == "else") return Wrong(ending->at, "a second {{else}}");
    if (ending->word.empty()) return Wrong(open, "{{else}} has no {{end}}");
    return {};
  }

  // Reads "}}" or "-}}".
  Result<void> Close(std::size_t open) {
    SkipBlanks();
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("-}}") && IsBlank(text_[at_ - 1])) {
      at_ += 3;
      SkipBlanks();
      return {};
    }
    if (rest.starts_with("}}")) {
      at_ += 2;
      return {};
    }
    if (rest.empty()) return Wrong(open, "the braces are not closed");
    return Wrong(at_, "\"" + Shown(rest) + "\" is not expected here");
  }

  // ---- Pipelines

  Result<void> Pipe(TemplatePipe& pipe, const std::string& of) {
    if (Result<void> read = Variables(pipe); !read) return read;
    while (true) {
      const std::size_t begin = at_;
      TemplateCommand command;
      if (Result<void> read = Command(command); !read) return read;
      if (command.empty()) return Wrong(begin, "a value is missing for " + of);
      if (!pipe.commands.empty() && command.front().kind != Operand::Kind::kFunction) {
        return Wrong(command.front().at, "behind | stands a function");
      }
      pipe.commands.push_back(std::move(command));
      SkipBlanks();
      if (at_ >= text_.size() || text_[at_] != '|') break;
      ++at_;
    }
    if (pipe.declares) {
      variables_.insert(variables_.end(), pipe.variables.begin(), pipe.variables.end());
    }
    return {};
  }

  // Reads "$x :=", "$k, $v :=" and "$x =", if there is one.
  Result<void> Variables(TemplatePipe& pipe) {
    const std::size_t begin = at_;
    SkipBlanks();
    std::vector<std::string> names;
    while (at_ < text_.size() && text_[at_] == '$') {
      const std::size_t from = at_++;
      while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
      names.emplace_back(text_.substr(from, at_ - from));
      SkipBlanks();
      if (at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
      SkipBlanks();
    }
    const std::string_view rest = text_.substr(at_);
    const bool declares = rest.starts_with(":=");
    if (names.empty() || (!declares && !rest.starts_with('='))) {
      at_ = begin;
      return {};
    }
    if (names.size() > (in_range_clause_ ? 2U : 1U)) return Wrong(begin, "too many variables");
    for (const std::string& name : names) {
      if (!declares && !IsKnown(name)) return Wrong(begin, "no variable " + name);
    }
    at_ += declares ? 2 : 1;
    pipe.declares = declares;
    pipe.variables = std::move(names);
    return {};
  }

  [[nodiscard]] bool IsKnown(const std::string& name) const {
    return name == "$" || std::find(variables_.begin(), variables_.end(), name) != variables_.end();
  }

  // Reads operands up to "|", ")" or the end of the action.
  Result<void> Command(TemplateCommand& command) {
    while (true) {
      const std::size_t before = at_;
      SkipBlanks();
      const std::string_view rest = text_.substr(at_);
      if (rest.empty() || rest.starts_with("}}") || rest.starts_with("-}}") ||
          rest.front() == '|' || rest.front() == ')') {
        return {};
      }
      if (!command.empty() && at_ == before) {
        return Wrong(at_, "\"" + Shown(rest) + "\" is not expected here");
      }
      Operand operand;
      if (Result<void> read = ReadOperand(operand); !read) return read;
      if (command.size() == 1 && command.front().kind != Operand::Kind::kFunction) {
        return Wrong(command.front().at, "arguments stand only behind a function");
      }
      command.push_back(std::move(operand));
    }
  }

  Result<void> ReadOperand(Operand& operand) {
    operand.at = at_;
    const char c = text_[at_];
    if (c == '.') return Dot(operand);
    if (c == '$') {
      ++at_;
      while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
      operand.kind = Operand::Kind::kVariable;
      operand.name = text_.substr(operand.at, at_ - operand.at);
      if (!IsKnown(operand.name)) return Wrong(operand.at, "no variable " + operand.name);
      return Members(operand);
    }
    if (c == '(') return Parenthesis(operand);
    if (c == '"' || c == '\'' || c == '`') return Quoted(operand);
    if (IsDigit(c) || c == '+' || c == '-') return Number(operand);
    if (!IsWord(c)) return Wrong(at_, "\"" + Shown(text_.substr(at_)) + "\" is not expected here");
    const std::string word = PeekWord();
    at_ += word.size();
    if (word == "true" || word == "false") {
      operand.kind = Operand::Kind::kLiteral;
      operand.literal = json::Value(word == "true");
    } else if (word == "nil") {
      operand.kind = Operand::Kind::kNil;
    } else {
      operand.kind = Operand::Kind::kFunction;
      operand.name = word;
      if (!IsTemplateFunction(word)) {
        return Wrong(operand.at, "no function \"" + word + "\"; there are " + TemplateFunctions() +
                                     "; a member is written ." + word);
      }
    }
    return {};
  }

  Result<void> Dot(Operand& operand) {
    operand.kind = Operand::Kind::kDot;
    if (at_ + 1 < text_.size() && IsWord(text_[at_ + 1])) return Members(operand);
    ++at_;
    return {};
  }

  // Reads ".a.b" behind an operand.
  Result<void> Members(Operand& operand) {
    while (at_ < text_.size() && text_[at_] == '.') {
      const std::size_t from = ++at_;
      while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
      if (at_ == from) return Wrong(at_, "a name is missing behind the dot");
      operand.members.emplace_back(text_.substr(from, at_ - from));
    }
    return {};
  }

  Result<void> Parenthesis(Operand& operand) {
    if (++depth_ > kMaxDepth) return Wrong(at_, "parentheses are nested too deeply");
    operand.kind = Operand::Kind::kPipe;
    ++at_;
    const bool in_range = std::exchange(in_range_clause_, false);
    TemplatePipe pipe;
    if (Result<void> read = Pipe(pipe, "parentheses"); !read) return read;
    in_range_clause_ = in_range;
    operand.pipe = std::make_shared<const TemplatePipe>(std::move(pipe));
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != ')') {
      return Wrong(operand.at, "a parenthesis is not closed");
    }
    ++at_;
    --depth_;
    return Members(operand);
  }

  Result<void> Quoted(Operand& operand) {
    const char quote = text_[at_++];
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != quote)
      at_ += quote != '`' && text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return Wrong(operand.at, "a quote is not closed");
    const std::string_view inside = text_.substr(from, at_ - from);
    ++at_;
    operand.kind = Operand::Kind::kLiteral;
    if (quote == '`') {
      operand.literal = json::Value(inside);
      return {};
    }
    std::optional<std::string> text = internal::base::GoUnquoted(inside, quote);
    if (!text) return Wrong(operand.at, "the quoted text has an unknown escape, or a line end");
    operand.literal = json::Value(*text);
    if (quote == '\'') {  // one character, which is its number
      const auto point = text->empty() ? internal::base::CodePoint{.size = 0}
                                       : internal::base::FirstCodePoint(*text);
      if (point.size != text->size() || text->empty()) {
        return Wrong(operand.at, "single quotes hold one character; a text is written \"text\"");
      }
      operand.literal = json::Value(static_cast<std::int64_t>(point.code));
    }
    return {};
  }

  Result<void> Number(Operand& operand) {
    while (at_ < text_.size() &&
           (IsWord(text_[at_]) || text_[at_] == '.' || text_[at_] == '+' ||
            (text_[at_] == '-' && (at_ == operand.at || text_[at_ - 1] == 'e')))) {
      ++at_;
    }
    const std::string text(text_.substr(operand.at, at_ - operand.at));
    operand.kind = Operand::Kind::kLiteral;
    const std::string digits = text.substr(text.front() == '+' ? 1 : 0);
    char* end = nullptr;
    if (const auto hex = digits.find("0x"); hex == 0 || (hex == 1 && digits[0] == '-')) {
      operand.literal = json::Value(std::strtoll(digits.c_str(), &end, 16));
      if (*end == '\0' && digits.size() > hex + 2) return {};
    } else if (Result<json::Value> number = json::Parse(digits)) {
      operand.literal = *std::move(number);
      return {};
    }
    return Wrong(operand.at, "\"" + text + "\" is no number");
  }

  // ---- Characters

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  [[nodiscard]] std::string PeekWord() const {
    std::size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  // Returns the start of a text, for an error.
  static std::string Shown(std::string_view text) {
    return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of(kBlanks), 10)));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int ranges_ = 0;
  bool in_range_clause_ = false;
  std::vector<std::string> variables_;
};

}  // namespace

Error TemplateError(std::string_view text, std::size_t at, const std::string& what) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return Error(Reason::kInvalidArgument,
               "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

Result<ParsedGoTemplate> ParseGoTemplate(std::string_view text) {
  Result<std::vector<TemplateNode>> nodes = Parser(text).All();
  if (!nodes) return std::move(nodes).error();
  return ParsedGoTemplate{.text = std::string(text), .nodes = *std::move(nodes)};
}

}  // namespace kinformer::cli
