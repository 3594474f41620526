#include "cli/init/project_files.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/init/init_templates.h"

namespace kinformer::cli {
namespace {

using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string LowerCase(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string Replaced(std::string_view text, const Replacements& replacements) {
  std::string out;
  while (!text.empty()) {
    const auto fits =
        std::find_if(replacements.begin(), replacements.end(),
                     [&](const auto& replacement) { return text.starts_with(replacement.first); });
    if (fits == replacements.end()) {
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += fits->second;
      text.remove_prefix(fits->first.size());
    }
  }
  return out;
}

Replacements InTexts(const ProjectNames& names) {
  std::string path_group = names.group;
  std::replace(path_group.begin(), path_group.end(), '.', '-');
  return {{"@name@", names.name},
          {"@group@", names.group},
          {"@path_group@", path_group},
          {"@Kind@", names.kind},
          {"@kind@", LowerCase(names.kind)},
          {"@version@", names.version},
          {"@plural@", names.plural},
          {"@Plural@", names.plural_type},
          {"@plural_member@",
           names.plural_is_guessed ? std::string() : "\n      .plural = \"" + names.plural + "\","},
          {"@namespace@", names.namespace_},
          {"@image@", names.image}};
}

Replacements InPaths(const ProjectNames& names) {
  return {{"__group__", names.group},
          {"__kind__", LowerCase(names.kind)},
          {"__plural__", names.plural},
          {"__version__", names.version}};
}

// Returns whether the template's path has the name of the kind.
bool IsOfKind(const InitTemplate& file) {
  return file.path.find("__kind__") != std::string_view::npos ||
         file.path.find("__plural__") != std::string_view::npos;
}

std::vector<ProjectFile> Files(const ProjectNames& names, bool only_of_kind) {
  const Replacements in_texts = InTexts(names);
  const Replacements in_paths = InPaths(names);
  std::vector<ProjectFile> out;
  for (const InitTemplate& file : InitTemplates()) {
    if (only_of_kind && !IsOfKind(file)) continue;
    std::string path = Replaced(file.path, in_paths);
    if (path.starts_with("dot_")) path.replace(0, 4, ".");
    out.push_back({.path = std::move(path),
                   .text = Replaced(file.text, in_texts),
                   .executable = file.text.starts_with("#!")});
  }
  std::sort(out.begin(), out.end(),
            [](const ProjectFile& a, const ProjectFile& b) { return a.path < b.path; });
  return out;
}

}  // namespace

std::vector<ProjectFile> FilesOfProject(const ProjectNames& names) { return Files(names, false); }

std::vector<ProjectFile> FilesOfKind(const ProjectNames& names) { return Files(names, true); }

std::string WithNames(std::string_view text, const ProjectNames& names) {
  return Replaced(text, InTexts(names));
}

}  // namespace kinformer::cli
