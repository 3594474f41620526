// transport/curl_fixture_for_test.h
//
// CurlTransportTest: the transport in a real Runtime, and receivers that a test's thread can wait
// for.

#ifndef KINFORMER_TRANSPORT_CURL_FIXTURE_FOR_TEST_H_
#define KINFORMER_TRANSPORT_CURL_FIXTURE_FOR_TEST_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/http_transport.h"

#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::transport {

// A receiver whose state the test's thread can wait for.
class TestExchange final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders& headers) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    content_type_ = headers.Get("Content-Type");
    changed_.notify_all();
  }
  void OnData(std::string_view data) override {
    std::function<void()> hook;
    {
      const std::lock_guard lock(mutex_);
      text_ += data;
      hook = on_data;
      changed_.notify_all();
    }
    if (hook) hook();
  }
  void OnSent() override {
    const std::lock_guard lock(mutex_);
    ++sent_;
    changed_.notify_all();
  }
  void OnDone(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(result_.has_value()) << "OnDone twice";
    result_ = std::move(result);
    changed_.notify_all();
  }

  template <class Condition>
  bool WaitFor(Condition condition, Duration limit = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, condition);
  }
  bool WaitDone(Duration limit = std::chrono::seconds(20)) {
    return WaitFor([&] { return result_.has_value(); }, limit);
  }
  bool WaitText(const std::string& text) {
    return WaitFor([&] { return text_ == text; });
  }
  // Returns how often everything had been sent.
  int sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  int status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  bool done() {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  bool ok() {
    const std::lock_guard lock(mutex_);
    return result_ && result_->ok();
  }
  Error error() {
    const std::lock_guard lock(mutex_);
    return result_ && !result_->ok() ? result_->error() : Error(Reason::kUnknown, "no error");
  }

  std::function<void()> on_data;
  std::unique_ptr<HttpCall> call;  // touched on the loop only

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  int sent_ = 0;
  std::string content_type_;
  std::string text_;
  std::optional<Result<void>> result_;
};

class CurlTransportTest : public ::testing::Test {
 protected:
  ~CurlTransportTest() override {
    OnLoop([&] {
      for (auto& exchange : exchanges_) exchange->call.reset();
    });
    transport_.reset();
  }

  void OnLoop(const std::function<void()>& body) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }

  void Make(HttpTransportOptions options) {
    auto made = NewHttpTransport(runtime_.env(), std::move(options));
    ASSERT_TRUE(made.ok()) << made.error();
    transport_ = *std::move(made);
  }
  void Make(const LoopbackServer& server) { Make({.base_url = server.url()}); }

  TestExchange& Start(HttpRequest request) {
    exchanges_.push_back(std::make_unique<TestExchange>());
    TestExchange& exchange = *exchanges_.back();
    OnLoop([&] { exchange.call = transport_->Start(std::move(request), exchange); });
    return exchange;
  }
  TestExchange& Get(const std::string& target) {
    TestExchange& exchange = Start({.target = target});
    EXPECT_TRUE(exchange.WaitDone());
    return exchange;
  }
  TransportStats Stats() {
    TransportStats stats;
    OnLoop([&] { stats = transport_->Stats(); });
    return stats;
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.log = NewNullLog(), .metrics = metrics_}};
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<TestExchange>> exchanges_;
};

inline bool Echo(const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
  return peer.Write(PlainResponse(request.method + " " + request.target + "|" + request.body));
}

inline bool Hold(const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
  if (request.target.find("watch") == std::string::npos) return Echo(request, peer);
  peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("first "));
  peer.WaitForClose();
  return false;
}

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_FIXTURE_FOR_TEST_H_
