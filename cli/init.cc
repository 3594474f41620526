// kinformer init: writes the project of an operator.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/init/project_files.h"
#include "cli/init/project_names.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

struct InitFlags {
  WantedNames names{};
  bool force = false;
};

Error CannotWrite(const fs::path& path, const std::string& why) {
  return {Reason::kConfig, "cannot write " + path.string() + ": " + why};
}

// Returns OK if the folder is not there yet, or has hidden files only, such as .git.
Result<void> CheckEmpty(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (!fs::is_directory(folder, error)) {
    return Error(Reason::kConfig, folder.string() + " is no folder");
  }
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    return Error(Reason::kConfig, folder.string() + " is not empty: it has " + name +
                                      "; name a new folder, or give --force, which changes no "
                                      "file that is there");
  }
  if (error) return Error(Reason::kConfig, folder.string() + ": " + error.message());
  return {};
}

Result<void> WriteFile(const fs::path& path, const ProjectFile& file) {
  std::error_code error;
  if (fs::create_directories(path.parent_path(), error); error) {
    return CannotWrite(path, error.message());
  }
  std::ofstream out(path, std::ios::binary);
  out << file.text;
  if (!out.flush()) return CannotWrite(path, "is the folder writable?");
  if (!file.executable) return {};
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error) return CannotWrite(path, error.message());
  return {};
}

bool Says(const fs::path& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream there;
  there << in.rdbuf();
  return in && there.str() == text;
}

int RunInit(const InitFlags& flags) {
  const Result<ProjectNames> names = NamesOfProject(flags.names);
  if (!names) return UsageError(names.error().message());
  const fs::path folder = flags.names.folder;
  if (!flags.force) {
    if (Result<void> empty = CheckEmpty(folder); !empty) return Fail(empty.error());
  }
  for (const ProjectFile& file : FilesOfProject(*names)) {
    fs::path path = folder / file.path;
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(path, ignored));
    if (there && Says(path, file.text)) continue;
    if (there) path += ".new";
    if (Result<void> written = WriteFile(path, file); !written) return Fail(written.error());
    std::cout << Printable(path.string())
              << (there ? ": beside the file that is there, which differs" : "") << '\n';
  }
  std::cout << "\nNext: cd " << Printable(folder.string()) << " && make test && make dev\n";
  return 0;
}

}  // namespace

void RegisterInit(CommandLine& line) {
  auto flags = std::make_shared<InitFlags>();
  Command& command =
      line.Add("init", "Write the project of an operator: sources, tests, manifests");
  command.Positional("DIR", flags->names.folder, /*required=*/true,
                     "the folder, which is made, or has hidden files only");
  command.Option("--name", flags->names.name, "NAME",
                 "name of the project and of its Deployment; by default that of the folder");
  command.Option("--group", flags->names.group, "DOMAIN", "group of the kind (example.com)");
  command.Option("--kind", flags->names.kind, "KIND", "the kind (Website)");
  command.Option("--api-version", flags->names.version, "VERSION", "version of the kind (v1)");
  command.Option("--plural", flags->names.plural, "PLURAL",
                 "the kind's name in paths; guessed by default: websites");
  command.Option("-n,--namespace", flags->names.namespace_, "NS",
                 "namespace that the operator runs in (NAME-system)");
  command.Option("--image", flags->names.image, "IMAGE", "image of the operator (NAME:latest)");
  command.Flag("--force", flags->force,
               "write into a folder that is not empty; a file that is there and differs is kept, "
               "and the new one gets the ending .new");
  command.Elsewhere("--version", "the version of the kind is --api-version");
  command.Status(kFailure, "the folder is not empty, or cannot be written");
  command.Run([flags] { return RunInit(*flags); });
}

}  // namespace kinformer::cli
