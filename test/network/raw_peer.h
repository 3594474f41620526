// test/network/raw_peer.h
//
// RawPeer: the server's end of plain connections of a LaneScene, whose bytes the test decides.

#ifndef KINFORMER_TEST_NETWORK_RAW_PEER_H_
#define KINFORMER_TEST_NETWORK_RAW_PEER_H_

#include <array>
#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "kinformer/client/transport.h"

#include "transport/socket_source.h"

namespace kinformer::testing {

// Connections are numbered from 0, in the order in which they were opened.
class RawPeer final : public internal::transport::SocketSource {
 public:
  RawPeer() : name_("kinformer-raw-peer-" + std::to_string(getpid())) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name_.copy(&address.sun_path[1], sizeof(address.sun_path) - 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
  }
  ~RawPeer() override {
    for (std::size_t i = 0; i < peers_.size(); ++i) Close(i);
    close(listener_);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  [[nodiscard]] const std::string& name() const override { return name_; }
  bool Opens(ConnectionPool) override {
    ++asked;
    return opens;
  }

  // Number of connections so far.
  std::size_t Accepted() {
    for (;;) {
      const int peer = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (peer < 0) return peers_.size();
      const int room = 200'000;
      setsockopt(peer, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
      peers_.push_back(peer);
    }
  }
  void Write(std::size_t number, std::string_view bytes) {
    ASSERT_LT(number, Accepted());
    EXPECT_EQ(send(peers_[number], bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Returns what has arrived; "closed" if the other end is closed.
  std::string Read(std::size_t number) {
    std::array<char, 65536> data{};
    if (number >= Accepted()) return "no connection";
    const ssize_t got = recv(peers_[number], data.data(), data.size(), 0);
    if (got < 0) return errno == EAGAIN ? "" : "closed";
    if (got == 0) return "closed";
    return {data.data(), static_cast<std::size_t>(got)};
  }
  void Close(std::size_t number) {
    if (peers_[number] >= 0) close(peers_[number]);
    peers_[number] = -1;
  }

  int asked = 0;
  bool opens = true;

 private:
  const std::string name_;
  const int listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  std::vector<int> peers_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_RAW_PEER_H_
