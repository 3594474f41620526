// The checks of server_checks.txt against the embedded server, in memory and in simulated time.

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"

#include "apiserver/testing.h"
#include "conformance/server_script.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;

class EmbeddedPeer final : public ScriptPeer {
 public:
  explicit EmbeddedPeer(const ScriptCase& script_case)
      : by_roles_(script_case.ByRoles()), server_(sim_.env(), Options(script_case)) {}

  [[nodiscard]] std::string_view word() const override { return "ours"; }
  int Start(HttpRequest request) override {
    if (by_roles_) request.headers.Add("Authorization", "Bearer admin-token");
    open_[++last_] =
        std::make_unique<apiserver::testing::OpenReply>(sim_, server_.Handle(std::move(request)));
    return last_;
  }
  // In memory the server sends nothing before it is read: effects of a slow client on others need a
  // network.
  int StartSlow(HttpRequest request) override { return Start(std::move(request)); }
  ScriptReply Finish(int number) override {
    apiserver::testing::OpenReply& open = *open_.at(number);
    (void)sim_.RunUntil(
        [&] {
          open.Pull();
          return open.ended();
        },
        minutes(1));
    EXPECT_TRUE(open.ended()) << "the answer did not end";
    ScriptReply reply{
        .status = open.reply().status, .headers = open.reply().headers, .body = open.reply().body};
    open_.erase(number);
    return reply;
  }
  void Sleep(std::chrono::milliseconds time) override { sim_.RunFor(time); }
  void Compact() override { server_.Compact(server_.current_resource_version()); }

 private:
  static apiserver::ApiServerOptions Options(const ScriptCase& script_case) {
    apiserver::ApiServerOptions options;
    options.cluster_details = options.field_owners = script_case.HasDetails();
    options.pod_grace = true;
    // Plug-ins that a real server has on, as far as they wait for objects of a case.
    options.enable_admission_plugins = {"LimitRanger", "PodSecurity", "ResourceQuota"};
    options.admission_controllers = false;
    if (!script_case.ByRoles()) return options;
    options.authorization = apiserver::AuthorizationMode::kRbac;
    if (script_case.ForNodes()) {
      options.authorization = apiserver::AuthorizationMode::kNodeAndRbac;
      options.enable_admission_plugins.emplace_back("NodeRestriction");
    }
    options.token_users = {
        {.token = "admin-token", .name = "admin", .uid = {}, .groups = {"system:masters"}}};
    return options;
  }

  const bool by_roles_;
  Simulation sim_{{.seed = 1, .start = WallTime(std::chrono::seconds(1'700'000'000))}};
  apiserver::ApiServer server_;
  std::map<int, std::unique_ptr<apiserver::testing::OpenReply>> open_;
  int last_ = 0;
};

const Script& Checks() {
  static const Script script = LoadScript(KINFORMER_SERVER_CHECKS);
  return script;
}

class ServerChecks : public ::testing::TestWithParam<ScriptCase> {};

TEST_P(ServerChecks, AnswersAsItShould) {
  if (!GetParam().IsFor("ours", false)) GTEST_SKIP() << "not for the embedded server in memory";
  EmbeddedPeer peer(GetParam());
  RunScriptCase(Checks(), GetParam(), peer, "ns");
}

INSTANTIATE_TEST_SUITE_P(Embedded, ServerChecks, ::testing::ValuesIn(Checks().cases),
                         [](const auto& test) { return test.param.TestName(); });

}  // namespace
}  // namespace kinformer::testing
