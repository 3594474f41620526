#include "http/tls_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace kinformer::internal::http {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kRecordBytes = std::size_t{16} << 10;
constexpr std::string_view kPlainHttpAnswer =
    "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    "Client sent an HTTP request to an HTTPS server.\n";

// ---- A BIO that reads from and writes to the socket. OpenSSL's own raises SIGPIPE when the peer
// has closed.

int Descriptor(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int BioRead(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(Descriptor(bio), into, static_cast<std::size_t>(size), 0);
  if (got < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

int BioWrite(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(Descriptor(bio), from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long BioControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket");
    if (made == nullptr) return made;
    BIO_meth_set_read(made, &BioRead);
    BIO_meth_set_write(made, &BioWrite);
    BIO_meth_set_ctrl(made, &BioControl);
    return made;
  }();
  return method;
}

// Returns an entry of the name as UTF-8; empty if it is none.
std::string NameText(X509_NAME* name, int index) {
  unsigned char* text = nullptr;
  const int size =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)));
  if (size < 0) return {};
  std::string entry(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return entry;
}

class TlsStream final : public ByteStream {
 public:
  TlsStream(tcp::socket socket, TlsContext context)
      : ByteStream(std::move(socket)),
        context_(std::move(context)),
        ssl_(SSL_new(context_.get()), &SSL_free) {
    BIO* const bio = ssl_ == nullptr ? nullptr : BIO_new(SocketMethod());
    if (bio == nullptr) {
      ssl_.reset();
      return;
    }
    const int descriptor = this->socket().native_handle();
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_accept_state(ssl_.get());
  }

  [[nodiscard]] bool usable() const { return ssl_ != nullptr; }

  Next Handshake() override {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return Next::kAgain;
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) AnswerPlainHttp();
    return After(result);
  }

  Progress Read(std::span<char> into) override {
    ERR_clear_error();
    std::size_t got = 0;
    const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
    if (result == 1) return {Next::kAgain, got};
    // Data that reading must write (a key update) is sent with the next write.
    const Next next = After(result);
    return {next == Next::kWaitWrite ? Next::kWaitRead : next, 0};
  }

  Progress Write(std::span<const std::string_view> pieces) override {
    Progress progress;
    std::array<char, kRecordBytes> record;
    std::size_t skip = 0;  // bytes of the first piece already written
    while (!pieces.empty()) {
      std::string_view text = pieces.front().substr(skip);
      if (text.size() < record.size() && pieces.size() > 1) {
        // Combines small pieces to one record.
        std::size_t filled = 0;
        std::size_t from = skip;
        for (const std::string_view piece : pieces) {
          const std::string_view part = piece.substr(from, record.size() - filled);
          std::memcpy(record.data() + filled, part.data(), part.size());
          filled += part.size();
          from = 0;
          if (filled == record.size()) break;
        }
        text = {record.data(), filled};
      }
      ERR_clear_error();
      std::size_t sent = 0;
      if (!text.empty()) {
        const int result = SSL_write_ex(ssl_.get(), text.data(), text.size(), &sent);
        if (result != 1) {
          progress.next = After(result);
          // A write that must read first waits for the same data as the reader.
          if (progress.next == Next::kWaitRead) progress.next = Next::kWaitWrite;
          return progress;
        }
      }
      progress.bytes += sent;
      skip += sent;
      while (!pieces.empty() && skip >= pieces.front().size()) {
        skip -= pieces.front().size();
        pieces = pieces.subspan(1);
      }
    }
    return progress;
  }

  [[nodiscard]] PeerIdentity Peer() const override {
    const std::unique_ptr<X509, void (*)(X509*)> cert(SSL_get1_peer_certificate(ssl_.get()),
                                                      &X509_free);
    PeerIdentity peer = ByteStream::Peer();
    // An invalid certificate has already failed the handshake.
    if (cert == nullptr) return peer;
    X509_NAME* const name = X509_get_subject_name(cert.get());
    const int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index < 0) return peer;
    peer.common_name = NameText(name, index);
    for (int at = X509_NAME_get_index_by_NID(name, NID_organizationName, -1); at >= 0;
         at = X509_NAME_get_index_by_NID(name, NID_organizationName, at)) {
      peer.organizations.push_back(NameText(name, at));
    }
    return peer;
  }

  [[nodiscard]] bool http2() const override {
    const unsigned char* protocol = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
    return size == 2 && std::memcmp(protocol, "h2", 2) == 0;
  }

 private:
  // Tells a client without TLS what is wrong, with the message of Go's servers: without it, the
  // client would only see a broken connection. Reads the available part of the request first, as
  // closing with unread data would reset the connection, and the client could miss the answer.
  void AnswerPlainHttp() {
    std::array<char, 4096> request;
    const int descriptor = socket().native_handle();
    for (int i = 0; i < 4; ++i) {
      if (::recv(descriptor, request.data(), request.size(), MSG_DONTWAIT) <= 0) break;
    }
    (void)::send(descriptor, kPlainHttpAnswer.data(), kPlainHttpAnswer.size(),
                 MSG_NOSIGNAL | MSG_DONTWAIT);
    ShutdownSend();
  }

  Next After(int result) const {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return Next::kWaitRead;
      case SSL_ERROR_WANT_WRITE:
        return Next::kWaitWrite;
      default:
        return Next::kClosed;
    }
  }

  const TlsContext context_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
};

// ---- Context

constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr unsigned char kHttp2AndHttp11[] = {2,   'h', '2', 8,   'h', 't',
                                             't', 'p', '/', '1', '.', '1'};

template <const unsigned char* kOffer, unsigned kSize>
int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOffer, kSize, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Error MaterialError(std::string_view what) {
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return Error(Reason::kConfig, std::string(what) + ": " +
                                    (reason == nullptr ? "nothing usable in it" : reason) +
                                    "; PEM is expected");
}

std::unique_ptr<BIO, int (*)(BIO*)> Reader(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

std::unique_ptr<X509, void (*)(X509*)> NextCertificate(BIO* bio) {
  return {PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
}

bool UseChain(SSL_CTX* context, const std::string& pem) {
  const auto bio = Reader(pem);
  const auto leaf = NextCertificate(bio.get());
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) return false;
  while (const auto link = NextCertificate(bio.get())) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) return false;
  }
  ERR_clear_error();  // the end of the text is reported as an error
  return true;
}

bool UseKey(SSL_CTX* context, const std::string& pem) {
  const auto bio = Reader(pem);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  return key != nullptr && SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

bool TrustClients(SSL_CTX* context, const std::string& pem) {
  const auto bio = Reader(pem);
  bool any = false;
  while (const auto authority = NextCertificate(bio.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) return false;
    SSL_CTX_add_client_CA(context, authority.get());
    any = true;
  }
  ERR_clear_error();
  return any;
}

}  // namespace

std::unique_ptr<ByteStream> NewTlsStream(tcp::socket socket, const TlsContext& context) {
  auto stream = std::make_unique<TlsStream>(std::move(socket), context);
  if (!stream->usable()) return nullptr;
  return stream;
}

bool IsCertifiedFor(const TlsContext& context, const std::string& name) {
  X509* const certificate = SSL_CTX_get0_certificate(context.get());
  if (certificate == nullptr) return false;
  return X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
}

Result<TlsContext> NewTlsContext(const TlsServerMaterial& material, bool http2) {
  const TlsContext context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return MaterialError("TLS cannot be set up");
  SSL_CTX* const native = context.get();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Releases buffers between records, for many idle watches. A retried write may use another
  // buffer.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                               SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(native, 1);
  // Without a context id, resumed sessions with client certificates would fail; sessions are not
  // needed.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_alpn_select_cb(native,
                             http2 ? &SelectProtocol<kHttp2AndHttp11, sizeof(kHttp2AndHttp11)>
                                   : &SelectProtocol<kHttp11, sizeof(kHttp11)>,
                             nullptr);
  ERR_clear_error();
  if (!UseChain(native, material.cert_pem)) {
    return MaterialError("the server's certificate cannot be used");
  }
  if (!UseKey(native, material.key_pem)) {
    return MaterialError("the server's private key cannot be used");
  }
  if (!material.client_ca_pem.empty()) {
    if (!TrustClients(native, material.client_ca_pem)) {
      return MaterialError("the authority of client certificates cannot be used");
    }
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  }
  return context;
}

}  // namespace kinformer::internal::http
