// Functions of semantic versions: "1.2.3".

#include <string>
#include <utility>

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/semver.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

// Reads the text that a call has, made normal if the call says so.
Result<Semver> VersionIn(Arguments a) {
  if (a.size() == 1 || a[1].is_false()) return ParseSemver(a[0].text());
  const auto normal = NormalSemver(a[0].text());
  if (!normal) return normal.error();
  return ParseSemver(*normal);
}

bool AreFit(Arguments a) { return a[0].is(kString) && (a.size() == 1 || a[1].is(kBool)); }

Value SemverFunction(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreFit(a)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  auto version = VersionIn(a);
  if (!version) return Value::Error(version.error().message());
  return Value::OfSemver(*std::move(version));
}
Value IsSemver(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreFit(a)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  return Value::Bool(VersionIn(a).ok());
}

template <std::size_t kPart>
Value Part(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kSemver)) return NoSuchOverload();
  return Value::Int(static_cast<std::int64_t>(a[0].semver().numbers[kPart]));
}

}  // namespace

std::span<const FunctionEntry> VersionFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"semver", SemverFunction}, {"isSemver", IsSemver}, {"major", Part<0>},
      {"minor", Part<1>},         {"patch", Part<2>},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
