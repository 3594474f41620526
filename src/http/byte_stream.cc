#include "http/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

namespace kinformer::internal::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Sockets that never block are not interrupted either.
bool WouldBlock() { return errno == EAGAIN; }

class PlainStream final : public ByteStream {
 public:
  using ByteStream::ByteStream;

  Progress Read(std::span<char> into) override {
    const ssize_t got = ::recv(socket().native_handle(), into.data(), into.size(), 0);
    if (got > 0) {
      const auto bytes = static_cast<std::size_t>(got);
      return {bytes == into.size() ? Next::kAgain : Next::kWaitRead, bytes};
    }
    return {got < 0 && WouldBlock() ? Next::kWaitRead : Next::kClosed, 0};
  }

  Progress Write(std::span<const std::string_view> pieces) override {
    std::array<iovec, 256> parts;
    Progress progress;
    while (!pieces.empty()) {
      const std::size_t count = std::min(pieces.size(), parts.size());
      std::size_t wanted = 0;
      for (std::size_t i = 0; i < count; ++i) {
        // The kernel only reads it; iovec predates const.
        parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
        wanted += pieces[i].size();
      }
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = count;
      const ssize_t sent = ::sendmsg(socket().native_handle(), &message, MSG_NOSIGNAL);
      if (sent < 0) {
        progress.next = WouldBlock() ? Next::kWaitWrite : Next::kClosed;
        return progress;
      }
      progress.bytes += static_cast<std::size_t>(sent);
      if (static_cast<std::size_t>(sent) < wanted) {
        progress.next = Next::kWaitWrite;
        return progress;
      }
      pieces = pieces.subspan(count);
    }
    return progress;
  }
};

}  // namespace

ByteStream::ByteStream(tcp::socket socket) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
}

PeerIdentity ByteStream::Peer() const {
  error_code error;
  asio::ip::address address = socket_.remote_endpoint(error).address();
  // A socket for both versions of IP has IPv4's addresses in IPv6's form.
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return {.on_loopback = !error && address.is_loopback()};
}

void ByteStream::ShutdownSend() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void ByteStream::Close() {
  error_code ignored;
  socket_.close(ignored);
}

std::unique_ptr<ByteStream> NewPlainStream(tcp::socket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace kinformer::internal::http
