// cli/commands.h
//
// The commands. Each one has a file of its own, and adds itself with its options to the command
// line.

#ifndef KINFORMER_CLI_COMMANDS_H_
#define KINFORMER_CLI_COMMANDS_H_

#include "cli/command_line.h"
#include "cli/connection.h"
#include "cli/selection.h"

namespace kinformer::cli {

void RegisterWatch(CommandLine& line);      // watch.cc
void RegisterGet(CommandLine& line);        // get.cc
void RegisterApply(CommandLine& line);      // apply.cc
void RegisterDiff(CommandLine& line);       // diff.cc
void RegisterDelete(CommandLine& line);     // delete.cc
void RegisterApiServer(CommandLine& line);  // apiserver.cc
void RegisterDemo(CommandLine& line);       // demo.cc
void RegisterConfig(CommandLine& line);     // config.cc
void RegisterVersion(CommandLine& line);    // version.cc

// Does the same as `kinformer watch`, for other commands. Returns the exit status.
int RunWatch(const ConnectionFlags& connection, const SelectionFlags& selection, bool trace);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMANDS_H_
