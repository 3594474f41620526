// A sidecar in a program of boost::asio: routes TCP connections to the ready endpoints of a
// Service, by its EndpointSlices. The informer runs inside the program's own loop, so no other
// thread is needed, and a connection asks the cache itself which endpoints there are.
//   endpoint_router [SERVICE [PORT]]     by default `web` of the namespace default, and a free port

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio.hpp>

#include "kinformer/api/discoveryv1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/interop/asio_loop.h"

namespace asio = boost::asio;
namespace discoveryv1 = kinformer::discoveryv1;
using asio::use_awaitable;
using asio::ip::tcp;
using EndpointSlices = kinformer::Lister<discoveryv1::EndpointSlice>;

namespace {

// All ready endpoints: of one version of the cache, in the order of their slices.
std::vector<tcp::endpoint> ReadyEndpoints(const EndpointSlices& slices) {
  std::vector<tcp::endpoint> ready;
  for (discoveryv1::EndpointSlice slice : slices.List()) {
    const std::optional<std::int32_t> port = slice.ports()[0].port();
    for (discoveryv1::Endpoint endpoint : slice.endpoints()) {
      // Not set means ready, as for kube-proxy.
      if (!port || !endpoint.conditions().ready().value_or(true)) continue;
      boost::system::error_code wrong;
      const auto address = asio::ip::make_address(endpoint.addresses()[0], wrong);
      if (!wrong) ready.emplace_back(address, static_cast<std::uint16_t>(*port));
    }
  }
  return ready;
}

// Passes on what one side sends until it ends.
asio::awaitable<void> Pass(std::shared_ptr<tcp::socket> from, std::shared_ptr<tcp::socket> to) {
  std::array<char, 16384> bytes{};
  boost::system::error_code ended;
  while (true) {
    const std::size_t count = co_await from->async_read_some(
        asio::buffer(bytes), asio::redirect_error(use_awaitable, ended));
    if (ended) break;
    co_await asio::async_write(*to, asio::buffer(bytes, count),
                               asio::redirect_error(use_awaitable, ended));
    if (ended) break;
  }
  to->shutdown(tcp::socket::shutdown_send, ended);
}

// Connects to the next ready endpoint, or another one if that does not answer.
asio::awaitable<void> Route(std::shared_ptr<tcp::socket> client, const EndpointSlices& slices,
                            std::size_t turn) {
  const std::vector<tcp::endpoint> ready = ReadyEndpoints(slices);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const tcp::endpoint& chosen = ready[(turn + i) % ready.size()];
    const auto server = std::make_shared<tcp::socket>(client->get_executor());
    boost::system::error_code failed;
    co_await server->async_connect(chosen, asio::redirect_error(use_awaitable, failed));
    if (failed) continue;
    std::cout << "to " << chosen << std::endl;
    asio::co_spawn(client->get_executor(), Pass(server, client), asio::detached);
    co_await Pass(client, server);
    co_return;
  }
  std::cout << "no endpoint of " << ready.size() << " answers" << std::endl;
}

asio::awaitable<void> Listen(tcp::acceptor& acceptor, const EndpointSlices& slices) {
  for (std::size_t turn = 0;; ++turn) {
    auto client = std::make_shared<tcp::socket>(co_await acceptor.async_accept(use_awaitable));
    asio::co_spawn(acceptor.get_executor(), Route(std::move(client), slices, turn), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string service = argc > 1 ? argv[1] : "web";
  const auto port = static_cast<std::uint16_t>(argc > 2 ? std::stoi(argv[2]) : 0);
  kinformer::Runtime runtime({.host_driven_loop = true});
  asio::io_context io;
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](const boost::system::error_code&, int) { io.stop(); });
  const auto loop = kinformer::interop::AsioLoop::Attach(io.get_executor(), runtime).OrExit();

  const auto client =
      kinformer::Client::NewForConfig(runtime.env(), kinformer::Config::LoadDefault().OrExit())
          .OrExit();
  kinformer::SharedInformerFactory factory(client, {.namespace_ = "default"});
  const auto slices = factory.InformerFor<discoveryv1::EndpointSlice>(
      {.label_selector =
           kinformer::LabelSelector::Parse("kubernetes.io/service-name=" + service).OrExit()});
  factory.Start();

  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), port});
  // Nobody may block here, so the loop itself runs until the endpoints are known.
  while (!slices.HasSynced() && !io.stopped()) io.run_one();
  const EndpointSlices lister = slices.lister();
  std::cout << "routing on port " << acceptor.local_endpoint().port() << " to "
            << ReadyEndpoints(lister).size() << " endpoints" << std::endl;
  asio::co_spawn(io, Listen(acceptor, lister), asio::detached);
  io.run();
}
