// cli/init/project_files.h
//
// The files of a new operator project: the templates with the project's names in them.

#ifndef KINFORMER_CLI_INIT_PROJECT_FILES_H_
#define KINFORMER_CLI_INIT_PROJECT_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/init/project_names.h"

namespace kinformer::cli {

struct ProjectFile {
  std::string path{};  // in the project
  std::string text{};
  bool executable = false;  // a script
};

// Returns the files, sorted by path. Placeholders of texts: @name@, @group@, @Kind@, @kind@ and so
// on; those of paths: __kind__, __plural__, __group__, __version__, and dot_ at the beginning.
std::vector<ProjectFile> FilesOfProject(const ProjectNames& names);

// Returns those that the kind has for itself. kind_lines.h has its lines in the others.
std::vector<ProjectFile> FilesOfKind(const ProjectNames& names);

// Returns the text with the names in the place of its placeholders.
std::string WithNames(std::string_view text, const ProjectNames& names);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_PROJECT_FILES_H_
