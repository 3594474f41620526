// The checks of conformance/server_checks.txt against the real kube-apiserver. Label `realserver`.

#include <gtest/gtest.h>
#include <memory>
#include <signal.h>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "conformance/http_peer.h"
#include "conformance/server_script.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

// A server for all cases.
class RealPeer {
 public:
  RealPeer() {
    server_.Start(options_);
    http_ = std::make_unique<HttpPeer>(HttpPeerOptions{.word = "real",
                                                       .url = server_.url(),
                                                       .ca_file = server_.ca_file(),
                                                       .bearer_token = RealServer::token(),
                                                       .compact = [this] { Compact(); }});
  }
  [[nodiscard]] HttpPeer& http() { return *http_; }

 private:
  // A kube-apiserver cannot be told to compact: its etcd is compacted directly, and its own history
  // is lost in a restart.
  void Compact() {
    HttpPeer etcd({.word = "etcd", .url = server_.etcd(), .http2 = false});
    const ScriptReply now = etcd.Finish(
        etcd.Start({.method = "POST", .target = "/v3/kv/range", .body = R"({"key":"AA=="})"}));
    const std::string revision =
        json::Parse(now.body).value_or(json::Value()).At("/header/revision").StringOrEmpty();
    const ScriptReply done =
        etcd.Finish(etcd.Start({.method = "POST",
                                .target = "/v3/kv/compaction",
                                .body = R"({"physical":true,"revision":)" + revision + "}"}));
    ASSERT_EQ(done.status, 200) << now.body << done.body;
    server_.Stop(SIGKILL);
    server_.Start(options_);
  }

  // Allows watches as short as the checks need.
  const std::vector<std::string> options_{"--min-request-timeout",
                                          "10",
                                          "--authorization-mode",
                                          "Node,RBAC",
                                          "--",
                                          "--enable-admission-plugins=NodeRestriction"};
  RealServer server_;
  std::unique_ptr<HttpPeer> http_;
};

const Script& Checks() {
  static const Script script = LoadScript(KINFORMER_SERVER_CHECKS);
  return script;
}

class ServerChecks : public ::testing::TestWithParam<ScriptCase> {
 public:
  static void SetUpTestSuite() { peer_ = std::make_unique<RealPeer>(); }
  static void TearDownTestSuite() { peer_.reset(); }

 protected:
  static std::unique_ptr<RealPeer> peer_;
};
std::unique_ptr<RealPeer> ServerChecks::peer_;

TEST_P(ServerChecks, AnswersAsItShould) {
  if (!GetParam().IsFor("real", true)) GTEST_SKIP() << "only for the embedded server";
  RunScriptCase(Checks(), GetParam(), peer_->http(), "c" + std::to_string(GetParam().line));
}

INSTANTIATE_TEST_SUITE_P(Real, ServerChecks, ::testing::ValuesIn(Checks().cases),
                         [](const auto& test) { return test.param.TestName(); });

}  // namespace
}  // namespace kinformer::testing
