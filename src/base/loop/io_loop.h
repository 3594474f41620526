// base/loop/io_loop.h
//
// The way from an Env to its sockets: the Boost.Asio io_context under its loop. Only transport and
// apiserver use it.

#ifndef KINFORMER_BASE_LOOP_IO_LOOP_H_
#define KINFORMER_BASE_LOOP_IO_LOOP_H_

#include "kinformer/env.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

// The io_context that env.loop() runs, by its one thread. Null for a simulated Env without sockets.
boost::asio::io_context* IoContextOf(Env& env);

// For tests below `Transport`: gives the Env of a Simulation sockets. What is ready in `io` runs as
// a task of env.loop(), and before time passes, until nothing is ready any more. So sockets whose
// two ends are in this process and that deliver at once (socketpair) live in simulated time; data
// that the kernel keeps for a while would come at any later one. `io` has to outlive all use of
// `env`, and nothing else may run it. REQUIRES: a Simulation's own Env.
void GiveSockets(Env& env, boost::asio::io_context& io);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_IO_LOOP_H_
