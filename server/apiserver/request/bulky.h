// apiserver/request/bulky.h
//
// Bulky: a variable whose destruction may take long.

#ifndef KINFORMER_APISERVER_REQUEST_BULKY_H_
#define KINFORMER_APISERVER_REQUEST_BULKY_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {

// Owns a value of a request, and destroys it off the loop (ServerState::discard) if the request is
// large. Loop-confined; other threads may use the value.
template <class T>
class Bulky {
 public:
  // `bytes` is read at the end. Both must outlive it.
  Bulky(ServerState& state, const std::size_t& bytes, T value = {})
      : state_(state), bytes_(bytes), value_(std::move(value)) {}
  Bulky(const Bulky&) = delete;
  Bulky& operator=(const Bulky&) = delete;
  ~Bulky() {
    if (state_.discard && OffLoop::IsMuch(bytes_)) {
      state_.discard(std::make_shared<const T>(std::move(value_)), bytes_);
    }
  }

  [[nodiscard]] T& operator*() { return value_; }
  [[nodiscard]] T* operator->() { return &value_; }

 private:
  ServerState& state_;
  const std::size_t& bytes_;
  T value_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_BULKY_H_
