// cli/running_program.h
//
// RunningProgram: a program with a Manager that runs now, and what it says of itself at
// /debug/kinformer.

#ifndef KINFORMER_CLI_RUNNING_PROGRAM_H_
#define KINFORMER_CLI_RUNNING_PROGRAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/json/json.h"

#include "cli/command_line.h"
#include "cli/connection.h"

namespace kinformer::cli {

struct ProgramFlags {
  std::string url{};  // of its metrics: "http://127.0.0.1:8080"
  std::string pid{};
  std::string token_file{};
  [[nodiscard]] bool given() const { return !url.empty() || !pid.empty(); }
};

void AddProgramFlags(Command& command, ProgramFlags& flags);

// Used by one thread.
class RunningProgram {
 public:
  // Finds the program: at the URL, or among the ports of the process. Of `connection` it takes the
  // token, the CA and --insecure-skip-tls-verify. Asks each port once. Nothing of a kubeconfig is
  // used, so that no credential for a cluster is sent to another program. kInvalidArgument: wrong
  // flags. Other errors say what each port has answered.
  static Result<RunningProgram> Find(const ProgramFlags& flags, const ConnectionFlags& connection,
                                     const CallOptions& call);

  // Reads a document below /debug/kinformer: "/state.json". `query` has names and values.
  using Query = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Result<json::Value> Read(const std::string& path, const CallOptions& call,
                                         const Query& query = {}) const;
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] Env& env() const { return client_.env(); }

 private:
  RunningProgram(std::string url, Client client)
      : url_(std::move(url)), client_(std::move(client)) {}
  static Result<RunningProgram> At(const std::string& url, const ProgramFlags& flags,
                                   const ConnectionFlags& connection, const CallOptions& call);

  std::string url_;
  Client client_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_RUNNING_PROGRAM_H_
