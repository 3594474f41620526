// CurlTransfer by itself: proxies, the process's environment and its signals.

#include <csignal>
#include <cstdlib>
#include <curl/curl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

#include "transport/curl_transfer_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

class CurlEnvironmentTest : public CurlTransferTest {
 protected:
  void SetUp() override {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "*", 1);
  }
  void TearDown() override {
    for (const char* name : {"http_proxy", "https_proxy", "no_proxy"}) unsetenv(name);
  }
};

// Notes the request lines; sends this answer, and closes.
class LineServer {
 public:
  explicit LineServer(std::string answer)
      : server_([this, answer = std::move(answer)](const Request& request, Peer& peer) {
          {
            const std::lock_guard lock(mutex_);
            lines_ += request.method + " " + request.target + "|";
          }
          peer.Write(answer);
          return false;
        }) {}
  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] std::string lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_{};
  std::string lines_{};
  LoopbackServer server_;
};

constexpr char kEmpty[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

TEST_F(CurlEnvironmentTest, WithoutAProxy_TheEnvironmentsIsIgnored) {
  LineServer server(kEmpty);
  unsetenv("no_proxy");
  EXPECT_EQ(Run(Make(server.url(), {.target = "/x"})), CURLE_OK);
  EXPECT_EQ(server.lines(), "GET /x|");
}

TEST_F(CurlEnvironmentTest, GivenProxy_IsUsedWhateverTheEnvironmentExcepts_RC14) {
  LineServer proxy(kEmpty);
  CurlTransfer& transfer = Make("http://kube.example:8080", {.target = "/x"}, {}, proxy.url());
  EXPECT_EQ(Run(transfer), CURLE_OK);
  EXPECT_EQ(proxy.lines(), "GET http://kube.example:8080/x|");
  EXPECT_EQ(receiver_.calls, "head200 ");
}

// The head of the answer to CONNECT is the proxy's, not the server's.
TEST_F(CurlEnvironmentTest, HeadOfTheProxysAnswer_IsNotTheServers) {
  LineServer proxy("HTTP/1.1 200 Tunnel\r\nX-Proxy: 1\r\n\r\n");
  CurlTransfer& transfer = Make("https://kube.example:6443", {.target = "/x"}, {}, proxy.url());
  EXPECT_NE(Run(transfer), CURLE_OK);
  EXPECT_EQ(proxy.lines(), "CONNECT kube.example:6443|");
  EXPECT_EQ(receiver_.calls, "");
  EXPECT_EQ(transfer.status(), 0);
  EXPECT_EQ(shared_->stats.bytes_received, 0U);
}

TEST_F(CurlEnvironmentTest, RefusedConnection_IsTheServersOnlyWithoutAProxy) {
  const std::string closed = ClosedUrl();
  CurlTransfer& direct = Make(closed, {.target = "/x"});
  EXPECT_EQ(direct.Verdict(Run(direct)).error().reason(), Reason::kConnectionRefused);
  CurlTransfer& through = Make("http://kube.example:8080", {.target = "/x"}, {}, closed);
  const CURLcode code = Run(through);
  EXPECT_EQ(code, CURLE_COULDNT_CONNECT);
  EXPECT_EQ(through.Verdict(code).error().reason(), Reason::kTransport);
}

void OnPipe(int /*signal*/) {}

// Other threads of the program may rely on its own handler at any moment.
TEST_F(CurlEnvironmentTest, HandlerOfSigpipe_StaysTheProgramsMeanwhile) {
  struct sigaction before{};
  struct sigaction own{};
  own.sa_handler = &OnPipe;
  ASSERT_EQ(sigaction(SIGPIPE, &own, &before), 0);
  LineServer server(kEmpty);
  CurlTransfer& transfer = Make(server.url(), {.target = "/x"});
  struct sigaction meanwhile{};
  receiver_.on_headers = [&] { sigaction(SIGPIPE, nullptr, &meanwhile); };
  EXPECT_EQ(Run(transfer), CURLE_OK);
  EXPECT_EQ(meanwhile.sa_handler, &OnPipe);
  sigaction(SIGPIPE, &before, nullptr);
}

// libcurl opens the file when it is initialized, so this needs a new process.
class KeyLogTest : public CurlTransferTest {
 protected:
  // Ends the process: with 0 if the exchange succeeded and the file is empty.
  [[noreturn]] void ExchangeAndExit() {
    const std::string path = testing::TempDir() + "kinformer-keys-" + std::to_string(getpid());
    setenv("SSLKEYLOGFILE", path.c_str(), 1);
    const TestCertificate ca = MakeTestCa("test ca");
    const TestCertificate cert = MakeTestCertificate(ca, "127.0.0.1");
    LoopbackServer server(Answer(kEmpty), {.certificate = &cert});
    CurlTransfer& transfer = Make(server.url(), {.target = "/x"});
    const auto tls = std::make_shared<const TlsMaterial>(TlsMaterial{ca.cert, "", ""});
    const bool prepared = transfer.Prepare(tls, "").ok();
    const bool done = prepared && curl_easy_perform(transfer.easy()) == CURLE_OK;
    std::ifstream in(path);
    const bool opened = in.good();
    const std::string keys(std::istreambuf_iterator<char>(in), {});
    unlink(path.c_str());
    std::_Exit(!done ? 1 : !opened ? 2 : !keys.empty() ? 3 : 0);
  }
};

TEST_F(KeyLogTest, KeysOfAConnection_AreNotWritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ExchangeAndExit(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kinformer::internal::transport
