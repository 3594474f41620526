#include "transport/loopback_server_for_test.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <optional>
#include <sys/socket.h>

#include "transport/acceptor_for_test.h"

namespace kinformer::internal::transport {

namespace {

std::string ToText(const std::function<void(BIO*)>& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

void Extend(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

TestCertificate Make(const std::string& subject, int days, const TestCertificate* ca,
                     const std::string& alternatives = {}, const std::string& key_usage = {}) {
  static std::atomic<long> serial{1000};
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* cert = X509_new();
  X509_set_version(cert, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(cert), -86400L * 60);
  X509_gmtime_adj(X509_getm_notAfter(cert), 86400L * days);
  X509_set_pubkey(cert, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
  if (ca == nullptr) {
    X509_set_issuer_name(cert, X509_get_subject_name(cert));
    Extend(cert, cert, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(cert, key, EVP_sha256());
  } else {
    BIO* cert_bio = BIO_new_mem_buf(ca->cert.data(), static_cast<int>(ca->cert.size()));
    BIO* key_bio = BIO_new_mem_buf(ca->key.data(), static_cast<int>(ca->key.size()));
    X509* issuer = PEM_read_bio_X509(cert_bio, nullptr, nullptr, nullptr);
    EVP_PKEY* issuer_key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
    X509_set_issuer_name(cert, X509_get_subject_name(issuer));
    if (!alternatives.empty()) Extend(cert, issuer, NID_subject_alt_name, alternatives);
    if (!key_usage.empty()) Extend(cert, issuer, NID_ext_key_usage, key_usage);
    X509_sign(cert, issuer_key, EVP_sha256());
    EVP_PKEY_free(issuer_key);
    X509_free(issuer);
    BIO_free(key_bio);
    BIO_free(cert_bio);
  }
  TestCertificate out;
  out.cert = ToText([&](BIO* bio) { PEM_write_bio_X509(bio, cert); });
  out.key = ToText(
      [&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
  X509_free(cert);
  EVP_PKEY_free(key);
  return out;
}

class SocketPeer final : public LoopbackServer::Peer {
 public:
  SocketPeer(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}
  bool Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ssl_ != nullptr
                            ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                            : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  std::size_t Read(char* data, std::size_t size) {
    const ssize_t n =
        ssl_ != nullptr ? SSL_read(ssl_, data, static_cast<int>(size)) : recv(fd_, data, size, 0);
    return n <= 0 ? 0 : static_cast<std::size_t>(n);
  }
  std::string ReadSome() override {
    std::string text(std::size_t{64} << 10, '\0');
    text.resize(Read(text.data(), text.size()));
    return text;
  }
  void WaitForClose() override {
    char byte = 0;
    Read(&byte, 1);
  }
  void Reset() override {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  const int fd_;
  SSL* const ssl_;
};

}  // namespace

TestCertificate MakeTestCa(const std::string& name) { return Make(name, 30, nullptr); }
TestCertificate MakeTestCertificate(const TestCertificate& ca, const std::string& subject,
                                    int days) {
  const bool ip = subject.find_first_not_of("0123456789.") == std::string::npos;
  return Make(subject, days, &ca, (ip ? "IP:" : "DNS:") + subject);
}
TestCertificate MakeSpecialCertificate(const TestCertificate& ca, const std::string& subject,
                                       const std::string& alternatives,
                                       const std::string& key_usage) {
  return Make(subject, 30, &ca, alternatives, key_usage);
}

struct LoopbackServer::Impl {
  SSL_CTX* tls = nullptr;
  std::optional<Acceptor> acceptor{};
  ~Impl() { SSL_CTX_free(tls); }
};

std::string LoopbackServer::Request::Header(const std::string& name) const {
  std::string lower = head;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto at = lower.find("\r\n" + name + ":");
  if (at == std::string::npos) return {};
  auto from = at + name.size() + 3;
  while (from < head.size() && head[from] == ' ') ++from;
  return head.substr(from, head.find("\r\n", from) - from);
}

SSL_CTX* NewServerContext(const TestCertificate& certificate) {
  SSL_CTX* const tls = SSL_CTX_new(TLS_server_method());
  BIO* const cert_bio = BIO_new_mem_buf(certificate.cert.data(), -1);
  BIO* const key_bio = BIO_new_mem_buf(certificate.key.data(), -1);
  X509* const cert = PEM_read_bio_X509(cert_bio, nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(tls, cert);
  SSL_CTX_use_PrivateKey(tls, key);
  X509_free(cert);
  EVP_PKEY_free(key);
  BIO_free(cert_bio);
  BIO_free(key_bio);
  return tls;
}

LoopbackServer::LoopbackServer(Handler handler, Options options)
    : handler_(std::move(handler)), impl_(std::make_unique<Impl>()) {
  if (options.certificate != nullptr) {
    impl_->tls = NewServerContext(*options.certificate);
    if (options.last_tls != 0) {
      SSL_CTX_set_security_level(impl_->tls, 0);
      SSL_CTX_set_min_proto_version(impl_->tls, TLS1_VERSION);
      SSL_CTX_set_max_proto_version(impl_->tls, options.last_tls);
    }
    if (options.refuses_alpn) {
      SSL_CTX_set_alpn_select_cb(
          impl_->tls,
          [](SSL*, const unsigned char**, unsigned char*, const unsigned char*, unsigned, void*) {
            return SSL_TLSEXT_ERR_ALERT_FATAL;
          },
          nullptr);
    }
    if (!options.client_ca.empty()) {
      BIO* ca_bio = BIO_new_mem_buf(options.client_ca.data(), -1);
      X509* ca = PEM_read_bio_X509(ca_bio, nullptr, nullptr, nullptr);
      X509_STORE_add_cert(SSL_CTX_get_cert_store(impl_->tls), ca);
      X509_free(ca);
      BIO_free(ca_bio);
      SSL_CTX_set_verify(impl_->tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
  }
  impl_->acceptor.emplace([this](int fd) { Serve(fd); });
}

LoopbackServer::~LoopbackServer() { impl_->acceptor.reset(); }

int LoopbackServer::port() const { return impl_->acceptor->port(); }

int LoopbackServer::connections() const { return impl_->acceptor->connections(); }

std::string LoopbackServer::url() const {
  return (impl_->tls != nullptr ? "https://127.0.0.1:" : "http://127.0.0.1:") +
         std::to_string(port());
}

void LoopbackServer::Serve(int fd) {
  SSL* ssl = nullptr;
  bool open = true;
  if (impl_->tls != nullptr) {
    ssl = SSL_new(impl_->tls);
    SSL_set_fd(ssl, fd);
    open = SSL_accept(ssl) == 1;
    if (!open) {
      // To close with unread bytes would send a reset, and the alert with the reason would be lost.
      shutdown(fd, SHUT_WR);
      char data[4096];
      while (recv(fd, data, sizeof data, 0) > 0) {
      }
    }
  }
  SocketPeer peer(fd, ssl);
  std::string buffer;
  while (open) {
    std::size_t end = 0;
    while (open && (end = buffer.find("\r\n\r\n")) == std::string::npos) {
      char data[4096];
      const std::size_t n = peer.Read(data, sizeof data);
      open = n > 0;
      buffer.append(data, n);
    }
    if (!open) break;
    Request request;
    request.head = buffer.substr(0, end + 2);
    buffer.erase(0, end + 4);
    const auto space = request.head.find(' ');
    request.method = request.head.substr(0, space);
    request.target = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
    const std::string length = request.Header("content-length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (open && buffer.size() < size) {
      char data[4096];
      const std::size_t n = peer.Read(data, sizeof data);
      open = n > 0;
      buffer.append(data, n);
    }
    request.body = buffer.substr(0, size);
    buffer.erase(0, size);
    if (open) open = handler_(request, peer);
  }
  SSL_free(ssl);
}

std::string PlainResponse(const std::string& body, const std::string& extra_headers, int status) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + extra_headers + "\r\n" +
         body;
}

std::string Chunk(const std::string& text) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

}  // namespace kinformer::internal::transport
