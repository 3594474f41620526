#include "cel/cost_estimate.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/cost_functions.h"
#include "cel/cost_size.h"
#include "cel/signatures.h"
#include "cel/text.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::string_view kItems = "@items";
constexpr std::string_view kValues = "@values";
constexpr std::string_view kKeys = "@keys";
constexpr std::string_view kIndices = "@indices";

// Where a value comes from: a variable, then the names of members. Longer ones share the steps of
// those that they continue, and the last to continue a path overwrites a step of the others. So do
// the real server's (they are Go's slices), and the sum depends on it.
class CostPath {
 public:
  [[nodiscard]] CostPath Continued(std::string_view step) const {
    CostPath out = *this;
    ++out.length_;
    if (steps_ == nullptr || length_ == steps_->size()) {
      out.steps_ = std::make_shared<std::vector<std::string_view>>(std::max(length_ * 2, kOne));
      for (std::size_t i = 0; i < length_; ++i) (*out.steps_)[i] = (*steps_)[i];
    }
    (*out.steps_)[length_] = step;
    return out;
  }
  [[nodiscard]] std::size_t size() const { return length_; }
  [[nodiscard]] std::string_view step(std::size_t index) const { return (*steps_)[index]; }

 private:
  static constexpr std::size_t kOne = 1;
  std::shared_ptr<std::vector<std::string_view>> steps_{};
  std::size_t length_ = 0;
};

// Sizes of the keys and values in a list or map.
struct EntrySizes {
  bool is_list = false;
  SizeRange key{};
  SizeRange value{};
};
std::optional<EntrySizes> Union(const std::optional<EntrySizes>& a,
                                const std::optional<EntrySizes>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySizes{a->is_list, a->key.Union(b->key), a->value.Union(b->value)};
}

// Facts about a value, beyond its type.
struct Known {
  CostPath path{};
  std::optional<SizeRange> size{};
  std::optional<EntrySizes> entries{};
};

bool IsScalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    case TypeKind::kOptional:
      return IsScalar(*type.parameters[0]);
    default:
      return false;
  }
}

std::optional<SizeRange> SizeOfLiteral(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
      return SizeRange::Fixed(RuneCount(value.text()));
    case ValueKind::kBytes:
      return SizeRange::Fixed(value.text().size());
    case ValueKind::kType:
      return std::nullopt;
    default:
      return SizeRange::Fixed(1);
  }
}

class Estimator {
 public:
  Estimator(const Type& self, std::size_t variables) : self_(self), variables_(variables) {}

  std::uint64_t Cost(const Node& node) {
    switch (node.kind) {
      case NodeKind::kLiteral:
        if (!node.literal.is(ValueKind::kType)) return 0;
        known_[&node].path = CostPath().Continued("type");  // it has a name, like a variable
        return 1;
      case NodeKind::kIdentifier:
        known_[&node].path = PathOf(node);
        return 1;
      case NodeKind::kSelect:
        return Select(node);
      case NodeKind::kHas:
        return Cost(*node.children[0]);
      case NodeKind::kCall:
        return Call(node);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return OfChildren(node);
      case NodeKind::kChoice:
        return Choice(node);
      case NodeKind::kList:
        return List(node);
      case NodeKind::kMap:
        return Map(node);
      case NodeKind::kMessage:
        return CostSum(OfChildren(node), kCostOfMessage);
      case NodeKind::kMacro:
        return MacroOf(node);
    }
    return 0;
  }

 private:
  std::uint64_t OfChildren(const Node& node) {
    std::uint64_t cost = 0;
    for (const auto& child : node.children) cost = CostSum(cost, Cost(*child));
    return cost;
  }

  // Returns a macro's variable; null for other nodes.
  [[nodiscard]] const Known* Local(const Node& node) const {
    if (node.kind != NodeKind::kIdentifier || node.slot < variables_) return nullptr;
    const auto found = locals_.find(node.slot);
    return found == locals_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] CostPath PathOf(const Node& node) const {
    if (const Known* const local = Local(node)) return local->path;
    if (node.kind == NodeKind::kIdentifier) return CostPath().Continued(node.name);
    const auto found = known_.find(&node);
    return found == known_.end() ? CostPath() : found->second.path;
  }

  // Returns how long a value of that place in the schema can be.
  [[nodiscard]] std::optional<SizeRange> SizeAt(const CostPath& path) const {
    if (path.size() == 0) return std::nullopt;
    const Type* at = &self_;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const std::string_view step = path.step(i);
      const bool list = at->kind == TypeKind::kList;
      const bool map = at->kind == TypeKind::kMap;
      if (step == kItems || step == kValues) {
        if (!list && !map) return std::nullopt;
        at = at->parameters[list ? 0 : 1].get();
      } else if (step == kKeys) {
        if (!map) return std::nullopt;
        at = at->parameters[0].get();
      } else {
        const Field* const field = at->FindField(step);
        if (field == nullptr) return std::nullopt;
        at = field->type.get();
      }
    }
    return SizeRange{0, at->max_size};
  }

  std::optional<SizeRange> SizeOf(const Node& node) {
    if (const auto found = known_.find(&node); found != known_.end() && found->second.size) {
      return found->second.size;
    }
    if (node.kind == NodeKind::kLiteral) {
      if (const auto size = SizeOfLiteral(node.literal)) return size;
    }
    if (node.kind == NodeKind::kList) return SizeRange::Fixed(node.children.size());
    if (node.kind == NodeKind::kMap) return SizeRange::Fixed(node.children.size() / 2);
    if (const auto size = SizeAt(PathOf(node))) {
      known_[&node].size = size;
      return size;
    }
    if (IsScalar(*node.type)) return SizeRange::Fixed(1);
    const Known* const local = Local(node);
    return local == nullptr ? std::nullopt : local->size;
  }
  SizeRange SizeOrAny(const Node& node) { return SizeOf(node).value_or(SizeRange()); }

  [[nodiscard]] std::optional<EntrySizes> EntriesOf(const Node& node) const {
    const auto found = known_.find(&node);
    if (found != known_.end() && found->second.entries) return found->second.entries;
    const Known* const local = Local(node);
    return local == nullptr ? std::nullopt : local->entries;
  }

  CostArgument Argument(const Node& node) {
    const auto size = SizeOf(node);
    CostArgument out{.node = &node, .type = node.type.get(), .is_sized = size.has_value()};
    if (size) out.size = *size;
    if (!node.type->parameters.empty()) {
      // A path of its own, which overwrites nothing.
      CostPath path;
      const CostPath own = PathOf(node);
      for (std::size_t i = 0; i < own.size(); ++i) path = path.Continued(own.step(i));
      if (own.size() > 0) out.item_size = SizeAt(path.Continued(kItems)).value_or(SizeRange());
    }
    return out;
  }

  std::uint64_t Select(const Node& node) {
    const Node& operand = *node.children[0];
    std::uint64_t cost = Cost(operand);
    if (node.is_optional) return CostSum(cost, 1);  // a call, in cel-go
    const TypeKind kind = operand.type->kind;
    if (kind == TypeKind::kMap || kind == TypeKind::kObject) cost = CostSum(cost, 1);
    known_[&node].path = PathOf(operand).Continued(node.name);
    return cost;
  }

  std::uint64_t Call(const Node& node) {
    const FunctionFacts* const facts = FindFunction(node.name);
    if (facts == nullptr) return 0;
    if (node.name == "dyn") {
      const Node& inner = *node.children[0];
      const std::uint64_t cost = CostSum(Cost(inner), 1);
      const auto size = SizeOf(inner);
      const auto entries = EntriesOf(inner);
      known_[&node].size = size;
      known_[&node].entries = entries;
      return cost;
    }
    std::uint64_t cost = 0;
    std::vector<CostArgument> arguments;
    const std::size_t first = node.is_member ? 1 : 0;
    for (std::size_t i = first; i < node.children.size(); ++i) {
      cost = CostSum(cost, Cost(*node.children[i]));
      arguments.push_back(Argument(*node.children[i]));
    }
    std::optional<CostArgument> target;
    if (node.is_member) {
      cost = CostSum(cost, Cost(*node.children[0]));
      target = Argument(*node.children[0]);
    }
    std::uint64_t call = 0;
    std::optional<SizeRange> result;
    for (std::size_t i = 0; i < facts->signatures.size(); ++i) {
      if ((node.forms >> i & 1U) == 0) continue;
      const Signature& form = facts->signatures[i];
      const CallCost found = CostOfCall(node.name, form, target ? &*target : nullptr, arguments);
      call = std::max(call, found.cost);
      if (found.result) result = result ? result->Union(*found.result) : *found.result;
      FollowForm(node, form, result);
      if (!result) result = SizeOf(node);
    }
    if (result) known_[&node].size = result;
    return CostSum(cost, call);
  }

  // Notes where the results of an index or an addition come from.
  void FollowForm(const Node& node, const Signature& form, std::optional<SizeRange>& result) {
    const TypeKind kind = form.parameters.empty() ? TypeKind::kDyn : form.parameters[0]->kind;
    const bool list = kind == TypeKind::kList;
    if (node.name == "_[_]" && (list || kind == TypeKind::kMap)) {
      const auto entries = EntriesOf(*node.children[0]);
      result = entries ? std::optional(entries->value) : std::nullopt;
      known_[&node].path = PathOf(*node.children[0]).Continued(list ? kItems : kValues);
    }
    if (node.name == "_+_" && (list || kind == TypeKind::kString || kind == TypeKind::kBytes)) {
      const auto entries = Union(EntriesOf(*node.children[0]), EntriesOf(*node.children[1]));
      if (entries) known_[&node].entries = entries;
    }
  }

  std::uint64_t Choice(const Node& node) {
    std::uint64_t costs[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      costs[i] = Cost(*node.children[i]);
      (void)SizeOf(*node.children[i]);
    }
    const SizeRange size = SizeOrAny(*node.children[1]).Union(SizeOrAny(*node.children[2]));
    const auto entries = Union(EntriesOf(*node.children[1]), EntriesOf(*node.children[2]));
    Known& known = known_[&node];
    known.size = size;
    if (entries) known.entries = entries;
    return CostSum(costs[0], std::max(costs[1], costs[2]));
  }

  std::uint64_t List(const Node& node) {
    std::uint64_t cost = kCostOfList;
    SizeRange items{kMostCost, 0};
    if (node.children.empty()) items.min = 0;
    for (const auto& child : node.children) {
      cost = CostSum(cost, Cost(*child));
      items = items.Union(SizeOrAny(*child));
    }
    known_[&node].entries = EntrySizes{true, SizeRange::Fixed(1), items};
    return cost;
  }

  std::uint64_t Map(const Node& node) {
    std::uint64_t cost = kCostOfMap;
    SizeRange keys{kMostCost, 0};
    SizeRange values{kMostCost, 0};
    if (node.children.empty()) keys.min = values.min = 0;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      cost = CostSum(cost, Cost(*node.children[i]));
      cost = CostSum(cost, Cost(*node.children[i + 1]));
      keys = keys.Union(SizeOrAny(*node.children[i]));
      values = values.Union(SizeOrAny(*node.children[i + 1]));
    }
    known_[&node].entries = EntrySizes{false, keys, values};
    return cost;
  }

  // ---- Macros, as the loops to which cel-go expands them.

  std::uint64_t MacroOf(const Node& node) {
    switch (node.macro) {
      case Macro::kOptMap:
      case Macro::kOptFlatMap:
        return OverOptional(node);
      case Macro::kSortBy:
        return Sorting(node);
      default:
        return Loop(node);
    }
  }

  // Declares the variables of a loop over a value of that kind.
  void Iterate(const Node& node, const CostPath& path, const std::optional<EntrySizes>& entries,
               TypeKind kind) {
    const bool list = entries ? entries->is_list : kind == TypeKind::kList;
    const auto key = entries ? std::optional(entries->key) : std::nullopt;
    const auto value = entries ? std::optional(entries->value) : std::nullopt;
    if (node.variables.size() == 2) {
      locals_[node.slot] = {path.Continued(list ? kIndices : kKeys), key, {}};
      locals_[node.slot + 1] = {path.Continued(list ? kItems : kValues), value, {}};
    } else {
      locals_[node.slot] = {path.Continued(list ? kItems : kKeys), list ? value : key, {}};
    }
  }

  // Returns the cost of one turn of a loop.
  std::uint64_t Turn(const Node& node) {
    std::uint64_t condition = 0;
    const bool filters = node.children.size() == 3;
    if (filters) condition = Cost(*node.children[1]);
    const std::uint64_t body = Cost(*node.children.back());
    const auto plus = [&](std::uint64_t more) { return CostSum(CostSum(condition, body), more); };
    switch (node.macro) {
      case Macro::kAll:
        return plus(3);
      case Macro::kExists:
        return plus(4);
      case Macro::kExistsOne:
        return plus(2);
      case Macro::kFilter:
        return plus(13);
      case Macro::kTransformMap:
        return plus(3);
      case Macro::kTransformMapEntry:
        return plus(2);
      default:
        return plus(12);
    }
  }

  // Notes the sizes of the result of a loop that adds an item of that size in each turn.
  void Collect(const Node& node, const SizeRange& count, const SizeRange& item) {
    Known& known = known_[&node];
    switch (node.macro) {
      case Macro::kAll:
      case Macro::kExists:
      case Macro::kExistsOne:
        known.size = SizeRange::Fixed(1);
        return;
      case Macro::kTransformMap:
      case Macro::kTransformMapEntry:
        known.size = count;
        return;
      default:
        break;
    }
    known.size = count;
    known.entries = EntrySizes{true, SizeRange::Fixed(1), SizeRange{0, item.max}};
  }

  static std::uint64_t StartOf(Macro macro) {
    switch (macro) {
      case Macro::kAll:
      case Macro::kExists:
        return 1;
      case Macro::kExistsOne:
        return 2;
      case Macro::kTransformMap:
      case Macro::kTransformMapEntry:
        return kCostOfMap + 1;
      default:
        return kCostOfList + 1;
    }
  }

  std::uint64_t Loop(const Node& node) {
    const Node& range = *node.children[0];
    std::uint64_t cost = CostSum(Cost(range), StartOf(node.macro));
    Iterate(node, PathOf(range), EntriesOf(range), range.type->kind);
    const std::uint64_t turn = Turn(node);
    const SizeRange item = ItemOf(node);
    const SizeRange count = SizeOrAny(range);
    Collect(node, count, item);
    return CostSum(cost, CostProduct(count.max, turn));
  }

  // Returns the size of what a turn adds to a list.
  SizeRange ItemOf(const Node& node) {
    if (node.macro != Macro::kFilter) return SizeOrAny(*node.children.back());
    const Known& variable = locals_[node.slot];
    if (const auto size = SizeAt(variable.path)) return *size;
    const Type& range = *node.children[0]->type;
    const Type* item = nullptr;
    if (range.kind == TypeKind::kList || range.kind == TypeKind::kMap) {
      item = range.parameters[0].get();
    }
    if (item != nullptr && IsScalar(*item)) return SizeRange::Fixed(1);
    return variable.size.value_or(SizeRange());
  }

  // The keys are a list of their own, over a variable that stands for the range.
  std::uint64_t Sorting(const Node& node) {
    const Node& range = *node.children[0];
    const std::uint64_t input = CostSum(Cost(range), kCostOfList);
    const CostPath path = PathOf(range);
    const auto size = SizeOf(range);
    Iterate(node, path, EntriesOf(range), range.type->kind);
    const std::uint64_t turn = CostSum(Cost(*node.children.back()), 12);
    const SizeRange count = SizeAt(path).value_or(size.value_or(SizeRange()));
    const std::uint64_t keys = CostSum(1 + kCostOfList + 1, CostProduct(count.max, turn));
    const TypeKind key = node.children.back()->type->kind;
    const CallCost sorting = CostOfSorting(count, key == TypeKind::kDyn ? TypeKind::kString : key);
    known_[&node].size = sorting.result;
    return CostSum(CostSum(input, keys), CostSum(sorting.cost, 1));
  }

  std::uint64_t OverOptional(const Node& node) {
    const Node& range = *node.children[0];
    const bool flat = node.macro == Macro::kOptFlatMap;
    const std::uint64_t target = CostSum(Cost(range), 1);
    Known variable;
    if (range.type->kind == TypeKind::kOptional && IsScalar(*range.type->parameters[0])) {
      variable.size = SizeRange::Fixed(1);
    }
    locals_[node.slot] = variable;
    const Node& body = *node.children[1];
    const std::uint64_t inside = CostSum(CostSum(target, kCostOfList), Cost(body));
    SizeRange size = IsScalar(*node.type) ? SizeRange::Fixed(1) : SizeRange();
    if (flat) size = SizeOf(body).value_or(size).Union(size);
    known_[&node].size = size;
    return CostSum(target, CostSum(inside, flat ? 0 : 1));
  }

  const Type& self_;
  const std::size_t variables_;
  std::unordered_map<const Node*, Known> known_;
  std::unordered_map<std::size_t, Known> locals_;
};

}  // namespace

std::uint64_t EstimatedCost(const Node& root, const Type& self, std::size_t variables) {
  return Estimator(self, variables).Cost(root);
}

}  // namespace kinformer::internal::cel
