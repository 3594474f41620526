// Functions of quantities: "128Mi".

#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/object/quantity.h"

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/semver.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;
using resource::Quantity;

// Longer texts are long numbers, and none of them is a resource.
constexpr std::size_t kMaxText = 512;

std::optional<Quantity> QuantityIn(std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  auto parsed = Quantity::Parse(text);
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

Value QuantityFunction(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  if (auto quantity = QuantityIn(a[0].text())) return Value::OfQuantity(*std::move(quantity));
  return Value::Error(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Value IsQuantity(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  return Value::Bool(QuantityIn(a[0].text()).has_value());
}

// Returns the amount if it is a whole int64.
std::optional<std::int64_t> Whole(const Quantity& quantity) {
  const std::int64_t value = quantity.Value();
  return Quantity::FromInt(value) == quantity ? std::optional(value) : std::nullopt;
}

Value Sign(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kQuantity) ? Value::Int(a[0].quantity().Sign()) : NoSuchOverload();
}
Value IsInteger(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kQuantity) ? Value::Bool(Whole(a[0].quantity()).has_value()) : NoSuchOverload();
}
Value AsInteger(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kQuantity)) return NoSuchOverload();
  const auto whole = Whole(a[0].quantity());
  return whole ? Value::Int(*whole) : Value::Error("cannot convert value to integer");
}
Value AsFloat(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kQuantity)) return NoSuchOverload();
  return Value::Double(a[0].quantity().AsApproximateFloat64());
}

std::optional<Quantity> Other(const Value& value) {
  if (value.is(kQuantity)) return value.quantity();
  if (value.is(kInt)) return Quantity::FromInt(value.integer(), resource::Format::kDecimalExponent);
  return std::nullopt;
}
Value AddQuantity(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  const auto other = Other(a[1]);
  if (!a[0].is(kQuantity) || !other) return NoSuchOverload();
  return Value::OfQuantity(a[0].quantity() + *other);
}
Value SubtractQuantity(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  const auto other = Other(a[1]);
  if (!a[0].is(kQuantity) || !other) return NoSuchOverload();
  return Value::OfQuantity(a[0].quantity() - *other);
}

// Compares quantities or versions.
Value CompareAmounts(Evaluation& /*evaluation*/, const Node& call, Arguments a) {
  const bool versions = AreOf(a, {kSemver, kSemver});
  if (!versions && !AreOf(a, {kQuantity, kQuantity})) return NoSuchOverload();
  const std::weak_ordering order =
      versions ? CompareSemvers(a[0].semver(), a[1].semver()) : a[0].quantity() <=> a[1].quantity();
  if (call.name == "isGreaterThan") return Value::Bool(order > 0);
  if (call.name == "isLessThan") return Value::Bool(order < 0);
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}

}  // namespace

std::span<const FunctionEntry> QuantityFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"quantity", QuantityFunction},
      {"isQuantity", IsQuantity},
      {"sign", Sign},
      {"isInteger", IsInteger},
      {"asInteger", AsInteger},
      {"asApproximateFloat", AsFloat},
      {"add", AddQuantity},
      {"sub", SubtractQuantity},
      {"isGreaterThan", CompareAmounts},
      {"isLessThan", CompareAmounts},
      {"compareTo", CompareAmounts},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
