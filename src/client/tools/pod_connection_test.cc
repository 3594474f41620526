#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/port_forward.h"

#include "client/testing/websocket_server.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Stream = testing::WebSocketServer::Stream;

class PodConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::ServePort(server_, 6379, [](Stream& stream, const std::string& text) {
      if (text == "quit") return stream.Close();
      stream.Send(0, text);
    });
    transport_ = NewInMemoryTransport(sim_.env(), server_, {.max_chunk_bytes = 1000});
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
    pods_.emplace(client_->For<corev1::Pod>("default"));
  }
  void Blocking(const std::function<void()>& body) {
    EXPECT_TRUE(sim_.RunBlocking(body, minutes(30)));
  }
  Result<PodConnection> Dial(const CallOptions& call = {}) {
    return PodConnection::Dial(*pods_, "redis-0", 6379, call);
  }

  Simulation sim_{{.seed = 4}};
  testing::WebSocketServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
};

TEST_F(PodConnectionTest, BytesGoBothWaysUntilThePodCloses) {
  Blocking([&] {
    Result<PodConnection> connection = Dial();
    ASSERT_TRUE(connection.ok()) << connection.error();
    EXPECT_EQ(server_.requests.at(0).target,
              "/api/v1/namespaces/default/pods/redis-0/portforward?ports=6379");
    EXPECT_EQ(server_.requests.at(0).headers.Get("Sec-WebSocket-Protocol"), "v4.channel.k8s.io");
    for (const char* word : {"one", "two"}) {
      EXPECT_TRUE(connection->Write(word).ok());
      EXPECT_EQ(connection->Read().value_or("?"), word);
    }
    EXPECT_TRUE(connection->Write("quit").ok());
    EXPECT_EQ(connection->Read().value_or("?"), "");
    EXPECT_EQ(connection->Read().value_or("?"), "");
    const Result<void> late = connection->Write("x");
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().reason(), Reason::kStopped);
  });
}

TEST_F(PodConnectionTest, AnAwaitedConnectionIsTheSame) {
  const auto talk = [](ResourceClient<corev1::Pod> pods) -> Task<Result<std::string>> {
    Result<PodConnection> connection = co_await PodConnection::AsyncDial(pods, "redis-0", 6379);
    if (!connection) co_return connection.error();
    if (Result<void> sent = connection->Write("hello"); !sent) co_return sent.error();
    co_return co_await connection->AsyncRead();
  };
  std::optional<Result<std::string>> said;
  Spawn<Result<std::string>>(sim_.env(), sim_.env().loop(), talk(*pods_),
                             [&](Result<std::string> text) { said = std::move(text); });
  ASSERT_TRUE(sim_.RunUntil([&] { return said.has_value(); }, minutes(1)));
  EXPECT_EQ(said->value_or("?"), "hello");
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(server_.streams.empty()) << "the connection ended with its object";
}

TEST_F(PodConnectionTest, AnErrorOfThePodsSideComesAfterItsBytes) {
  server_.on_open = [begin = server_.on_open](Stream& stream) {
    begin(stream);
    stream.Send(0, "last words");
    stream.Send(1, "connect: connection refused");
  };
  Blocking([&] {
    Result<PodConnection> connection = Dial();
    ASSERT_TRUE(connection.ok()) << connection.error();
    EXPECT_EQ(connection->Read().value_or("?"), "last words");
    const Result<std::string> failed = connection->Read();
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(failed.error().message(), HasSubstr("connection refused"));
  });
}

TEST_F(PodConnectionTest, ARefusalIsTheErrorOfDial) {
  server_.refusal = testing::StatusFailure(403, "Forbidden", "no port-forward for you");
  Blocking([&] {
    const Result<PodConnection> refused = Dial();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().http_status(), 403);
  });
}

TEST_F(PodConnectionTest, WaitsEndByTimeoutStopAndClose) {
  Blocking([&] {
    Result<PodConnection> connection = Dial();
    ASSERT_TRUE(connection.ok()) << connection.error();
    const SteadyTime begun = sim_.env().Now();
    const Result<std::string> late = connection->Read({.timeout = seconds(3)});
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
    EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
    EXPECT_TRUE(connection->Write("still open").ok());
    EXPECT_EQ(connection->Read().value_or("?"), "still open");
    const Timer timer =
        sim_.env().loop().RunAt(sim_.env().Now() + seconds(2), [&] { connection->Close(); });
    EXPECT_EQ(connection->Read().value_or("?"), "");
  });
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(server_.streams.empty());
}

TEST_F(PodConnectionTest, MuchGoesThroughWithoutARace) {
  const std::string piece(100'000, 'p');
  constexpr int kPieces = 50;
  Blocking([&] {
    Result<PodConnection> connection = Dial();
    ASSERT_TRUE(connection.ok()) << connection.error();
    const std::unique_ptr<Thread> writer = sim_.env().NewThread("writer", [&] {
      for (int i = 0; i < kPieces; ++i) EXPECT_TRUE(connection->Write(piece).ok());
    });
    std::size_t seen = 0;
    while (seen < piece.size() * kPieces) {
      const Result<std::string> text = connection->Read();
      ASSERT_TRUE(text.ok());
      ASSERT_FALSE(text->empty());
      EXPECT_LT(text->size(), std::size_t{1} << 20) << "the pod has to wait for its reader";
      seen += text->size();
    }
    EXPECT_EQ(seen, piece.size() * kPieces);
  });
}

}  // namespace
}  // namespace kinformer
