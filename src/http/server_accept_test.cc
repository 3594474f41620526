// Servers that accept clients on their port, and what happens when they cannot.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "base/core/testing/descriptors.h"
#include "base/core/testing/fields_log.h"
#include "http/connection_scene_for_test.h"
#include "http/server.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

#ifndef KINFORMER_TEST_NEEDS_DESCRIPTORS
// Lets no more descriptors be opened while it exists.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);
    ::close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};
#endif

class ServerAccept : public ::testing::Test {
 protected:
  ServerAccept() {
    base::GiveSockets(sim_.env(), io_);
    server_ = Server::Listen(sim_.env(), handler_, {.address = "127.0.0.1", .port = 0},
                             std::make_shared<ScriptPolicy>(), nullptr)
                  .OrExit();
    Settle(sim_);
  }
  ~ServerAccept() override {
    server_.reset();
    Settle(sim_);
  }

  // Returns a socket that is connected to the port; the server has not run meanwhile.
  int Connect() const {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(server_->port());
    EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return client;
  }
  // Runs until the kernel has delivered what `done` waits for; time does not pass.
  bool Await(const std::function<bool()>& done) {
    for (int i = 0; i < 100000; ++i) {
      Settle(sim_);
      if (done()) return true;
      std::this_thread::yield();
    }
    return false;
  }
  [[nodiscard]] std::uint64_t accepted() const { return server_->Stats().connections_accepted; }
  [[nodiscard]] std::size_t lines() const { return log_->lines.size(); }
  // Returns the listening socket of the server, found by its port.
  [[nodiscard]] int Listener() const {
    for (int fd = 0; fd < 1024; ++fd) {
      int listens = 0;
      socklen_t size = sizeof listens;
      if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
        continue;
      }
      sockaddr_in address{};
      size = sizeof address;
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
          ntohs(address.sin_port) == server_->port()) {
        return fd;
      }
    }
    return -1;
  }

  std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  boost::asio::io_context io_{1};
  Simulation sim_{{.log = log_}};
  ScriptHandler handler_{};
  std::unique_ptr<Server> server_{};
};

TEST_F(ServerAccept, Clients_AreAcceptedOneAfterTheOther) {
  for (std::uint64_t i = 1; i < 4; ++i) {
    RawClient client(sim_, Connect(), -1);
    EXPECT_TRUE(Await([&] { return accepted() == i; }));
    client.Send(kGet);
    std::string got;
    EXPECT_TRUE(Await([&] {
      got += client.Receive();
      return got.find("\r\n\r\nGET / ") != std::string::npos;
    }));
  }
  EXPECT_TRUE(Await([&] { return server_->Stats().connections_open == 0; }));
  EXPECT_EQ(lines(), 0U);
}

TEST_F(ServerAccept, ListeningSocket_HasItsOptions) {
  const int listener = Listener();
  ASSERT_GE(listener, 0);
  EXPECT_EQ(::fcntl(listener, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(listener, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
  int reuse = 0;
  socklen_t size = sizeof reuse;
  EXPECT_EQ(::getsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, &size), 0);
  EXPECT_EQ(reuse, 1);
}

#ifndef KINFORMER_TEST_NEEDS_DESCRIPTORS
TEST_F(ServerAccept, WithoutDescriptors_TriesEach100Milliseconds_AndSaysSoEachMinute) {
  RawClient client(sim_, Connect(), -1);
  {
    const NoDescriptors none;
    EXPECT_TRUE(Await([&] { return lines() == 1; }));
    sim_.RunFor(seconds(60) - Duration(1));
    EXPECT_EQ(lines(), 1U);
    sim_.RunFor(Duration(1));
    EXPECT_EQ(lines(), 2U);
    sim_.RunFor(seconds(60));
    EXPECT_EQ(accepted(), 0U);
  }
  const std::string head = "cannot accept connections err=Too many open files attempts=";
  EXPECT_EQ(log_->lines, (std::vector<std::string>{head + "1 connections_open=0",
                                                   head + "600 connections_open=0",
                                                   head + "600 connections_open=0"}));
  sim_.RunFor(milliseconds(100) - Duration(1));
  EXPECT_EQ(accepted(), 0U);
  sim_.RunFor(Duration(1));
  EXPECT_EQ(accepted(), 1U);
  EXPECT_NE(client.Exchange(kGet), "");
}

TEST_F(ServerAccept, StoppedServer_TriesNoMore) {
  RawClient client(sim_, Connect(), -1);
  const NoDescriptors none;
  EXPECT_TRUE(Await([&] { return lines() == 1; }));
  EXPECT_TRUE(sim_.RunBlocking([&] { server_->Shutdown({}); }, seconds(1)));
  sim_.RunFor(seconds(600));
  EXPECT_EQ(lines(), 1U);
  EXPECT_EQ(accepted(), 0U);
}
#endif

TEST_F(ServerAccept, UnusableSocket_IsClosedAndForgotten) {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  server_->Adopt(file);
  server_->Adopt(-1);
  Settle(sim_);
  EXPECT_EQ(accepted(), 1U) << "the file, which reads as a connection that has ended";
  EXPECT_EQ(server_->Stats().connections_open, 0U);
  EXPECT_EQ(::fcntl(file, F_GETFD), -1);
}

TEST_F(ServerAccept, Server_CanEndOnItsOwnLoop) {
  RawClient client(sim_, Connect(), -1);
  EXPECT_TRUE(Await([&] { return accepted() == 1; }));
  sim_.env().loop().Post([&] { server_.reset(); });
  Settle(sim_);
  EXPECT_EQ(server_, nullptr);
  EXPECT_TRUE(Await([&] {
    client.Receive();
    return client.ended();
  }));
}

// More connections than one batch: other work gets a turn after 64 of them.
TEST_F(ServerAccept, WokenConnections_AreServedInBatchesOf64) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 130; ++i) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    server_->Adopt(ends[0]);
    clients.push_back(std::make_unique<RawClient>(sim_, ends[1], -1));
    handler_.Add({{"a", State::kWait}});
  }
  const auto scripts = handler_.scripts;
  for (const auto& client : clients) client->Exchange(kGet);
  std::vector<std::size_t> served;
  std::function<void()> look = [&] {
    served.push_back(0);
    for (const auto& script : scripts) {
      if (script->parts.empty()) ++served.back();
    }
    if (served.size() < 4) sim_.env().loop().Post(look);
  };
  sim_.env().loop().Post([&] {
    for (const auto& script : scripts) {
      script->parts = {{"b", State::kWait}};
      script->wake();
    }
    look();
  });
  Settle(sim_);
  EXPECT_EQ(served, (std::vector<std::size_t>{0, 64, 128, 130}));
}

}  // namespace
}  // namespace kinformer::internal::http
