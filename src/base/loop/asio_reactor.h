// base/loop/asio_reactor.h
//
// AsioReactor: access to two parts of an io_context that a foreign event loop needs and that have
// no public interface: the descriptor of its epoll set, and a call that makes it readable.

#ifndef KINFORMER_BASE_LOOP_ASIO_REACTOR_H_
#define KINFORMER_BASE_LOOP_ASIO_REACTOR_H_

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

// Returns the epoll set that `io` waits on. `io` owns it.
[[nodiscard]] int ReactorDescriptor(boost::asio::io_context& io);

// Makes that set readable until the next poll of `io`. Thread-safe.
void InterruptReactor(boost::asio::io_context& io);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_ASIO_REACTOR_H_
