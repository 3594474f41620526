// http/tls_client_for_test.h
//
// TlsClient: the client's side of TLS on one end of a socket pair, which never waits.

#ifndef KINFORMER_HTTP_TLS_CLIENT_FOR_TEST_H_
#define KINFORMER_HTTP_TLS_CLIENT_FOR_TEST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "http/tls_stream.h"
#include "x509/tls_authority.h"

namespace kinformer::internal::http {

using CertPtr = std::unique_ptr<X509, void (*)(X509*)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;

inline std::unique_ptr<BIO, int (*)(BIO*)> BioOf(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}
inline CertPtr ParseCert(const std::string& pem) {
  return {PEM_read_bio_X509(BioOf(pem).get(), nullptr, nullptr, nullptr), &X509_free};
}
inline KeyPtr ParseKey(const std::string& pem) {
  return {PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
}

// Authority and contexts that the tests share; keys take a while to make.
struct TlsForTest {
  x509::TlsAuthority authority =
      x509::TlsAuthority::Make("my-ca", WallTime(std::chrono::hours(500000))).OrExit();
  CertificatePair server =
      authority.ServerCertificate({"localhost", "*.a.b", "127.0.0.1", "::1"}).OrExit();

  static TlsForTest& Shared() {
    static TlsForTest shared;
    return shared;
  }
  // `clients`: certificates of the authority's clients are asked for.
  [[nodiscard]] TlsContext Context(bool http2 = true, bool clients = false) const {
    return NewTlsContext({.cert_pem = server.cert_pem,
                          .key_pem = server.key_pem,
                          .client_ca_pem = clients ? authority.ca_pem() : ""},
                         http2)
        .OrExit();
  }
};

struct TlsClientOptions {
  std::vector<std::string> protocols{};  // offered; empty: no ALPN
  int version = 0;                       // the only one; 0: any
  CertificatePair certificate{};
};

class TlsClient {
 public:
  using Options = TlsClientOptions;

  // Takes ownership of `socket`.
  explicit TlsClient(int socket, const Options& options = {}) : socket_(socket) {
    ::fcntl(socket_, F_SETFL, O_NONBLOCK);
    context_.reset(SSL_CTX_new(TLS_client_method()));
    if (options.version != 0) {
      SSL_CTX_set_security_level(context_.get(), 0);
      SSL_CTX_set_min_proto_version(context_.get(), options.version);
      SSL_CTX_set_max_proto_version(context_.get(), options.version);
    }
    if (!options.certificate.cert_pem.empty()) {
      SSL_CTX_use_certificate(context_.get(), ParseCert(options.certificate.cert_pem).get());
      SSL_CTX_use_PrivateKey(context_.get(), ParseKey(options.certificate.key_pem).get());
    }
    ssl_.reset(SSL_new(context_.get()));
    std::vector<unsigned char> offer;
    for (const std::string& protocol : options.protocols) {
      offer.push_back(static_cast<unsigned char>(protocol.size()));
      offer.insert(offer.end(), protocol.begin(), protocol.end());
    }
    if (!offer.empty()) {
      SSL_set_alpn_protos(ssl_.get(), offer.data(), static_cast<unsigned>(offer.size()));
    }
    SSL_set_fd(ssl_.get(), socket_);
    SSL_set_connect_state(ssl_.get());
    SSL_set_msg_callback(ssl_.get(), &OnMessage);
    SSL_set_msg_callback_arg(ssl_.get(), this);
  }
  ~TlsClient() {
    Close();
    ERR_clear_error();
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  [[nodiscard]] SSL* ssl() { return ssl_.get(); }
  [[nodiscard]] int socket() const { return socket_; }
  // Continues the handshake. Returns whether it is complete.
  bool Shake() {
    ERR_clear_error();
    return SSL_do_handshake(ssl_.get()) == 1;
  }
  void Write(std::string_view text) {
    ERR_clear_error();
    EXPECT_EQ(SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }
  // Returns all that has arrived.
  std::string Read() {
    std::string all;
    std::array<char, 65536> buffer{};
    while (true) {
      ERR_clear_error();
      const int some = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (some <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(some));
    }
  }
  // Returns what has arrived, as it is on the wire.
  [[nodiscard]] std::string ReadRaw() const {
    std::string all(100000, ' ');
    const ssize_t got = ::recv(socket_, all.data(), all.size(), MSG_DONTWAIT);
    all.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return all;
  }
  [[nodiscard]] std::string Protocol() {
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &chosen, &size);
    return {reinterpret_cast<const char*>(chosen), size};
  }
  // Whether the server has ended its direction; to be called after reading.
  [[nodiscard]] bool ended() const {
    char byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  void Close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  int data_records = 0;  // received

 private:
  template <auto kFree>
  struct Freer {
    template <class T>
    void operator()(T* object) const {
      kFree(object);
    }
  };
  static void OnMessage(int sent, int, int type, const void* bytes, std::size_t size, SSL*,
                        void* self) {
    constexpr unsigned char kData = 23;
    if (sent == 0 && type == SSL3_RT_HEADER && size > 0 &&
        *static_cast<const unsigned char*>(bytes) == kData) {
      ++static_cast<TlsClient*>(self)->data_records;
    }
  }

  int socket_;
  std::unique_ptr<SSL_CTX, Freer<&SSL_CTX_free>> context_{};
  std::unique_ptr<SSL, Freer<&SSL_free>> ssl_{};
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_CLIENT_FOR_TEST_H_
