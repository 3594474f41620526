// http/byte_stream.h
//
// ByteStream: a connected socket, with or without TLS, with operations that never wait. The caller
// waits on the socket.

#ifndef KINFORMER_HTTP_BYTE_STREAM_H_
#define KINFORMER_HTTP_BYTE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "http/peer_identity.h"

namespace kinformer::internal::http {

// Reads and writes as much as possible at once, and reports what to wait for next; so an idle
// connection needs no buffer. Loop-confined. Never blocks, never raises a signal.
class ByteStream {
 public:
  enum class Next : std::uint8_t {
    kAgain,      // more may be possible at once
    kWaitRead,   // wait until the socket is readable
    kWaitWrite,  // wait until the socket is writable
    kClosed,     // the peer has closed it, or it broke
  };
  struct Progress {
    Next next = Next::kAgain;
    std::size_t bytes = 0;
  };

  explicit ByteStream(boost::asio::ip::tcp::socket socket);
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // The socket to wait on, as `next` says.
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() { return socket_; }

  // Continues the TLS handshake; kAgain: it is complete.
  virtual Next Handshake() { return Next::kAgain; }
  virtual Progress Read(std::span<char> into) = 0;
  // Writes from the front of `pieces`. kAgain: all of them were written.
  virtual Progress Write(std::span<const std::string_view> pieces) = 0;
  // Returns the client, with the subject of its certificate if it sent one. After the handshake.
  [[nodiscard]] virtual PeerIdentity Peer() const;
  // Returns whether HTTP/2 was negotiated.
  [[nodiscard]] virtual bool http2() const { return false; }
  // Closes the sending direction; the peer reads the end of the stream.
  void ShutdownSend();
  // Closes the socket. Waits under way complete with an error.
  void Close();

 private:
  boost::asio::ip::tcp::socket socket_;
};

std::unique_ptr<ByteStream> NewPlainStream(boost::asio::ip::tcp::socket socket);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_BYTE_STREAM_H_
