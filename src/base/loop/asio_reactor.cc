#include "base/loop/asio_reactor.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>  // the reactor

namespace kinformer::internal::base {
namespace {

namespace asio = boost::asio;
using Reactor = asio::detail::epoll_reactor;

// Asio's epoll set has had this name since it exists, but it is a private member. An explicit
// instantiation may name private members, so a release of Asio that renames it leads to a compile
// error rather than to a failure at run time.
template <int Reactor::* Member>
struct Reveal {
  friend int EpollSetOf(Reactor& reactor) { return reactor.*Member; }
};
int EpollSetOf(Reactor& reactor);
template struct Reveal<&Reactor::epoll_fd_>;

}  // namespace

int ReactorDescriptor(boost::asio::io_context& io) {
  return EpollSetOf(asio::use_service<Reactor>(io));
}

void InterruptReactor(boost::asio::io_context& io) { asio::use_service<Reactor>(io).interrupt(); }

}  // namespace kinformer::internal::base
