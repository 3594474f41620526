// TlsStream over a socket pair: handshakes, reads, writes, protocols, and clients' certificates.

#include "http/tls_stream.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>

#include "http/tls_client_for_test.h"

namespace kinformer::internal::http {
namespace {

using Next = ByteStream::Next;
using Pieces = std::vector<std::string_view>;

// A stream and its client.
class TlsEnds {
 public:
  explicit TlsEnds(const TlsContext& context, const TlsClient::Options& options = {},
                   int send_buffer = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (send_buffer > 0) {
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    }
    descriptor = ends[0];
    boost::asio::ip::tcp::socket socket(io_);
    socket.assign(boost::asio::ip::tcp::v4(), descriptor);
    stream = NewTlsStream(std::move(socket), context);
    client = std::make_unique<TlsClient>(ends[1], options);
  }
  // Lets both ends take turns. Returns how the handshake of the stream ends.
  Next Shake() {
    Next next = Next::kWaitRead;
    for (int i = 0; i < 10 && next == Next::kWaitRead; ++i) {
      client->Shake();
      next = stream->Handshake();
    }
    client->Shake();
    return next;
  }
  ByteStream::Progress Read(std::string& into) const {
    errno = EAGAIN;
    return stream->Read(into);
  }

 private:
  boost::asio::io_context io_{1};

 public:
  int descriptor = -1;
  std::unique_ptr<ByteStream> stream{};
  std::unique_ptr<TlsClient> client{};
};

TEST(TlsStream, Handshake_WaitsForItsClient) {
  for (const auto& [version, good] : std::vector<std::pair<int, bool>>{
           {0, true}, {TLS1_3_VERSION, true}, {TLS1_2_VERSION, true}, {TLS1_1_VERSION, false}}) {
    SCOPED_TRACE(version);
    TlsEnds ends(TlsForTest::Shared().Context(),
                 {.protocols = {}, .version = version, .certificate = {}});
    EXPECT_EQ(ends.stream->Handshake(), Next::kWaitRead);
    EXPECT_EQ(ends.stream->Handshake(), Next::kWaitRead);
    EXPECT_EQ(ends.Shake(), good ? Next::kAgain : Next::kClosed);
    if (good) {
      EXPECT_EQ(ends.stream->Handshake(), Next::kAgain);
    }
    EXPECT_EQ(ends.stream->Peer().common_name, "");
  }
}

TEST(TlsStream, Sessions_AreNotKept) {
  const TlsContext context = TlsForTest::Shared().Context();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (int i = 0; i < 20; ++i) {
      TlsEnds ends(context, {.protocols = {}, .version = version, .certificate = {}});
      EXPECT_EQ(ends.Shake(), Next::kAgain);
    }
  }
  EXPECT_GE(SSL_CTX_sess_accept_good(context.get()), 40);
  EXPECT_EQ(SSL_CTX_sess_number(context.get()), 0);
}

TEST(TlsStream, Read_TakesWhatFits) {
  TlsEnds ends(TlsForTest::Shared().Context());
  ASSERT_EQ(ends.Shake(), Next::kAgain);
  std::string buffer(10, ' ');
  const auto read = [&](std::string_view text, Next next) {
    const ByteStream::Progress progress = ends.Read(buffer);
    EXPECT_EQ(buffer.substr(0, progress.bytes), text);
    EXPECT_EQ(progress.next, next) << text;
  };
  read("", Next::kWaitRead);
  ends.client->Write("0123456789abc");
  read("0123456789", Next::kAgain);
  read("abc", Next::kAgain);
  read("", Next::kWaitRead);
  ends.client->Write("x");
  SSL_shutdown(ends.client->ssl());
  read("x", Next::kAgain);
  read("", Next::kClosed);
}

TEST(TlsStream, ClientThatVanishes_ClosesTheStream) {
  for (const bool full : {false, true}) {
    TlsEnds ends(TlsForTest::Shared().Context(), {}, 1);
    ASSERT_EQ(ends.Shake(), Next::kAgain);
    const std::string text(1000000, 'x');
    std::string buffer(10, ' ');
    EXPECT_EQ(ends.Read(buffer).next, Next::kWaitRead);
    if (full) {
      EXPECT_EQ(ends.stream->Write(Pieces{text}).next, Next::kWaitWrite);
    } else {
      ::shutdown(ends.client->socket(), SHUT_WR);
      EXPECT_EQ(ends.Read(buffer).next, Next::kClosed);
      EXPECT_EQ(ends.Read(buffer).bytes, 0U);
    }
    ends.client->Close();
    errno = EAGAIN;
    const ByteStream::Progress written = ends.stream->Write(Pieces{text});
    EXPECT_EQ(written.next, Next::kClosed);
    EXPECT_EQ(written.bytes, 0U);
  }
}

TEST(TlsStream, Garbage_ClosesTheStream) {
  TlsEnds ends(TlsForTest::Shared().Context());
  EXPECT_EQ(::send(ends.client->socket(), "\0\1\2garbage", 10, 0), 10);
  EXPECT_EQ(ends.stream->Handshake(), Next::kClosed);
  EXPECT_EQ(ends.client->ReadRaw().find("HTTP"), std::string::npos);
}

// Small pieces share a record of 16 KiB.
TEST(TlsStream, Pieces_AreCombinedToRecords) {
  struct Row {
    std::vector<std::size_t> sizes;
    int records;
  };
  const std::size_t full = 16384;
  for (const Row& row : std::vector<Row>{{{}, 0},
                                         {{0}, 0},
                                         {{0, 0}, 0},
                                         {{1}, 1},
                                         {{1, 1}, 1},
                                         {{0, 1, 0, 0, 2, 0}, 1},
                                         {{full - 1, 1}, 1},
                                         {{full - 1, 2}, 2},
                                         {{full, 1}, 2},
                                         {{full + 1, 1}, 2},
                                         {{1, full, 1}, 2},
                                         {{10000, 10000, 10000}, 2},
                                         {{40000}, 3},
                                         {{40000, 5, 40000, 6}, 5},
                                         {std::vector<std::size_t>(1000, 100), 7}}) {
    SCOPED_TRACE(row.sizes.size());
    TlsEnds ends(TlsForTest::Shared().Context());
    ASSERT_EQ(ends.Shake(), Next::kAgain);
    ends.client->Read();
    ends.client->data_records = 0;
    std::vector<std::string> texts;
    std::string all;
    for (std::size_t i = 0; i < row.sizes.size(); ++i) {
      for (std::size_t k = 0; k < row.sizes[i]; ++k) {
        all.push_back(static_cast<char>('a' + (i * 7 + k) % 26));
      }
      texts.push_back(all.substr(all.size() - row.sizes[i]));
    }
    const ByteStream::Progress progress = ends.stream->Write(Pieces(texts.begin(), texts.end()));
    EXPECT_EQ(progress.next, Next::kAgain);
    EXPECT_EQ(progress.bytes, all.size());
    EXPECT_TRUE(ends.client->Read() == all);
    EXPECT_EQ(ends.client->data_records, row.records);
  }
}

// A write that was refused is tried again with the same bytes, from other memory.
TEST(TlsStream, FullSocket_TakesTheRestLater) {
  TlsEnds ends(TlsForTest::Shared().Context(), {}, 1);
  ASSERT_EQ(ends.Shake(), Next::kAgain);
  std::vector<std::string> texts;
  std::string all;
  for (std::size_t i = 0; i < 300; ++i) {
    texts.push_back(std::string(i * 10, static_cast<char>('a' + i % 26)));
    all += texts.back();
  }
  std::string got;
  std::size_t done = 0;
  int refused = 0;
  for (bool again = true; again;) {
    std::vector<std::string> rest;
    std::size_t skip = done;
    for (const std::string& text : texts) {
      const std::size_t some = std::min(skip, text.size());
      rest.push_back(text.substr(some));
      skip -= some;
    }
    const ByteStream::Progress progress = ends.stream->Write(Pieces(rest.begin(), rest.end()));
    done += progress.bytes;
    ASSERT_LE(done, all.size());
    again = progress.next == Next::kWaitWrite;
    if (again) {
      ++refused;
    } else {
      EXPECT_EQ(progress.next, Next::kAgain);
    }
    got += ends.client->Read();
    ASSERT_LT(refused, 1000);
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(done, all.size());
  EXPECT_TRUE(got == all);
}

// An answer that TLS itself wants to give waits for the next write, so reading needs no room.
TEST(TlsStream, KeyUpdateWithoutRoomForItsAnswer_DelaysNoRead) {
  TlsEnds ends(TlsForTest::Shared().Context(),
               {.protocols = {}, .version = TLS1_3_VERSION, .certificate = {}}, 1);
  ASSERT_EQ(ends.Shake(), Next::kAgain);
  const std::string filler(4096, 'x');
  while (::send(ends.descriptor, filler.data(), filler.size(), MSG_DONTWAIT) > 0) {
  }
  SSL_key_update(ends.client->ssl(), SSL_KEY_UPDATE_REQUESTED);
  ends.client->Write("abc");
  std::string buffer(10, ' ');
  const ByteStream::Progress progress = ends.Read(buffer);
  EXPECT_EQ(progress.next, Next::kAgain);
  EXPECT_EQ(buffer.substr(0, progress.bytes), "abc");
  EXPECT_EQ(ends.Read(buffer).next, Next::kWaitRead);
}

TEST(TlsStream, WriteBeforeTheHandshake_WaitsAsAWrite) {
  TlsEnds ends(TlsForTest::Shared().Context());
  const ByteStream::Progress progress = ends.stream->Write(Pieces{"abc"});
  EXPECT_EQ(progress.next, Next::kWaitWrite);
  EXPECT_EQ(progress.bytes, 0U);
}

// The answer of Go's servers, after all of the request that is there was read.
TEST(TlsStream, PlainHttp_IsAnswered) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5000}, std::size_t{30000}}) {
    TlsEnds ends(TlsForTest::Shared().Context());
    const std::string request = "GET / HTTP/1.1\r\nX: " + std::string(size, 'x') + "\r\n\r\n";
    EXPECT_EQ(::send(ends.client->socket(), request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    EXPECT_EQ(ends.stream->Handshake(), Next::kClosed);
    EXPECT_EQ(ends.client->ReadRaw(),
              "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
              "Client sent an HTTP request to an HTTPS server.\n");
    EXPECT_TRUE(ends.client->ended());
    int unread = -1;
    ::ioctl(ends.descriptor, FIONREAD, &unread);
    EXPECT_EQ(unread, 0) << "closing would reset the connection";
  }
}

TEST(TlsStream, Protocol_IsTheServersChoice) {
  struct Row {
    std::vector<std::string> offered;
    std::string with_http2;
    std::string without;
  };
  for (const Row& row : std::vector<Row>{{{}, "", ""},
                                         {{"h2"}, "h2", ""},
                                         {{"h3"}, "", ""},
                                         {{"http/1.1"}, "http/1.1", "http/1.1"},
                                         {{"http/1.1", "h2"}, "h2", "http/1.1"},
                                         {{"h2", "http/1.1"}, "h2", "http/1.1"},
                                         {{"spdy/3", "http/1.0"}, "", ""}}) {
    for (const bool http2 : {true, false}) {
      TlsEnds ends(TlsForTest::Shared().Context(http2),
                   {.protocols = row.offered, .version = 0, .certificate = {}});
      EXPECT_FALSE(ends.stream->http2());
      ASSERT_EQ(ends.Shake(), Next::kAgain);
      const std::string& expected = http2 ? row.with_http2 : row.without;
      EXPECT_EQ(ends.client->Protocol(), expected);
      EXPECT_EQ(ends.stream->http2(), expected == "h2");
    }
  }
}

}  // namespace
}  // namespace kinformer::internal::http
