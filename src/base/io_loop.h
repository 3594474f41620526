// base/io_loop.h
//
// The way from an Env to its sockets: the Boost.Asio io_context under a real Env's loop. Only
// transport and apiserver use it.

#ifndef KINFORMER_BASE_IO_LOOP_H_
#define KINFORMER_BASE_IO_LOOP_H_

#include "kinformer/env.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

// The io_context that env.loop() runs, by its one thread. Null for a simulated Env, which has no
// sockets.
boost::asio::io_context* IoContextOf(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_IO_LOOP_H_
