// Functions of `authorizer`:
// authorizer.group("apps").resource("deployments").check("get").allowed().

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cel/evaluator.h"
#include "cel/functions.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

// An expression can afford two checks, as in kube-apiserver.
constexpr std::uint64_t kCheckCost = 350'000;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsLabel(std::string_view text) {
  if (text.empty() || !IsLetterOrDigit(text.front()) || !IsLetterOrDigit(text.back())) return false;
  for (const char c : text) {
    if (!IsLetterOrDigit(c) && c != '-') return false;
  }
  return true;
}

bool IsSubdomain(std::string_view text) {
  if (text.size() > kMaxName) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Returns the next step of a question: a copy in which one text is set.
Value Next(const Value& from, ValueKind kind, std::string AccessQuestion::* member,
           std::string_view text) {
  AccessCheck check = from.access();
  check.question.*member = text;
  return Value::OfAccess(kind, std::move(check));
}

Value Path(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kAuthorizer, kString})) return NoSuchOverload();
  if (IsBlank(a[1].text())) return Value::Error("path must not be empty");
  return Next(a[0], kPathCheck, &AccessQuestion::path, a[1].text());
}
Value Group(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kAuthorizer, kString})) return NoSuchOverload();
  return Next(a[0], kGroupCheck, &AccessQuestion::group, a[1].text());
}
Value ServiceAccount(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kAuthorizer, kString, kString})) return NoSuchOverload();
  if (!IsSubdomain(a[2].text())) return Value::Error("Invalid service account name");
  if (a[1].text().size() > kMaxLabel || !IsLabel(a[1].text())) {
    return Value::Error("Invalid service account namespace");
  }
  return Next(Next(a[0], kAuthorizer, &AccessQuestion::account_namespace, a[1].text()), kAuthorizer,
              &AccessQuestion::account, a[2].text());
}
Value Resource(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kGroupCheck, kString})) return NoSuchOverload();
  if (IsBlank(a[1].text())) return Value::Error("resource must not be empty");
  return Next(a[0], kResourceCheck, &AccessQuestion::resource, a[1].text());
}

// Narrows a question about a resource.
template <std::string AccessQuestion::* kMember>
Value Narrowed(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kResourceCheck, kString})) return NoSuchOverload();
  return Next(a[0], kResourceCheck, kMember, a[1].text());
}
// Labels make no difference: no authorizer knows them.
Value LabelSelector(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return AreOf(a, {kResourceCheck, kString}) ? a[0] : NoSuchOverload();
}

Value Check(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kPathCheck, kString}) && !AreOf(a, {kResourceCheck, kString})) {
    return NoSuchOverload();
  }
  if (!evaluation.Charge(kCheckCost)) return Evaluation::OverBudget();
  const AccessCheck& check = a[0].access();
  return Value::OfDecision(check.checker->Check(check.question, std::string(a[1].text())));
}

Value Allowed(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kDecision) ? Value::Bool(a[0].decision().allowed) : NoSuchOverload();
}
Value ReasonOf(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kDecision) ? Value::String(a[0].decision().reason) : NoSuchOverload();
}
// Checks of this server do not fail.
Value Errored(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kDecision) ? Value::Bool(false) : NoSuchOverload();
}
Value ErrorOf(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kDecision) ? Value::String({}) : NoSuchOverload();
}

constexpr auto kFunctions = std::to_array<FunctionEntry>({
    {"path", Path},
    {"group", Group},
    {"serviceAccount", ServiceAccount},
    {"resource", Resource},
    {"subresource", Narrowed<&AccessQuestion::subresource>},
    {"namespace", Narrowed<&AccessQuestion::namespace_>},
    {"name", Narrowed<&AccessQuestion::name>},
    {"fieldSelector", Narrowed<&AccessQuestion::field_selector>},
    {"labelSelector", LabelSelector},
    {"check", Check},
    {"allowed", Allowed},
    {"reason", ReasonOf},
    {"errored", Errored},
    {"error", ErrorOf},
});

}  // namespace

std::span<const FunctionEntry> AccessFunctions() { return kFunctions; }

}  // namespace kinformer::internal::cel
