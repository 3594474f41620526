#include "cel/validators.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cel/evaluator.h"
#include "cel/format_check.h"
#include "cel/regular_expression.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kMaxProblems = 20;
// The budget for the evaluation of a literal.
constexpr std::uint64_t kMaxCost = 100'000;

bool IsText(const Node& node) {
  return node.kind == NodeKind::kLiteral && node.literal.is(ValueKind::kString);
}

class Validator {
 public:
  explicit Validator(std::vector<Problem>& problems) : problems_(problems) {}

  // `formatted`: inside a call of format, where lists may be mixed.
  void Check(Node& node, bool formatted) {
    if (problems_.size() >= kMaxProblems) return;
    const bool formats = node.kind == NodeKind::kCall && node.is_member && node.name == "format";
    const std::size_t before = problems_.size();
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      Check(*node.children[i], formatted || formats);
      // cel-go expands these macros to a call that has the range twice.
      const bool twice = node.kind == NodeKind::kMacro && i == 0 &&
                         (node.macro == Macro::kOptMap || node.macro == Macro::kOptFlatMap);
      for (std::size_t k = before, end = problems_.size(); twice && k < end; ++k) {
        problems_.push_back(Problem(problems_[k]));
      }
    }
    switch (node.kind) {
      case NodeKind::kCall:
        if (formats) CheckFormat(node, problems_);
        CheckLiterals(node);
        break;
      case NodeKind::kList:
        if (!formatted) CheckList(node);
        break;
      case NodeKind::kMap:
        if (!formatted) CheckMap(node);
        break;
      default:
        break;
    }
  }

 private:
  void Note(const Node& at, std::string message) {
    problems_.push_back({.offset = at.offset, .message = std::move(message)});
  }

  // Times and regular expressions that are written in the expression.
  void CheckLiterals(Node& node) {
    if (node.name == "matches" || node.name == "find" || node.name == "findAll") {
      if (node.children.size() < 2) return;
      if (IsText(*node.children[1])) {
        auto pattern = RegularExpression::Compile(node.children[1]->literal.text());
        if (pattern) node.pattern = *std::move(pattern);
      }
      // The first argument, as cel-go does, whichever it is.
      const Node& first = *node.children[node.is_member ? 1 : 0];
      if (node.name == "matches" && IsText(first) &&
          !RegularExpression::Compile(first.literal.text())) {
        Note(first, "invalid matches argument");
      }
      return;
    }
    const bool time = node.name == "timestamp";
    if ((!time && node.name != "duration") || node.children.size() != 1 ||
        node.children[0]->kind != NodeKind::kLiteral) {
      return;
    }
    Evaluation evaluation(0, kMaxCost);
    const std::array<Value, 1> arguments = {node.children[0]->literal};
    if (node.function(evaluation, node, arguments).is_error()) {
      Note(*node.children[0], "invalid " + node.name + " argument");
    }
  }

  static const Type& TypeOfItem(const Node& item, bool optional) {
    const Type& type = *item.type;
    return optional && type.kind == TypeKind::kOptional ? *type.parameters[0] : type;
  }
  // Returns false if the item's type is another than that of the first.
  bool Fits(const Type& first, const Node& item, bool optional) {
    const Type& type = TypeOfItem(item, optional);
    if (TypeText(first) == TypeText(type)) return true;
    Note(item, "expected type '" + TypeText(first) + "' but found '" + TypeText(type) + "'");
    return false;
  }

  void CheckList(const Node& node) {
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      if (!Fits(TypeOfItem(*node.children[0], node.optional_items[0]), *node.children[i],
                node.optional_items[i])) {
        return;
      }
    }
  }
  void CheckMap(const Node& node) {
    for (std::size_t i = 2; i + 1 < node.children.size(); i += 2) {
      Fits(*node.children[0]->type, *node.children[i], false);
      Fits(TypeOfItem(*node.children[1], node.optional_items[0]), *node.children[i + 1],
           node.optional_items[i / 2]);
    }
  }

  std::vector<Problem>& problems_;
};

// Evaluates literals and conversions of them, from the inside; nullopt for what is neither. Finds
// regular expressions that are none.
class Converter {
 public:
  std::optional<Value> Convert(const Node& node) {
    if (node.kind == NodeKind::kLiteral) return node.literal;
    std::vector<std::optional<Value>> values;
    for (const auto& child : node.children) {
      values.push_back(Convert(*child));
      if (!error_.empty()) return std::nullopt;
    }
    const bool searches = node.name == "matches" || node.name == "find" || node.name == "findAll";
    if (searches && node.pattern == nullptr && node.kind == NodeKind::kCall &&
        node.children.size() > 1 && IsText(*node.children[1])) {
      auto pattern = RegularExpression::Compile(node.children[1]->literal.text());
      if (!pattern) error_ = pattern.error().message();
    }
    constexpr std::array<std::string_view, 10> kConversions = {
        "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};
    if (node.kind != NodeKind::kCall || node.is_member || values.size() != 1 || !values[0] ||
        std::ranges::find(kConversions, node.name) == kConversions.end()) {
      return std::nullopt;
    }
    Evaluation evaluation(0, kMaxCost);
    const std::array<Value, 1> arguments = {*std::move(values[0])};
    Value result = node.function(evaluation, node, arguments);
    if (evaluation.exhausted()) return std::nullopt;
    if (result.is_error()) {
      error_ = result.text();
      return std::nullopt;
    }
    return result;
  }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  std::string error_;
};

}  // namespace

void Validate(Node& root, std::vector<Problem>& problems) {
  Validator(problems).Check(root, /*formatted=*/false);
}

std::string FailedConversion(const Node& root) {
  Converter converter;
  (void)converter.Convert(root);
  return converter.error();
}

}  // namespace kinformer::internal::cel
