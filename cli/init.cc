// kinformer init: writes the project of an operator, or a further kind into one.

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/init/add_kind.h"
#include "cli/init/known_project.h"
#include "cli/init/project_files.h"
#include "cli/init/project_folder.h"
#include "cli/init/project_names.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct InitFlags {
  WantedNames names{};
  std::string add_kind{};
  bool force = false;
};

int RunAddKind(const InitFlags& flags) {
  const std::pair<std::string, const std::string&> given[] = {
      {"--kind", flags.names.kind},
      {"--name", flags.names.name},
      {"--namespace", flags.names.namespace_},
      {"--image", flags.names.image}};
  for (const auto& [option, value] : given) {
    if (!value.empty()) return UsageError(option + " is for a new project: leave it out");
  }
  WantedNames wanted = flags.names;
  wanted.kind = flags.add_kind;
  const Result<ProjectNames> names = NamesOfFurtherKind(wanted);
  if (!names) return UsageOrFailure(names.error(), "");
  if (Result<void> added = AddKind(*names, wanted, flags.force); !added) return Fail(added.error());
  std::cout << "\nNext: cd " << Printable(wanted.folder) << " && make test && make rbac\n";
  return 0;
}

int RunInit(const InitFlags& flags) {
  if (!flags.add_kind.empty()) return RunAddKind(flags);
  const Result<ProjectNames> names = NamesOfProject(flags.names);
  if (!names) return UsageError(names.error().message());
  const std::filesystem::path folder = flags.names.folder;
  if (!flags.force) {
    if (Result<void> empty = CheckEmpty(folder); !empty) return Fail(empty.error());
  }
  if (Result<void> written = WriteFiles(folder, FilesOfProject(*names)); !written) {
    return Fail(written.error());
  }
  std::cout << "\nNext: cd " << Printable(folder.string()) << " && make test && make dev\n";
  return 0;
}

}  // namespace

void RegisterInit(CommandLine& line) {
  auto flags = std::make_shared<InitFlags>();
  Command& command = line.Add(
      "init", "Write the project of an operator: sources, tests, manifests; or add a kind to it");
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
  command.Option("--add-kind", flags->add_kind, "KIND",
                 "add this kind to the project in DIR: sources, test, webhooks, manifests, and its "
                 "lines in the files that all kinds share; --group and --api-version are those of "
                 "the kinds that are there by default");
  command.Flag("--force", flags->force,
               "write into a folder that is not empty; a file that is there and differs is kept, "
               "and the new one gets the ending .new");
  command.Elsewhere("--version", "the version of the kind is --api-version");
  command.Status(
      kFailure,
      "the folder is not empty, or cannot be written; with --add-kind also: some lines are to "
      "be put in by hand");
  command.Run([flags] { return RunInit(*flags); });
}

}  // namespace kinformer::cli
