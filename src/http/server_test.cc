// Server in simulated time, with adopted sockets: dates, counts, limits, and all ways to end.

#include "http/server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class ServerScene {
 public:
  explicit ServerScene(HttpServerOptions options = {}, WallTime start = {})
      : sim_({.start = start}) {
    base::GiveSockets(sim_.env(), io_);
    server = Server::Listen(sim_.env(), handler, std::move(options),
                            std::make_shared<ScriptPolicy>(), nullptr)
                 .OrExit();
  }
  ~ServerScene() {
    server.reset();
    Settle(sim_);
  }
  ServerScene(const ServerScene&) = delete;
  ServerScene& operator=(const ServerScene&) = delete;

  [[nodiscard]] Simulation& sim() { return sim_; }
  std::unique_ptr<RawClient> Connect() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    server->Adopt(ends[0]);
    Settle(sim_);
    return std::make_unique<RawClient>(sim_, ends[1], -1);
  }
  std::uint64_t open() { return server->Stats().connections_open; }

 private:
  boost::asio::io_context io_{1};
  Simulation sim_;

 public:
  ScriptHandler handler{};
  std::unique_ptr<Server> server{};
};

std::string DateIn(const std::string& answer) {
  const std::size_t at = answer.find("Date: ");
  return at == std::string::npos ? "" : answer.substr(at + 6, answer.find("\r\n", at) - at - 6);
}

TEST(ServerTest, Date_IsInTheFormOfHttp) {
  for (const auto& [time, date] : std::vector<std::pair<std::int64_t, const char*>>{
           {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
           {1795233060, "Sat, 21 Nov 2026 03:51:00 GMT"},
           {1709251199, "Thu, 29 Feb 2024 23:59:59 GMT"},
           {1709251200, "Fri, 01 Mar 2024 00:00:00 GMT"},
           {1767225599, "Wed, 31 Dec 2025 23:59:59 GMT"},
           {1775001600, "Wed, 01 Apr 2026 00:00:00 GMT"},
           {1778414400, "Sun, 10 May 2026 12:00:00 GMT"},
           {1780327384, "Mon, 01 Jun 2026 15:23:04 GMT"},
           {1784000000, "Tue, 14 Jul 2026 03:33:20 GMT"},
           {1786000000, "Thu, 06 Aug 2026 07:06:40 GMT"},
           {1789000000, "Thu, 10 Sep 2026 00:26:40 GMT"},
           {1792000000, "Wed, 14 Oct 2026 17:46:40 GMT"}}) {
    ServerScene scene({}, WallTime(seconds(time)));
    EXPECT_EQ(DateIn(scene.Connect()->Exchange(kGet)), date);
  }
}

TEST(ServerTest, Date_ChangesEachSecond) {
  ServerScene scene;
  const auto client = scene.Connect();
  EXPECT_EQ(DateIn(client->Exchange(kGet)), "Thu, 01 Jan 1970 00:00:00 GMT");
  scene.sim().RunFor(milliseconds(999));
  EXPECT_EQ(DateIn(client->Exchange(kGet)), "Thu, 01 Jan 1970 00:00:00 GMT");
  scene.sim().RunFor(milliseconds(1));
  EXPECT_EQ(DateIn(client->Exchange(kGet)), "Thu, 01 Jan 1970 00:00:01 GMT");
}

TEST(ServerTest, Stats_Count) {
  ServerScene scene;
  const auto zero = scene.server->Stats();
  EXPECT_EQ(zero.connections_accepted + zero.http2_connections_accepted + zero.connections_open +
                zero.requests + zero.bytes_sent,
            0U);
  const auto one = scene.Connect();
  const auto two = scene.Connect();
  std::size_t bytes = one->Exchange(kGet).size();
  bytes += one->Exchange(kGet).size();
  bytes += two->Exchange(kGet).size();
  one->Close();
  Settle(scene.sim());
  const auto stats = scene.server->Stats();
  EXPECT_EQ(stats.connections_accepted, 2U);
  EXPECT_EQ(stats.http2_connections_accepted, 0U);
  EXPECT_EQ(stats.connections_open, 1U);
  EXPECT_EQ(stats.requests, 3U);
  EXPECT_EQ(stats.bytes_sent, bytes);
}

TEST(ServerTest, Connections_AreLimited) {
  HttpServerOptions options;
  options.max_connections = 2;
  ServerScene scene(options);
  const auto one = scene.Connect();
  const auto two = scene.Connect();
  const auto three = scene.Connect();
  EXPECT_EQ(three->Exchange(kGet), "");
  EXPECT_TRUE(three->ended());
  EXPECT_NE(two->Exchange(kGet), "");
  EXPECT_EQ(scene.open(), 2U);
  EXPECT_EQ(scene.server->Stats().connections_accepted, 3U);
  one->Close();
  Settle(scene.sim());
  const auto four = scene.Connect();
  EXPECT_NE(four->Exchange(kGet), "");
}

int Option(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(socket, level, name, &value, &size), 0);
  return value;
}

// Vanished clients are noticed after about two minutes, and no child process gets the socket.
TEST(ServerTest, Sockets_GetTheirOptions) {
  ServerScene scene;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), size), 0);
  const int socket = ::accept(listener, nullptr, nullptr);
  ASSERT_GE(socket, 0);
  ::close(listener);
  scene.server->Adopt(socket);
  Settle(scene.sim());
  EXPECT_EQ(::fcntl(socket, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(Option(socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(Option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Option(socket, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(Option(socket, IPPROTO_TCP, TCP_KEEPINTVL), 15);
  EXPECT_EQ(Option(socket, IPPROTO_TCP, TCP_KEEPCNT), 4);
  ::close(client);
}

TEST(ServerTest, Shutdown_WaitsForResponses_AtMostForItsGrace) {
  for (const bool finishes : {true, false}) {
    ServerScene scene;
    const auto idle = scene.Connect();
    const auto busy = scene.Connect();
    const auto script = scene.handler.Add({{"a", State::kWait}});
    busy->Exchange(kGet);
    const SteadyTime start = scene.sim().env().Now();
    Timer timer;
    if (finishes) {
      timer = scene.sim().env().loop().RunAt(start + seconds(3), [&] {
        script->parts = {{"b", State::kEnd}};
        script->wake();
      });
    }
    EXPECT_TRUE(scene.sim().RunBlocking([&] { scene.server->Shutdown(seconds(10)); }, seconds(60)));
    // A connection that has ended waits two seconds more for its client.
    EXPECT_EQ(scene.sim().env().Now() - start, finishes ? seconds(5) : seconds(10));
    EXPECT_EQ(busy->Receive(), finishes ? "1\r\nb\r\n0\r\n\r\n" : "");
    EXPECT_TRUE(busy->ended());
    idle->Receive();
    EXPECT_TRUE(idle->ended());
    EXPECT_EQ(scene.open(), 0U);
    EXPECT_EQ(script->alive, 0);
  }
}

TEST(ServerTest, ShutdownWithoutConnections_ReturnsAtOnce) {
  ServerScene scene;
  const SteadyTime start = scene.sim().env().Now();
  EXPECT_TRUE(scene.sim().RunBlocking([&] { scene.server->Shutdown(seconds(10)); }, seconds(60)));
  EXPECT_EQ(scene.sim().env().Now(), start);
  EXPECT_EQ(scene.Connect()->Exchange(kGet), "") << "nothing is adopted any more";
  EXPECT_EQ(scene.open(), 0U);
}

TEST(ServerTest, AllConnections_AreClosedOrSentAway) {
  ServerScene scene;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(scene.Connect());
  const auto script = scene.handler.Add({{"a", State::kWait}});
  clients[0]->Exchange(kGet);
  scene.server->GoAway();
  Settle(scene.sim());
  EXPECT_EQ(scene.open(), 1U) << "idle ones are closed";
  scene.server->CloseConnections();
  Settle(scene.sim());
  EXPECT_EQ(scene.open(), 0U);
  EXPECT_EQ(script->alive, 0);
  EXPECT_NE(scene.Connect()->Exchange(kGet), "") << "the server goes on";
}

// More connections than one batch: all are served, again and again.
TEST(ServerTest, ManyConnections_AreAllWoken) {
  ServerScene scene;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 150; ++i) {
    clients.push_back(scene.Connect());
    scene.handler.Add({{"", State::kWait}});
  }
  const auto scripts = scene.handler.scripts;
  for (const auto& client : clients) client->Exchange(kGet);
  scene.sim().env().loop().Post([&] {
    for (const auto& script : scripts) {
      script->parts = {
          {"", State::kMore}, {"x", State::kMore}, {"", State::kMore}, {"y", State::kEnd}};
      script->wake();
      script->wake();
    }
  });
  Settle(scene.sim());
  for (const auto& client : clients) {
    EXPECT_EQ(client->Receive(), "1\r\nx\r\n1\r\ny\r\n0\r\n\r\n");
  }
}

TEST(ServerTest, AddressesThatCannotBeHad_AreExplained) {
  boost::asio::io_context io(1);
  Simulation sim;
  ScriptHandler handler;
  const auto listen = [&](const char* address, std::uint16_t port) {
    HttpServerOptions options;
    options.address = address;
    options.port = port;
    return Server::Listen(sim.env(), handler, options, std::make_shared<ScriptPolicy>(), nullptr);
  };
  const auto without = listen("127.0.0.1", 0);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(without.error().message(),
            "an HttpServer needs a Runtime's Env; a simulation has no sockets");
  base::GiveSockets(sim.env(), io);
  const auto name = listen("localhost", 0);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().reason(), Reason::kConfig);
  EXPECT_EQ(name.error().message(),
            "\"localhost\" is not an IP address to listen on; 127.0.0.1 is for this machine only, "
            "0.0.0.0 for all");
  const auto other = listen("192.0.2.1", 0);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason(), Reason::kTransport);
  EXPECT_EQ(other.error().message(),
            "cannot listen on 192.0.2.1 port 0: Cannot assign requested address. It is none of "
            "this machine's addresses: take one that it has, or 0.0.0.0 for all");
  auto first = listen("127.0.0.1", 0).OrExit();
  EXPECT_NE(first->port(), 0);
  const auto second = listen("127.0.0.1", first->port());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message(),
            "cannot listen on 127.0.0.1 port " + std::to_string(first->port()) +
                ": Address already in use. Another program has it: take another port, or 0 for "
                "any that is free");
  first.reset();
  Settle(sim);
}

}  // namespace
}  // namespace kinformer::internal::http
