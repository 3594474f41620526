// Functions of quantities: "128Mi".

#include <compare>
#include <optional>
#include <string_view>
#include <utility>

#include "cel/amount.h"
#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/semver.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

// Longer texts are long numbers, and none of them is a resource.
constexpr std::size_t kMaxText = 512;

std::optional<Amount> AmountIn(std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  return Amount::Parse(text);
}

Value QuantityFunction(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  if (auto amount = AmountIn(a[0].text())) return Value::OfQuantity(*std::move(amount));
  return Value::Error(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Value IsQuantity(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  return Value::Bool(AmountIn(a[0].text()).has_value());
}

Value Sign(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kQuantity) ? Value::Int(a[0].quantity().Sign()) : NoSuchOverload();
}
Value IsInteger(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kQuantity) ? Value::Bool(a[0].amount().Whole().has_value()) : NoSuchOverload();
}
Value AsInteger(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kQuantity)) return NoSuchOverload();
  const auto whole = a[0].amount().Whole();
  return whole ? Value::Int(*whole) : Value::Error("cannot convert value to integer");
}
Value AsFloat(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kQuantity)) return NoSuchOverload();
  return Value::Double(a[0].quantity().AsApproximateFloat64());
}

std::optional<Amount> Other(const Value& value) {
  if (value.is(kQuantity)) return value.amount();
  if (value.is(kInt)) return Amount::OfInt(value.integer());
  return std::nullopt;
}
Value AddQuantity(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  const auto other = Other(a[1]);
  if (!a[0].is(kQuantity) || !other) return NoSuchOverload();
  return Value::OfQuantity(a[0].amount().Plus(*other));
}
Value SubtractQuantity(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  const auto other = Other(a[1]);
  if (!a[0].is(kQuantity) || !other) return NoSuchOverload();
  return Value::OfQuantity(a[0].amount().Minus(*other));
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
