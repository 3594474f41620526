// cli/init/project_folder.h
//
// Reads and writes the folder of an operator project.

#ifndef KINFORMER_CLI_INIT_PROJECT_FOLDER_H_
#define KINFORMER_CLI_INIT_PROJECT_FOLDER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "kinformer/base/result.h"

#include "cli/init/project_files.h"

namespace kinformer::cli {

// Returns OK if the folder is not there yet, or has hidden files only, such as .git.
Result<void> CheckEmpty(const std::filesystem::path& folder);

// Writes the files and prints their paths. One that is there and differs is kept; the new one gets
// the ending .new.
Result<void> WriteFiles(const std::filesystem::path& folder, const std::vector<ProjectFile>& files);

// Errors are kConfig, and name the file.
Result<std::string> ReadText(const std::filesystem::path& path);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_PROJECT_FOLDER_H_
