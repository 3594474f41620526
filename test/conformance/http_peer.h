// test/conformance/http_peer.h
//
// HttpPeer: a server that scripts talk to over the network, request by request, with curl.

#ifndef KINFORMER_TEST_CONFORMANCE_HTTP_PEER_H_
#define KINFORMER_TEST_CONFORMANCE_HTTP_PEER_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/client/transport.h"

#include "conformance/server_script.h"

namespace kinformer::testing {

struct HttpPeerOptions {
  std::string word{};  // "ours", "real"
  std::string url{};
  std::string ca_file{};
  std::string bearer_token{};
  bool http2{true};
  std::function<void()> compact{};
};

// Each request has its own thread while it is in progress, so that an unread answer does not block
// others. Compressed bodies are decompressed; the header "Gzip-Members", which no server sends,
// then has the number of their members.
class HttpPeer final : public ScriptPeer {
 public:
  explicit HttpPeer(HttpPeerOptions options);
  ~HttpPeer() override;
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  [[nodiscard]] std::string_view word() const override { return options_.word; }
  int Start(HttpRequest request) override;
  int StartSlow(HttpRequest request) override;
  ScriptReply Finish(int number) override;
  void Sleep(std::chrono::milliseconds time) override;
  void Compact() override { options_.compact(); }

 private:
  class Exchange;
  int Begin(HttpRequest request, bool slow);

  const HttpPeerOptions options_;
  std::map<int, std::unique_ptr<Exchange>> exchanges_;
  std::vector<void*> idle_;  // curl handles, whose connections are kept
  int last_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_HTTP_PEER_H_
