// kinformer why: why a running program reconciled an object.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/json/json.h"

#include "cli/commands.h"
#include "cli/listening_addresses.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/why_text.h"

namespace kinformer::cli {
namespace {

constexpr const char* kPath = "/debug/kinformer/why";
constexpr Duration kPatience = std::chrono::seconds(5);  // with one address of a process

struct WhyFlags {
  std::string kind{};
  std::string object{};
  std::string url{};
  std::string pid{};
  std::string token{};
  std::string certificate_authority{};
  bool insecure_skip_tls_verify = false;
  std::string output{};
};

Result<json::Value> Ask(const WhyFlags& flags, const std::string& url, Duration timeout) {
  Config config;
  config.host = url;
  config.bearer_token = flags.token;
  config.tls.ca_file = flags.certificate_authority;
  config.tls.insecure = flags.insecure_skip_tls_verify;
  const Result<Client> client = Client::NewForConfig(config);
  if (!client) return client.error();
  const Result<RestResponse> answer = RestClient(*client)
                                          .Get()
                                          .AbsPath(kPath)
                                          .Param("kind", flags.kind)
                                          .Param("object", flags.object)
                                          .Do({.timeout = timeout});
  if (!answer) return answer.error();
  return answer->Json();
}

bool IsRefusal(const Error& error) {
  return error.reason() == Reason::kUnauthorized || error.reason() == Reason::kForbidden;
}
// Whether the server has understood the question.
bool IsAnswer(const Error& error) {
  return IsRefusal(error) || error.reason() == Reason::kNotFound;
}

// Asks at each address of the process. The others are those of health checks and webhooks.
Result<json::Value> AskProcess(const WhyFlags& flags) {
  const Result<std::vector<std::string>> addresses = ListeningAddresses(flags.pid);
  if (!addresses) return addresses.error();
  std::string tried;
  for (const std::string& address : *addresses) {
    Result<json::Value> answer = Ask(flags, "http://" + address, kPatience);
    // A server of TLS has not understood that.
    if (!answer && !IsAnswer(answer.error())) {
      answer = Ask(flags, "https://" + address, kPatience);
    }
    if (answer || IsRefusal(answer.error())) return answer;
    tried += (tried.empty() ? "" : "; ") + address + ": " + answer.error().message();
  }
  return Error(Reason::kNotFound, tried.empty()
                                      ? "process " + flags.pid +
                                            " listens nowhere: does its manager serve "
                                            "metrics (metrics_bind_address)?"
                                      : "process " + flags.pid + " does not tell why: " + tried);
}

int RunWhy(const WhyFlags& flags) {
  if (flags.url.empty() == flags.pid.empty()) {
    return UsageError("give either --url, the address of the metrics, or --pid");
  }
  const Result<json::Value> answer =
      flags.pid.empty() ? Ask(flags, flags.url, std::chrono::seconds(30)) : AskProcess(flags);
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
  command.Option("--url", flags->url, "URL", "address of its metrics: http://127.0.0.1:8080");
  command.Option("--pid", flags->pid, "PID", "its process on this machine, in place of --url");
  command.Choice("-o,--output", flags->output, {"json"}, "the answer as it is, as JSON", nullptr);
  command.Option("--token", flags->token, "TOKEN", "bearer token");
  command.Option("--certificate-authority", flags->certificate_authority, "FILE",
                 "CA that signed the certificate there");
  command.Flag("--insecure-skip-tls-verify", flags->insecure_skip_tls_verify,
               "do not check the certificate");
  command.Status(kFailure, "there was no answer, or no controller there knows of the object");
  command.Run([flags] { return RunWhy(*flags); });
}

}  // namespace kinformer::cli
