// The libcurl transport reads changed certificate files again, and reports once what it cannot
// read.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

// Counts the warnings about files that cannot be read.
class WarningCounter final : public LogSink {
 public:
  explicit WarningCounter(std::atomic<int>& count) : count_(count) {}
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField>) override {
    if (level == LogLevel::kWarning &&
        message == "cannot read certificates again, keeping the old ones") {
      ++count_;
    }
  }

 private:
  std::atomic<int>& count_;
};

class CurlReload : public ::testing::Test {
 protected:
  ~CurlReload() override {
    OnLoop([&] { calls_.clear(); });
    transport_.reset();
    std::remove(path_.c_str());
  }

  void Make(const LoopbackServer& server, Duration period) {
    auto made = NewHttpTransport(
        runtime_.env(),
        {.base_url = server.url(), .tls = {.ca_file = path_}, .reload_period = period});
    ASSERT_TRUE(made.ok()) << made.error();
    transport_ = *std::move(made);
  }
  // Replaces the file at once: a reader sees the old text or the new one.
  void Write(const std::string& text) const {
    const std::string next = path_ + ".next";
    std::ofstream(next) << text;
    ASSERT_EQ(std::rename(next.c_str(), path_.c_str()), 0);
  }
  void OnLoop(const std::function<void()>& body) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }
  bool Succeeds() {
    calls_.push_back(std::make_unique<TestExchange>());
    TestExchange& call = *calls_.back();
    OnLoop([&] { call.call = transport_->Start({.target = "/x"}, call); });
    EXPECT_TRUE(call.WaitDone());
    return call.ok();
  }
  // Sends requests, each of which may begin to read the files again.
  bool RequestsUntil(const std::function<bool()>& reached) {
    for (int i = 0; i < 5000; ++i) {
      if (reached()) return true;
      Succeeds();
    }
    return false;
  }

  const std::string path_ = ::testing::TempDir() + "kinformer-reload-" + std::to_string(getpid());
  const TestCertificate ca_ = MakeTestCa("test ca");
  const TestCertificate cert_ = MakeTestCertificate(ca_, "127.0.0.1");
  std::atomic<int> warnings_{0};
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.log = std::make_unique<WarningCounter>(warnings_), .metrics = metrics_}};
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<TestExchange>> calls_;
};

TEST_F(CurlReload, FileThatCannotBeRead_IsReportedOncePerFailure) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Write(ca_.cert);
  Make(server, Duration::zero());
  EXPECT_TRUE(Succeeds());
  Write("garbage");
  EXPECT_TRUE(RequestsUntil([&] { return warnings_ == 1; }));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Succeeds()) << "the old certificates are kept";
  EXPECT_EQ(warnings_, 1);
  Write(MakeTestCa("another").cert);
  EXPECT_TRUE(RequestsUntil([&] { return !Succeeds(); })) << "the new one is used";
  EXPECT_EQ(warnings_, 1);
  Write("garbage");
  EXPECT_TRUE(RequestsUntil([&] { return warnings_ == 2; }));
}

TEST_F(CurlReload, EachAttemptToReadTheCa_IsCountedByItsOutcome) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Write(ca_.cert);
  Make(server, Duration::zero());
  const auto counted = [&](const std::string& result, const std::string& reason) {
    const std::string line = "rest_client_transport_ca_reload_total{result=\"" + result +
                             "\",reason=\"" + reason + "\"} ";
    return RequestsUntil([&] { return metrics_->Text().find(line) != std::string::npos; });
  };
  EXPECT_TRUE(counted("success", "unchanged"));
  Write("garbage");
  EXPECT_TRUE(counted("failure", "ca_parse_error"));
  Write("");
  EXPECT_TRUE(counted("failure", "empty"));
  std::remove(path_.c_str());
  EXPECT_TRUE(counted("failure", "read_error"));
  EXPECT_EQ(metrics_->Text().find("reason=\"updated\""), std::string::npos);
  Write(ca_.cert + "\n");
  EXPECT_TRUE(counted("success", "updated"));
}

TEST_F(CurlReload, FilesAreNotReadBeforeThePeriodIsOver) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Write(ca_.cert);
  Make(server, std::chrono::hours(1));
  Write("garbage");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Succeeds());
  EXPECT_EQ(warnings_, 0);
}

// Without TLS, nobody needs the files.
TEST_F(CurlReload, PlainHttp_ReadsNoFilesAndKeepsItsConnection) {
  LoopbackServer server(Echo);
  Write(ca_.cert);
  Make(server, Duration::zero());
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Succeeds());
  EXPECT_EQ(server.connections(), 1);
  Write("garbage");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Succeeds());
  EXPECT_EQ(warnings_, 0);
}

// Like a plugin that gives a client certificate with each answer.
class CertificateSource final : public CredentialSource {
 public:
  explicit CertificateSource(TestCertificate client) : client_(std::move(client)) {}
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override {
    done(Credentials{.authorization = {}, .cert_pem = client_.cert, .key_pem = client_.key});
  }
  void Rejected(const std::string&) override {}
  [[nodiscard]] bool CanRefresh() const override { return false; }

 private:
  const TestCertificate client_;
};

// Only the CA is read from a file: a change of it says nothing about the client's certificate.
TEST_F(CurlReload, ChangedCa_LeavesWatchesAndTheCertificateOfTheCredentials) {
  LoopbackServer server(Hold, {.certificate = &cert_, .client_ca = ca_.cert});
  Write(ca_.cert);
  auto made = NewHttpTransport(
      runtime_.env(),
      {.base_url = server.url(),
       .tls = {.ca_file = path_},
       .credentials = std::make_shared<CertificateSource>(MakeTestCertificate(ca_, "client")),
       .reload_period = Duration::zero()});
  ASSERT_TRUE(made.ok()) << made.error();
  transport_ = *std::move(made);
  calls_.push_back(std::make_unique<TestExchange>());
  TestExchange& watch = *calls_.back();
  OnLoop([&] {
    watch.call = transport_->Start({.target = "/watch", .pool = ConnectionPool::kWatch}, watch);
  });
  ASSERT_TRUE(watch.WaitText("first "));
  ASSERT_TRUE(Succeeds());
  ASSERT_EQ(server.connections(), 2);
  Write(ca_.cert + MakeTestCa("another").cert);
  EXPECT_TRUE(RequestsUntil([&] { return server.connections() == 3; })) << "the change is used";
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Succeeds());
  EXPECT_EQ(server.connections(), 3);
  EXPECT_FALSE(watch.done()) << watch.error();
}

}  // namespace
}  // namespace kinformer::internal::transport
