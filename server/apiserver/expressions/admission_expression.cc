#include "apiserver/expressions/admission_expression.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;
using cel::ListOf;
using cel::MapOf;
using cel::Plain;
using cel::TypeKind;
using cel::TypePtr;

// Evaluations of variables nest, and their recursion is bounded.
constexpr std::size_t kMaxDepth = 800;

const TypePtr& Text() { return Plain(TypeKind::kString); }

TypePtr Object(const char* name, std::initializer_list<std::pair<const char*, TypePtr>> members) {
  std::vector<cel::Field> fields;
  for (const auto& [field, type] : members) fields.push_back({field, field, type});
  return cel::ObjectOf(name, std::move(fields));
}

// The type of `request`: an AdmissionRequest without uid and objects.
TypePtr RequestType() {
  const TypePtr kind = Object("kubernetes.GroupVersionKind",
                              {{"group", Text()}, {"version", Text()}, {"kind", Text()}});
  const TypePtr resource = Object("kubernetes.GroupVersionResource",
                                  {{"group", Text()}, {"version", Text()}, {"resource", Text()}});
  const TypePtr user = Object("kubernetes.UserInfo", {{"username", Text()},
                                                      {"uid", Text()},
                                                      {"groups", ListOf(Text())},
                                                      {"extra", MapOf(Text(), ListOf(Text()))}});
  return Object("kubernetes.AdmissionRequest", {{"kind", kind},
                                                {"resource", resource},
                                                {"subResource", Text()},
                                                {"requestKind", kind},
                                                {"requestResource", resource},
                                                {"requestSubResource", Text()},
                                                {"name", Text()},
                                                {"namespace", Text()},
                                                {"operation", Text()},
                                                {"userInfo", user},
                                                {"dryRun", Plain(TypeKind::kBool)},
                                                {"options", Plain(TypeKind::kDyn)}});
}

// The type of `namespaceObject`, which lacks some members of metadata.
TypePtr NamespaceType() {
  const TypePtr texts = ListOf(Text());
  const TypePtr labels = MapOf(Text(), Text());
  const TypePtr& time = Plain(TypeKind::kTimestamp);
  const TypePtr& number = Plain(TypeKind::kInt);
  const TypePtr metadata =
      Object("kubernetes.NamespaceMetadata", {{"name", Text()},
                                              {"generateName", Text()},
                                              {"namespace", Text()},
                                              {"labels", labels},
                                              {"annotations", labels},
                                              {"UID", Text()},
                                              {"creationTimestamp", time},
                                              {"deletionGracePeriodSeconds", number},
                                              {"deletionTimestamp", time},
                                              {"generation", number},
                                              {"resourceVersion", Text()},
                                              {"finalizers", texts}});
  const TypePtr condition = Object("kubernetes.NamespaceCondition", {{"status", Text()},
                                                                     {"type", Text()},
                                                                     {"lastTransitionTime", time},
                                                                     {"message", Text()},
                                                                     {"reason", Text()}});
  return Object("kubernetes.Namespace",
                {{"metadata", metadata},
                 {"spec", Object("kubernetes.NamespaceSpec", {{"finalizers", texts}})},
                 {"status", Object("kubernetes.NamespaceStatus",
                                   {{"conditions", ListOf(condition)}, {"phase", Text()}})}});
}

// Returns the name of a type in messages about results.
std::string ResultName(const cel::Type& type) {
  switch (type.kind) {
    case TypeKind::kNull:
      return "null_type";
    case TypeKind::kTimestamp:
      return "google.protobuf.Timestamp";
    case TypeKind::kDuration:
      return "google.protobuf.Duration";
    default:
      return cel::TypeText(type);
  }
}

TypePtr PatchType(std::string_view name) {
  static const TypePtr kPatch = Object(
      "JSONPatch",
      {{"op", Text()}, {"path", Text()}, {"from", Text()}, {"value", Plain(TypeKind::kDyn)}});
  if (name == "JSONPatch") return kPatch;
  if (name == "Object" || name.starts_with("Object.")) return cel::OpenObject(std::string(name));
  return nullptr;
}

std::vector<TypePtr> TypesOf(ExpressionResult result) {
  switch (result) {
    case ExpressionResult::kAny:
      break;
    case ExpressionResult::kBool:
      return {Plain(TypeKind::kBool)};
    case ExpressionResult::kText:
      return {Text()};
    case ExpressionResult::kTextOrNull:
      return {Text(), Plain(TypeKind::kNull)};
    case ExpressionResult::kApplyConfiguration:
      return {PatchType("Object")};
    case ExpressionResult::kJsonPatch:
      return {ListOf(PatchType("JSONPatch"))};
  }
  return {};
}

// Returns the problem of an expression of that type; empty if there is none.
std::string WrongResult(ExpressionResult result, const cel::Type& got) {
  const std::vector<TypePtr> wanted = TypesOf(result);
  std::string names;
  for (const TypePtr& type : wanted) {
    if (cel::TypeText(*type) == cel::TypeText(got)) return {};
    if (!names.empty()) names += ' ';
    names += ResultName(*type);
  }
  if (wanted.empty()) return {};
  if (wanted.size() > 1) names = "one of [" + names + "]";
  return "must evaluate to " + names + " but got " + ResultName(got);
}

}  // namespace

ExpressionScope::ExpressionScope(const Declared& declared) {
  static const TypePtr kRequestType = RequestType();
  static const TypePtr kNamespaceType = NamespaceType();
  if (declared.patches) environment_.messages = PatchType;
  std::vector<cel::Variable>& variables = environment_.variables;
  // Nothing can name a variable without a name.
  const auto named = [](bool is_declared, const char* name) { return is_declared ? name : ""; };
  variables.resize(kFixedVariables);
  variables[kObject] = {"object", Plain(TypeKind::kDyn)};
  variables[kOldObject] = {"oldObject", Plain(TypeKind::kDyn)};
  variables[kNamespaceObject] = {"namespaceObject", kNamespaceType};
  variables[kRequest] = {"request", kRequestType};
  variables[kParams] = {named(declared.params, "params"), Plain(TypeKind::kDyn)};
  variables[kAuthorizer] = {named(declared.authorizer, "authorizer"), Plain(TypeKind::kAuthorizer)};
  variables[kRequestResource] = {named(declared.authorizer, "authorizer.requestResource"),
                                 Plain(TypeKind::kResourceCheck)};
  variables[kVariables] = {"", cel::ObjectOf("kubernetes.variables", {})};
}

AdmissionExpression ExpressionScope::Compile(std::string_view text, ExpressionResult result) const {
  AdmissionExpression out{.text = std::string(text)};
  cel::Compiled compiled = cel::Program::Compile(text, environment_);
  if (compiled.program == nullptr) {
    out.error = (compiled.fails ? "program instantiation failed: " : "compilation failed: ") +
                compiled.error;
    return out;
  }
  out.error = WrongResult(result, compiled.program->type());
  if (!out.error.empty()) return out;
  std::size_t below = 0;
  for (std::size_t i = 0; i < depths_.size(); ++i) {
    if (compiled.program->Uses(kFixedVariables + i)) below = std::max(below, depths_[i]);
  }
  out.depth = compiled.program->depth() + below;
  if (out.depth > kMaxDepth) {
    out.error = "compilation failed: variables are nested too deeply";
    return out;
  }
  out.program = std::move(compiled.program);
  return out;
}

std::vector<PolicyVariable> ExpressionScope::Declare(const json::Value& variables) {
  std::vector<PolicyVariable> out;
  if (variables.size() > 0) environment_.variables[kVariables].name = "variables";
  for (const json::Value& said : variables.items()) {
    PolicyVariable variable{
        .name = said["name"].StringOrEmpty(),
        .expression = Compile(said["expression"].StringOrEmpty(), ExpressionResult::kAny)};
    Add(variable);
    out.push_back(std::move(variable));
  }
  return out;
}

void ExpressionScope::Declare(std::span<const PolicyVariable> variables) {
  if (!variables.empty()) environment_.variables[kVariables].name = "variables";
  for (const PolicyVariable& variable : variables) Add(variable);
}

void ExpressionScope::Add(const PolicyVariable& variable) {
  const auto& program = variable.expression.program;
  TypePtr type = Plain(TypeKind::kDyn);
  if (program != nullptr) type = std::make_shared<cel::Type>(program->type());
  environment_.variables.push_back({"variables." + variable.name, std::move(type)});
  depths_.push_back(variable.expression.depth);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

}  // namespace kinformer::apiserver
