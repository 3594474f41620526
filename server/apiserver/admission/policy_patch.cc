#include "apiserver/admission/policy_patch.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json_diff.h"

#include "apiserver/admission/added_limit.h"
#include "apiserver/errors/status.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/request/patch.h"
#include "apiserver/schema/schema_apply.h"
#include "cel/to_json.h"
#include "cel/value.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;

// Limits what a patch may take in memory, as for what it adds to an object.
constexpr std::size_t kMostPatched = kMostAdded;

Error Wrong(std::string why) { return {Reason::kInvalid, std::move(why)}; }

std::string Joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) out.append(out.empty() ? "" : between).append(text);
  return out;
}

// ---- Names of types. "Object.spec{selector: Object.spec.wrong{}}" is a mistake.

void CheckTypeNames(const cel::Value& value, const std::string& path,
                    std::vector<std::string>& problems) {
  if (value.is(cel::ValueKind::kList)) {
    for (std::size_t i = 0; i < value.size(); ++i) CheckTypeNames(value.item(i), path, problems);
  }
  if (!value.is(cel::ValueKind::kMap)) return;
  const cel::Type* const type = value.message_type();
  if (type != nullptr && type->name != path) {
    problems.push_back("unexpected type name " + JsonString(type->name) + ", expected " +
                       JsonString(path) + ", which matches field name path from root Object type");
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string below =
        type == nullptr ? path : path + "." + std::string(value.key(i).text());
    CheckTypeNames(value.value(i), below, problems);
  }
}

Result<void> CheckTypeNames(const cel::Value& value) {
  std::vector<std::string> problems;
  const cel::Type* const type = value.message_type();
  CheckTypeNames(value, type == nullptr ? std::string() : type->name, problems);
  if (problems.empty()) return {};
  return Wrong("type mismatch: " + Joined(problems, "\n"));
}

// ---- JSON patches

Result<json::Value> OperationOf(const cel::Value& message, std::size_t& bytes) {
  json::Value operation = json::Value::MakeObject();
  for (const char* member : {"op", "path", "from", "value"}) {
    const std::optional<cel::Value> found = message.FindField(member);
    if (!found) continue;
    const bool is_value = std::string_view(member) == "value";
    if (!is_value && !found->is(cel::ValueKind::kString)) {
      return Wrong("unexpected type for JSONPatchType '" + std::string(member) + "' field");
    }
    Result<json::Value> value = cel::ToJson(*found, bytes);
    if (!value.ok()) {
      return Wrong("JSONPath valueExpression evaluated to a type that could not marshal to JSON: " +
                   value.error().message());
    }
    if (is_value && found->message_type() != nullptr) {
      if (Result<void> named = CheckTypeNames(*found); !named) return named.error();
    }
    operation.Set(member, *std::move(value));
  }
  return operation;
}

// Returns whether the patch has failed because of a `test`, by the error of json::ApplyPatch.
bool IsFailedTest(const Error& error) {
  const std::string_view text = error.message();
  const std::size_t at = text.find('(');
  return at != std::string_view::npos && text.substr(at + 1).starts_with("test ");
}

Result<json::Value> PatchedByJson(const cel::Value& operations, const json::Value& object) {
  std::size_t bytes = kMostPatched;
  json::Value patch = json::Value::MakeArray();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Result<json::Value> operation = OperationOf(operations.item(i), bytes);
    if (!operation.ok()) return operation;
    patch.Append(*std::move(operation));
  }
  json::Value patched = object;
  const Result<void> applied = json::ApplyPatch(patch, patched);
  if (applied) return patched;
  if (IsFailedTest(applied.error())) return object;
  return Wrong("JSON Patch: " + applied.error().message());
}

// ---- Apply configurations

// Adds the paths of atomic lists and objects: what is not named in them would be lost.
void FindAtomics(const ValueShape& shape, const json::Value& value, const std::string& path,
                 std::vector<std::string>& found) {
  if (value.is_object()) {
    if (shape.IsAtomicObject()) found.push_back(path);
    for (const auto& [name, member] : value.members()) {
      const ValueShape below = shape.Member(name);
      if (below.named()) FindAtomics(below, member, path + "." + name, found);
    }
  } else if (value.is_array()) {
    if (!shape.NamesOf(value.items())) found.push_back(path);
    for (std::size_t i = 0; i < value.size(); ++i) {
      FindAtomics(shape.Item(), value[i], path + "[" + std::to_string(i) + "]", found);
    }
  }
}

// Returns `.spec.x` of `unknown field "spec.x"`.
std::string PathIn(std::string_view problem) {
  const std::size_t first = problem.find('"');
  const std::size_t last = problem.rfind('"');
  if (first == last) return std::string(problem);
  return "." + std::string(problem.substr(first + 1, last - first - 1));
}

// Fails if the schema lacks a member, or has another type for it.
Result<void> CheckDeclared(const ResourceAt& at, const json::Value& declared) {
  std::vector<std::string> problems;
  if (at.version->message != nullptr) {
    internal::FieldProblems found;
    const auto typed = internal::JsonToProtobuf(*at.version->message, declared.Dump(), &found);
    if (!typed)
      return Wrong("failed to convert patch object to typed object: " + typed.error().message());
    problems = std::move(found.unknown);
  }
  for (std::string& problem : UnknownFieldProblems(at, declared, /*applies=*/true)) {
    problems.push_back(std::move(problem));
  }
  if (problems.empty()) return {};
  for (std::string& problem : problems) {
    problem = PathIn(problem) + ": field not declared in schema";
  }
  std::ranges::sort(problems);
  std::string text = Joined(problems, "\n  ");
  if (problems.size() > 1) text.insert(0, "errors:\n  ");
  return Wrong("failed to convert patch object to typed object: " + text);
}

// `message`: null for unknown fields.
Result<json::Value> Merged(const json::Value& declared, const internal::MessageDescriptor* message,
                           const json::Value& object) {
  json::Value merged = object;
  if (Result<void> done = ApplyDeclaredObject(declared, message, merged); !done) {
    return Wrong("failed to merge patch: " + done.error().message());
  }
  return merged;
}

Result<json::Value> Applied(const json::Value& declared, const ResourceAt& at,
                            const json::Value& object) {
  if (Result<void> known = CheckDeclared(at, declared); !known) return known.error();
  std::vector<std::string> atomics;
  FindAtomics(ValueShape::Of(*at.version), declared, {}, atomics);
  if (!atomics.empty()) {
    return Wrong("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: " +
                 Joined(atomics, ", "));
  }
  if (at.version->schema == nullptr) return Merged(declared, at.version->message, object);
  json::Value merged = object;
  const std::string problem = ApplyDeclared(at.version->schema->root(), declared, merged);
  if (!problem.empty()) return Wrong("failed to merge patch: " + problem);
  return merged;
}

// `at`: null for an object without a schema.
Result<json::Value> PatchedByApply(const cel::Value& configuration, const ResourceAt* at,
                                   const json::Value& object) {
  std::size_t bytes = kMostPatched;
  Result<json::Value> declared = cel::ToJson(configuration, bytes);
  if (!declared.ok()) return Wrong(declared.error().message());
  if (Result<void> named = CheckTypeNames(configuration); !named) return named.error();
  // The kind of the patch is that of the object.
  declared->Set("apiVersion", object["apiVersion"]);
  declared->Set("kind", object["kind"]);
  Result<json::Value> merged =
      at == nullptr ? Merged(*declared, nullptr, object) : Applied(*declared, *at, object);
  if (!merged.ok()) return Wrong("error applying patch: " + merged.error().message());
  return merged;
}

}  // namespace

Result<json::Value> PatchByPolicy(const PolicyMutation& mutation,
                                  std::span<const PolicyVariable> variables,
                                  const ExpressionInput& input, const ResourceAt& at,
                                  bool other_kind) {
  // The error of the compiler is shown as it is.
  if (!mutation.expression.error.empty()) return Wrong(mutation.expression.error);
  ExpressionRun run(input, variables, kPolicyBudget);
  std::optional<Evaluated> patch = run.Evaluate(mutation.expression);
  if (!patch) return Wrong(std::string(kOutOfBudget));
  if (!patch->error.empty()) return Wrong(std::move(patch->error));
  return mutation.applies ? PatchedByApply(patch->value, other_kind ? nullptr : &at, input.object)
                          : PatchedByJson(patch->value, input.object);
}

}  // namespace kinformer::apiserver
