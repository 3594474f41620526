// cli/init/known_project.h
//
// The names of a project that `kinformer init` made before, for a further kind in it.

#ifndef KINFORMER_CLI_INIT_KNOWN_PROJECT_H_
#define KINFORMER_CLI_INIT_KNOWN_PROJECT_H_

#include <string>

#include "kinformer/base/result.h"

#include "cli/init/project_names.h"

namespace kinformer::cli {

// Returns the names of the project in the folder with those of the kind. The name and the namespace
// are those in src/operator.h; the group and the version, if they are not given, are those of the
// kinds that are there. kConfig: the folder has no such project. kInvalidArgument names the option
// that is wrong, or missing where the kinds differ. REQUIRES: wanted.kind is not empty.
Result<ProjectNames> NamesOfFurtherKind(const WantedNames& wanted);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_KNOWN_PROJECT_H_
