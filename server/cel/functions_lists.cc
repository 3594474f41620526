// Functions of lists and sets.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "cel/evaluator.h"
#include "cel/functions.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

std::vector<Value> ItemsOf(const Value& list) {
  std::vector<Value> items;
  items.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) items.push_back(list.item(i));
  return items;
}

// Returns the cost of comparing two values.
std::uint64_t CostOf(const Value& value) {
  return value.is(kString) || value.is(kBytes) ? 1 + value.text().size() / 10 : 1;
}

Value IsSorted(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  for (std::size_t i = 0; i + 1 < a[0].size(); ++i) {
    const Value one = a[0].item(i);
    const auto order = Compare(one, a[0].item(i + 1));
    if (!order) return NoSuchOverload();
    if (!evaluation.Charge(CostOf(one))) return Evaluation::OverBudget();
    if (*order > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

// The sum of nothing, which has the type of the items that are missing.
Value ZeroOf(const Node& call) {
  switch (call.type->kind) {
    case TypeKind::kUint:
      return Value::Uint(0);
    case TypeKind::kDouble:
      return Value::Double(0);
    case TypeKind::kDuration:
      return Value::Duration(0);
    default:
      return Value::Int(0);
  }
}

Value Sum(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  if (!evaluation.Charge(a[0].size())) return Evaluation::OverBudget();
  if (a[0].size() == 0) return ZeroOf(call);
  const Function add = OperatorFunctions().front().function;
  Value sum = a[0].item(0);
  if (!sum.is_number() && !sum.is(kDuration)) return sum.is_error() ? sum : NoSuchOverload();
  for (std::size_t i = 1; i < a[0].size(); ++i) {
    const std::array<Value, 2> both = {sum, a[0].item(i)};
    if (both[1].is_error()) return both[1];
    sum = add(evaluation, call, both);
    if (sum.is_error()) return sum;
  }
  return sum;
}

Value Extreme(Evaluation& evaluation, Arguments a, bool largest) {
  if (!a[0].is(kList)) return NoSuchOverload();
  if (a[0].size() == 0) {
    return Value::Error(std::string(largest ? "max" : "min") + " called on empty list");
  }
  Value best = a[0].item(0);
  for (std::size_t i = 1; i < a[0].size(); ++i) {
    Value item = a[0].item(i);
    const auto order = Compare(best, item);
    if (!order) return NoSuchOverload();
    if (!evaluation.Charge(CostOf(item))) return Evaluation::OverBudget();
    if (largest ? *order < 0 : *order > 0) best = std::move(item);
  }
  return best;
}
Value Min(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Extreme(evaluation, a, /*largest=*/false);
}
Value Max(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Extreme(evaluation, a, /*largest=*/true);
}

// Returns, for anything else than a list, whether it is the value.
Value Includes(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  std::uint64_t cost = 0;
  bool found = !a[0].is(kList) && Equal(a[0], a[1], cost);
  for (std::size_t i = 0; a[0].is(kList) && !found && i < a[0].size(); ++i) {
    found = Equal(a[0].item(i), a[1], cost);
    if (!evaluation.Charge(std::exchange(cost, 0))) return Evaluation::OverBudget();
  }
  return evaluation.Charge(cost) ? Value::Bool(found) : Evaluation::OverBudget();
}

Value Slice(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kList, kInt, kInt})) return NoSuchOverload();
  const std::int64_t start = a[1].integer();
  const std::int64_t end = a[2].integer();
  const auto size = static_cast<std::int64_t>(a[0].size());
  const std::string range =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + ")";
  if (start < 0 || end < 0) return Value::Error(range + ", negative indexes not supported");
  if (start > end)
    return Value::Error(range + ", start index must be less than or equal to end index");
  if (end > size) return Value::Error(range + ", list is length " + std::to_string(size));
  if (!evaluation.Charge(static_cast<std::uint64_t>(end - start))) return Evaluation::OverBudget();
  std::vector<Value> items;
  for (std::int64_t i = start; i < end; ++i) {
    items.push_back(a[0].item(static_cast<std::size_t>(i)));
  }
  return Value::List(std::move(items));
}

bool Flatten(Evaluation& evaluation, const Value& list, std::int64_t depth,
             std::vector<Value>& out) {
  if (!evaluation.Charge(list.size())) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Value item = list.item(i);
    if (!item.is(kList) || depth == 0) {
      out.push_back(std::move(item));
    } else if (!Flatten(evaluation, item, depth - 1, out)) {
      return false;
    }
  }
  return true;
}

Value FlattenFunction(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList) || (a.size() == 2 && !a[1].is(kInt))) return NoSuchOverload();
  const std::int64_t depth = a.size() == 2 ? a[1].integer() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  std::vector<Value> out;
  if (!Flatten(evaluation, a[0], depth, out)) return Evaluation::OverBudget();
  return Value::List(std::move(out));
}

Value Sort(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  std::vector<Value> items = ItemsOf(a[0]);
  std::uint64_t cost = 0;
  for (const Value& item : items) {
    if (!Compare(items[0], item) || (item.is(kDouble) && item.number() != item.number())) {
      return NoSuchOverload();
    }
    cost += CostOf(item) * 8;
  }
  if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
  std::stable_sort(items.begin(), items.end(), [](const Value& one, const Value& other) {
    return Compare(one, other) == std::partial_ordering::less;
  });
  return Value::List(std::move(items));
}

Value Distinct(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  std::vector<Value> out;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    Value item = a[0].item(i);
    std::uint64_t cost = 0;
    const bool known =
        std::ranges::any_of(out, [&](const Value& other) { return Equal(item, other, cost); });
    if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
    if (!known) out.push_back(std::move(item));
  }
  return Value::List(std::move(out));
}

Value Reverse(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  if (!evaluation.Charge(a[0].size())) return Evaluation::OverBudget();
  std::vector<Value> items = ItemsOf(a[0]);
  std::ranges::reverse(items);
  return Value::List(std::move(items));
}

Value Range(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kInt)) return NoSuchOverload();
  if (a[0].integer() < 0) {
    return Value::Error("lists.range: size must be non-negative, got " +
                        std::to_string(a[0].integer()));
  }
  std::vector<Value> items;
  if (!evaluation.Charge(static_cast<std::uint64_t>(a[0].integer()))) {
    return Evaluation::OverBudget();
  }
  for (std::int64_t i = 0; i < a[0].integer(); ++i) items.push_back(Value::Int(i));
  return Value::List(std::move(items));
}

Value First(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  return a[0].size() == 0 ? Value::None() : Value::Some(a[0].item(0));
}
Value Last(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  return a[0].size() == 0 ? Value::None() : Value::Some(a[0].item(a[0].size() - 1));
}

// Returns how many items of `b` are in `a`; nullopt if it costs too much.
std::optional<std::size_t> CountIn(Evaluation& evaluation, const Value& a, const Value& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Value wanted = b.item(i);
    std::uint64_t cost = 0;
    bool found = false;
    for (std::size_t j = 0; !found && j < a.size(); ++j) {
      found = Equal(a.item(j), wanted, cost);
    }
    if (!evaluation.Charge(cost)) return std::nullopt;
    if (found) ++count;
  }
  return count;
}

Value SetContains(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kList, kList})) return NoSuchOverload();
  const auto count = CountIn(evaluation, a[0], a[1]);
  return count ? Value::Bool(*count == a[1].size()) : Evaluation::OverBudget();
}
Value SetEquivalent(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kList, kList})) return NoSuchOverload();
  const auto count = CountIn(evaluation, a[0], a[1]);
  const auto other = count ? CountIn(evaluation, a[1], a[0]) : count;
  if (!other) return Evaluation::OverBudget();
  return Value::Bool(*count == a[1].size() && *other == a[0].size());
}
Value SetIntersects(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kList, kList})) return NoSuchOverload();
  const auto count = CountIn(evaluation, a[0], a[1]);
  return count ? Value::Bool(*count > 0) : Evaluation::OverBudget();
}

}  // namespace

std::span<const FunctionEntry> ListFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"isSorted", IsSorted},
      {"sum", Sum},
      {"min", Min},
      {"max", Max},
      {"includes", Includes},
      {"slice", Slice},
      {"flatten", FlattenFunction},
      {"sort", Sort},
      {"distinct", Distinct},
      {"reverse", Reverse},
      {"lists.range", Range},
      {"first", First},
      {"last", Last},
      {"sets.contains", SetContains},
      {"sets.equivalent", SetEquivalent},
      {"sets.intersects", SetIntersects},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
