// apiserver/http/byte_stream.h
//
// ByteStream: a connected socket, with TLS or without, as the HTTP front end sees it.

#ifndef KINFORMER_APISERVER_HTTP_BYTE_STREAM_H_
#define KINFORMER_APISERVER_HTTP_BYTE_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include "kinformer/result.h"

namespace boost::asio::ssl {
class context;
}

namespace kinformer::apiserver {

// Loop-confined. At most one read and one write under way; completions come from the loop, never from inside the call, and after
// Close with an error. What is passed as buffer must live until then.
class ByteStream {
 public:
  using Done = std::function<void(const boost::system::error_code&, std::size_t)>;

  virtual ~ByteStream() = default;
  // TLS handshake; without TLS it succeeds at once.
  virtual void Handshake(Done done) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer buffer, Done done) = 0;
  virtual void WriteSome(boost::asio::const_buffer buffer, Done done) = 0;
  // The common name of the client's certificate; empty where it showed none.
  [[nodiscard]] virtual std::string PeerCommonName() const = 0;
  // No more will be written; the other side sees the end.
  virtual void ShutdownSend() = 0;
  virtual void Close() = 0;
};

std::unique_ptr<ByteStream> NewPlainStream(boost::asio::ip::tcp::socket socket);
// `context` must outlive the stream.
std::unique_ptr<ByteStream> NewTlsStream(boost::asio::ip::tcp::socket socket,
                                         boost::asio::ssl::context& context);

struct TlsServerMaterial {
  std::string cert_pem;
  std::string key_pem;
  std::string client_ca_pem;
};
// A server's TLS context: TLS 1.2 and up, HTTP/1.1 by ALPN, client certificates asked for and checked.
Result<std::shared_ptr<boost::asio::ssl::context>> NewTlsContext(const TlsServerMaterial& material);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_BYTE_STREAM_H_
