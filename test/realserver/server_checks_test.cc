// The checks of conformance/server_checks.txt against the real kube-apiserver. Label `realserver`.

#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "kinformer/config.h"
#include "kinformer/http_transport.h"
#include "kinformer/runtime.h"
#include "kinformer/transport.h"

#include "conformance/server_script.h"
#include "realserver/real_server.h"

namespace kinformer {
namespace {

using testing::RealServer;
using testing::Script;
using testing::ScriptCase;
using testing::ScriptReply;

// One exchange; filled on the loop, read by the test.
class Exchange final : public ResponseReceiver {
 public:
  void Begin(Transport& transport, HttpRequest request) {
    call_ = transport.Start(std::move(request), *this);
  }
  ScriptReply Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(2), [this] { return done_; });
    EXPECT_TRUE(done_) << "no answer within two minutes";
    return reply_;
  }

  void OnHeaders(int status, const HttpHeaders& headers) override {
    reply_.status = status;
    reply_.headers = headers;
  }
  void OnData(std::string_view data) override { reply_.body += data; }
  void OnDone(Result<void> result) override {
    EXPECT_TRUE(result.ok()) << result.error();
    call_.reset();
    // Under the lock: the test may destroy this object as soon as it sees it done.
    const std::scoped_lock lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

 private:
  std::unique_ptr<HttpCall> call_;
  ScriptReply reply_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

// A server for all cases, and a transport to it.
class RealPeer final : public testing::ScriptPeer {
 public:
  RealPeer() {
    // Watches may be as short as the checks want them.
    server_.Start({"--min-request-timeout", "10"});
    const Config config = Config::FromKubeconfigFile(server_.kubeconfig()).OrExit();
    HttpTransportOptions options = TransportOptionsFor(config).OrExit();
    options.user_agent = "checks";
    transport_ = NewHttpTransport(runtime_.env(), std::move(options)).OrExit();
  }

  [[nodiscard]] std::string_view word() const override { return "real"; }
  int Start(HttpRequest request) override {
    const int number = ++last_;
    auto exchange = std::make_shared<Exchange>();
    exchanges_[number] = exchange;
    runtime_.env().loop().Post(
        [this, exchange, request = std::move(request)] { exchange->Begin(*transport_, request); });
    // What is opened shall be there before the next request is.
    if (exchanges_.size() > 1) Sleep(std::chrono::milliseconds(300));
    return number;
  }
  ScriptReply Finish(int number) override {
    ScriptReply reply = exchanges_.at(number)->Wait();
    exchanges_.erase(number);
    return reply;
  }
  void Sleep(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
  void Compact() override { ADD_FAILURE() << "the real server compacts at times of its own"; }

 private:
  RealServer server_;
  Runtime runtime_;
  std::unique_ptr<Transport> transport_;
  std::map<int, std::shared_ptr<Exchange>> exchanges_;
  int last_ = 0;
};

const Script& Checks() {
  static const Script script = testing::LoadScript(KINFORMER_SERVER_CHECKS);
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
  if (!GetParam().IsFor("real")) GTEST_SKIP() << "only for the embedded server";
  testing::RunScriptCase(Checks(), GetParam(), *peer_, "c" + std::to_string(GetParam().line));
}

INSTANTIATE_TEST_SUITE_P(Real, ServerChecks, ::testing::ValuesIn(Checks().cases),
                         [](const auto& test) { return test.param.TestName(); });

}  // namespace
}  // namespace kinformer
