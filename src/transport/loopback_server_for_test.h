// transport/loopback_server_for_test.h
//
// A small HTTP/1.1 server on 127.0.0.1 for tests of the transport: one thread per connection, the
// test writes raw bytes.

#ifndef KINFORMER_TRANSPORT_LOOPBACK_SERVER_FOR_TEST_H_
#define KINFORMER_TRANSPORT_LOOPBACK_SERVER_FOR_TEST_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace kinformer::internal::transport {

// A certificate and its key, PEM. New ones in every run.
struct TestCertificate {
  std::string cert;
  std::string key;
};
// Self-signed.
TestCertificate MakeTestCa(const std::string& name);
// Signed by `ca`, for a DNS name or IP address. If `days` is negative, it has expired.
TestCertificate MakeTestCertificate(const TestCertificate& ca, const std::string& subject,
                                    int days = 30);
// Like MakeTestCertificate, with extensions: a subjectAltName ("DNS:a,IP:::1"; empty: none, the
// name is only in the Common Name) and an extended key usage (empty: none).
TestCertificate MakeSpecialCertificate(const TestCertificate& ca, const std::string& subject,
                                       const std::string& alternatives,
                                       const std::string& key_usage = {});

// Returns the TLS of a server that has this certificate; the caller frees it.
ssl_ctx_st* NewServerContext(const TestCertificate& certificate);

class LoopbackServer {
 public:
  // A connection, served by its own thread.
  class Peer {
   public:
    virtual ~Peer() = default;
    virtual bool Write(std::string_view bytes) = 0;
    // Blocks until something comes, and returns it; empty: the other end has closed.
    virtual std::string ReadSome() = 0;
    // Blocks until the other end closes or sends something.
    virtual void WaitForClose() = 0;
    // Closes the connection with a reset instead of properly.
    virtual void Reset() = 0;
  };
  struct Request {
    std::string method;
    std::string target;
    std::string head;  // the whole head
    std::string body;
    // Returns the value of a header field, or empty; the name is in lower case.
    [[nodiscard]] std::string Header(const std::string& name) const;
  };
  // Answers a request; returns whether the connection stays open.
  using Handler = std::function<bool(const Request&, Peer&)>;

  struct Options {
    const TestCertificate* certificate = nullptr;  // TLS
    std::string client_ca = {};                    // PEM: client certificates are required
    int last_tls = 0;                              // TLS1_1_VERSION and the like; 0: any
    bool refuses_alpn = false;                     // knows none of the client's protocols
  };
  LoopbackServer(Handler handler, Options options);
  explicit LoopbackServer(Handler handler) : LoopbackServer(std::move(handler), Options()) {}
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int connections() const;

 private:
  struct Impl;
  void Serve(int fd);

  Handler handler_;
  std::unique_ptr<Impl> impl_;
};

// Formats "HTTP/1.1 200 OK" with this body and its length.
std::string PlainResponse(const std::string& body, const std::string& extra_headers = {},
                          int status = 200);
std::string Chunk(const std::string& text);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_LOOPBACK_SERVER_FOR_TEST_H_
