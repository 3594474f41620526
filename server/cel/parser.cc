#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/text/number_in.h"
#include "cel/lexer.h"
#include "cel/text.h"

namespace kinformer::internal::cel {
namespace {

using NodePtr = std::unique_ptr<Node>;

struct MacroForm {
  std::string_view name;
  std::size_t variables;
  std::size_t expressions;
  Macro macro;
};

constexpr std::array<MacroForm, 20> kMacros = {{
    {"all", 1, 1, Macro::kAll},
    {"all", 2, 1, Macro::kAll},
    {"exists", 1, 1, Macro::kExists},
    {"exists", 2, 1, Macro::kExists},
    {"exists_one", 1, 1, Macro::kExistsOne},
    {"existsOne", 1, 1, Macro::kExistsOne},
    {"existsOne", 2, 1, Macro::kExistsOne},
    {"map", 1, 1, Macro::kMap},
    {"map", 1, 2, Macro::kMap},
    {"filter", 1, 1, Macro::kFilter},
    {"transformList", 2, 1, Macro::kTransformList},
    {"transformList", 2, 2, Macro::kTransformList},
    {"transformMap", 2, 1, Macro::kTransformMap},
    {"transformMap", 2, 2, Macro::kTransformMap},
    {"transformMapEntry", 2, 1, Macro::kTransformMapEntry},
    {"transformMapEntry", 2, 2, Macro::kTransformMapEntry},
    {"exists_one", 2, 1, Macro::kExistsOne},
    {"sortBy", 1, 1, Macro::kSortBy},
    {"optMap", 1, 1, Macro::kOptMap},
    {"optFlatMap", 1, 1, Macro::kOptFlatMap},
}};

constexpr std::array<std::string_view, 17> kReservedWords = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { Advance(); }

  NodePtr Whole(std::vector<Problem>& problems) {
    NodePtr node = Expression();
    if (node != nullptr && token_.kind != TokenKind::kEnd) node = Unexpected();
    if (node == nullptr) problems.push_back(std::move(problem_));
    return node;
  }

 private:
  // Counts the levels of the recursion.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  void Advance() { token_ = lexer_.Next(); }
  [[nodiscard]] bool Is(std::string_view sign) const {
    return token_.kind == TokenKind::kSign && token_.text == sign;
  }
  bool Take(std::string_view sign) {
    if (!Is(sign)) return false;
    Advance();
    return true;
  }

  NodePtr Fail(std::size_t offset, std::string message) {
    if (problem_.message.empty()) problem_ = {.offset = offset, .message = std::move(message)};
    return nullptr;
  }
  NodePtr Unexpected() {
    if (token_.kind == TokenKind::kError) {
      return Fail(token_.offset, "Syntax error: " + token_.text);
    }
    const std::string shown = token_.kind == TokenKind::kEnd ? "<EOF>" : token_.text;
    return Fail(token_.offset, "Syntax error: mismatched input '" + shown + "'");
  }
  NodePtr TooDeep(std::size_t offset) {
    return Fail(offset, "expression recursion limit exceeded: " + std::to_string(kMaxDepth));
  }

  // Adds a child; null if it is null or the tree becomes too deep.
  bool Add(const NodePtr& parent, NodePtr child) {
    if (child == nullptr) return false;
    parent->depth = std::max(parent->depth, child->depth + 1);
    if (parent->depth > kMaxDepth) {
      TooDeep(parent->offset);
      return false;
    }
    parent->children.push_back(std::move(child));
    return true;
  }
  static NodePtr Make(NodeKind kind, std::size_t offset, std::string name = {}) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->offset = offset;
    node->name = std::move(name);
    return node;
  }

  NodePtr Expression() {
    const Deeper deeper(*this);
    if (depth_ > kMaxDepth) return TooDeep(token_.offset);
    NodePtr condition = Or();
    if (condition == nullptr || !Is("?")) return condition;
    NodePtr choice = Make(NodeKind::kChoice, token_.offset);
    Advance();
    if (!Add(choice, std::move(condition)) || !Add(choice, Or())) return nullptr;
    if (!Take(":")) return Unexpected();
    if (!Add(choice, Expression())) return nullptr;
    return choice;
  }

  NodePtr Or() {
    return Joined("||", NodeKind::kOr, [this] { return And(); });
  }
  NodePtr And() {
    return Joined("&&", NodeKind::kAnd, [this] { return Relation(); });
  }

  template <class Operand>
  NodePtr Joined(std::string_view sign, NodeKind kind, const Operand& operand) {
    NodePtr first = operand();
    if (first == nullptr || !Is(sign)) return first;
    NodePtr node = Make(kind, token_.offset);
    if (!Add(node, std::move(first))) return nullptr;
    while (Take(sign)) {
      if (!Add(node, operand())) return nullptr;
    }
    return node;
  }

  NodePtr Relation() {
    NodePtr left = Sum();
    while (left != nullptr) {
      std::string name;
      for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (Is(sign)) name = "_" + std::string(sign) + "_";
      }
      if (token_.kind == TokenKind::kIdentifier && token_.text == "in") name = "@in";
      if (name.empty()) break;
      left = Binary(std::move(name), std::move(left), [this] { return Sum(); });
    }
    return left;
  }
  NodePtr Sum() {
    NodePtr left = Product();
    while (left != nullptr && (Is("+") || Is("-"))) {
      left = Binary("_" + token_.text + "_", std::move(left), [this] { return Product(); });
    }
    return left;
  }
  NodePtr Product() {
    NodePtr left = Unary();
    while (left != nullptr && (Is("*") || Is("/") || Is("%"))) {
      left = Binary("_" + token_.text + "_", std::move(left), [this] { return Unary(); });
    }
    return left;
  }

  template <class Operand>
  NodePtr Binary(std::string name, NodePtr left, const Operand& operand) {
    NodePtr node = Make(NodeKind::kCall, token_.offset, std::move(name));
    Advance();
    if (!Add(node, std::move(left)) || !Add(node, operand())) return nullptr;
    return node;
  }

  NodePtr Unary() {
    if (!Is("!") && !Is("-")) return Member();
    const std::string sign = token_.text;
    const std::size_t offset = token_.offset;
    std::size_t count = 0;
    std::size_t last = offset;
    for (; Is(sign); Advance()) {
      last = token_.offset;
      ++count;
    }
    const bool number = token_.kind == TokenKind::kInt || token_.kind == TokenKind::kDouble;
    NodePtr operand;
    if (sign == "-" && number) {
      // The sign belongs to the number, for the sake of the smallest int.
      token_.text.insert(0, "-");
      token_.offset = last;
      --count;
    }
    operand = Member();
    if (operand == nullptr || count % 2 == 0) return operand;
    NodePtr node = Make(NodeKind::kCall, offset, sign + "_");
    if (!Add(node, std::move(operand))) return nullptr;
    return node;
  }

  NodePtr Member() {
    NodePtr node = Primary();
    while (node != nullptr) {
      const std::size_t offset = token_.offset;
      if (Take(".")) {
        node = Selected(std::move(node), offset);
      } else if (Take("[")) {
        NodePtr index = Make(NodeKind::kCall, offset, Take("?") ? "_[?_]" : "_[_]");
        if (!Add(index, std::move(node)) || !Add(index, Expression())) return nullptr;
        node = std::move(index);
        if (!Take("]")) return Unexpected();
      } else if (Is("{")) {
        std::string name = TypeName(*node);
        if (name.empty()) break;
        Advance();
        node = MessageLiteral(std::move(name), node->offset);
      } else {
        break;
      }
    }
    return node;
  }

  // Returns "a.b.c" if the node is made of names only.
  static std::string TypeName(const Node& node) {
    if (node.kind == NodeKind::kIdentifier) return node.name;
    if (node.kind != NodeKind::kSelect || node.is_optional) return {};
    const std::string before = TypeName(*node.children[0]);
    return before.empty() ? before : before + "." + node.name;
  }

  NodePtr Selected(NodePtr operand, std::size_t offset) {
    const bool optional = Take("?");
    const bool quoted = token_.kind == TokenKind::kQuotedName;
    if (!quoted && (token_.kind != TokenKind::kIdentifier || IsWord(token_.text))) {
      return Unexpected();
    }
    std::string name = std::move(token_.text);
    Advance();
    if (!optional && !quoted && Is("(")) {
      const std::size_t bracket = token_.offset;
      std::vector<NodePtr> arguments;
      Advance();
      if (!Arguments(arguments)) return nullptr;
      if (const MacroForm* const form = FindMacro(name, arguments.size())) {
        return Expanded(*form, std::move(operand), std::move(arguments), bracket);
      }
      NodePtr call = Make(NodeKind::kCall, bracket, std::move(name));
      call->is_member = true;
      if (!Add(call, std::move(operand))) return nullptr;
      for (NodePtr& argument : arguments) {
        if (!Add(call, std::move(argument))) return nullptr;
      }
      return call;
    }
    NodePtr node = Make(NodeKind::kSelect, offset, std::move(name));
    node->is_optional = optional;
    if (!Add(node, std::move(operand))) return nullptr;
    return node;
  }

  // Reads what is behind an opening bracket.
  bool Arguments(std::vector<NodePtr>& out) {
    if (Take(")")) return true;
    do {
      out.push_back(Expression());
      if (out.back() == nullptr) return false;
    } while (Take(","));
    if (Take(")")) return true;
    Unexpected();
    return false;
  }

  static const MacroForm* FindMacro(std::string_view name, std::size_t count) {
    const auto form = std::ranges::find_if(kMacros, [&](const MacroForm& each) {
      return each.name == name && each.variables + each.expressions == count;
    });
    return form == kMacros.end() ? nullptr : &*form;
  }

  NodePtr Expanded(const MacroForm& found, NodePtr range, std::vector<NodePtr> arguments,
                   std::size_t offset) {
    const MacroForm* form = &found;
    // all(x, y, e) and the like have as many arguments as map(x, condition, e).
    NodePtr node = Make(NodeKind::kMacro, offset, std::string(form->name));
    node->macro = form->macro;
    if (!Add(node, std::move(range))) return nullptr;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i >= form->variables) {
        if (!Add(node, std::move(arguments[i]))) return nullptr;
        continue;
      }
      const Node& variable = *arguments[i];
      if (variable.kind != NodeKind::kIdentifier) {
        return Fail(variable.offset, "argument must be a simple name");
      }
      if (std::ranges::find(node->variables, variable.name) != node->variables.end()) {
        return Fail(variable.offset, "duplicate variable name: " + variable.name);
      }
      node->variables.push_back(variable.name);
    }
    return node;
  }

  static bool IsWord(std::string_view name) {
    return name == "true" || name == "false" || name == "null" || name == "in";
  }

  NodePtr Primary() {
    const std::size_t offset = token_.offset;
    switch (token_.kind) {
      case TokenKind::kIdentifier:
        return Named(offset);
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
        return Number(offset);
      case TokenKind::kString:
        return Literal(offset, Value::String(std::move(token_.text)));
      case TokenKind::kBytes:
        return Literal(offset, Value::Bytes(std::move(token_.text)));
      default:
        break;
    }
    if (Take("(")) {
      NodePtr node = Expression();
      if (node == nullptr) return node;
      return Take(")") ? std::move(node) : Unexpected();
    }
    if (Take("[")) return ListLiteral(offset);
    if (Take("{")) return MapLiteral(offset);
    if (Take(".")) {
      if (token_.kind != TokenKind::kIdentifier) return Unexpected();
      NodePtr node = Named(offset);
      if (node != nullptr) node->is_global = node->kind == NodeKind::kIdentifier;
      return node;
    }
    return Unexpected();
  }

  NodePtr Literal(std::size_t offset, Value value) {
    NodePtr node = Make(NodeKind::kLiteral, offset);
    node->literal = std::move(value);
    Advance();
    return node;
  }

  NodePtr Number(std::size_t offset) {
    const std::string& text = token_.text;
    if (token_.kind == TokenKind::kDouble) {
      const auto number = base::NumberIn<double>(text);
      if (!number) return Fail(offset, "invalid double literal");
      return Literal(offset, Value::Double(*number));
    }
    const bool negative = text.front() == '-';
    const bool hex = text.find('x') != std::string::npos;
    const char* const digits = text.c_str() + (negative ? 1 : 0) + (hex ? 2 : 0);
    errno = 0;
    const std::uint64_t number = std::strtoull(digits, nullptr, hex ? 16 : 10);
    if (token_.kind == TokenKind::kUint) {
      if (errno != 0) return Fail(offset, "invalid uint literal");
      return Literal(offset, Value::Uint(number));
    }
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
    if (errno != 0 || number > kLimit || (number == kLimit && !negative)) {
      return Fail(offset, "invalid int literal");
    }
    // In two's complement, which makes the smallest int of 2^63.
    return Literal(offset, Value::Int(static_cast<std::int64_t>(negative ? 0 - number : number)));
  }

  NodePtr Named(std::size_t offset) {
    std::string name = std::move(token_.text);
    if (name == "true" || name == "false") return Literal(offset, Value::Bool(name == "true"));
    if (name == "null") return Literal(offset, Value());
    if (name == "in") {
      token_.text = std::move(name);
      return Unexpected();
    }
    if (std::ranges::find(kReservedWords, name) != kReservedWords.end()) {
      return Fail(offset, "reserved identifier: " + name);
    }
    Advance();
    if (!Is("(")) return Make(NodeKind::kIdentifier, offset, std::move(name));
    const std::size_t bracket = token_.offset;
    Advance();
    std::vector<NodePtr> arguments;
    if (!Arguments(arguments)) return nullptr;
    if (name == "has" && arguments.size() == 1) {
      NodePtr select = std::move(arguments.front());
      if (select->kind != NodeKind::kSelect || select->is_optional) {
        return Fail(select->offset, "invalid argument to has() macro");
      }
      select->kind = NodeKind::kHas;
      select->offset = bracket;
      return select;
    }
    NodePtr call = Make(NodeKind::kCall, bracket, std::move(name));
    for (NodePtr& argument : arguments) {
      if (!Add(call, std::move(argument))) return nullptr;
    }
    return call;
  }

  NodePtr ListLiteral(std::size_t offset) {
    NodePtr list = Make(NodeKind::kList, offset);
    while (!Take("]")) {
      list->optional_items.push_back(Take("?"));
      if (!Add(list, Expression())) return nullptr;
      if (!Take(",") && !Is("]")) return Unexpected();
    }
    return list;
  }

  NodePtr MapLiteral(std::size_t offset) {
    NodePtr map = Make(NodeKind::kMap, offset);
    while (!Take("}")) {
      map->optional_items.push_back(Take("?"));
      if (!Add(map, Expression())) return nullptr;
      if (!Take(":")) return Unexpected();
      if (!Add(map, Expression())) return nullptr;
      if (!Take(",") && !Is("}")) return Unexpected();
    }
    return map;
  }

  NodePtr MessageLiteral(std::string name, std::size_t offset) {
    NodePtr message = Make(NodeKind::kMessage, offset, std::move(name));
    while (!Take("}")) {
      message->optional_items.push_back(Take("?"));
      if (token_.kind != TokenKind::kIdentifier || IsWord(token_.text)) return Unexpected();
      message->fields.push_back(std::move(token_.text));
      Advance();
      if (!Take(":")) return Unexpected();
      if (!Add(message, Expression())) return nullptr;
      if (!Take(",") && !Is("}")) return Unexpected();
    }
    return message;
  }

  Lexer lexer_;
  Token token_;
  Problem problem_;
  std::size_t depth_ = 0;
};

}  // namespace

std::unique_ptr<Node> Parse(std::string_view text, std::vector<Problem>& problems) {
  if (text.size() > kMaxTextBytes) {
    problems.push_back({.message = "expression code point size exceeds limit: size: " +
                                   std::to_string(text.size()) + ", limit " +
                                   std::to_string(kMaxTextBytes)});
    return nullptr;
  }
  return Parser(text).Whole(problems);
}

std::string ProblemText(std::string_view text, std::vector<Problem> problems) {
  std::ranges::stable_sort(problems, {}, &Problem::offset);
  std::string out;
  for (const Problem& problem : problems) {
    const std::string_view before = text.substr(0, std::min(problem.offset, text.size()));
    const std::size_t start = before.rfind('\n') + 1;  // 0 without one
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = RuneCount(before.substr(start));
    if (!out.empty()) out += '\n';
    out += "ERROR: <input>:" + std::to_string(line) + ":" + std::to_string(column + 1) + ": " +
           problem.message + "\n | ";
    std::string shown(text.substr(start, end - start));
    std::ranges::replace(shown, '\t', ' ');
    out += shown + "\n | ";
    // Signs of several bytes are wide.
    std::string_view rest = text.substr(start, end - start);
    for (std::size_t i = 0; i < column && !rest.empty(); ++i) {
      const std::size_t size = RuneAt(rest, 0).size;
      out += size > 1 ? "．" : ".";
      rest.remove_prefix(size);
    }
    out += !rest.empty() && RuneAt(rest, 0).size > 1 ? "＾" : "^";
  }
  return out;
}

}  // namespace kinformer::internal::cel
