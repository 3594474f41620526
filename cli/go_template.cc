#include "cli/go_template.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/go_template_functions.h"
#include "cli/go_template_parser.h"
#include "cli/go_value.h"

namespace kinformer::cli {
namespace {

using Operand = TemplateOperand;
using Node = TemplateNode;

// How a list of nodes ended.
enum class Flow { kOn, kBreak, kContinue };

// One execution.
class Run {
 public:
  Run(const ParsedGoTemplate& parsed, const GoTemplateOptions& options, const json::Value& data)
      : parsed_(parsed), options_(options) {
    variables_.emplace_back("$", Borrowed(data));
  }

  Result<Flow> List(const std::vector<Node>& nodes, const TemplateValue& dot) {
    for (const Node& node : nodes) {
      const Result<Flow> flow = One(node, dot);
      if (!flow || *flow != Flow::kOn) return flow;
    }
    return Flow::kOn;
  }

  std::string& out() { return out_; }

 private:
  [[nodiscard]] Error Wrong(std::size_t at, const std::string& what) const {
    return TemplateError(parsed_.text, at, what);
  }

  Result<Flow> One(const Node& node, const TemplateValue& dot) {
    switch (node.kind) {
      case Node::Kind::kText:
        out_ += node.text;
        return Flow::kOn;
      case Node::Kind::kBreak:
        return Flow::kBreak;
      case Node::Kind::kContinue:
        return Flow::kContinue;
      case Node::Kind::kAction: {
        const Result<TemplateValue> value = Pipe(node.pipe, dot);
        if (!value) return value.error();
        if (!node.pipe.variables.empty()) return Flow::kOn;
        out_ += ValueOf(*value).is_null() ? "<no value>" : GoText(ValueOf(*value));
        return Flow::kOn;
      }
      case Node::Kind::kIf:
      case Node::Kind::kWith: {
        const std::size_t variables = variables_.size();
        const Result<TemplateValue> value = Pipe(node.pipe, dot);
        if (!value) return value.error();
        const bool holds = IsTrue(ValueOf(*value));
        const bool with = node.kind == Node::Kind::kWith;
        Result<Flow> flow =
            holds ? List(node.body, with ? *value : dot) : List(node.otherwise, dot);
        variables_.resize(variables);
        return flow;
      }
      case Node::Kind::kRange:
        return Range(node, dot);
    }
    return Flow::kOn;
  }

  Result<Flow> Range(const Node& node, const TemplateValue& dot) {
    const std::size_t outer = variables_.size();
    // Its own variables get a value for each round.
    TemplatePipe pipe = node.pipe;
    pipe.variables.clear();
    const Result<TemplateValue> over = Pipe(pipe, dot);
    if (!over) return over.error();
    const json::Value& value = ValueOf(*over);
    if (!value.is_null() && !value.is_array() && !value.is_object()) {
      return Wrong(node.at, "range needs a list or an object, not a " +
                                std::string(json::TypeName(value.type())));
    }
    if (value.size() == 0) {
      Result<Flow> flow = List(node.otherwise, dot);
      variables_.resize(outer);
      return flow;
    }
    std::vector<std::pair<json::Value, const json::Value*>> rounds;
    for (const json::Value& item : value.items()) rounds.emplace_back(rounds.size(), &item);
    std::map<std::string_view, const json::Value*> sorted;
    for (const auto& [name, member] : value.members()) sorted.emplace(name, &member);
    for (const auto& [name, member] : sorted) rounds.emplace_back(json::Value(name), member);
    for (auto& [key, item] : rounds) {
      const TemplateValue element(*over, item);
      const std::vector<std::string>& names = node.pipe.variables;
      if (names.size() == 2) Assign(names[0], Computed(std::move(key)), node.pipe.declares);
      if (!names.empty()) Assign(names.back(), element, node.pipe.declares);
      const Result<Flow> flow = List(node.body, element);
      variables_.resize(outer);
      if (!flow) return flow;
      if (*flow == Flow::kBreak) break;
    }
    return Flow::kOn;
  }

  void Assign(const std::string& name, TemplateValue value, bool declares) {
    if (declares) {
      variables_.emplace_back(name, std::move(value));
      return;
    }
    for (auto at = variables_.rbegin(); at != variables_.rend(); ++at) {
      if (at->first == name) {
        at->second = std::move(value);
        return;
      }
    }
  }

  Result<TemplateValue> Pipe(const TemplatePipe& pipe, const TemplateValue& dot) {
    TemplateValue value;
    for (std::size_t i = 0; i < pipe.commands.size(); ++i) {
      Result<TemplateValue> next = Command(pipe.commands[i], dot, i == 0 ? nullptr : &value);
      if (!next) return next;
      value = *std::move(next);
    }
    for (const std::string& name : pipe.variables) Assign(name, value, pipe.declares);
    return value;
  }

  // `last`: value of the command before; null if there is none.
  Result<TemplateValue> Command(const TemplateCommand& command, const TemplateValue& dot,
                                const TemplateValue* last) {
    const Operand& first = command.front();
    if (first.kind == Operand::Kind::kNil) return Wrong(first.at, "nil is only an argument");
    if (first.kind != Operand::Kind::kFunction) return Evaluate(first, dot);
    if (first.name == "and" || first.name == "or") return Choose(command, dot, last);
    std::vector<TemplateValue> arguments;
    for (std::size_t i = 1; i < command.size(); ++i) {
      Result<TemplateValue> argument = Evaluate(command[i], dot);
      if (!argument) return argument;
      arguments.push_back(*std::move(argument));
    }
    if (last != nullptr) arguments.push_back(*last);
    Result<TemplateValue> value = CallTemplateFunction(first.name, arguments);
    if (!value) return Wrong(first.at, std::string(value.error().message()));
    return value;
  }

  // Evaluates `and` and `or`, up to the first argument that decides.
  Result<TemplateValue> Choose(const TemplateCommand& command, const TemplateValue& dot,
                               const TemplateValue* last) {
    const bool all = command.front().name == "and";
    if (command.size() == 1 && last == nullptr) {
      return Wrong(command.front().at, command.front().name + ": a value is missing");
    }
    TemplateValue value;
    for (std::size_t i = 1; i < command.size(); ++i) {
      Result<TemplateValue> argument = Evaluate(command[i], dot);
      if (!argument) return argument;
      value = *std::move(argument);
      if (IsTrue(ValueOf(value)) != all) return value;
    }
    return last != nullptr ? *last : value;
  }

  Result<TemplateValue> Evaluate(const Operand& operand, const TemplateValue& dot) {
    TemplateValue value;
    switch (operand.kind) {
      case Operand::Kind::kDot:
        value = dot;
        break;
      case Operand::Kind::kVariable:
        for (const auto& [name, known] : variables_) {
          if (name == operand.name) value = known;
        }
        break;
      case Operand::Kind::kLiteral:
        value = Borrowed(operand.literal);
        break;
      case Operand::Kind::kNil:
        break;
      case Operand::Kind::kFunction:
        return Command({operand}, dot, nullptr);
      case Operand::Kind::kPipe: {
        Result<TemplateValue> result = Pipe(*operand.pipe, dot);
        if (!result) return result;
        value = *std::move(result);
        break;
      }
    }
    for (const std::string& name : operand.members) {
      const json::Value& of = ValueOf(value);
      if (!of.is_null() && !of.is_object()) {
        return Wrong(operand.at,
                     "a " + std::string(json::TypeName(of.type())) + " has no member " + name);
      }
      const json::Value* const member = of.Find(name);
      if (member == nullptr && options_.missing_keys_fail) {
        return Wrong(operand.at, "there is no member " + name);
      }
      value = member == nullptr ? nullptr : TemplateValue(value, member);
    }
    return value;
  }

  const ParsedGoTemplate& parsed_;
  const GoTemplateOptions& options_;
  std::vector<std::pair<std::string, TemplateValue>> variables_;
  std::string out_;
};

}  // namespace

GoTemplate::GoTemplate(std::shared_ptr<const ParsedGoTemplate> parsed,
                       const GoTemplateOptions& options)
    : parsed_(std::move(parsed)), options_(options) {}

Result<GoTemplate> GoTemplate::Parse(std::string_view text, const GoTemplateOptions& options) {
  Result<ParsedGoTemplate> parsed = ParseGoTemplate(text);
  if (!parsed) return std::move(parsed).error();
  return GoTemplate(std::make_shared<const ParsedGoTemplate>(*std::move(parsed)), options);
}

Result<std::string> GoTemplate::Execute(const json::Value& data) const {
  Run run(*parsed_, options_, data);
  const Result<Flow> flow = run.List(parsed_->nodes, Borrowed(data));
  if (!flow) return flow.error();
  return std::move(run.out());
}

}  // namespace kinformer::cli
