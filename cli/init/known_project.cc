#include "cli/init/known_project.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "cli/init/project_folder.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

// Returns "x" for a line such as `constexpr char kOperatorName[] = "x";`, or "".
std::string ConstantIn(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find(name + "[] = \"");
  if (begin == std::string::npos) return "";
  const std::size_t value = text.find('"', begin) + 1;
  return text.substr(value, text.find_first_of("\"\n", value) - value);
}

// Returns what is given, or else the only one that is there.
Result<std::string> GivenOrOnly(const std::string& option, const std::string& given,
                                const std::set<std::string>& there) {
  if (!given.empty()) return given;
  if (there.size() == 1) return *there.begin();
  std::string names;
  for (const std::string& name : there) names += (names.empty() ? "" : ", ") + name;
  return Error(Reason::kInvalidArgument,
               there.empty() ? "the project has no kind that says which: give " + option
                             : "the project has several: give " + option + ", such as " + names);
}

// Names of the entries of a folder; `end` is cut off, and those without it are left out.
std::set<std::string> EntriesOf(const fs::path& folder, std::string_view end) {
  std::set<std::string> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(end)) out.insert(name.substr(0, name.size() - end.size()));
  }
  return out;
}

}  // namespace

Result<ProjectNames> NamesOfFurtherKind(const WantedNames& wanted) {
  const fs::path folder = wanted.folder;
  const Result<std::string> header = ReadText(folder / "src/operator.h");
  WantedNames names = wanted;
  if (header) {
    names.name = ConstantIn(*header, "kOperatorName");
    names.namespace_ = ConstantIn(*header, "kOperatorNamespace");
  }
  if (names.name.empty() || names.namespace_.empty()) {
    return Error(
        Reason::kConfig,
        folder.string() +
            " has no project of kinformer init: no src/operator.h there says kOperatorName "
            "and kOperatorNamespace");
  }
  std::set<std::string> groups;
  for (const std::string& definition : EntriesOf(folder / "config/crd", ".yaml")) {
    const std::size_t end = definition.find('_');
    if (end != std::string::npos) groups.insert(definition.substr(0, end));
  }
  Result<std::string> group = GivenOrOnly("--group", wanted.group, groups);
  if (!group) return group.error();
  names.group = *group;
  Result<std::string> version =
      GivenOrOnly("--api-version", wanted.version, EntriesOf(folder / "api", ""));
  if (!version) return version.error();
  names.version = *version;
  return NamesOfProject(names);
}

}  // namespace kinformer::cli
