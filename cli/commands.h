// cli/commands.h
//
// The commands. Each one has a file of its own, and adds itself with its options to the command
// line.

#ifndef KINFORMER_CLI_COMMANDS_H_
#define KINFORMER_CLI_COMMANDS_H_

#include "cli/command_line.h"
#include "cli/connection.h"
#include "cli/format.h"
#include "cli/selection.h"

namespace kinformer::cli {

void RegisterWatch(CommandLine& line);         // watch.cc
void RegisterGet(CommandLine& line);           // get.cc
void RegisterApiResources(CommandLine& line);  // api_resources.cc
void RegisterExplain(CommandLine& line);       // explain.cc
void RegisterRaw(CommandLine& line);           // raw.cc
void RegisterTop(CommandLine& line);           // top.cc
void RegisterExport(CommandLine& line);        // export.cc
void RegisterSize(CommandLine& line);          // size.cc
void RegisterWhy(CommandLine& line);           // why.cc
void RegisterLogs(CommandLine& line);          // logs.cc
void RegisterExec(CommandLine& line);          // exec.cc: exec and attach
void RegisterPortForward(CommandLine& line);   // port_forward.cc
void RegisterEvents(CommandLine& line);        // events.cc
void RegisterDescribe(CommandLine& line);      // describe.cc
void RegisterApply(CommandLine& line);         // apply.cc
void RegisterDiff(CommandLine& line);          // diff.cc
void RegisterDelete(CommandLine& line);        // delete.cc
void RegisterWait(CommandLine& line);          // wait.cc
void RegisterScale(CommandLine& line);         // scale.cc
void RegisterRollout(CommandLine& line);       // rollout.cc
void RegisterApiServer(CommandLine& line);     // apiserver.cc
void RegisterEnvtest(CommandLine& line);       // envtest.cc
void RegisterDemo(CommandLine& line);          // demo.cc
void RegisterConfig(CommandLine& line);        // config.cc
void RegisterCrd(CommandLine& line);           // crd.cc
void RegisterInit(CommandLine& line);          // init.cc
void RegisterRbac(CommandLine& line);          // rbac.cc
void RegisterVersion(CommandLine& line);       // version.cc
void RegisterCompletion(CommandLine& line);    // completion.cc; after all others

// Does the same as `kinformer watch`, for other commands. Returns the exit status.
int RunWatch(const ConnectionFlags& connection, const SelectionFlags& selection, bool trace);

struct GetWatchOptions {
  bool initial = true;  // print the objects that are there first
  bool events = false;  // print events, not objects
};
// Does `kinformer get --watch` (get_watch.cc). Returns the exit status.
int RunGetWatch(const ConnectionFlags& connection, const SelectionFlags& selection,
                const Format& format, const GetWatchOptions& options);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMANDS_H_
