// http/server_for_test.h
//
// Helpers shared by the servers' tests: a policy that requires a token, a server on a loopback
// socket in every protocol, clients that send a head and no body, and curl.

#ifndef KINFORMER_HTTP_SERVER_FOR_TEST_H_
#define KINFORMER_HTTP_SERVER_FOR_TEST_H_

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include "kinformer/base/runtime.h"

#include "base/core/testing/fields_log.h"
#include "http/bearer_token.h"
#include "http/early_client_for_test.h"
#include "http/server.h"
#include "http/tls_stream.h"
#include "transport/responses.h"
#include "x509/tls_authority.h"

namespace kinformer::internal::http {

enum class Protocol : std::uint8_t { kHttp1, kHttp1Tls, kHttp2 };

inline std::unique_ptr<ResponseStream> Text(int status, std::string body) {
  return std::make_unique<transport::WholeBody>(status, HttpHeaders(), std::move(body));
}

// Admits requests with the token "right".
class TokenPolicy final : public RequestPolicy {
 public:
  std::unique_ptr<ResponseStream> Admit(const PeerIdentity&, HttpRequest& request) const override {
    return BearerToken(request.headers) == "right" ? nullptr : Refuse(401, "Unauthorized");
  }
  Compression CompressionOf(const HttpRequest&) const override { return Compression::kNone; }
  bool AnswersWithMessages(const HttpRequest&) const override { return false; }
  MessageForm FormOf(std::string_view) const override { return MessageForm::kLine; }
  std::unique_ptr<ResponseStream> Refuse(int status, std::string_view message) const override {
    return Text(status, std::string(message) + "\n");
  }
};

// A server of `handler`, which must outlive it.
class ServerForTest {
 public:
  ServerForTest(Protocol protocol, Handler& handler) : protocol_(protocol) {
    TlsContext tls;
    if (protocol != Protocol::kHttp1) {
      auto authority = x509::TlsAuthority::Make("test-ca", runtime_.env().WallNow()).OrExit();
      auto certificate = authority.ServerCertificate({"127.0.0.1"}).OrExit();
      ca_pem_ = authority.ca_pem();
      tls = NewTlsContext({.cert_pem = certificate.cert_pem,
                           .key_pem = certificate.key_pem,
                           .client_ca_pem = {}},
                          true)
                .OrExit();
    }
    server_ = Server::Listen(runtime_.env(), handler, {.address = "127.0.0.1", .port = 0},
                             std::make_shared<TokenPolicy>(), std::move(tls))
                  .OrExit();
  }

  [[nodiscard]] Server& server() { return *server_; }
  [[nodiscard]] Env& env() { return runtime_.env(); }
  [[nodiscard]] std::string url() const {
    return std::string(protocol_ == Protocol::kHttp1 ? "http" : "https") +
           "://127.0.0.1:" + std::to_string(server_->port());
  }
  [[nodiscard]] const std::string& ca_pem() const { return ca_pem_; }
  [[nodiscard]] std::string log() { return log_->text(); }
  [[nodiscard]] std::string metrics() { return metrics_->Text(); }

  // See AskEarly.
  Reply Ask(const std::string& path, const char* token, std::size_t body_bytes = 0,
            std::size_t sent_bytes = 0) {
    return AskEarly({.url = url() + path,
                     .http2 = protocol_ == Protocol::kHttp2,
                     .ca_pem = ca_pem_,
                     .headers = {"Authorization: Bearer " + std::string(token)},
                     .body_bytes = body_bytes,
                     .sent_bytes = sent_bytes});
  }

 private:
  const Protocol protocol_;
  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.log = log_, .metrics = metrics_}};
  std::string ca_pem_{};
  std::unique_ptr<Server> server_{};
};

inline std::string NameOf(const ::testing::TestParamInfo<Protocol>& info) {
  switch (info.param) {
    case Protocol::kHttp1:
      return "Http1";
    case Protocol::kHttp1Tls:
      return "Http1Tls";
    case Protocol::kHttp2:
      return "Http2";
  }
  return "";
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_SERVER_FOR_TEST_H_
