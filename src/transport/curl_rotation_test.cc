// The libcurl transport when certificates change under it: which connections end, which go on, and
// what is counted.

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

constexpr const char* kChanged = ": closed, the client certificate changed";

// Gives the certificate that the test sets.
class Certificates final : public CredentialSource {
 public:
  explicit Certificates(TestCertificate first) : now_(std::move(first)) {}
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override {
    done(Credentials{.authorization = {}, .cert_pem = now_.cert, .key_pem = now_.key});
  }
  void Rejected(const std::string& authorization) override { rejected_.push_back(authorization); }
  [[nodiscard]] bool CanRefresh() const override { return true; }
  void Use(TestCertificate next) { now_ = std::move(next); }
  [[nodiscard]] const std::vector<std::string>& rejected() const { return rejected_; }

 private:
  TestCertificate now_;
  std::vector<std::string> rejected_;
};

class CurlRotation : public CurlTransportTest {
 protected:
  ~CurlRotation() override {
    for (const std::string& path : {ca_path_, cert_path_, key_path_}) std::remove(path.c_str());
  }
  // Replaces the file at once: a reader sees the old text or the new one.
  static void Write(const std::string& path, const std::string& text) {
    const std::string next = path + ".next";
    std::ofstream(next) << text;
    ASSERT_EQ(std::rename(next.c_str(), path.c_str()), 0);
  }
  void WriteClient(const TestCertificate& pair) const {
    Write(cert_path_, pair.cert);
    Write(key_path_, pair.key);
  }
  TestExchange& Watch() {
    TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
    EXPECT_TRUE(watch.WaitText("first "));
    return watch;
  }
  // Sends requests, each of which may begin to read the files again.
  bool RequestsUntil(const std::function<bool()>& reached) {
    for (int i = 0; i < 5000; ++i) {
      if (reached()) return true;
      Get("/x");
    }
    return false;
  }
  [[nodiscard]] bool Counted(const std::string& result, const std::string& reason) const {
    return metrics_->Text().find("rest_client_transport_ca_reload_total{result=\"" + result +
                                 "\",reason=\"" + reason + "\"}") != std::string::npos;
  }

  const std::string base_ = ::testing::TempDir() + "kinformer-rotation-" + std::to_string(getpid());
  const std::string ca_path_ = base_ + ".ca";
  const std::string cert_path_ = base_ + ".crt";
  const std::string key_path_ = base_ + ".key";
  const TestCertificate ca_ = MakeTestCa("test ca");
  const TestCertificate cert_ = MakeTestCertificate(ca_, "127.0.0.1");
};

TEST_F(CurlRotation, FileOfTheCa_IsReadAgainAndEachOutcomeCounted_TR07) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Write(ca_path_, ca_.cert);
  Make({.base_url = server.url(), .tls = {.ca_file = ca_path_}, .reload_period = Duration::zero()});
  EXPECT_TRUE(RequestsUntil([&] { return Counted("success", "unchanged"); }));
  EXPECT_EQ(server.connections(), 1) << "an unchanged file changes nothing";
  EXPECT_FALSE(Counted("success", "updated"));
  Write(ca_path_, ca_.cert + MakeTestCa("another").cert);
  EXPECT_TRUE(RequestsUntil([&] { return Counted("success", "updated"); }));
  EXPECT_TRUE(RequestsUntil([&] { return server.connections() == 2; }));
  Write(ca_path_, "");
  EXPECT_TRUE(RequestsUntil([&] { return Counted("failure", "empty"); }));
  Write(ca_path_, "garbage");
  EXPECT_TRUE(RequestsUntil([&] { return Counted("failure", "ca_parse_error"); }));
  ASSERT_EQ(std::remove(ca_path_.c_str()), 0);
  EXPECT_TRUE(RequestsUntil([&] { return Counted("failure", "read_error"); }));
  EXPECT_TRUE(Get("/x").ok()) << "the last good CA stays in use";
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(CurlRotation, RequestThatRunsMeanwhile_EndsOnItsConnectionAndNewOnesTrustTheNewCa_TR08) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  LoopbackServer server(
      [&](const Request& request, Peer& peer) {
        if (request.target == "/slow") released.wait();
        return Echo(request, peer);
      },
      {.certificate = &cert_});
  Write(ca_path_, ca_.cert);
  Make({.base_url = server.url(), .tls = {.ca_file = ca_path_}, .reload_period = Duration::zero()});
  TestExchange& slow = Start({.target = "/slow", .pool = ConnectionPool::kList});
  EXPECT_TRUE(RequestsUntil([&] { return server.connections() == 2; }));
  Write(ca_path_, MakeTestCa("another").cert);
  EXPECT_TRUE(RequestsUntil([&] { return !Get("/x").ok(); })) << "the server is not trusted by it";
  EXPECT_FALSE(slow.done());
  release.set_value();
  EXPECT_TRUE(slow.WaitDone());
  EXPECT_EQ(slow.text(), "GET /slow|");
}

// The longest period takes the place of client-go's gate.
TEST_F(CurlRotation, WithoutPeriod_ChangesOfFilesAreIgnored_TR09) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Write(ca_path_, ca_.cert);
  Make({.base_url = server.url(), .tls = {.ca_file = ca_path_}, .reload_period = Duration::max()});
  Write(ca_path_, MakeTestCa("another").cert);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Get("/x").ok());
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(metrics_->Text().find("ca_reload"), std::string::npos);
}

TEST_F(CurlRotation, ChangedPair_EndsWatchesAndTheFirstPairDoesNot_TR10) {
  LoopbackServer server(Hold, {.certificate = &cert_, .client_ca = ca_.cert});
  WriteClient(MakeTestCertificate(ca_, "first"));
  Make({.base_url = server.url(),
        .tls = {.ca_pem = ca_.cert, .cert_file = cert_path_, .key_file = key_path_},
        .reload_period = Duration::zero()});
  TestExchange& watch = Watch();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Get("/x").ok());
  EXPECT_FALSE(watch.done()) << "the first pair is no rotation";
  EXPECT_EQ(server.connections(), 2);
  WriteClient(MakeTestCertificate(ca_, "second"));
  EXPECT_TRUE(RequestsUntil([&] { return watch.done(); }));
  EXPECT_EQ(watch.error().message(), server.url() + kChanged);
  EXPECT_EQ(watch.error().reason(), Reason::kTransport) << "an informer resumes it";
  TestExchange& resumed = Watch();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Get("/x").ok());
  EXPECT_FALSE(resumed.done());
}

TEST_F(CurlRotation, NewCertificateOfThePlugin_OpensNewConnectionsAndClosesTheOldOnes_EX15) {
  LoopbackServer server(Hold, {.certificate = &cert_, .client_ca = ca_.cert});
  const auto source = std::make_shared<Certificates>(MakeTestCertificate(ca_, "first"));
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}, .credentials = source});
  TestExchange& watch = Watch();
  ASSERT_TRUE(Get("/x").ok());
  ASSERT_TRUE(Get("/x").ok());
  EXPECT_EQ(server.connections(), 2);
  OnLoop([&] { source->Use(MakeTestCertificate(ca_, "second")); });
  ASSERT_TRUE(Get("/x").ok());
  EXPECT_EQ(server.connections(), 3);
  ASSERT_TRUE(watch.WaitDone());
  EXPECT_EQ(watch.error().message(), server.url() + kChanged);
  // A certificate of another CA is refused on a new connection, so none of the old ones is used.
  OnLoop([&] { source->Use(MakeTestCertificate(MakeTestCa("other"), "third")); });
  EXPECT_FALSE(Get("/x").ok());
}

TEST_F(CurlRotation, FiveConnections_AreAllClosedOnce_TR21) {
  LoopbackServer server(Hold, {.certificate = &cert_, .client_ca = ca_.cert});
  const auto source = std::make_shared<Certificates>(MakeTestCertificate(ca_, "first"));
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}, .credentials = source});
  std::array<TestExchange*, 5> watches{};
  for (TestExchange*& watch : watches) watch = &Watch();
  EXPECT_EQ(Stats().connections_open, 5U);
  OnLoop([&] { source->Use(MakeTestCertificate(ca_, "second")); });
  // One of them is given up while the others are being closed.
  OnLoop([&] {
    exchanges_.push_back(std::make_unique<TestExchange>());
    TestExchange& last = *exchanges_.back();
    last.call = transport_->Start({.target = "/x"}, last);
    watches[2]->call.reset();
  });
  TestExchange& last = *exchanges_.back();
  ASSERT_TRUE(last.WaitDone());
  for (TestExchange* const watch : watches) {
    if (watch == watches[2]) continue;
    ASSERT_TRUE(watch->WaitDone());
    EXPECT_EQ(watch->error().message(), server.url() + kChanged);
  }
  EXPECT_FALSE(watches[2]->done()) << "its receiver hears nothing after it was given up";
  EXPECT_EQ(Stats().connections_opened, 6U);
}

// As in client-go, a request with its own Authorization goes past the source.
TEST_F(CurlRotation, Refusal_IsReportedUnlessTheRequestHasItsOwnHeader_TR19) {
  LoopbackServer server(
      [](const Request&, Peer& peer) { return peer.Write(PlainResponse("", "", 401)); },
      {.certificate = &cert_, .client_ca = ca_.cert});
  const TestCertificate client = MakeTestCertificate(ca_, "client");
  const auto source = std::make_shared<Certificates>(client);
  Make({.base_url = server.url(),
        .tls = {.ca_pem = ca_.cert, .cert_pem = client.cert, .key_pem = client.key},
        .credentials = source});
  EXPECT_EQ(Get("/x").status(), 401);
  EXPECT_EQ(source->rejected(), std::vector<std::string>{""}) << "a certificate alone counts, too";
  HttpRequest own{.target = "/x"};
  own.headers.Add("Authorization", "Bearer mine");
  TestExchange& got = Start(std::move(own));
  ASSERT_TRUE(got.WaitDone());
  EXPECT_EQ(got.status(), 401);
  EXPECT_EQ(source->rejected().size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::transport
