// cli/connection.h
//
// Selection of the server: the options shared by all commands that use a server, and the Client
// made from them.

#ifndef KINFORMER_CLI_CONNECTION_H_
#define KINFORMER_CLI_CONNECTION_H_

#include <memory>
#include <string>

#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"

#include "cli/command_line.h"

namespace kinformer::cli {

struct ConnectionFlags {
  std::string kubeconfig{};
  std::string context{};
  std::string server{};
  std::string token{};
  std::string certificate_authority{};
  bool insecure_skip_tls_verify{false};
  std::string verbosity{};       // "0" to "10"
  std::string logging_format{};  // "text" or "json"; empty: text
};

void AddConnectionFlags(Command& command, ConnectionFlags& flags);

// The same options and -n, given before the command.
void AddGlobalFlags(CommandLine& line);

struct Connection {
  Config config;
  std::unique_ptr<Runtime> runtime;  // null: the client has its own. Outlives all copies of it
  Client client;
};
// Reads the configuration alone.
Result<Config> LoadConfig(const ConnectionFlags& flags);
// Reads the configuration; does not yet talk to the server.
Result<Connection> Connect(const ConnectionFlags& flags);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_CONNECTION_H_
