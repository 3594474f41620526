// PlainStream over a socket pair: reads, writes, full and broken sockets.

#include "http/byte_stream.h"

#include <array>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace kinformer::internal::http {
namespace {

using Next = ByteStream::Next;

// A stream and its peer.
class Ends {
 public:
  explicit Ends(int send_buffer = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (send_buffer > 0) {
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    }
    descriptor = ends[0];
    peer = ends[1];
    ::fcntl(peer, F_SETFL, O_NONBLOCK);
    boost::asio::ip::tcp::socket socket(io_);
    socket.assign(boost::asio::ip::tcp::v4(), descriptor);
    stream = NewPlainStream(std::move(socket));
  }
  ~Ends() { ClosePeer(); }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  void ClosePeer() {
    if (peer >= 0) ::close(peer);
    peer = -1;
  }
  void Send(std::string_view text) const {
    EXPECT_EQ(::send(peer, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  // Returns all that the peer can read now.
  [[nodiscard]] std::string Receive() const {
    std::string all;
    std::array<char, 65536> buffer{};
    while (true) {
      const ssize_t some = ::recv(peer, buffer.data(), buffer.size(), 0);
      if (some <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(some));
    }
  }
  [[nodiscard]] bool PeerSeesTheEnd() const {
    char byte = 0;
    return ::recv(peer, &byte, 1, 0) == 0;
  }

  int descriptor = -1;
  int peer = -1;

 private:
  boost::asio::io_context io_{1};

 public:
  std::unique_ptr<ByteStream> stream{};
};

TEST(PlainStream, Read_TellsWhetherThereMayBeMore) {
  Ends ends;
  std::array<char, 10> buffer{};
  const auto read = [&](std::string_view text, Next next) {
    const ByteStream::Progress progress = ends.stream->Read(buffer);
    EXPECT_EQ(std::string_view(buffer.data(), progress.bytes), text);
    EXPECT_EQ(progress.next, next) << text;
  };
  read("", Next::kWaitRead);
  ends.Send("a");
  read("a", Next::kWaitRead);
  ends.Send("012345678");
  read("012345678", Next::kWaitRead);
  ends.Send("0123456789");
  read("0123456789", Next::kAgain);
  read("", Next::kWaitRead);
  ends.Send("0123456789abc");
  read("0123456789", Next::kAgain);
  read("abc", Next::kWaitRead);
  ends.Send("x");
  ::shutdown(ends.peer, SHUT_WR);
  read("x", Next::kWaitRead);
  errno = EAGAIN;
  read("", Next::kClosed);
}

TEST(PlainStream, BrokenSocket_IsClosed) {
  Ends ends;
  const std::array<std::string_view, 1> pieces{"unread"};
  EXPECT_EQ(ends.stream->Write(pieces).bytes, 6U);
  ends.ClosePeer();  // with unread data: a reset
  std::array<char, 10> buffer{};
  const ByteStream::Progress read = ends.stream->Read(buffer);
  EXPECT_EQ(read.next, Next::kClosed);
  EXPECT_EQ(read.bytes, 0U);
  const ByteStream::Progress written = ends.stream->Write(pieces);
  EXPECT_EQ(written.next, Next::kClosed);
  EXPECT_EQ(written.bytes, 0U);
}

TEST(PlainStream, Write_WritesAllPieces) {
  for (const std::size_t count : {0U, 1U, 2U, 255U, 256U, 257U, 511U, 512U, 513U, 1000U}) {
    SCOPED_TRACE(count);
    Ends ends;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(i) + ",");
    std::string all;
    for (const std::string& text : texts) all += text;
    const ByteStream::Progress progress =
        ends.stream->Write(std::vector<std::string_view>(texts.begin(), texts.end()));
    EXPECT_EQ(progress.next, Next::kAgain);
    EXPECT_EQ(progress.bytes, all.size());
    EXPECT_EQ(ends.Receive(), all);
  }
}

TEST(PlainStream, EmptyPieces_AreWrittenAsNothing) {
  Ends ends;
  std::vector<std::string_view> pieces(300);
  pieces.push_back("a");
  pieces.emplace_back();
  pieces.push_back("b");
  const ByteStream::Progress progress = ends.stream->Write(pieces);
  EXPECT_EQ(progress.next, Next::kAgain);
  EXPECT_EQ(progress.bytes, 2U);
  EXPECT_EQ(ends.Receive(), "ab");
}

TEST(PlainStream, FullSocket_TakesAPart) {
  for (const std::size_t size : {std::size_t{100}, std::size_t{100000}}) {
    SCOPED_TRACE(size);
    Ends ends(1);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < (size == 100 ? 1000 : 20); ++i) {
      texts.push_back(std::string(size, static_cast<char>('a' + i % 26)));
    }
    std::string all;
    for (const std::string& text : texts) all += text;
    const std::vector<std::string_view> pieces(texts.begin(), texts.end());
    const ByteStream::Progress first = ends.stream->Write(pieces);
    EXPECT_EQ(first.next, Next::kWaitWrite);
    EXPECT_GT(first.bytes, 0U);
    EXPECT_LT(first.bytes, all.size());
    const ByteStream::Progress second = ends.stream->Write(pieces);
    EXPECT_EQ(second.next, Next::kWaitWrite);
    EXPECT_EQ(ends.Receive(), all.substr(0, first.bytes) + all.substr(0, second.bytes));
  }
}

TEST(PlainStream, ShutdownSend_EndsOneDirection) {
  Ends ends;
  ends.stream->ShutdownSend();
  EXPECT_TRUE(ends.PeerSeesTheEnd());
  ends.Send("abc");
  std::array<char, 10> buffer{};
  EXPECT_EQ(ends.stream->Read(buffer).bytes, 3U);
}

TEST(PlainStream, Close_ReleasesTheDescriptor) {
  Ends ends;
  EXPECT_EQ(ends.stream->socket().native_handle(), ends.descriptor);
  ends.stream->Close();
  EXPECT_FALSE(ends.stream->socket().is_open());
  EXPECT_EQ(::fcntl(ends.descriptor, F_GETFD), -1);
  EXPECT_TRUE(ends.PeerSeesTheEnd());
}

TEST(PlainStream, Handshake_IsNotNeeded) {
  Ends ends;
  EXPECT_EQ(ends.stream->Handshake(), Next::kAgain);
  EXPECT_EQ(ends.stream->Peer().common_name, "");
  EXPECT_FALSE(ends.stream->http2());
}

}  // namespace
}  // namespace kinformer::internal::http
