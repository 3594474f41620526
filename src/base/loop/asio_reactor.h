// base/loop/asio_reactor.h
//
// AsioReactor: what an io_context must tell when somebody else's event loop is to drive it, and has
// no public way to tell: the descriptor of its epoll set, and a push that makes it readable.

#ifndef KINFORMER_BASE_LOOP_ASIO_REACTOR_H_
#define KINFORMER_BASE_LOOP_ASIO_REACTOR_H_

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

// The epoll set in which `io` waits for its sockets. `io` owns it.
[[nodiscard]] int ReactorDescriptor(boost::asio::io_context& io);

// Makes that set readable until `io` is polled next. Thread-safe.
void InterruptReactor(boost::asio::io_context& io);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_ASIO_REACTOR_H_
