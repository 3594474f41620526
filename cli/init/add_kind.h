// cli/init/add_kind.h
//
// Adds a further kind to a project that `kinformer init` made.

#ifndef KINFORMER_CLI_INIT_ADD_KIND_H_
#define KINFORMER_CLI_INIT_ADD_KIND_H_

#include "kinformer/base/result.h"

#include "cli/init/project_names.h"

namespace kinformer::cli {

// Writes the files of the kind, and puts its lines into the files that all kinds share
// (kind_lines.h); says what it did. Without `force`, no file of the kind may be there; with it, one
// that is there is kept (WriteFiles). Where a shared file has no place for the lines, they are
// printed, and the error at the end says so: the rest has been done.
Result<void> AddKind(const ProjectNames& names, const WantedNames& wanted, bool force);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_ADD_KIND_H_
