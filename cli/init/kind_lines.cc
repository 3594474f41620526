#include "cli/init/kind_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/text/line_changes.h"
#include "cli/init/init_templates.h"
#include "cli/init/project_files.h"

namespace kinformer::cli {
namespace {

using Lines = std::vector<std::string_view>;

// README.md is the author's own: its words about the first kind have no place for another.
constexpr std::array<std::string_view, 9> kSharedFiles{
    "CMakeLists.txt",
    "config/crd/kustomization.yaml",
    "config/dev/webhooks.yaml",
    "config/rbac/kustomization.yaml",
    "config/rbac/role.yaml",
    "config/samples/kustomization.yaml",
    "config/webhook/mutating.yaml",
    "config/webhook/validating.yaml",
    "src/operator.cc",
};

std::size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Returns the line without the spaces around it.
std::string_view Bare(std::string_view line) {
  line.remove_prefix(IndentOf(line));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

// Returns the parts of a list, and all lines around it: an item of a YAML list is one part, and
// every other line, too.
std::vector<Lines> Parts(std::string_view text) {
  std::vector<Lines> out;
  for (const std::string_view line : internal::base::LinesOf(text)) {
    const bool goes_on = !out.empty() && Bare(out.back().front()).starts_with("- ") &&
                         IndentOf(line) > IndentOf(out.back().front());
    if (!goes_on) out.emplace_back();
    out.back().push_back(line);
  }
  return out;
}

bool NamesKind(const Lines& part) {
  return std::any_of(part.begin(), part.end(), [](std::string_view line) {
    for (const std::string_view name : {"@kind@", "@Kind@", "@plural@", "@Plural@"}) {
      if (line.find(name) != std::string_view::npos) return true;
    }
    return false;
  });
}

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-';
}

// Returns whether the line has a name wherever the form has a placeholder, and is else the same.
bool HasForm(std::string_view line, std::string_view form) {
  const std::size_t literal = std::min(form.find('@'), form.size());
  if (line.substr(0, literal) != form.substr(0, literal)) return false;
  if (literal == form.size()) return line.size() == literal;
  line.remove_prefix(literal);
  form.remove_prefix(form.find('@', literal + 1) + 1);
  for (std::size_t name = 0; name < line.size() && IsOfName(line[name]); ++name) {
    if (HasForm(line.substr(name + 1), form)) return true;
  }
  return false;
}

}  // namespace

std::vector<KindLines> LinesOfKind(const ProjectNames& names) {
  std::vector<KindLines> out;
  for (const InitTemplate& file : InitTemplates()) {
    if (std::find(kSharedFiles.begin(), kSharedFiles.end(), file.path) == kSharedFiles.end()) {
      continue;
    }
    bool together = false;
    for (const Lines& part : Parts(file.text)) {
      const bool of_kind = NamesKind(part);
      if (of_kind && !together) {
        out.push_back({.path = std::string(file.path), .form = std::string(part.front())});
      }
      together = of_kind;
      if (!of_kind) continue;
      for (const std::string_view line : part) out.back().lines.push_back(WithNames(line, names));
    }
  }
  return out;
}

std::optional<std::string> WithLines(std::string_view text, const KindLines& lines) {
  const Lines there = internal::base::LinesOf(text);
  const auto same = [](std::string_view a, std::string_view b) { return Bare(a) == Bare(b); };
  if (std::search(there.begin(), there.end(), lines.lines.begin(), lines.lines.end(), same) !=
      there.end()) {
    return std::string(text);
  }
  const auto place = std::find_if(there.begin(), there.end(), [&](std::string_view line) {
    return HasForm(Bare(line), Bare(lines.form));
  });
  if (place == there.end()) return std::nullopt;
  const std::size_t before = IndentOf(lines.form);
  const std::string indent(place->substr(0, IndentOf(*place)));
  std::string added;
  for (const std::string& line : lines.lines) added += indent + line.substr(before) + '\n';
  std::string out(text);
  out.insert(static_cast<std::size_t>(place->data() - text.data()), added);
  return out;
}

}  // namespace kinformer::cli
