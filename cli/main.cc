#include <csignal>
#include <string>
#include <vector>

#include "kinformer/base/version.h"

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/kube_apiserver.h"
#include "cli/kubectl_habits.h"
#include "cli/size_process.h"

int main(int argc, char** argv) {
  // A reader that closes the pipe ends the output, but does not kill the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> arguments(argv, argv + argc);
  if (const auto status = kinformer::cli::RunAsOther(arguments)) return *status;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  kinformer::cli::CommandLine line("Kubernetes informers at a terminal",
                                   std::string("kinformer ") + kinformer::kVersion);
  kinformer::cli::AddGlobalFlags(line);
  kinformer::cli::RegisterWatch(line);
  kinformer::cli::RegisterGet(line);
  kinformer::cli::RegisterApiResources(line);
  kinformer::cli::RegisterExplain(line);
  kinformer::cli::RegisterRaw(line);
  kinformer::cli::RegisterTop(line);
  kinformer::cli::RegisterExport(line);
  kinformer::cli::RegisterSize(line);
  kinformer::cli::RegisterSizeProcess(line);
  kinformer::cli::RegisterWhy(line);
  kinformer::cli::RegisterLogs(line);
  kinformer::cli::RegisterExec(line);
  kinformer::cli::RegisterPortForward(line);
  kinformer::cli::RegisterEvents(line);
  kinformer::cli::RegisterDescribe(line);
  kinformer::cli::RegisterApply(line);
  kinformer::cli::RegisterDiff(line);
  kinformer::cli::RegisterDelete(line);
  kinformer::cli::RegisterWait(line);
  kinformer::cli::RegisterScale(line);
  kinformer::cli::RegisterRollout(line);
  kinformer::cli::RegisterApiServer(line);
  kinformer::cli::RegisterEnvtest(line);
#ifdef KINFORMER_CLI_DEMO
  kinformer::cli::RegisterDemo(line);
#endif
  kinformer::cli::RegisterConfig(line);
  kinformer::cli::RegisterCrd(line);
  kinformer::cli::RegisterInit(line);
  kinformer::cli::RegisterRbac(line);
  kinformer::cli::RegisterVersion(line);
  kinformer::cli::RegisterCompletion(line);
  kinformer::cli::AddCommandHabits(line);
  return line.Run(static_cast<int>(arguments.size()), pointers.data());
}
