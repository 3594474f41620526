#include "cli/connection.h"

#include <utility>

#include "kinformer/base/log.h"

#include "base/text/number_in.h"

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
constexpr Texts kVerbosity{"-v,--v", "LEVEL",
                           "log requests on standard error: 6 URLs, 7 and headers, 8 and bodies, "
                           "9 longer bodies, 10 whole ones"};
constexpr Texts kFormat{"--logging-format", "FORMAT",
                        "form of these lines: text, or json with one object per line"};
constexpr int kBodies = 8;

// Returns the number; 0 for an empty text.
int VerbosityOf(const std::string& text) { return internal::base::NumberIn<int>(text).value_or(0); }

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
  command.Choice(kVerbosity.names, flags.verbosity,
                 {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, kVerbosity.help,
                 nullptr);
  command.Choice(kFormat.names, flags.logging_format, {"text", "json"}, kFormat.help, nullptr);
}

void AddGlobalFlags(CommandLine& line) {
  for (const Texts& texts :
       {kKubeconfig, kContext, kServer, kToken, kAuthority, kVerbosity, kFormat}) {
    line.Global(texts.names, texts.value_name, texts.help);
  }
  line.GlobalFlag(kInsecure.names, kInsecure.help);
  line.Global("-n,--namespace", "NS", "namespace; the context's where it is not given");
}

Result<Config> LoadConfig(const ConnectionFlags& flags) {
  ConfigOverrides overrides;
  overrides.kubeconfig = flags.kubeconfig;
  overrides.context = flags.context;
  overrides.server = flags.server;
  overrides.token = flags.token;
  overrides.certificate_authority = flags.certificate_authority;
  if (flags.insecure_skip_tls_verify) overrides.insecure_skip_tls_verify = true;
  return Config::LoadDefault(overrides);
}

Result<Connection> Connect(const ConnectionFlags& flags) {
  Result<Config> config = LoadConfig(flags);
  if (!config) return std::move(config).error();
  // A person waits, so uses kubectl's limits, not those of a controller.
  ClientOptions options{.qps = 50, .burst = 300, .verbosity = VerbosityOf(flags.verbosity)};
  options.prefer_json = options.verbosity >= kBodies;  // protobuf is not for reading
  std::unique_ptr<Runtime> runtime;
  if (options.verbosity > 0) {
    runtime = std::make_unique<Runtime>(
        RuntimeOptions{.log = std::shared_ptr<LogSink>(flags.logging_format == "json"
                                                           ? NewJsonLog(LogLevel::kInfo)
                                                           : NewStderrLog(LogLevel::kInfo))});
  }
  Result<Client> client = runtime == nullptr
                              ? Client::NewForConfig(*config, options)
                              : Client::NewForConfig(runtime->env(), *config, options);
  if (!client) return std::move(client).error();
  return Connection{*std::move(config), std::move(runtime), *std::move(client)};
}

}  // namespace kinformer::cli
