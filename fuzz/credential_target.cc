// The output of credential plugins, tokens with an expiry, and the URLs of kubeconfigs and
// webhooks.

#include <algorithm>
#include <string>

#include "kinformer/client/config.h"
#include "kinformer/client/exec_credential.h"

#include "base/text/url.h"
#include "config/exec_plugin.h"
#include "config/jwt.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzCredentialPlugin(std::string_view input) {
  Choices choices(input);
  ExecConfig exec;
  exec.command = "plugin-of-the-test";
  exec.api_version = choices.Byte() % 2 == 0 ? "client.authentication.k8s.io/v1"
                                             : "client.authentication.k8s.io/v1beta1";
  const std::string output(choices.rest());
  if (const auto read = exec::LoadExecCredential(output)) {
    const auto again = exec::LoadExecCredential(read->ToJson());
    RequireEqual(again ? again->ToJson() : again.error().message(), read->ToJson(),
                 "what was written is read again");
  }
  const auto answer = internal::config::ParseExecAnswer(exec, output);
  if (!answer) {
    Require(answer.error().message().find(exec.command) != std::string::npos,
            "an error names the plugin", answer.error().message());
    return;
  }
  const Credentials& given = answer->credentials;
  Require(!given.authorization.empty() || !given.cert_pem.empty(), "an answer has a credential",
          output);
  Require(given.cert_pem.empty() == given.key_pem.empty(), "a certificate comes with its key",
          output);
  Require(given.authorization.find_first_of("\r\n") == std::string::npos,
          "a token fits into a header", given.authorization);
}

void FuzzJwt(std::string_view input) {
  const auto expiry = internal::config::JwtExpiry(input);
  Require(!expiry || std::ranges::count(input, '.') >= 2, "what expires is a token of three parts");
}

void FuzzUrl(std::string_view input) {
  const internal::base::Url split = internal::base::SplitUrl(input);
  const internal::base::Url again = internal::base::SplitUrl(split.ToString());
  RequireEqual(again.ToString(), split.ToString(),
               "a URL put together and taken apart is the same");
  const auto parsed = internal::base::ParseUrl(input, "server");
  if (!parsed) {
    Require(parsed.error().message().starts_with("server"), "an error names the place",
            parsed.error().message());
    return;
  }
  RequireEqual(parsed->ToString(), split.ToString(), "both take it apart alike");
  for (const char c : parsed->ToString()) {
    Require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control character gets through",
            input);
  }
  Require(parsed->host.find_first_of(" /?#@") == std::string::npos, "a host is a host",
          parsed->host);
}

}  // namespace kinformer::fuzz
