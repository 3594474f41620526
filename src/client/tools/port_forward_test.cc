// PortForwarder on real sockets, and its arguments.

#include "kinformer/client/port_forward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"

#include "client/testing/websocket_server.h"
#include "client/tools/forwarded_ports.h"

namespace kinformer {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using Stream = testing::WebSocketServer::Stream;

// A program of this machine.
class LocalProgram {
 public:
  explicit LocalProgram(std::uint16_t port) : socket_(io_) {
    socket_.connect(tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
  }
  void Write(const std::string& text) { asio::write(socket_, asio::buffer(text)); }
  std::string Read(std::size_t size) {
    std::string text(size, '\0');
    boost::system::error_code error;
    text.resize(asio::read(socket_, asio::buffer(text), error));
    return text;
  }
  void EndWriting() { socket_.shutdown(tcp::socket::shutdown_send); }

 private:
  asio::io_context io_;
  tcp::socket socket_;
};

class PortForwardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::ServePort(server_, 80, [](Stream& stream, const std::string& text) {
      if (text == "fail") return stream.Send(1, "connection refused");
      stream.Send(0, text);
      if (text == "bye") stream.Close();
    });
    transport_ = NewInMemoryTransport(runtime_.env(), server_);
    client_.emplace(Client::ForTransport(runtime_.env(), transport_, {.qps = -1}));
    pods_.emplace(client_->For<corev1::Pod>("default"));
  }

  testing::WebSocketServer server_;
  Runtime runtime_{{.log = NewNullLog()}};
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
};

TEST_F(PortForwardTest, ProgramsOfThisMachineTalkToThePod) {
  Result<PortForwarder> forwarder = PortForwarder::New(*pods_, "web-0", {":80"});
  ASSERT_TRUE(forwarder.ok()) << forwarder.error();
  ASSERT_EQ(forwarder->GetPorts().size(), 1U);
  EXPECT_EQ(forwarder->GetPorts()[0].remote, 80);
  LocalProgram one(forwarder->GetPorts()[0].local);
  LocalProgram two(forwarder->GetPorts()[0].local);
  one.Write("from one");
  two.Write("from two");
  EXPECT_EQ(one.Read(8), "from one");
  EXPECT_EQ(two.Read(8), "from two");
  one.Write("bye");
  EXPECT_EQ(one.Read(100), "bye") << "the pod's close is the program's";
  const std::string much(3'000'000, 'm');
  std::thread writer([&] { two.Write(much); });
  EXPECT_EQ(two.Read(much.size()), much);
  writer.join();
  // An answer of the pod still comes after the program has ended its direction.
  LocalProgram three(forwarder->GetPorts()[0].local);
  three.Write("bye");
  three.EndWriting();
  EXPECT_EQ(three.Read(100), "bye");
}

TEST_F(PortForwardTest, AFailureOfThePodsSideIsReportedAndClosesTheConnection) {
  std::mutex mutex;
  std::vector<std::string> errors;
  PortForwardOptions options;
  options.on_error = [&](const ForwardedPort& port, const Error& error) {
    const std::lock_guard lock(mutex);
    errors.push_back(std::to_string(port.remote) + ": " + error.message());
  };
  Result<PortForwarder> forwarder = PortForwarder::New(*pods_, "web-0", {":80"}, options);
  ASSERT_TRUE(forwarder.ok()) << forwarder.error();
  LocalProgram program(forwarder->GetPorts()[0].local);
  program.Write("fail");
  EXPECT_EQ(program.Read(100), "");
  const std::lock_guard lock(mutex);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("80: "));
  EXPECT_THAT(errors[0], HasSubstr("connection refused"));
}

TEST_F(PortForwardTest, AnErrorFunctionThatThrowsHarmsNothing) {
  PortForwardOptions options;
  options.on_error = [](const ForwardedPort&, const Error&) -> void {
    throw std::runtime_error("on_error");
  };
  Result<PortForwarder> forwarder = PortForwarder::New(*pods_, "web-0", {":80"}, options);
  ASSERT_TRUE(forwarder.ok()) << forwarder.error();
  LocalProgram failing(forwarder->GetPorts()[0].local);
  failing.Write("fail");
  EXPECT_EQ(failing.Read(100), "");
  LocalProgram program(forwarder->GetPorts()[0].local);
  program.Write("x");
  EXPECT_EQ(program.Read(1), "x");
}

TEST_F(PortForwardTest, CloseEndsConnectionsAndListening) {
  Result<PortForwarder> forwarder = PortForwarder::New(*pods_, "web-0", {":80"});
  ASSERT_TRUE(forwarder.ok()) << forwarder.error();
  const std::uint16_t port = forwarder->GetPorts()[0].local;
  LocalProgram program(port);
  program.Write("x");
  EXPECT_EQ(program.Read(1), "x");
  forwarder->Close();
  EXPECT_EQ(program.Read(1), "");
  EXPECT_THROW(LocalProgram{port}, boost::system::system_error);
  // The port is free again.
  const Result<PortForwarder> another =
      PortForwarder::New(*pods_, "web-0", {std::to_string(port) + ":80"});
  EXPECT_TRUE(another.ok()) << another.error();
  const Result<PortForwarder> taken =
      PortForwarder::New(*pods_, "web-0", {std::to_string(port) + ":80"});
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message(), HasSubstr("any free one"));
}

TEST_F(PortForwardTest, ASimulationHasNoSockets) {
  Simulation sim;
  const Client client = Client::ForTransport(sim.env(), NewInMemoryTransport(sim.env(), server_));
  const Result<PortForwarder> none =
      PortForwarder::New(client.For<corev1::Pod>("default"), "web-0", {"80"});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().reason(), Reason::kInvalidArgument);
}

TEST(ForwardedPorts, TheFormsOfKubectlAreRead) {
  struct Row {
    std::string text;
    std::optional<std::pair<int, int>> ports;
  };
  for (const Row& row : std::vector<Row>{{"80", {{80, 80}}},
                                         {"8080:80", {{8080, 80}}},
                                         {":80", {{0, 80}}},
                                         {"0:80", {{0, 80}}},
                                         {"", {}},
                                         {":", {}},
                                         {"80:", {}},
                                         {"0", {}},
                                         {"65536", {}},
                                         {"1:2:3", {}},
                                         {"-1:2", {}},
                                         {" 80", {}},
                                         {"web:http", {}}}) {
    const Result<ForwardedPort> port = internal::client::ParseForwardedPort(row.text);
    ASSERT_EQ(port.ok(), row.ports.has_value()) << row.text;
    if (!port) {
      EXPECT_THAT(port.error().message(), HasSubstr("names no ports"));
    } else {
      EXPECT_EQ(port->local, row.ports->first);
      EXPECT_EQ(port->remote, row.ports->second);
    }
  }
}

TEST(ForwardedPorts, AddressesAreLocalhostOrOfThisMachine) {
  const auto both = internal::client::ParseLocalAddresses({"localhost", "127.0.0.1", "0.0.0.0"});
  ASSERT_TRUE(both.ok());
  std::string text;
  for (const auto& address : *both) text += address.address + (address.optional ? "? " : " ");
  EXPECT_EQ(text, "127.0.0.1 ::1? 0.0.0.0 ");
  EXPECT_FALSE(internal::client::ParseLocalAddresses({"example.com"}).ok());
  EXPECT_FALSE(internal::client::ParseLocalAddresses({}).ok());
}

}  // namespace
}  // namespace kinformer
