#include "cel/checker.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "cel/signatures.h"
#include "cel/type_bindings.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kMaxProblems = 20;

class Checker {
 public:
  Checker(const Environment& environment, std::vector<Problem>& problems)
      : messages_(environment.messages), problems_(problems) {
    for (const Variable& variable : environment.variables) {
      scope_.push_back({variable.name, variable.type});
      dotted_ = dotted_ || variable.name.find('.') != std::string::npos;
    }
    out_.slots = scope_.size();
    out_.used.resize(scope_.size());
  }

  Checked Whole(Node& root) {
    out_.type = bindings_.Resolve(Expression(root), /*whole=*/true);
    SettleTypes(root);
    return std::move(out_);
  }

 private:
  void Note(std::size_t offset, std::string message) {
    if (problems_.size() < kMaxProblems) {
      problems_.push_back({.offset = offset, .message = std::move(message)});
    }
  }
  [[nodiscard]] std::string Shown(const TypePtr& type) const {
    return TypeText(*bindings_.Resolve(type, /*whole=*/true));
  }
  static const TypePtr& Any() { return Plain(TypeKind::kDyn); }
  // The type of what is wrong.
  static const TypePtr& Failed() { return Plain(TypeKind::kFailed); }

  // Fills in what stands for the variables of types.
  void SettleTypes(Node& node) {
    node.type = bindings_.Resolve(node.type, /*whole=*/true);
    for (const auto& child : node.children) SettleTypes(*child);
  }

  TypePtr Expression(Node& node) {
    node.type = TypeOfNode(node);
    return node.type;
  }

  TypePtr TypeOfNode(Node& node) {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return TypeOfValue(node.literal);
      case NodeKind::kIdentifier:
        return Identifier(node);
      case NodeKind::kSelect:
      case NodeKind::kHas:
        return Select(node);
      case NodeKind::kCall:
        return Call(node);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return Logic(node);
      case NodeKind::kChoice:
        return Choice(node);
      case NodeKind::kList:
        return List(node);
      case NodeKind::kMap:
        return Map(node);
      case NodeKind::kMessage:
        return Message(node);
      case NodeKind::kMacro:
        return MacroOf(node);
    }
    return Any();
  }

  // Returns the position of the innermost variable of this name, among the first `end` ones.
  [[nodiscard]] std::optional<std::size_t> FindVariable(std::string_view name,
                                                        std::size_t end) const {
    for (std::size_t i = end; i > 0; --i) {
      if (scope_[i - 1].name == name) return i - 1;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> FindVariable(std::string_view name) const {
    return FindVariable(name, scope_.size());
  }

  static void BecomeType(Node& node, const TypePtr& type) {
    node.kind = NodeKind::kLiteral;
    node.literal = Value::OfType(type);
    node.children.clear();
  }

  TypePtr Use(Node& node, std::size_t slot) {
    node.slot = slot;
    if (slot < out_.used.size()) out_.used[slot] = true;
    return scope_[slot].type;
  }

  TypePtr Identifier(Node& node) {
    const std::size_t end = node.is_global ? out_.used.size() : scope_.size();
    if (const auto slot = FindVariable(node.name, end)) return Use(node, *slot);
    if (const TypePtr type = NamedType(node.name)) {
      BecomeType(node, type);
      return TypeOf(type);
    }
    Note(node.offset, "undeclared reference to '" + node.name + "' (in container '')");
    return Failed();
  }

  // Returns "a.b.c" if the node is made of names only.
  static std::string DottedName(const Node& node) {
    if (node.kind == NodeKind::kIdentifier) return node.name;
    if ((node.kind != NodeKind::kSelect && node.kind != NodeKind::kHas) || node.is_optional) {
      return {};
    }
    const std::string before = DottedName(*node.children[0]);
    return before.empty() ? before : before + "." + node.name;
  }

  // Returns the variable whose name has dots, such as "authorizer.requestResource", that the node
  // names.
  [[nodiscard]] std::optional<std::size_t> FindDotted(const Node& node) const {
    if (!dotted_) return std::nullopt;
    const std::string name = DottedName(node);
    if (name.empty()) return std::nullopt;
    // A variable of a macro hides it.
    const std::string_view first = std::string_view(name).substr(0, name.find('.'));
    if (FindVariable(first).value_or(0) >= out_.used.size()) return std::nullopt;
    return FindVariable(name);
  }

  // Returns "a.b.c" if the node is made of names only, and the first is no variable.
  [[nodiscard]] std::string QualifiedName(const Node& node) const {
    if (node.kind == NodeKind::kIdentifier) {
      return FindVariable(node.name) ? std::string() : node.name;
    }
    if (node.kind != NodeKind::kSelect || node.is_optional) return {};
    const std::string before = QualifiedName(*node.children[0]);
    return before.empty() ? before : before + "." + node.name;
  }

  TypePtr Select(Node& node) {
    if (const auto slot = FindDotted(node)) {
      if (node.kind == NodeKind::kHas) {
        node.literal = Value::Bool(true);
        node.kind = NodeKind::kLiteral;
        node.children.clear();
        return Plain(TypeKind::kBool);
      }
      node.kind = NodeKind::kIdentifier;
      node.children.clear();
      return Use(node, *slot);
    }
    if (node.kind == NodeKind::kSelect) {
      const std::string name = QualifiedName(node);
      if (const TypePtr type = name.empty() ? nullptr : NamedType(name)) {
        BecomeType(node, type);
        return TypeOf(type);
      }
    }
    TypePtr operand = bindings_.Follow(Expression(*node.children[0]));
    const bool through = operand->kind == TypeKind::kOptional;
    if (through) operand = bindings_.Follow(operand->parameters[0]);
    TypePtr type = Member(node, operand);
    if (node.kind == NodeKind::kHas) return Plain(TypeKind::kBool);
    if (!through && !node.is_optional) return type;
    return bindings_.Follow(type)->kind == TypeKind::kOptional ? type : OptionalOf(std::move(type));
  }

  TypePtr Member(const Node& node, const TypePtr& operand) {
    switch (operand->kind) {
      case TypeKind::kDyn:
      case TypeKind::kFailed:
      case TypeKind::kVariable:
        return Any();
      case TypeKind::kMap:
        return operand->parameters[1];
      case TypeKind::kObject:
        if (const Field* const field = operand->FindField(node.name)) return field->type;
        if (operand->is_open) return Any();
        Note(node.offset, "undefined field '" + node.name + "'");
        return Failed();
      default:
        Note(node.offset, "type '" + Shown(operand) + "' does not support field selection");
        return Any();
    }
  }

  TypePtr Call(Node& node) {
    if (node.is_member) {
      const std::string name = QualifiedName(*node.children[0]);
      if (!name.empty() && FindFunction(name + "." + node.name) != nullptr) {
        node.name = name + "." + node.name;
        node.is_member = false;
        node.children.erase(node.children.begin());
      }
    }
    // As in cel-go, the arguments come before what the function belongs to: the first that needs
    // the type of a variable decides it.
    const std::size_t first = node.is_member ? 1 : 0;
    std::vector<TypePtr> types(node.children.size());
    for (std::size_t i = first; i < types.size(); ++i) types[i] = Expression(*node.children[i]);
    if (first == 1) types[0] = Expression(*node.children[0]);
    const FunctionFacts* const facts = FindFunction(node.name);
    if (facts == nullptr || (facts->for_messages && messages_ == nullptr)) {
      Note(node.offset, "undeclared reference to '" + node.name + "' (in container '')");
      return Failed();
    }
    node.function = facts->function;
    node.is_lazy = (node.is_member && (node.name == "or" || node.name == "orValue")) ||
                   node.name == "_[_]" || node.name == "_[?_]";
    return Applied(node, *facts, types);
  }

  TypePtr Applied(Node& node, const FunctionFacts& facts, const std::vector<TypePtr>& types) {
    TypePtr result;
    std::uint32_t bit = 1;
    for (const Signature& form : facts.signatures) {
      const std::uint32_t this_form = std::exchange(bit, bit << 1U);
      if (form.is_member != node.is_member || form.parameters.size() != types.size()) continue;
      const std::size_t first = bindings_.Reserve(form.variables);
      const std::size_t mark = bindings_.Mark();
      bool fits = true;
      for (std::size_t i = 0; fits && i < types.size(); ++i) {
        fits = bindings_.Unify(types[i], Bindings::Renamed(form.parameters[i], first));
      }
      if (!fits) {
        bindings_.Undo(mark);
        continue;
      }
      node.forms |= this_form;
      TypePtr found = bindings_.Resolve(Bindings::Renamed(form.result, first), /*whole=*/false);
      if (result == nullptr) {
        result = std::move(found);
        continue;
      }
      // Several forms fit, since a type is known at run time only.
      if (!Bindings::Same(found, result)) result = Any();
    }
    if (result != nullptr) return result;
    std::string shown;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i == 1 && node.is_member) {
        shown += ".(";
      } else if (i > 0) {
        shown += ", ";
      }
      shown += Shown(types[i]);
    }
    if (node.is_member && types.size() == 1) shown += ".(";
    Note(node.offset, "found no matching overload for '" + node.name + "' applied to '" +
                          (node.is_member ? "" : "(") + shown + ")'");
    return Failed();
  }

  TypePtr Logic(Node& node) {
    // cel-go makes a balanced tree of it: only the parts of its last step count for its type.
    const std::size_t steps = node.children.size() - 1;
    bool fits = true;
    for (std::size_t i = 0; i <= steps; ++i) {
      const bool is_last_step = steps == 1 || (steps == 2 && i == 2);
      const bool fits_here = MustBeBool(*node.children[i], Expression(*node.children[i]));
      fits = fits && (fits_here || !is_last_step);
    }
    return fits ? Plain(TypeKind::kBool) : Failed();
  }

  TypePtr Choice(Node& node) {
    const TypePtr condition = Expression(*node.children[0]);
    const TypePtr yes = Expression(*node.children[1]);
    const TypePtr no = Expression(*node.children[2]);
    const std::size_t mark = bindings_.Mark();
    const TypePtr both = bindings_.Fresh();
    if (bindings_.Unify(condition, Plain(TypeKind::kBool)) && bindings_.Unify(yes, both) &&
        bindings_.Unify(no, both)) {
      return bindings_.Resolve(both, /*whole=*/false);
    }
    bindings_.Undo(mark);
    Note(node.offset, "found no matching overload for '_?_:_' applied to '(" + Shown(condition) +
                          ", " + Shown(yes) + ", " + Shown(no) + ")'");
    return Failed();
  }

  // Returns the type of an item that was written with a '?': what the optional contains.
  TypePtr Content(const Node& node, const TypePtr& type) {
    TypePtr content = bindings_.Fresh();
    if (!bindings_.Unify(type, OptionalOf(content))) {
      Note(node.offset, "expected type 'optional_type(dyn)' but found '" + Shown(type) + "'");
      return Failed();
    }
    return content;
  }

  // Adds the type of another item to that of the items before it. What does not fit together is of
  // any type; validators.h refuses it later.
  void Merge(TypePtr& all, const TypePtr& type) {
    const std::size_t mark = bindings_.Mark();
    if (all == nullptr) {
      all = type;
    } else if (bindings_.Unify(all, type)) {
      all = Bindings::MostGeneral(all, type);
    } else {
      bindings_.Undo(mark);
      all = Any();
    }
  }

  TypePtr List(Node& node) {
    TypePtr all;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      TypePtr type = Expression(*node.children[i]);
      if (node.optional_items[i]) type = Content(*node.children[i], type);
      Merge(all, type);
    }
    return ListOf(all == nullptr ? bindings_.Fresh() : all);
  }

  // Types of keys are scalar, so types of maps do not branch.
  TypePtr KeyType(Node& node) {
    TypePtr type = Expression(node);
    switch (bindings_.Follow(type)->kind) {
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kString:
      case TypeKind::kDyn:
        return type;
      case TypeKind::kVariable:
        bindings_.MustBeScalar(type);
        return type;
      default:
        return Any();  // refused when it is evaluated
    }
  }

  TypePtr Map(Node& node) {
    TypePtr keys;
    TypePtr values;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      Merge(keys, KeyType(*node.children[i]));
      TypePtr type = Expression(*node.children[i + 1]);
      if (node.optional_items[i / 2]) type = Content(*node.children[i + 1], type);
      Merge(values, type);
    }
    if (keys != nullptr) return MapOf(keys, values);
    keys = bindings_.Fresh();
    bindings_.MustBeScalar(keys);
    return MapOf(keys, bindings_.Fresh());
  }

  TypePtr Message(Node& node) {
    const TypePtr type_of_message = messages_ == nullptr ? nullptr : messages_(node.name);
    if (type_of_message == nullptr) {
      Note(node.offset, "undeclared reference to '" + node.name + "' (in container '')");
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Node& child = *node.children[i];
      TypePtr type = Expression(*node.children[i]);
      if (node.optional_items[i]) type = Content(child, type);
      if (type_of_message == nullptr) continue;
      const Field* const field = type_of_message->FindField(node.fields[i]);
      if (field == nullptr) {
        if (!type_of_message->is_open)
          Note(child.offset, "undefined field '" + node.fields[i] + "'");
      } else if (!bindings_.Unify(type, field->type)) {
        Note(child.offset, "expected type of field '" + node.fields[i] + "' is '" +
                               Shown(field->type) + "' but provided type is '" + Shown(type) + "'");
      }
    }
    return type_of_message == nullptr ? Any() : type_of_message;
  }

  // Returns the type of what is in the optional value of a macro.
  TypePtr InOptional(const Node& node, const TypePtr& range) {
    TypePtr content = bindings_.Fresh();
    if (bindings_.Unify(range, OptionalOf(content))) {
      return bindings_.Resolve(content, /*whole=*/false);
    }
    for (const char* name : {"hasValue", "value"}) {
      Note(node.offset, "found no matching overload for '" + std::string(name) + "' applied to '" +
                            Shown(range) + ".()'");
    }
    return Failed();
  }

  // Returns the type of the items of what is neither a list nor a map.
  static const TypePtr& ItemOf(const TypePtr& range) {
    const bool open = range->kind == TypeKind::kDyn || range->kind == TypeKind::kFailed ||
                      range->kind == TypeKind::kVariable;
    return open ? Any() : Failed();
  }

  // Types of the variables of a macro over `range`.
  std::vector<TypePtr> ItemTypes(const Node& node, const TypePtr& range) {
    const bool two = node.variables.size() == 2;
    switch (range->kind) {
      case TypeKind::kList:
        if (two) return {Plain(TypeKind::kInt), range->parameters[0]};
        return {range->parameters[0]};
      case TypeKind::kMap:
        if (two) return {range->parameters[0], range->parameters[1]};
        return {range->parameters[0]};
      case TypeKind::kDyn:
      case TypeKind::kFailed:
      case TypeKind::kVariable:
        break;
      default:
        Note(node.macro == Macro::kSortBy ? node.offset : node.children[0]->offset,
             "expression of type '" + Shown(range) +
                 "' cannot be range of a comprehension (must be list, map, or dynamic)");
    }
    return std::vector<TypePtr>(node.variables.size(), ItemOf(range));
  }

  bool MustBeBool(const Node& node, const TypePtr& type) {
    if (bindings_.Unify(type, Plain(TypeKind::kBool))) return true;
    Note(node.offset, "expected type 'bool' but found '" + Shown(type) + "'");
    return false;
  }

  TypePtr MacroOf(Node& node) {
    const std::size_t before = problems_.size();
    const TypePtr range = bindings_.Follow(Expression(*node.children[0]));
    const bool optional = node.macro == Macro::kOptMap || node.macro == Macro::kOptFlatMap;
    // cel-go expands these macros to a call that has the range twice.
    for (std::size_t i = before, end = problems_.size(); optional && i < end; ++i) {
      Note(problems_[i].offset, problems_[i].message);
    }
    const std::vector<TypePtr> items =
        optional ? std::vector<TypePtr>{InOptional(node, range)} : ItemTypes(node, range);
    node.slot = scope_.size();
    for (std::size_t i = 0; i < node.variables.size(); ++i) {
      scope_.push_back({node.variables[i], items[i]});
    }
    out_.slots = std::max(out_.slots, scope_.size());
    std::vector<TypePtr> types;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      types.push_back(Expression(*node.children[i]));
    }
    scope_.resize(node.slot);
    return bindings_.Resolve(ResultOf(node, range, types), /*whole=*/false);
  }

  TypePtr ResultOf(const Node& node, const TypePtr& range, const std::vector<TypePtr>& types) {
    const TypePtr& last = types.back();
    const auto filtered = [&](TypePtr result) {
      return types.size() == 2 ? Filtered(node, types[0], std::move(result)) : result;
    };
    switch (node.macro) {
      case Macro::kAll:
      case Macro::kExists:
        MustBeBool(*node.children[1], last);
        return Plain(TypeKind::kBool);
      case Macro::kExistsOne:
        Filtered(node, last, Plain(TypeKind::kInt));
        return Plain(TypeKind::kBool);
      case Macro::kFilter: {
        const bool known = range->kind == TypeKind::kList || range->kind == TypeKind::kMap;
        return Filtered(node, last, ListOf(known ? range->parameters[0] : ItemOf(range)));
      }
      case Macro::kMap:
      case Macro::kTransformList:
        return filtered(ListOf(last));
      case Macro::kTransformMap: {
        if (range->kind == TypeKind::kMap) return filtered(MapOf(range->parameters[0], last));
        const bool list = range->kind == TypeKind::kList;
        return filtered(MapOf(list ? Plain(TypeKind::kInt) : ItemOf(range), last));
      }
      case Macro::kTransformMapEntry:
        return filtered(EntriesOf(node, last));
      case Macro::kSortBy:
        return SortedBy(node, range, last);
      case Macro::kOptMap:
        return OptionalOf(last);
      case Macro::kOptFlatMap:
        return Flat(node, range, last);
    }
    return Any();
  }

  // Checks the condition on which a macro takes an item; cel-go makes a choice of it.
  TypePtr Filtered(const Node& node, const TypePtr& condition, TypePtr result) {
    if (bindings_.Unify(condition, Plain(TypeKind::kBool))) return result;
    const std::string shown = Shown(result);
    Note(node.offset, "found no matching overload for '_?_:_' applied to '(" + Shown(condition) +
                          ", " + shown + ", " + shown + ")'");
    return result;
  }

  // Checks that a list is sorted, by keys that have an order.
  TypePtr SortedBy(const Node& node, const TypePtr& range, const TypePtr& key) {
    bool fits = false;
    for (const TypeKind kind :
         {TypeKind::kInt, TypeKind::kUint, TypeKind::kDouble, TypeKind::kBool, TypeKind::kDuration,
          TypeKind::kTimestamp, TypeKind::kString, TypeKind::kBytes}) {
      fits = fits || bindings_.Unify(key, Plain(kind));
    }
    if (fits && bindings_.Unify(range, ListOf(bindings_.Fresh()))) {
      return range->kind == TypeKind::kList ? range : ListOf(bindings_.Fresh());
    }
    Note(node.offset, "found no matching overload for '@sortByAssociatedKeys' applied to '" +
                          Shown(range) + ".(list(" + Shown(key) + "))'");
    return Failed();
  }

  TypePtr Flat(const Node& node, const TypePtr& range, const TypePtr& type) {
    const TypePtr both = bindings_.Fresh();
    if (bindings_.Unify(type, both) && bindings_.Unify(OptionalOf(bindings_.Fresh()), both)) {
      return bindings_.Resolve(both, /*whole=*/false);
    }
    const bool known = bindings_.Unify(range, OptionalOf(bindings_.Fresh()));
    Note(node.offset, "found no matching overload for '_?_:_' applied to '(" +
                          std::string(known ? "bool" : "!error!") + ", " + Shown(type) +
                          ", optional_type(dyn))'");
    return Failed();
  }

  TypePtr EntriesOf(const Node& node, const TypePtr& type) {
    TypePtr map = MapOf(bindings_.Fresh(), bindings_.Fresh());
    if (bindings_.Unify(type, map)) return map;
    Note(node.children.back()->offset, "expected type 'map' but found '" + Shown(type) + "'");
    return MapOf(Any(), Any());
  }

  const MessageTypes messages_;
  std::vector<Variable> scope_;
  bool dotted_ = false;  // names of variables have dots
  Bindings bindings_;
  Checked out_;
  std::vector<Problem>& problems_;
};

}  // namespace

Checked Check(Node& root, const Environment& environment, std::vector<Problem>& problems) {
  return Checker(environment, problems).Whole(root);
}

}  // namespace kinformer::internal::cel
