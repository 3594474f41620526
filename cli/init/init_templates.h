// cli/init/init_templates.h
//
// The files of a new operator project as they stand in init/templates, which the build makes a
// source of.

#ifndef KINFORMER_CLI_INIT_INIT_TEMPLATES_H_
#define KINFORMER_CLI_INIT_INIT_TEMPLATES_H_

#include <span>
#include <string_view>

namespace kinformer::cli {

// One file. Its path and its text have placeholders (project_files.h).
struct InitTemplate {
  std::string_view path{};  // below init/templates, without ".in"
  std::string_view text{};
};

// Sorted by path.
std::span<const InitTemplate> InitTemplates();

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_INIT_TEMPLATES_H_
