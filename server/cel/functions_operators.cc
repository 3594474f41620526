// Operators: arithmetic, comparison, indexing, "in" and size.

#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cel/calendar.h"
#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/text.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

Value Overflow(ValueKind kind) {
  return Value::Error(kind == kUint       ? "unsigned integer overflow"
                      : kind == kDuration ? "duration overflow"
                                          : "integer overflow");
}

// Appends items of `more` that `all` does not have, or puts them in the place of those with the
// same keys.
Value AddedUnordered(Evaluation& evaluation, const Value& a, const Value& b, const Type& shape) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < a.size(); ++i) items.push_back(a.item(i));
  const auto same = [&](const Value& one, const Value& other, std::uint64_t& cost) {
    if (shape.order == ListOrder::kSet) return Equal(one, other, cost);
    if (!one.is(kMap) || !other.is(kMap)) return false;
    for (const std::string& key : shape.keys) {
      const auto mine = one.FindField(EscapedName(key));
      const auto theirs = other.FindField(EscapedName(key));
      if (mine.has_value() != theirs.has_value()) return false;
      if (mine && !Equal(*mine, *theirs, cost)) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Value more = b.item(i);
    std::uint64_t cost = 0;
    bool found = false;
    for (Value& item : items) {
      if (!same(item, more, cost)) continue;
      if (shape.order == ListOrder::kKeys) item = more;
      found = true;
      break;
    }
    if (!found) items.push_back(more);
    if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
  }
  return Value::List(std::move(items));
}

Value AddedLists(Evaluation& evaluation, const Value& a, const Value& b) {
  if (!evaluation.Charge(a.size() + b.size())) return Evaluation::OverBudget();
  const Type* const shape = a.list_shape();
  if (shape != nullptr && shape->order != ListOrder::kPositions) {
    return AddedUnordered(evaluation, a, b, *shape);
  }
  std::vector<Value> items;
  items.reserve(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) items.push_back(a.item(i));
  for (std::size_t i = 0; i < b.size(); ++i) items.push_back(b.item(i));
  return Value::List(std::move(items));
}

Value Add(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (AreOf(a, {kTimestamp, kDuration})) return AddDuration(a[0].time(), a[1].integer());
  if (AreOf(a, {kDuration, kTimestamp})) return AddDuration(a[1].time(), a[0].integer());
  if (a[0].kind() != a[1].kind()) return NoSuchOverload();
  switch (a[0].kind()) {
    case kInt:
    case kDuration: {
      std::int64_t sum = 0;
      if (__builtin_add_overflow(a[0].integer(), a[1].integer(), &sum)) {
        return Overflow(a[0].kind());
      }
      return a[0].is(kInt) ? Value::Int(sum) : Value::Duration(sum);
    }
    case kUint: {
      std::uint64_t sum = 0;
      if (__builtin_add_overflow(a[0].unsigned_integer(), a[1].unsigned_integer(), &sum)) {
        return Overflow(kUint);
      }
      return Value::Uint(sum);
    }
    case kDouble:
      return Value::Double(a[0].number() + a[1].number());
    case kString:
    case kBytes: {
      if (!evaluation.ChargeText(a[0].text().size() + a[1].text().size())) {
        return Evaluation::OverBudget();
      }
      std::string text = std::string(a[0].text()).append(a[1].text());
      return a[0].is(kString) ? Value::String(std::move(text)) : Value::Bytes(std::move(text));
    }
    case kList:
      return AddedLists(evaluation, a[0], a[1]);
    default:
      return NoSuchOverload();
  }
}

Value Subtract(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (AreOf(a, {kTimestamp, kTimestamp})) return Difference(a[0].time(), a[1].time());
  if (AreOf(a, {kTimestamp, kDuration})) {
    if (a[1].integer() == std::numeric_limits<std::int64_t>::min()) return Overflow(kDuration);
    return AddDuration(a[0].time(), -a[1].integer());
  }
  if (AreOf(a, {kInt, kInt}) || AreOf(a, {kDuration, kDuration})) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a[0].integer(), a[1].integer(), &result)) {
      return Overflow(a[0].kind());
    }
    return a[0].is(kInt) ? Value::Int(result) : Value::Duration(result);
  }
  if (AreOf(a, {kUint, kUint})) {
    if (a[0].unsigned_integer() < a[1].unsigned_integer()) return Overflow(kUint);
    return Value::Uint(a[0].unsigned_integer() - a[1].unsigned_integer());
  }
  if (AreOf(a, {kDouble, kDouble})) return Value::Double(a[0].number() - a[1].number());
  return NoSuchOverload();
}

Value Multiply(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (AreOf(a, {kInt, kInt})) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a[0].integer(), a[1].integer(), &result)) return Overflow(kInt);
    return Value::Int(result);
  }
  if (AreOf(a, {kUint, kUint})) {
    std::uint64_t result = 0;
    if (__builtin_mul_overflow(a[0].unsigned_integer(), a[1].unsigned_integer(), &result)) {
      return Overflow(kUint);
    }
    return Value::Uint(result);
  }
  if (AreOf(a, {kDouble, kDouble})) return Value::Double(a[0].number() * a[1].number());
  return NoSuchOverload();
}

Value Divide(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (AreOf(a, {kDouble, kDouble})) {
    // By zero, too: infinite, or not a number.
    const double divisor = a[1].number();
    if (divisor != 0) return Value::Double(a[0].number() / divisor);
    const double dividend = a[0].number();
    if (dividend == 0 || std::isnan(dividend)) {
      return Value::Double(std::numeric_limits<double>::quiet_NaN());
    }
    const bool negative = std::signbit(dividend) != std::signbit(divisor);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return Value::Double(negative ? -kInfinity : kInfinity);
  }
  if (AreOf(a, {kInt, kInt})) {
    if (a[1].integer() == 0) return Value::Error("division by zero");
    if (a[1].integer() == -1 && a[0].integer() == std::numeric_limits<std::int64_t>::min()) {
      return Overflow(kInt);
    }
    return Value::Int(a[0].integer() / a[1].integer());
  }
  if (AreOf(a, {kUint, kUint})) {
    if (a[1].unsigned_integer() == 0) return Value::Error("division by zero");
    return Value::Uint(a[0].unsigned_integer() / a[1].unsigned_integer());
  }
  return NoSuchOverload();
}

Value Remainder(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (AreOf(a, {kInt, kInt})) {
    if (a[1].integer() == 0) return Value::Error("modulus by zero");
    if (a[1].integer() == -1 && a[0].integer() == std::numeric_limits<std::int64_t>::min()) {
      return Overflow(kInt);
    }
    return Value::Int(a[0].integer() % a[1].integer());
  }
  if (AreOf(a, {kUint, kUint})) {
    if (a[1].unsigned_integer() == 0) return Value::Error("modulus by zero");
    return Value::Uint(a[0].unsigned_integer() % a[1].unsigned_integer());
  }
  return NoSuchOverload();
}

Value Negate(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (a[0].is(kDouble)) return Value::Double(-a[0].number());
  if (!a[0].is(kInt)) return NoSuchOverload();
  if (a[0].integer() == std::numeric_limits<std::int64_t>::min()) return Overflow(kInt);
  return Value::Int(-a[0].integer());
}

Value Not(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kBool) ? Value::Bool(!a[0].is_true()) : NoSuchOverload();
}

template <bool kSame>
Value Equality(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  std::uint64_t cost = 0;
  const bool equal = Equal(a[0], a[1], cost);
  if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
  return Value::Bool(equal == kSame);
}

template <class Holds>
Value Ordered(Evaluation& evaluation, Arguments a, const Holds& holds) {
  const auto order = Compare(a[0], a[1]);
  if (!order) return NoSuchOverload();
  if (a[0].is(kString) &&
      !evaluation.ChargeText(std::min(a[0].text().size(), a[1].text().size()))) {
    return Evaluation::OverBudget();
  }
  if (*order == std::partial_ordering::unordered) {
    return Value::Error("NaN values cannot be ordered");
  }
  return Value::Bool(holds(*order));
}
Value Less(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Ordered(evaluation, a, [](std::partial_ordering order) { return order < 0; });
}
Value LessOrEqual(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Ordered(evaluation, a, [](std::partial_ordering order) { return order <= 0; });
}
Value Greater(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Ordered(evaluation, a, [](std::partial_ordering order) { return order > 0; });
}
Value GreaterOrEqual(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Ordered(evaluation, a, [](std::partial_ordering order) { return order >= 0; });
}

// Returns a number that stands for a position; nullopt if it is none.
std::optional<std::int64_t> PositionIn(const Value& index) {
  if (index.is(kInt)) return index.integer();
  if (index.is(kUint) && index.unsigned_integer() < (std::uint64_t{1} << 63)) {
    return static_cast<std::int64_t>(index.unsigned_integer());
  }
  if (index.is(kDouble) && std::floor(index.number()) == index.number() &&
      std::abs(index.number()) < 0x1p53) {
    return static_cast<std::int64_t>(index.number());
  }
  return std::nullopt;
}

// Returns the item or member of a list or a map; nullopt, or an error value, if there is none.
std::optional<Value> AtIndex(const Value& container, const Value& index) {
  if (container.is(kMap)) return container.Find(index);
  const auto position = PositionIn(index);
  if (!position) {
    return Value::Error("unsupported index type '" + std::string(KindName(index.kind())) +
                        "' in list");
  }
  if (*position < 0 || static_cast<std::size_t>(*position) >= container.size()) {
    return std::nullopt;
  }
  return container.item(static_cast<std::size_t>(*position));
}

Value OptionalIndex(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  const Value* container = &a[0];
  if (container->is(kOptional)) {
    container = container->content();
    if (container == nullptr) return Value::None();
  }
  // Whatever has no members has not this one.
  if (!container->is(kMap) && !container->is(kList)) return Value::None();
  std::optional<Value> found = AtIndex(*container, a[1]);
  if (!found) return Value::None();
  return found->is_error() ? *std::move(found) : Value::Some(*std::move(found));
}

Value Index(Evaluation& evaluation, const Node& call, Arguments a) {
  if (a[0].is(kOptional)) return OptionalIndex(evaluation, call, a);
  // Whatever has no members has not this one.
  if (!a[0].is(kMap) && !a[0].is(kList)) {
    return Value::Error("no such key: " + std::string(TextOf(a[1]).text()));
  }
  std::optional<Value> found = AtIndex(a[0], a[1]);
  if (found) return *std::move(found);
  const std::string shown(TextOf(a[1]).text());
  return Value::Error((a[0].is(kMap) ? "no such key: " : "index out of bounds: ") + shown);
}

Value In(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (a[1].is(kMap)) return Value::Bool(a[1].Find(a[0]).has_value());
  if (!a[1].is(kList)) return NoSuchOverload();
  const std::size_t size = a[1].size();
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t cost = 0;
    if (Equal(a[0], a[1].item(i), cost)) return Value::Bool(true);
    if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
  }
  return Value::Bool(false);
}

Value Size(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  switch (a[0].kind()) {
    case kString:
      if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
      return Value::Int(static_cast<std::int64_t>(RuneCount(a[0].text())));
    case kBytes:
      return Value::Int(static_cast<std::int64_t>(a[0].text().size()));
    case kList:
    case kMap:
      return Value::Int(static_cast<std::int64_t>(a[0].size()));
    default:
      return NoSuchOverload();
  }
}

}  // namespace

bool AreOf(Arguments arguments, std::initializer_list<ValueKind> kinds) {
  if (arguments.size() != kinds.size()) return false;
  std::size_t i = 0;
  for (const ValueKind kind : kinds) {
    if (!arguments[i++].is(kind)) return false;
  }
  return true;
}

std::span<const FunctionEntry> OperatorFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"_+_", Add},
      {"_-_", Subtract},
      {"_*_", Multiply},
      {"_/_", Divide},
      {"_%_", Remainder},
      {"-_", Negate},
      {"!_", Not},
      {"_==_", Equality<true>},
      {"_!=_", Equality<false>},
      {"_<_", Less},
      {"_<=_", LessOrEqual},
      {"_>_", Greater},
      {"_>=_", GreaterOrEqual},
      {"_[_]", Index},
      {"_[?_]", OptionalIndex},
      {"@in", In},
      {"size", Size},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
