// kinformer/interop/asio_loop.h
//
// AsioLoop: runs the library inside a program's loop of boost::asio, without a thread of its own.
//
//   boost::asio::io_context io;
//   Runtime runtime({.host_driven_loop = true});
//   interop::AsioLoop loop = interop::AsioLoop::Attach(io.get_executor(), runtime).OrExit();
//   Client client = Client::NewForConfig(runtime.env(), config).OrExit();
//   ...
//   io.run();
//
// base/asio.h has ForAsio, which awaits the library's calls in coroutines of boost::asio. The rules
// of docs/guide/loops.md hold: handlers run on the pool, and nothing may block in the loop's
// thread. Only a program that includes this header needs boost::asio.

#ifndef KINFORMER_INTEROP_ASIO_LOOP_H_
#define KINFORMER_INTEROP_ASIO_LOOP_H_

#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"

namespace kinformer::interop {

// Runs the tasks of a Runtime whenever there are some, until it is destroyed or detached. Until
// then it counts as work: io_context::run does not return by itself. Not thread-safe: make it,
// detach it and destroy it on the executor's thread, before the Runtime.
class AsioLoop {
 public:
  // `executor` runs one handler at a time: that of an io_context with one thread, or a strand.
  // kInvalidArgument: the Runtime is not host-driven. kTransport: asio cannot watch its descriptor.
  static Result<AsioLoop> Attach(const boost::asio::any_io_executor& executor, Runtime& runtime) {
    if (runtime.Fd() < 0) {
      return Error(Reason::kInvalidArgument,
                   "this Runtime has a thread of its own: make it with .host_driven_loop = true");
    }
    AsioLoop loop(executor, runtime);
    boost::system::error_code error;
    loop.state_->descriptor.assign(runtime.Fd(), error);
    if (error) {
      return Error(Reason::kTransport,
                   "boost::asio cannot watch the Runtime's descriptor: " + error.message());
    }
    loop.state_->attached = true;
    Wait(loop.state_);
    return loop;
  }
  AsioLoop(AsioLoop&&) noexcept = default;
  AsioLoop& operator=(AsioLoop&& other) noexcept {
    if (this != &other) {
      Detach();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~AsioLoop() { Detach(); }

  // Stops running tasks, so that io_context::run may return. May be called twice.
  void Detach() {
    if (state_ == nullptr || !state_->attached) return;
    state_->attached = false;
    state_->descriptor.release();  // the Runtime closes it
  }

 private:
  struct State {
    State(const boost::asio::any_io_executor& executor, Runtime& of)
        : descriptor(executor), runtime(of) {}
    boost::asio::posix::stream_descriptor descriptor;
    Runtime& runtime;
    bool attached = false;
  };

  AsioLoop(const boost::asio::any_io_executor& executor, Runtime& runtime)
      : state_(std::make_shared<State>(executor, runtime)) {}

  static void Wait(const std::shared_ptr<State>& state) {
    state->descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                 [state](const boost::system::error_code& /*ended*/) {
                                   if (!state->attached) return;
                                   state->runtime.RunReady();
                                   // A task may have detached it.
                                   if (state->attached) Wait(state);
                                 });
  }

  std::shared_ptr<State> state_;
};

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_ASIO_LOOP_H_
