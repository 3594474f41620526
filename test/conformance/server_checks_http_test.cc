// The checks of server_checks.txt that only a network shows, against the embedded server behind
// its HTTP front end.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/apiserver/service_account_keys.h"
#include "kinformer/testing/api_server.h"

#include "conformance/http_peer.h"
#include "conformance/server_script.h"
#include "x509/tls_authority.h"

namespace kinformer::testing {
namespace {

const Script& Checks() {
  static const Script script = LoadScript(KINFORMER_SERVER_CHECKS);
  return script;
}

// Returns a private key in PEM.
std::string NewKey() {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  return internal::x509::TlsAuthority::Make("test", now)
      .OrExit()
      .ServerCertificate({"localhost"})
      .OrExit()
      .key_pem;
}

std::vector<ScriptCase> HttpCases() {
  std::vector<ScriptCase> cases;
  for (const ScriptCase& script_case : Checks().cases) {
    if (script_case.NeedsHttp() && script_case.IsFor("ours", true)) cases.push_back(script_case);
  }
  return cases;
}

class ServerHttpChecks : public ::testing::TestWithParam<std::tuple<ScriptCase, bool>> {};

TEST_P(ServerHttpChecks, AnswersAsItShould) {
  const auto& [script_case, http2] = GetParam();
  const bool details = script_case.HasDetails();
  ApiServer server({.pod_grace = true,
                    .field_owners = details,
                    .cluster_details = details,
                    .service_account_keys =
                        details ? apiserver::ReadServiceAccountKeys(NewKey()).OrExit() : nullptr,
                    .enable_admission_plugins = {"LimitRanger", "PodSecurity", "ResourceQuota"},
                    .admission_controllers = false});
  server.Listen({.tls = http2}).OrExit();
  const std::string ca_file =
      ::testing::TempDir() + "kinformer-checks-" + std::to_string(server.http().port()) + ".crt";
  std::ofstream(ca_file) << server.http().ca_pem();
  {
    HttpPeer peer({.word = "ours",
                   .url = server.url(),
                   .ca_file = http2 ? ca_file : std::string(),
                   .http2 = http2,
                   .compact = [&server] {
                     server.With([](apiserver::ApiServer& embedded) {
                       embedded.Compact(embedded.current_resource_version());
                     });
                   }});
    RunScriptCase(Checks(), script_case, peer, "ns");
  }
  std::filesystem::remove(ca_file);
}

INSTANTIATE_TEST_SUITE_P(Embedded, ServerHttpChecks,
                         ::testing::Combine(::testing::ValuesIn(HttpCases()), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param).TestName() +
                                  (std::get<1>(test.param) ? "_Http2" : "_Http1");
                         });

}  // namespace
}  // namespace kinformer::testing
