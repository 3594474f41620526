#include "cel/evaluator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "cel/functions.h"

namespace kinformer::internal::cel {
namespace {

// Costs of one step, like cel-go's.
constexpr std::uint64_t kListCost = 10;
constexpr std::uint64_t kMapCost = 30;
constexpr std::uint64_t kMessageCost = 40;
constexpr std::uint64_t kItemCost = 3;   // of an item that a macro visits
constexpr std::uint64_t kEntryCost = 8;  // of an entry that is added to a map

Value NoSuchKey(std::string_view key) { return Value::Error("no such key: " + std::string(key)); }

// Calls more arguments than these through the heap.
constexpr std::size_t kFewArguments = 4;

Value NotBool() { return NoSuchOverload(); }

using Entries = std::vector<std::pair<Value, Value>>;

Entries::iterator FindEntry(Entries& entries, const Value& key) {
  return std::ranges::find_if(entries, [&](const auto& entry) {
    std::uint64_t cost = 0;
    return Equal(entry.first, key, cost);
  });
}

// Whether the call asks for an item of `[]`: the item is not evaluated then.
bool IsInNothing(const Node& call) {
  if (call.name != "@in" || call.children.size() != 2) return false;
  const Node& list = *call.children[1];
  return list.kind == NodeKind::kList && list.children.empty();
}

}  // namespace

Value Evaluation::Run(const Node& node) {
  Value value = Evaluate(node);
  return exhausted() ? OverBudget() : value;
}

Value Evaluation::Evaluate(const Node& node) {
  if (exhausted()) return OverBudget();
  switch (node.kind) {
    case NodeKind::kLiteral:
      return node.literal;
    case NodeKind::kIdentifier:
      ++cost_;
      return Variable(slots_[node.slot]);
    case NodeKind::kSelect:
      return Select(node);
    case NodeKind::kHas:
      return Has(node);
    case NodeKind::kCall:
      return IsInNothing(node) ? Value::Bool(false) : Call(node);
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return Logic(node);
    case NodeKind::kChoice: {
      Value condition = Evaluate(*node.children[0]);
      if (condition.is_error()) return condition;
      if (!condition.is(ValueKind::kBool)) return NotBool();
      return Evaluate(*node.children[condition.is_true() ? 1 : 2]);
    }
    case NodeKind::kList:
      return List(node);
    case NodeKind::kMap:
      return Map(node);
    case NodeKind::kMessage:
      return Message(node);
    case NodeKind::kMacro:
      return MacroOf(node);
  }
  return NoSuchOverload();
}

Value Evaluation::Variable(Value& slot) {
  if (slot.is(ValueKind::kDeferred)) slot = slot.deferred().Get();
  return slot;
}

Value Evaluation::Select(const Node& node) {
  ++cost_;
  Value operand = Evaluate(*node.children[0]);
  if (operand.is_error()) return operand;
  const bool through = operand.is(ValueKind::kOptional);
  if (through) {
    if (operand.content() == nullptr) return operand;
    operand = Value(*operand.content());
  }
  if (!operand.is(ValueKind::kMap)) {
    return Value::Error("no such key: " + node.name);
  }
  std::optional<Value> found = operand.FindField(node.name);
  if (!through && !node.is_optional) return found ? *std::move(found) : NoSuchKey(node.name);
  if (!found) return Value::None();
  if (found->is_error() || found->is(ValueKind::kOptional)) return *std::move(found);
  return Value::Some(*std::move(found));
}

Value Evaluation::Has(const Node& node) {
  Value operand = Evaluate(*node.children[0]);
  if (operand.is_error()) return operand;
  if (operand.is(ValueKind::kOptional)) {
    if (operand.content() == nullptr) return Value::Bool(false);
    operand = Value(*operand.content());
  }
  if (!operand.is(ValueKind::kMap)) return Value::Error("no such key: " + node.name);
  const std::optional<Value> found = operand.FindField(node.name);
  // It may be of another type than the schema says.
  return found && found->is_error() ? *found : Value::Bool(found.has_value());
}

Value Evaluation::Call(const Node& node) {
  ++cost_;
  std::array<Value, kFewArguments> few;
  std::vector<Value> many;
  std::span<Value> arguments(few.data(), node.children.size());
  if (node.children.size() > kFewArguments) {
    many.resize(node.children.size());
    arguments = many;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    arguments[i] = Evaluate(*node.children[i]);
    if (arguments[i].is_error()) return arguments[i];
    if (node.is_lazy && i == 0 && arguments[0].is(ValueKind::kOptional)) {
      const Value* const content = arguments[0].content();
      const bool index = node.name.front() == '_';
      if (index == (content == nullptr)) {
        return index || node.name == "or" ? arguments[0] : Value(*content);
      }
    }
  }
  if (node.function == nullptr) return NoSuchOverload();
  return node.function(*this, node, arguments);
}

Value Evaluation::Logic(const Node& node) {
  const bool decisive = node.kind == NodeKind::kOr;
  std::optional<Value> error;
  for (const auto& child : node.children) {
    ++cost_;
    Value value = Evaluate(*child);
    if (exhausted()) return OverBudget();
    if (value.is(ValueKind::kBool)) {
      if (value.is_true() == decisive) return value;
    } else if (!error) {
      error = value.is_error() ? std::move(value) : NotBool();
    }
  }
  return error ? *std::move(error) : Value::Bool(!decisive);
}

Value Evaluation::List(const Node& node) {
  cost_ += kListCost + node.children.size();
  std::vector<Value> items;
  items.reserve(node.children.size());
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Value item = Evaluate(*node.children[i]);
    if (item.is_error()) return item;
    if (!node.optional_items[i]) {
      items.push_back(std::move(item));
    } else if (!item.is(ValueKind::kOptional)) {
      return NoSuchOverload();
    } else if (item.content() != nullptr) {
      items.push_back(*item.content());
    }
  }
  return Value::List(std::move(items));
}

Value Evaluation::Map(const Node& node) {
  cost_ += kMapCost + node.children.size();
  std::vector<std::pair<Value, Value>> entries;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Value key = Evaluate(*node.children[i]);
    if (key.is_error()) return key;
    Value value = Evaluate(*node.children[i + 1]);
    if (value.is_error()) return value;
    if (!ScalarKey(key)) return Value::Error("unsupported key type");
    if (node.optional_items[i / 2]) {
      if (!value.is(ValueKind::kOptional)) return NoSuchOverload();
      if (value.content() == nullptr) continue;
      value = Value(*value.content());
    }
    cost_ += entries.size();
    // As on a real server, the last of several entries with a key counts.
    const auto same = FindEntry(entries, key);
    if (same == entries.end()) {
      entries.emplace_back(std::move(key), std::move(value));
    } else {
      same->second = std::move(value);
    }
  }
  return Value::Map(std::move(entries));
}

Value Evaluation::Message(const Node& node) {
  cost_ += kMessageCost;
  std::vector<std::pair<Value, Value>> fields;
  fields.reserve(node.children.size());
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Value value = Evaluate(*node.children[i]);
    if (value.is_error()) return value;
    if (node.optional_items[i]) {
      if (!value.is(ValueKind::kOptional)) return NoSuchOverload();
      if (value.content() == nullptr) continue;
      value = Value(*value.content());
    }
    fields.emplace_back(Value::Borrowed(node.fields[i]), std::move(value));
  }
  return Value::Message(node.type, std::move(fields));
}

Value Evaluation::MacroOf(const Node& node) {
  Value range = Evaluate(*node.children[0]);
  if (range.is_error()) return range;
  if (node.macro == Macro::kOptMap || node.macro == Macro::kOptFlatMap) {
    return OverOptional(node, range);
  }
  if (!range.is(ValueKind::kList) && !range.is(ValueKind::kMap)) return NoSuchOverload();
  return OverItems(node, range);
}

void Evaluation::SetItem(const Node& node, const Value& range, std::size_t index) {
  const bool list = range.is(ValueKind::kList);
  if (node.variables.size() == 2) {
    slots_[node.slot] = list ? Value::Int(static_cast<std::int64_t>(index)) : range.key(index);
    slots_[node.slot + 1] = list ? range.item(index) : range.value(index);
  } else {
    slots_[node.slot] = list ? range.item(index) : range.key(index);
  }
}

Value Evaluation::OverItems(const Node& node, const Value& range) {
  Found found;
  const bool filters = node.children.size() == 3;
  const std::size_t size = range.size();
  // Whether it takes only items for which a condition holds: of several errors in conditions the
  // last one is the result, as cel-go makes a choice of them.
  const bool chooses = filters || node.macro == Macro::kFilter || node.macro == Macro::kExistsOne;
  std::optional<Value> failed;
  for (std::size_t i = 0; i < size; ++i) {
    cost_ += kItemCost;
    SetItem(node, range, i);
    if (filters) {
      Value condition = Evaluate(*node.children[1]);
      if (exhausted()) return OverBudget();
      if (!condition.is(ValueKind::kBool)) {
        failed = condition.is_error() ? std::move(condition) : NotBool();
        continue;
      }
      if (condition.is_false() || failed) continue;
    }
    Value value = Evaluate(*node.children.back());
    if (exhausted()) return OverBudget();
    std::optional<Value> end = Take(node, std::move(value), found);
    if (!end) continue;
    if (!chooses) return *std::move(end);
    failed = std::move(end);
  }
  return failed ? *std::move(failed) : Whole(node, range, std::move(found));
}

std::optional<Value> Evaluation::Take(const Node& node, Value value, Found& found) {
  const bool decides = node.macro == Macro::kAll || node.macro == Macro::kExists;
  if (decides && value.is(ValueKind::kBool)) {
    if (value.is_true() == (node.macro == Macro::kExists)) return value;
    return std::nullopt;
  }
  if (decides) {
    if (!found.error) found.error = value.is_error() ? std::move(value) : NotBool();
    return std::nullopt;
  }
  if (value.is_error()) return value;
  switch (node.macro) {
    case Macro::kExistsOne:
    case Macro::kFilter:
      if (!value.is(ValueKind::kBool)) return NotBool();
      if (value.is_false()) break;
      ++found.count;
      if (node.macro == Macro::kFilter) found.items.push_back(slots_[node.slot]);
      break;
    case Macro::kTransformMap:
      cost_ += kEntryCost;
      found.entries.emplace_back(slots_[node.slot], std::move(value));
      break;
    case Macro::kTransformMapEntry:
      return TakeEntries(value, found);
    default:
      found.items.push_back(std::move(value));
  }
  return std::nullopt;
}

std::optional<Value> Evaluation::TakeEntries(const Value& map, Found& found) {
  if (!map.is(ValueKind::kMap)) return NoSuchOverload();
  for (std::size_t i = 0; i < map.size(); ++i) {
    cost_ += found.entries.size();
    if (FindEntry(found.entries, map.key(i)) != found.entries.end()) {
      return Value::Error("insert failed: key " + std::string(TextOf(map.key(i)).text()) +
                          " already exists");
    }
    found.entries.emplace_back(map.key(i), map.value(i));
  }
  return std::nullopt;
}

Value Evaluation::Whole(const Node& node, const Value& range, Found found) {
  switch (node.macro) {
    case Macro::kAll:
    case Macro::kExists:
      if (found.error) return *std::move(found.error);
      return Value::Bool(node.macro == Macro::kAll);
    case Macro::kExistsOne:
      return Value::Bool(found.count == 1);
    case Macro::kTransformMap:
    case Macro::kTransformMapEntry:
      return Value::Map(std::move(found.entries));
    case Macro::kSortBy:
      return range.is(ValueKind::kList) ? Sorted(range, std::move(found.items)) : NoSuchOverload();
    default:
      return Value::List(std::move(found.items));
  }
}

Value Evaluation::Sorted(const Value& range, std::vector<Value> keys) {
  std::vector<std::size_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    const bool number = !keys[i].is(ValueKind::kDouble) || keys[i].number() == keys[i].number();
    if (!number || !Compare(keys[0], keys[i])) return NoSuchOverload();
    cost_ += keys[i].is(ValueKind::kString) ? 8 + keys[i].text().size() : 8;
  }
  if (exhausted()) return OverBudget();
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return Compare(keys[a], keys[b]) == std::partial_ordering::less;
  });
  std::vector<Value> items;
  items.reserve(order.size());
  for (const std::size_t index : order) items.push_back(range.item(index));
  return Value::List(std::move(items));
}

Value Evaluation::OverOptional(const Node& node, const Value& range) {
  if (!range.is(ValueKind::kOptional)) return NoSuchOverload();
  if (range.content() == nullptr) return range;
  slots_[node.slot] = *range.content();
  Value value = Evaluate(*node.children[1]);
  if (value.is_error() || node.macro == Macro::kOptFlatMap) return value;
  return Value::Some(std::move(value));
}

}  // namespace kinformer::internal::cel
