// Programs that end what calls them, from the functions of exec, attach and port-forward.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/client/remote_command.h"
#include "kinformer/client/transport_wrapper.h"

#include "client/testing/websocket_server.h"
#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using Stream = WebSocketServer::Stream;

class OwnCall final : public HttpCall {
 public:
  OwnCall(EndingPlace& place, std::unique_ptr<HttpCall> inner)
      : place_(place), inner_(std::move(inner)) {}
  void Send(std::string_view bytes) override {
    inner_->Send(bytes);
    place_.Reach("Send");
  }
  [[nodiscard]] std::size_t unsent() const override {
    place_.Reach("Unsent");
    return inner_->unsent();
  }

 private:
  EndingPlace& place_;
  const std::unique_ptr<HttpCall> inner_;
};

class OwnTransport final : public ForwardingTransport {
 public:
  OwnTransport(EndingPlace& place, std::shared_ptr<Transport> inner)
      : ForwardingTransport(std::move(inner)), place_(place) {}
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    return std::make_unique<OwnCall>(place_, inner().Start(std::move(request), receiver));
  }

 private:
  EndingPlace& place_;
};

class StopFromCommand : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(StopFromCommand, TheCommandEndsAndCallsNothingMore) {
  const auto& [function, destruction] = GetParam();
  Simulation sim({.seed = 71});
  WebSocketServer server;
  EndingPlace place(function);
  server.on_open = [](Stream& stream) {
    stream.Send(1, "out");
    stream.Send(2, "err");
  };
  server.on_message = [&place](Stream&, const std::string&) { place.Reach("Receive"); };
  std::optional<Client> client = Client::ForTransport(
      sim.env(), std::make_shared<OwnTransport>(place, NewInMemoryTransport(sim.env(), server)));
  std::stop_source stop;
  place.Arm([&, destroys = destruction] {
    stop.request_stop();
    if (destroys) client.reset();
  });
  bool returned = false;
  {
    const std::unique_ptr<Thread> thread =
        sim.env().NewThread("caller", [&, pods = client->For<corev1::Pod>("default")] {
          StreamOptions streams;
          streams.input.emplace(sim.env());
          static_cast<void>(streams.input->Write("in"));
          streams.on_stdout = [&](std::string_view) { place.Reach("OnStdout"); };
          streams.on_stderr = [&](std::string_view) { place.Reach("OnStderr"); };
          const Result<int> code =
              ExecIn(pods, "a", {}, streams).Stream(streams, {.stop = stop.get_token()});
          ASSERT_FALSE(code.ok());
          EXPECT_EQ(code.error().reason(), Reason::kCanceled) << code.error();
          returned = true;
        });
    ASSERT_TRUE(sim.RunUntil([&] { return returned; }, minutes(10))) << place.reached();
    EXPECT_TRUE(place.ended());
    sim.RunFor(minutes(1));
    const int calls = place.calls();
    sim.RunFor(minutes(10));
    EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
    EXPECT_TRUE(server.streams.empty());
  }
  client.reset();
  sim.RunReady();
}

INSTANTIATE_TEST_SUITE_P(All, StopFromCommand,
                         ::testing::Combine(::testing::Values("OnStdout", "OnStderr", "Send",
                                                              "Unsent", "Receive"),
                                            ::testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) ? "_Destruction" : "_Stop");
                         });

class OwnReceiver final : public ResponseReceiver {
 public:
  explicit OwnReceiver(EndingPlace& place) : place_(place) {}
  void OnHeaders(int, const HttpHeaders&) override { call->Send("x"); }
  void OnData(std::string_view) override {}
  void OnSent() override { place_.Reach("OnSent"); }
  void OnDone(Result<void>) override { ++done; }
  int done = 0;
  std::unique_ptr<HttpCall> call{};

 private:
  EndingPlace& place_;
};

TEST(StopFromUpgrade, TheTransportMayGoFromOnSent) {
  Simulation sim({.seed = 72});
  WebSocketServer server;
  EndingPlace place("OnSent");
  OwnReceiver receiver(place);
  std::unique_ptr<Transport> transport = NewInMemoryTransport(sim.env(), server);
  place.Arm([&] { transport.reset(); });
  sim.env().loop().Post([&] { receiver.call = transport->Start({.target = "/x"}, receiver); });
  ASSERT_TRUE(sim.RunUntil([&] { return place.ended(); }, minutes(1)));
  sim.env().loop().Post([&] { receiver.call.reset(); });
  sim.RunFor(minutes(1));
  EXPECT_TRUE(server.streams.empty());
}

TEST(StopFromPortForward, TheForwarderEndsFromItsErrorFunction) {
  namespace asio = boost::asio;
  WebSocketServer server;
  server.refusal = StatusFailure(404, "NotFound", "no such pod");
  EndingPlace place("OnError");
  Runtime runtime({.log = NewNullLog()});
  std::optional<Client> client =
      Client::ForTransport(runtime.env(), NewInMemoryTransport(runtime.env(), server));
  std::optional<PortForwarder> forwarder;
  PortForwardOptions options;
  options.on_error = [&](const ForwardedPort&, const Error&) { place.Reach("OnError"); };
  forwarder.emplace(
      PortForwarder::New(client->For<corev1::Pod>("default"), "a", {":80"}, options).OrExit());
  const std::uint16_t port = forwarder->GetPorts()[0].local;
  place.Arm([&] {
    forwarder.reset();
    client.reset();
  });
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), port});
  char byte = 0;
  boost::system::error_code error;
  asio::read(socket, asio::buffer(&byte, 1), error);
  EXPECT_TRUE(error) << "the connection was closed";
  const SteadyTime limit = runtime.env().Now() + minutes(1);
  while (!place.ended() && runtime.env().Now() < limit) runtime.env().SleepFor(Duration(1'000'000));
  EXPECT_TRUE(place.ended());
}

}  // namespace
}  // namespace kinformer::testing
