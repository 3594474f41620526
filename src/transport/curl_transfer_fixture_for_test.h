// transport/curl_transfer_fixture_for_test.h
//
// CurlTransferTest: one exchange that libcurl runs without a lane, in the test's thread.

#ifndef KINFORMER_TRANSPORT_CURL_TRANSFER_FIXTURE_FOR_TEST_H_
#define KINFORMER_TRANSPORT_CURL_TRANSFER_FIXTURE_FOR_TEST_H_

#include <algorithm>
#include <cstddef>
#include <curl/curl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"

#include "transport/curl_transfer.h"
#include "transport/endpoint.h"
#include "transport/loopback_server_for_test.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

// Notes each call as a word; the text of the body is kept apart.
class NotingReceiver final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override {
    calls += "head" + std::to_string(status) + " ";
    if (on_headers) on_headers();
  }
  void OnData(std::string_view data) override {
    if (text.empty()) calls += "data ";
    text += data;
    largest = std::max(largest, data.size());
    if (on_data) on_data();
  }
  void OnDone(Result<void> result) override {
    calls += result ? "done " : "failed ";
    if (on_done) on_done();
  }

  std::string calls;
  std::string text;
  std::size_t largest = 0;
  std::function<void()> on_headers;
  std::function<void()> on_data;
  std::function<void()> on_done;
};

class CurlTransferTest : public ::testing::Test {
 protected:
  CurlTransfer& Make(const std::string& url, HttpRequest request, HttpTransportOptions options = {},
                     std::string proxy = {}) {
    shared_ = std::make_shared<CurlShared>(CurlShared{
        nullptr, sim_.env(), std::move(options), ParseEndpoint(url).OrExit(), std::move(proxy)});
    receiver_ = NotingReceiver();
    transfer_ = std::make_shared<CurlTransfer>(shared_, std::move(request), receiver_);
    return *transfer_;
  }
  static Result<void> Prepare(CurlTransfer& transfer, std::string authorization = {}) {
    return transfer.Prepare(std::make_shared<const TlsMaterial>(), std::move(authorization));
  }
  // Prepares it and runs it to its end.
  static CURLcode Run(CurlTransfer& transfer) {
    EXPECT_TRUE(Prepare(transfer).ok());
    return curl_easy_perform(transfer.easy());
  }
  [[nodiscard]] SteadyTime Now() { return sim_.env().Now(); }

  Simulation sim_;
  NotingReceiver receiver_;
  std::shared_ptr<CurlShared> shared_;
  std::shared_ptr<CurlTransfer> transfer_;
};

// Sends `text` to whoever asks, and closes.
inline LoopbackServer::Handler Answer(std::string text) {
  return [text = std::move(text)](const LoopbackServer::Request&, LoopbackServer::Peer& peer) {
    peer.Write(text);
    return false;
  };
}

// Returns the URL of a port that nobody listens on.
inline std::string ClosedUrl() { return LoopbackServer(Answer("")).url(); }

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_TRANSFER_FIXTURE_FOR_TEST_H_
