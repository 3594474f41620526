#include "cli/connection.h"

#include <utility>

namespace kinformer::cli {

void AddConnectionFlags(Command& command, ConnectionFlags& flags) {
  command.Option("--kubeconfig", flags.kubeconfig, "FILE",
                 "kubeconfig to use in place of $KUBECONFIG or ~/.kube/config");
  command.Option("--context", flags.context, "NAME", "context of the kubeconfig to use");
  command.Option("-s,--server", flags.server, "URL", "address of the API server");
  command.Option("--token", flags.token, "TOKEN", "bearer token");
  command.Option("--certificate-authority", flags.certificate_authority, "FILE",
                 "CA that signed the server's certificate");
  command.Flag("--insecure-skip-tls-verify", flags.insecure_skip_tls_verify,
               "do not check the server's certificate");
}

Result<Connection> Connect(const ConnectionFlags& flags) {
  ConfigOverrides overrides;
  overrides.kubeconfig = flags.kubeconfig;
  overrides.context = flags.context;
  overrides.server = flags.server;
  overrides.token = flags.token;
  overrides.certificate_authority = flags.certificate_authority;
  if (flags.insecure_skip_tls_verify) overrides.insecure_skip_tls_verify = true;
  Result<Config> config = Config::LoadDefault(overrides);
  if (!config) return std::move(config).error();
  // A person waits: kubectl's limits, not a controller's.
  Result<Client> client = Client::NewForConfig(*config, {.qps = 50, .burst = 300});
  if (!client) return std::move(client).error();
  return Connection{*std::move(config), *std::move(client)};
}

}  // namespace kinformer::cli
