// kinformer/interop/uv_loop.h
//
// UvLoop: runs the library inside a program's loop of libuv, without a thread of its own.
//
//   Runtime runtime({.host_driven_loop = true});
//   interop::UvLoop loop = interop::UvLoop::Attach(*uv_default_loop(), runtime).OrExit();
//   Client client = Client::NewForConfig(runtime.env(), config).OrExit();
//   ...
//   uv_run(uv_default_loop(), UV_RUN_DEFAULT);
//
// The rules of docs/guide/loops.md hold: handlers run on the pool, and nothing may block in the
// loop's thread. Only a program that includes this header needs libuv.

#ifndef KINFORMER_INTEROP_UV_LOOP_H_
#define KINFORMER_INTEROP_UV_LOOP_H_

#include <memory>
#include <string>
#include <utility>
#include <uv.h>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"

namespace kinformer::interop {

// Runs the tasks of a Runtime whenever there are some, until it is destroyed or detached. Until
// then its handle is active, so uv_run does not return by itself. Not thread-safe: make it, detach
// it and destroy it on the loop's thread, before the Runtime. The loop must run once more after
// that, as after every uv_close, or the handle's memory stays.
class UvLoop {
 public:
  // kInvalidArgument: the Runtime is not host-driven. kTransport: libuv cannot watch its
  // descriptor.
  static Result<UvLoop> Attach(uv_loop_t& loop, Runtime& runtime) {
    if (runtime.Fd() < 0) {
      return Error(Reason::kInvalidArgument,
                   "this Runtime has a thread of its own: make it with .host_driven_loop = true");
    }
    auto handle = std::make_unique<uv_poll_t>();
    if (const int code = uv_poll_init(&loop, handle.get(), runtime.Fd()); code != 0) {
      return CannotWatch(code);
    }
    UvLoop made(handle.release());  // from here on libuv has it
    made.handle_->data = &runtime;
    const int code = uv_poll_start(made.handle_, UV_READABLE, [](uv_poll_t* poll, int, int) {
      static_cast<Runtime*>(poll->data)->RunReady();
    });
    if (code != 0) return CannotWatch(code);
    return made;
  }
  UvLoop(UvLoop&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  UvLoop& operator=(UvLoop&& other) noexcept {
    if (this != &other) {
      Detach();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~UvLoop() { Detach(); }

  // Stops running tasks, so that uv_run may return. May be called twice.
  void Detach() {
    if (handle_ == nullptr) return;
    uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(handle_, nullptr)),
             [](uv_handle_t* closed) { delete reinterpret_cast<uv_poll_t*>(closed); });
  }

 private:
  explicit UvLoop(uv_poll_t* handle) : handle_(handle) {}

  static Error CannotWatch(int code) {
    return {Reason::kTransport,
            "libuv cannot watch the Runtime's descriptor: " + std::string(uv_strerror(code))};
  }

  uv_poll_t* handle_;
};

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_UV_LOOP_H_
