#include "http/tls_handshake.h"

#include <utility>

#include "http/http1_connection.h"
#include "http/http2_connection.h"

namespace kinformer::internal::http {
namespace {

class TlsHandshake final : public Connection {
 public:
  using Connection::Connection;

  void Start() override {
    SetDeadline(host().options().header_timeout);
    Shake();
  }
  void Pump() override { Shake(); }
  void GoAway() override { Close(); }

 private:
  // Continues, whatever the handshake waited for.
  void OnReadable() override { Shake(); }
  void OnBytes(std::string_view) override {}

  void Shake() {
    const ByteStream::Next next = stream().Handshake();
    if (next == ByteStream::Next::kClosed) return Close();
    if (next != ByteStream::Next::kAgain) return WaitFor(next);
    const bool http2 = stream().http2();
    PeerIdentity peer = stream().Peer();
    std::shared_ptr<Connection> connection =
        http2 ? NewHttp2Connection(host(), ReleaseStream(), std::move(peer))
              : NewHttp1Connection(host(), ReleaseStream(), std::move(peer));
    if (connection == nullptr) return Close();
    host().Replace(*this, std::move(connection));
  }
};

}  // namespace

std::shared_ptr<Connection> NewTlsHandshake(ConnectionHost& host,
                                            std::unique_ptr<ByteStream> stream) {
  return std::make_shared<TlsHandshake>(host, std::move(stream));
}

}  // namespace kinformer::internal::http
