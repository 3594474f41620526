#include "cli/connection.h"

#include <utility>

namespace kinformer::cli {

namespace {

struct Texts {
  const char* names;
  const char* value_name;
  const char* help;
};

constexpr Texts kKubeconfig{"--kubeconfig", "FILE",
                            "kubeconfig to use in place of $KUBECONFIG or ~/.kube/config"};
constexpr Texts kContext{"--context", "NAME", "context of the kubeconfig to use"};
constexpr Texts kServer{"-s,--server", "URL", "address of the API server"};
constexpr Texts kToken{"--token", "TOKEN", "bearer token"};
constexpr Texts kAuthority{"--certificate-authority", "FILE",
                           "CA that signed the server's certificate"};
constexpr Texts kInsecure{"--insecure-skip-tls-verify", "",
                          "do not check the server's certificate"};

}  // namespace

void AddConnectionFlags(Command& command, ConnectionFlags& flags) {
  const auto add = [&](const Texts& texts, std::string& value) {
    command.Option(texts.names, value, texts.value_name, texts.help);
  };
  add(kKubeconfig, flags.kubeconfig);
  add(kContext, flags.context);
  add(kServer, flags.server);
  add(kToken, flags.token);
  add(kAuthority, flags.certificate_authority);
  command.Flag(kInsecure.names, flags.insecure_skip_tls_verify, kInsecure.help);
}

void AddGlobalFlags(CommandLine& line) {
  for (const Texts& texts : {kKubeconfig, kContext, kServer, kToken, kAuthority}) {
    line.Global(texts.names, texts.value_name, texts.help);
  }
  line.GlobalFlag(kInsecure.names, kInsecure.help);
  line.Global("-n,--namespace", "NS", "namespace; the context's where it is not given");
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
  // A person waits, so uses kubectl's limits, not those of a controller.
  Result<Client> client = Client::NewForConfig(*config, {.qps = 50, .burst = 300});
  if (!client) return std::move(client).error();
  return Connection{*std::move(config), *std::move(client)};
}

}  // namespace kinformer::cli
