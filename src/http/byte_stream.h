// http/byte_stream.h
//
// ByteStream: a connected socket, with TLS or without, as the HTTP front end sees it: tried, not
// waited for.

#ifndef KINFORMER_HTTP_BYTE_STREAM_H_
#define KINFORMER_HTTP_BYTE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

namespace kinformer::internal::http {

// Reads and writes at once what can be, and says what to wait for before the rest; so an idle
// connection holds no buffer. Loop-confined. Never blocks, never raises a signal.
class ByteStream {
 public:
  enum class Next : std::uint8_t {
    kAgain,      // there may be more at once
    kWaitRead,   // nothing before the socket is readable
    kWaitWrite,  // nothing before the socket is writable
    kClosed,     // the other side has ended it, or it broke
  };
  struct Progress {
    Next next = Next::kAgain;
    std::size_t bytes = 0;
  };

  explicit ByteStream(boost::asio::ip::tcp::socket socket);
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // To be waited on, for what `next` says.
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() { return socket_; }

  // TLS handshake: repeated until it says kAgain, which means done.
  virtual Next Handshake() { return Next::kAgain; }
  virtual Progress Read(std::span<char> into) = 0;
  // Writes from the front of `pieces`. kAgain: all of them have gone.
  virtual Progress Write(std::span<const std::string_view> pieces) = 0;
  // The common name of the client's certificate; empty where it showed none.
  [[nodiscard]] virtual std::string PeerCommonName() const { return {}; }
  // Has HTTP/2 been agreed upon?
  [[nodiscard]] virtual bool http2() const { return false; }
  // No more will be written; the other side sees the end.
  void ShutdownSend();
  // Waits under way complete with an error.
  void Close();

 private:
  boost::asio::ip::tcp::socket socket_;
};

std::unique_ptr<ByteStream> NewPlainStream(boost::asio::ip::tcp::socket socket);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_BYTE_STREAM_H_
