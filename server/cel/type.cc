#include "cel/type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinformer::internal::cel {
namespace {

constexpr std::array<std::string_view, 28> kNames = {"dyn",
                                                     "null",
                                                     "bool",
                                                     "int",
                                                     "uint",
                                                     "double",
                                                     "string",
                                                     "bytes",
                                                     "timestamp",
                                                     "duration",
                                                     "list",
                                                     "map",
                                                     "object",
                                                     "optional_type",
                                                     "type",
                                                     "kubernetes.URL",
                                                     "net.IP",
                                                     "net.CIDR",
                                                     "kubernetes.Quantity",
                                                     "kubernetes.authorization.Authorizer",
                                                     "kubernetes.authorization.PathCheck",
                                                     "kubernetes.authorization.GroupCheck",
                                                     "kubernetes.authorization.ResourceCheck",
                                                     "kubernetes.authorization.Decision",
                                                     "kubernetes.Semver",
                                                     "kubernetes.NamedFormat",
                                                     "!error!",
                                                     "_"};

constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

TypePtr WithParameters(TypeKind kind, std::vector<TypePtr> parameters) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->parameters = std::move(parameters);
  return type;
}

bool IsWordSign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

const Field* Type::FindField(std::string_view identifier) const {
  const auto at = std::ranges::lower_bound(fields, identifier, {}, &Field::name);
  return at == fields.end() || at->name != identifier ? nullptr : &*at;
}

const TypePtr& Plain(TypeKind kind) {
  static const std::array<TypePtr, kNames.size()> kTypes = [] {
    std::array<TypePtr, kNames.size()> types;
    for (std::size_t i = 0; i < types.size(); ++i) {
      types[i] = WithParameters(static_cast<TypeKind>(i), {});
    }
    return types;
  }();
  return kTypes[static_cast<std::size_t>(kind)];
}

TypePtr ListOf(TypePtr item) { return WithParameters(TypeKind::kList, {std::move(item)}); }
TypePtr MapOf(TypePtr key, TypePtr value) {
  return WithParameters(TypeKind::kMap, {std::move(key), std::move(value)});
}
TypePtr OptionalOf(TypePtr type) { return WithParameters(TypeKind::kOptional, {std::move(type)}); }
TypePtr TypeOf(TypePtr type) { return WithParameters(TypeKind::kType, {std::move(type)}); }

TypePtr ObjectOf(std::string name, std::vector<Field> fields) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kObject;
  type->name = std::move(name);
  type->fields = std::move(fields);
  std::ranges::sort(type->fields, {}, &Field::name);
  return type;
}

TypePtr OpenObject(std::string name) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kObject;
  type->name = std::move(name);
  type->is_open = true;
  return type;
}

std::string TypeText(const Type& type) {
  if (type.kind == TypeKind::kObject) return type.name;
  std::string text(kNames[static_cast<std::size_t>(type.kind)]);
  for (std::size_t i = 0; i < type.parameters.size(); ++i) {
    text.append(i == 0 ? "(" : ", ").append(TypeText(*type.parameters[i]));
  }
  if (!type.parameters.empty()) text += ')';
  return text;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::ranges::all_of(text, IsWordSign) &&
         std::ranges::find(kReserved, text) == kReserved.end();
}

std::string EscapedName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return {};
  if (std::ranges::find(kReserved, name) != kReserved.end()) {
    return "__" + std::string(name) + "__";
  }
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("__")) {
      out += "__underscores__";
      ++i;
    } else if (name[i] == '.') {
      out += "__dot__";
    } else if (name[i] == '-') {
      out += "__dash__";
    } else if (name[i] == '/') {
      out += "__slash__";
    } else if (IsWordSign(name[i])) {
      out += name[i];
    } else {
      return {};
    }
  }
  return out;
}

}  // namespace kinformer::internal::cel
