#include "apiserver/http/byte_stream.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace kinformer::apiserver {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

void CloseSocket(tcp::socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

void ShutdownSocket(tcp::socket& socket) {
  error_code ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(tcp::socket socket) : socket_(std::move(socket)) {}
  void Handshake(Done done) override {
    asio::post(socket_.get_executor(), [done = std::move(done)] { done(error_code(), 0); });
  }
  void ReadSome(asio::mutable_buffer buffer, Done done) override {
    socket_.async_read_some(asio::buffer(buffer), std::move(done));
  }
  void WriteSome(asio::const_buffer buffer, Done done) override {
    socket_.async_write_some(asio::buffer(buffer), std::move(done));
  }
  [[nodiscard]] std::string PeerCommonName() const override { return {}; }
  void ShutdownSend() override { ShutdownSocket(socket_); }
  void Close() override { CloseSocket(socket_); }

 private:
  tcp::socket socket_;
};

class TlsStream final : public ByteStream {
 public:
  TlsStream(tcp::socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}
  void Handshake(Done done) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [done = std::move(done)](const error_code& error) { done(error, 0); });
  }
  void ReadSome(asio::mutable_buffer buffer, Done done) override {
    stream_.async_read_some(asio::buffer(buffer), std::move(done));
  }
  void WriteSome(asio::const_buffer buffer, Done done) override {
    stream_.async_write_some(asio::buffer(buffer), std::move(done));
  }
  [[nodiscard]] std::string PeerCommonName() const override {
    auto* ssl = const_cast<TlsStream*>(this)->stream_.native_handle();
    const std::unique_ptr<X509, void (*)(X509*)> cert(SSL_get1_peer_certificate(ssl), &X509_free);
    // An invalid certificate has failed the handshake already.
    if (cert == nullptr) return {};
    X509_NAME* const name = X509_get_subject_name(cert.get());
    const int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index < 0) return {};
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)));
    if (size < 0) return {};
    std::string common_name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
    return common_name;
  }
  void ShutdownSend() override { ShutdownSocket(stream_.next_layer()); }
  void Close() override { CloseSocket(stream_.next_layer()); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

int SelectHttp11(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                 unsigned in_size, void*) {
  static constexpr unsigned char kOffer[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOffer, sizeof(kOffer), in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Error MaterialError(std::string_view what, const error_code& error) {
  return Error(Reason::kConfig, std::string(what) + ": " + error.message() + "; PEM is expected");
}

}  // namespace

std::unique_ptr<ByteStream> NewPlainStream(tcp::socket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<ByteStream> NewTlsStream(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsStream>(std::move(socket), context);
}

Result<std::shared_ptr<asio::ssl::context>> NewTlsContext(const TlsServerMaterial& material) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // Many idle watches: give buffers back between records.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  // Without a context id, resumed sessions with client certificates fail; there is no need for them.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_alpn_select_cb(native, &SelectHttp11, nullptr);
  error_code error;
  context->use_certificate_chain(asio::buffer(material.cert_pem), error);
  if (error) return MaterialError("the server's certificate cannot be used", error);
  context->use_private_key(asio::buffer(material.key_pem), asio::ssl::context::pem, error);
  if (error) return MaterialError("the server's private key cannot be used", error);
  if (!material.client_ca_pem.empty()) {
    context->add_certificate_authority(asio::buffer(material.client_ca_pem), error);
    if (error) return MaterialError("the authority of client certificates cannot be used", error);
    context->set_verify_mode(asio::ssl::verify_peer, error);
  }
  return context;
}

}  // namespace kinformer::apiserver
