// Writes changes of a kubeconfig into the files that it came from.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/yaml.h"

#include "config/file_change.h"
#include "config/kubeconfig.h"
#include "config/kubeconfig_value.h"
#include "config/yaml_edit.h"

namespace kinformer::clientcmd {

namespace {

using json::Value;

// Where entries of one kind stand in a file.
struct Section {
  const char* list;
  const char* kind;
};
constexpr Section kClusters{"clusters", "cluster"};
constexpr Section kUsers{"users", "user"};
constexpr Section kContexts{"contexts", "context"};

// A change of one file. An entry has a section and a name; a field of the file has its name alone.
struct Change {
  const Section* section = nullptr;
  std::string name{};
  std::optional<Value> from{};  // none: it is new
  std::optional<Value> to{};    // none: it is removed
};
using Changes = std::map<std::string, std::vector<Change>>;  // by file

std::string FolderOf(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::absolute(file, ignored).parent_path().string();
}

// Spells a path one way, so that two spellings of a file are no change: absolute, or relative to
// `folder` if it is below.
std::string Spelled(const std::string& path, const std::string& folder, bool relative) {
  if (path.empty()) return path;
  const std::filesystem::path given(path);
  const std::filesystem::path whole =
      given.is_absolute() ? given : (std::filesystem::path(folder) / given).lexically_normal();
  if (!relative) return whole.string();
  const std::string below = whole.lexically_normal().lexically_relative(folder).string();
  const bool outside = below.empty() || below == "." || below == ".." || below.starts_with("../");
  return outside ? whole.string() : below;
}

// Spells the paths of an entry for a file in this folder.
struct Speller {
  std::string folder;
  bool relative;

  [[nodiscard]] Value operator()(clientcmdapi::Cluster cluster) const {
    for (std::string* path : GetClusterFileReferences(cluster)) Spell(*path);
    return internal::config::ClusterValue(cluster);
  }
  [[nodiscard]] Value operator()(clientcmdapi::AuthInfo user) const {
    const bool has_path = user.exec && user.exec->command.find('/') != std::string::npos;
    for (std::string* path : GetAuthInfoFileReferences(user)) Spell(*path);
    // A name without a slash would be searched in PATH.
    if (has_path && user.exec->command.find('/') == std::string::npos) {
      user.exec->command.insert(0, "./");
    }
    return internal::config::UserValue(user);
  }
  [[nodiscard]] Value operator()(const clientcmdapi::Context& context) const {
    return internal::config::ContextValue(context);
  }

 private:
  void Spell(std::string& path) const { path = Spelled(path, folder, relative); }
};

// Adds what differs between two maps of entries.
template <class Map>
void Compare(const Section& section, const Map& from, const Map& to,
             const std::string& default_file, bool relative, Changes& changes) {
  for (const auto& [name, entry] : to) {
    const auto before = from.find(name);
    const bool known = before != from.end();
    std::string file = entry.location_of_origin;
    if (file.empty() && known) file = before->second.location_of_origin;
    if (file.empty()) file = default_file;
    const Speller spelled{FolderOf(file), relative};
    Change change{.section = &section, .name = name, .to = spelled(entry)};
    if (known && before->second.location_of_origin == file) {
      change.from = spelled(before->second);
      if (*change.from == *change.to) continue;
    }
    changes[file].push_back(std::move(change));
  }
  for (const auto& [name, entry] : from) {
    if (to.contains(name)) continue;
    const std::string& file = entry.location_of_origin;
    changes[file.empty() ? default_file : file].push_back({.section = &section, .name = name});
  }
}

void CompareField(const std::string& name, Value from, Value to, const std::string& file,
                  Changes& changes) {
  if (from == to) return;
  changes[file].push_back({.name = name, .from = std::move(from), .to = std::move(to)});
}

// `first_with_context`: the file that decides the current context.
Changes Difference(const clientcmdapi::Config& from, const clientcmdapi::Config& to,
                   const std::string& default_file, const std::string& first_with_context,
                   bool relative) {
  Changes out;
  Compare(kClusters, from.clusters, to.clusters, default_file, relative, out);
  Compare(kUsers, from.auth_infos, to.auth_infos, default_file, relative, out);
  Compare(kContexts, from.contexts, to.contexts, default_file, relative, out);
  CompareField("current-context", from.current_context, to.current_context,
               to.current_context.empty() ? first_with_context : default_file, out);
  CompareField("preferences", internal::config::PreferencesValue(from.preferences),
               internal::config::PreferencesValue(to.preferences), default_file, out);
  CompareField("extensions", internal::config::ExtensionsValue(from.extensions),
               internal::config::ExtensionsValue(to.extensions), default_file, out);
  return out;
}

void Apply(Value& root, const Change& change) {
  static const Value kNone;
  if (change.section == nullptr) {
    internal::config::ApplyChange(root.Ensure(change.name), change.from.value_or(kNone),
                                  *change.to);
    return;
  }
  const auto& [list_name, kind] = *change.section;
  Value* list = root.Find(list_name);
  if (!change.to) {
    if (list == nullptr || !list->is_array()) return;
    std::erase_if(*list->IfArray(),
                  [&](const Value& item) { return item["name"].StringOrEmpty() == change.name; });
    return;
  }
  Value& entries = root.Ensure(list_name);
  if (Value* const item = internal::config::ItemNamed(entries, change.name); item != nullptr) {
    internal::config::ApplyChange(item->Ensure(kind), change.from.value_or(kNone), *change.to);
  } else {
    entries.Append(Value::MakeObject({{"name", change.name}, {kind, *change.to}}));
  }
}

bool IsThere(const std::string& path) {
  std::error_code code;
  return std::filesystem::exists(path, code) || code;
}

// REQUIRES: the caller holds the file's lock.
Result<void> ChangeFile(const std::string& path, const std::vector<Change>& changes) {
  std::string text;
  Value before;
  if (IsThere(path)) {
    auto read = internal::config::ReadConfigFile(path, "kubeconfig");
    if (!read) return read.error();
    text = *std::move(read);
    // Another kind of file is not written to.
    if (auto checked = internal::config::ParseKubeconfig(text, path, ""); !checked) {
      return checked.error();
    }
    auto parsed = yaml::Parse(text);
    if (!parsed) return parsed.error();
    before = *std::move(parsed);
  }
  Value after = before;
  if (after.is_null()) after = Value::MakeObject({{"apiVersion", "v1"}, {"kind", "Config"}});
  for (const Change& change : changes) Apply(after, change);
  std::string edited = internal::config::EditYaml(text, before, after);
  if (edited == text && IsThere(path)) return {};
  // The next program must be able to read it.
  if (auto checked = internal::config::ParseKubeconfig(edited, path, ""); !checked) {
    return Error(checked.error()).WithContext("not written");
  }
  return internal::config::ReplaceFile(path, edited);
}

// Returns the first file that has a current context; empty if none has.
template <class Access>
Result<std::string> FirstWithContext(const Access& access) {
  for (const std::string& path : access.GetLoadingPrecedence()) {
    if (!IsThere(path)) continue;
    auto read = internal::config::ReadKubeconfig(path);
    if (!read) return read.error();
    if (!read->current_context.empty()) return path;
  }
  return std::string();
}

template <class Access>
Result<Changes> DifferenceFromFiles(const Access& access, const clientcmdapi::Config& new_config,
                                    bool relative) {
  auto start = access.GetStartingConfig();
  if (!start) return start.error();
  const std::string default_file = access.GetDefaultFilename();
  std::string first;
  if (new_config.current_context.empty() && !start->current_context.empty()) {
    auto found = FirstWithContext(access);
    if (!found) return found.error();
    first = *std::move(found);
  }
  Changes out = Difference(*start, new_config, default_file, first, relative);
  if (out.contains("")) {
    return Error(Reason::kConfig,
                 "there is no file to write the kubeconfig to: set $KUBECONFIG or $HOME");
  }
  return out;
}

template <class Access>
Result<void> ModifyFiles(const Access& access, const clientcmdapi::Config& new_config,
                         bool relativize_paths) {
  auto planned = DifferenceFromFiles(access, new_config, relativize_paths);
  if (!planned) return planned.error();
  // Sorted, so that two programs cannot wait for each other.
  std::vector<internal::config::FileLock> locks;
  for (const auto& [file, ignored] : *planned) {
    auto lock = internal::config::FileLock::Acquire(file);
    if (!lock) return lock.error();
    locks.push_back(*std::move(lock));
  }
  // Another program may have changed the files before they were locked.
  auto changes = DifferenceFromFiles(access, new_config, relativize_paths);
  if (!changes) return changes.error();
  for (const auto& [file, ignored] : *changes) {
    if (!planned->contains(file)) {
      return Error(Reason::kConfig, file + ": another program has changed it; try again");
    }
  }
  for (const auto& [file, list] : *changes) {
    if (Result<void> done = ChangeFile(file, list); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> WriteToFile(const clientcmdapi::Config& config, const std::string& path) {
  return internal::config::EditKubeconfig(path, [&](clientcmdapi::Config& here) -> Result<void> {
    here = config;
    return {};
  });
}

Result<void> ModifyConfig(const PathOptions& access, const clientcmdapi::Config& new_config,
                          bool relativize_paths) {
  return ModifyFiles(access, new_config, relativize_paths);
}

Result<void> ModifyConfig(const ClientConfigLoadingRules& access,
                          const clientcmdapi::Config& new_config, bool relativize_paths) {
  return ModifyFiles(access, new_config, relativize_paths);
}

Result<void> RelativizePathWithNoBacksteps(const std::vector<std::string*>& paths,
                                           const std::string& base) {
  std::vector<std::string> out;
  for (const std::string* path : paths) {
    const std::filesystem::path given(*path);
    if (!path->empty() && !given.is_absolute() &&
        (given.lexically_normal() == ".." ||
         given.lexically_normal().string().starts_with("../"))) {
      return Error(Reason::kConfig,
                   "path \"" + *path + "\" leads out of its folder: write the absolute path");
    }
    out.push_back(given.is_absolute() ? Spelled(*path, base, true) : *path);
  }
  for (std::size_t i = 0; i < paths.size(); ++i) *paths[i] = std::move(out[i]);
  return {};
}

}  // namespace kinformer::clientcmd

namespace kinformer::internal::config {

Result<void> EditKubeconfig(const std::string& path,
                            const std::function<Result<void>(clientcmdapi::Config& config)>& edit) {
  const auto lock = FileLock::Acquire(path);
  if (!lock) return lock.error();
  clientcmdapi::Config before;
  if (clientcmd::IsThere(path)) {
    auto read = ReadKubeconfig(path);
    if (!read) return read.error();
    before = *std::move(read);
  }
  clientcmdapi::Config here = before;
  if (Result<void> edited = edit(here); !edited) return edited;
  // Whatever file an entry came from, it is written to this one.
  for (auto& [name, entry] : here.clusters) entry.location_of_origin = path;
  for (auto& [name, entry] : here.auth_infos) entry.location_of_origin = path;
  for (auto& [name, entry] : here.contexts) entry.location_of_origin = path;
  return clientcmd::ChangeFile(path, clientcmd::Difference(before, here, path, path, true)[path]);
}

}  // namespace kinformer::internal::config
