// base/loop/io_loop.h
//
// Gives access to an Env's sockets: the Boost.Asio io_context of its loop. Used only by transport
// and apiserver.

#ifndef KINFORMER_BASE_LOOP_IO_LOOP_H_
#define KINFORMER_BASE_LOOP_IO_LOOP_H_

#include "kinformer/base/env.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

// Returns the io_context that env.loop() runs; null for a simulated Env without sockets.
boost::asio::io_context* IoContextOf(Env& env);

// For tests below `Transport`: gives sockets to the Env of a Simulation. Ready handlers of `io` run
// as a task of env.loop(), before time advances, until none is ready. So sockets with both ends in
// this process and immediate delivery (socketpair) work in simulated time; data that the kernel
// delays would arrive at some later time. `io` must outlive all use of `env`, and nothing else may
// run it. REQUIRES: a Simulation's own Env.
void GiveSockets(Env& env, boost::asio::io_context& io);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_IO_LOOP_H_
