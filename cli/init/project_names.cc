#include "cli/init/project_names.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace kinformer::cli {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;
// Room for what is appended: "-webhook-certificates", "-system".
constexpr std::size_t kMaxProject = 40;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string LowerCase(std::string_view text) {
  std::string out;
  for (const char c : text) out += Lower(c);
  return out;
}

// Returns whether it is a label of DNS that begins with a letter.
bool IsLabel(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && IsLower(text.front()) && text.back() != '-' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

// Returns whether it is a name of DNS with a dot in it, whose parts begin with a letter or digit.
bool IsDomain(std::string_view text) {
  if (text.size() > kMaxSubdomain || text.find('.') == std::string_view::npos) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    const bool digit_first = !part.empty() && IsDigit(part.front());
    if (!IsLabel(digit_first ? "x" + std::string(part) : std::string(part))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Returns whether it is a version of the API: v1, v1beta2.
bool IsVersion(std::string_view text) {
  const auto number = [&text] {
    if (text.empty() || text.front() < '1' || text.front() > '9') return false;
    while (!text.empty() && IsDigit(text.front())) text.remove_prefix(1);
    return true;
  };
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  if (!number()) return false;
  if (text.empty()) return true;
  for (const std::string_view stage : {"alpha", "beta"}) {
    if (!text.starts_with(stage)) continue;
    text.remove_prefix(stage.size());
    return number() && text.empty();
  }
  return false;
}

bool IsKind(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && IsUpper(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); });
}

// Returns whether it may stand in a manifest as it is.
bool IsImage(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return IsLower(c) || IsUpper(c) || IsDigit(c) ||
           std::string_view("./:_-@").find(c) != std::string_view::npos;
  });
}

Error Wrong(std::string_view option, const std::string& value, std::string_view form) {
  return {Reason::kInvalidArgument,
          std::string(option) + " \"" + value + "\" must be " + std::string(form)};
}

// Returns the name of the folder as that of a project: "My_Operator" is "my-operator".
std::string NameOfFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(folder, ignored).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string out;
  for (const char c : path.filename().string()) {
    const char lower = Lower(c);
    const bool fits = IsLower(lower) || IsDigit(lower);
    if (fits) out += lower;
    if (!fits && !out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

// Returns "Policies" for "Policy" and "policies": the kind's capitals as far as the two agree.
std::string PluralType(const std::string& kind, const std::string& plural) {
  std::size_t same = 0;
  while (same < kind.size() && same < plural.size() && Lower(kind[same]) == plural[same]) ++same;
  std::string out = kind.substr(0, same) + plural.substr(same);
  if (IsLower(out.front())) out.front() = static_cast<char>(out.front() - 'a' + 'A');
  out.erase(std::remove(out.begin(), out.end(), '-'), out.end());
  return out == kind ? kind + "Objects" : out;
}

Result<void> Check(const ProjectNames& names) {
  if (!IsLabel(names.name) || names.name.size() > kMaxProject) {
    return Wrong("--name", names.name,
                 "a name of a Deployment of at most 40 characters: small letters, digits and "
                 "hyphens, such as website-operator");
  }
  if (!IsDomain(names.group)) {
    return Wrong("--group", names.group, "a domain in small letters, such as example.com");
  }
  for (const std::string_view reserved : {"k8s.io", "kubernetes.io"}) {
    if (names.group == reserved || names.group.ends_with("." + std::string(reserved))) {
      return Wrong("--group", names.group,
                   "a domain of yours: servers take kinds of " + std::string(reserved) +
                       " only where Kubernetes has approved them");
    }
  }
  if (!IsKind(names.kind)) {
    return Wrong("--kind", names.kind,
                 "letters and digits that begin with a capital, such as Website");
  }
  if (!IsVersion(names.version)) {
    return Wrong("--api-version", names.version, "a version such as v1, v1beta1 or v2alpha3");
  }
  if (!IsLabel(names.plural)) {
    return Wrong("--plural", names.plural, "the plural in small letters, such as websites");
  }
  if (!IsLabel(names.namespace_)) {
    return Wrong("--namespace", names.namespace_,
                 "a name of a namespace: small letters, digits and hyphens");
  }
  if (!IsImage(names.image)) {
    return Wrong("--image", names.image, "a name of an image, such as registry/website-operator:1");
  }
  return {};
}

}  // namespace

std::string PluralOfKind(std::string_view kind) {
  std::string out = LowerCase(kind);
  const auto ends_with_any = [&out](auto... endings) { return (out.ends_with(endings) || ...); };
  const bool vowel_before =
      out.size() > 1 && std::string_view("aeiou").find(out[out.size() - 2]) != std::string::npos;
  if (out.ends_with('y') && !vowel_before) return out.substr(0, out.size() - 1) + "ies";
  return out + (ends_with_any('s', 'x', 'z', "ch", "sh") ? "es" : "s");
}

Result<ProjectNames> NamesOfProject(const WantedNames& wanted) {
  const auto or_else = [](const std::string& given, const std::string& otherwise) {
    return given.empty() ? otherwise : given;
  };
  ProjectNames names;
  names.name = or_else(wanted.name, NameOfFolder(wanted.folder));
  names.group = or_else(wanted.group, "example.com");
  names.kind = or_else(wanted.kind, "Website");
  names.version = or_else(wanted.version, "v1");
  names.plural = or_else(wanted.plural, PluralOfKind(names.kind));
  names.plural_is_guessed = names.plural == PluralOfKind(names.kind);
  names.namespace_ = or_else(wanted.namespace_, names.name + "-system");
  names.image = or_else(wanted.image, names.name + ":latest");
  if (Result<void> checked = Check(names); !checked) {
    if (wanted.name.empty() && !IsLabel(names.name)) {
      return Error(Reason::kInvalidArgument,
                   "the name of the folder makes no name of a project: give one by --name, such as "
                   "website-operator");
    }
    return checked.error();
  }
  names.plural_type = PluralType(names.kind, names.plural);
  return names;
}

}  // namespace kinformer::cli
