#include "cli/running_program.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/config.h"
#include "kinformer/client/rest_request.h"

#include "base/text/number_in.h"
#include "cli/listening_ports.h"

namespace kinformer::cli {
namespace {

constexpr std::string_view kDebugPage = "/debug/kinformer";
// Time for one port of a process: others may be ports of programs that never answer.
constexpr Duration kPatience = std::chrono::seconds(5);

// A port that refuses is that of the metrics.
bool IsRefusal(const Error& error) {
  return error.reason() == Reason::kUnauthorized || error.reason() == Reason::kForbidden;
}
// Whether the server has understood the question.
bool IsAnswer(const Error& error) {
  return IsRefusal(error) || error.reason() == Reason::kNotFound;
}

// Adds what to do about the answer of a program that was found.
Error Explained(const Error& error) {
  switch (error.reason()) {
    case Reason::kUnauthorized:
      return {error.reason(), error.message() + ": give a token with --token-file"};
    case Reason::kNotFound:
      return {error.reason(),
              "no kinformer manager answers here with a page (ManagerOptions::debug_page)"};
    default:
      return error;
  }
}

}  // namespace

void AddProgramFlags(Command& command, ProgramFlags& flags) {
  command.Option("--url", flags.url, "URL",
                 "look at a running program: the address of its metrics, such as "
                 "http://127.0.0.1:8080");
  command.Option("--pid", flags.pid, "PID",
                 "look at a running program of this machine: its process number");
  command.Option("--token-file", flags.token_file, "FILE",
                 "file with the bearer token for the metrics of that program");
}

Result<RunningProgram> RunningProgram::At(const std::string& url, const ProgramFlags& flags,
                                          const ConnectionFlags& connection,
                                          const CallOptions& call) {
  Config config;
  config.host = url;
  config.bearer_token = connection.token;
  config.bearer_token_file = flags.token_file;
  config.tls.ca_file = connection.certificate_authority;
  config.tls.insecure = connection.insecure_skip_tls_verify;
  config.origin = flags.pid.empty() ? "--url " + url : "process " + flags.pid;
  Result<Client> client = Client::NewForConfig(config, {.qps = -1});
  if (!client) return std::move(client).error();
  RunningProgram program(url, *std::move(client));
  const Result<json::Value> state = program.Read("/state.json", call);
  if (!state) return state.error();
  return program;
}

Result<RunningProgram> RunningProgram::Find(const ProgramFlags& flags,
                                            const ConnectionFlags& connection,
                                            const CallOptions& call) {
  if (!flags.url.empty() && !flags.pid.empty()) {
    return Error(Reason::kInvalidArgument, "--url and --pid cannot be given together");
  }
  if (!flags.url.empty()) {
    const bool complete = flags.url.find("://") != std::string::npos;
    return At(complete ? flags.url : "http://" + flags.url, flags, connection, call);
  }
  const std::int64_t pid = internal::base::NumberIn(flags.pid).value_or(0);
  if (pid <= 0) {
    return Error(Reason::kInvalidArgument,
                 "--pid \"" + flags.pid + "\": a process number is a whole number above zero");
  }
  const Result<std::vector<std::string>> addresses = ListeningAddressesOf(pid);
  if (!addresses) return addresses.error();
  CallOptions soon = call;
  soon.timeout = kPatience;
  std::string answers;
  for (const std::string& address : *addresses) {
    Result<RunningProgram> found = At("http://" + address, flags, connection, soon);
    // A server of TLS has not understood that.
    if (!found && !IsAnswer(found.error())) {
      found = At("https://" + address, flags, connection, soon);
    }
    if (found || IsRefusal(found.error()) || call.stop.stop_requested()) return found;
    answers += "\n  " + address + ": " + found.error().message();
  }
  return Error(Reason::kNotFound, "process " + flags.pid +
                                      " answers on none of its ports with the page of a manager "
                                      "(ManagerOptions::debug_page):" +
                                      answers);
}

Result<json::Value> RunningProgram::Read(const std::string& path, const CallOptions& call,
                                         const Query& query) const {
  RestRequest request = RestClient(client_).Get();
  request.AbsPath(std::string(kDebugPage) + path);
  for (const auto& [name, value] : query) request.Param(name, value);
  const Result<RestResponse> response = request.Do(call);
  if (!response) return Explained(response.error());
  Result<json::Value> value = response->Json();
  if (!value || !value->is_object()) {
    return Error(Reason::kUnknown, url_ + std::string(kDebugPage) + path +
                                       " has answered with something else than JSON of a manager");
  }
  return value;
}

}  // namespace kinformer::cli
