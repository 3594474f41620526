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
void RegisterApiServer(CommandLine& line);  // apiserver.cc
void RegisterDemo(CommandLine& line);       // demo.cc
void RegisterConfig(CommandLine& line);     // config.cc
void RegisterVersion(CommandLine& line);    // version.cc
void RegisterWait(CommandLine& line);       // wait.cc
void RegisterScale(CommandLine& line);      // scale.cc
void RegisterRollout(CommandLine& line);    // rollout.cc

// Does the same as `kinformer watch`, for other commands. Returns the exit status.
int RunWatch(const ConnectionFlags& connection, const SelectionFlags& selection, bool trace);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMANDS_H_
