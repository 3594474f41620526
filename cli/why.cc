// kinformer why: why a running program reconciled an object.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include "kinformer/base/stop.h"
#include "kinformer/json/json.h"

#include "cli/commands.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/running_program.h"
#include "cli/why_text.h"

namespace kinformer::cli {
namespace {

struct WhyFlags {
  std::string kind{};
  std::string object{};
  ProgramFlags program{};
  ConnectionFlags connection{};  // of these, what RunningProgram takes
  std::string output{};
};

Result<json::Value> Ask(const WhyFlags& flags, const CallOptions& call) {
  const Result<RunningProgram> program =
      RunningProgram::Find(flags.program, flags.connection, call);
  if (!program) return program.error();
  return program->Read("/why", call, {{"kind", flags.kind}, {"object", flags.object}});
}

int RunWhy(const WhyFlags& flags) {
  if (!flags.program.given()) {
    return UsageError("give either --url, the address of the metrics, or --pid");
  }
  const StopSource stop = StopOnSignals();
  const Result<json::Value> answer =
      Ask(flags, {.stop = stop.token(), .timeout = std::chrono::seconds(30)});
  if (!answer) {
    if (answer.error().reason() == Reason::kInvalidArgument) {
      return UsageError(answer.error().message());
    }
    return Fail(answer.error());
  }
  const std::string text = WhyText(*answer);
  if (flags.output == "json") {
    std::cout << PrintableJson(answer->DumpPretty()) << '\n';
  } else {
    std::cout << text;
  }
  if (!text.empty()) return 0;
  std::cerr << "no controller there knows of " << Printable(flags.kind) << ' '
            << Printable(flags.object) << ": it was not reconciled, or that is too long ago\n";
  return kFailure;
}

}  // namespace

void RegisterWhy(CommandLine& line) {
  auto flags = std::make_shared<WhyFlags>();
  Command& command = line.Add("why", "Say why a running operator reconciled an object");
  command.Positional("KIND", flags->kind, /*required=*/true,
                     "kind or resource: Deployment, deployments.apps");
  command.Positional("OBJECT", flags->object, /*required=*/true,
                     "NAMESPACE/NAME; NAME alone where there is no namespace");
  AddProgramFlags(command, flags->program);
  command.Choice("-o,--output", flags->output, {"json"}, "the answer as it is, as JSON", nullptr);
  command.Option("--token", flags->connection.token, "TOKEN", "bearer token");
  command.Option("--certificate-authority", flags->connection.certificate_authority, "FILE",
                 "CA that signed the certificate there");
  command.Flag("--insecure-skip-tls-verify", flags->connection.insecure_skip_tls_verify,
               "do not check the certificate");
  command.Status(kFailure, "there was no answer, or no controller there knows of the object");
  command.Run([flags] { return RunWhy(*flags); });
}

}  // namespace kinformer::cli
