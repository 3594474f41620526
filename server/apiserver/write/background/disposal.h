// apiserver/write/background/disposal.h
//
// Disposal: destroys objects off the loop if that takes long, such as the schema of a large
// definition.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_DISPOSAL_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_DISPOSAL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {

// Sets the state's `discard` for its lifetime. Loop-confined.
class Disposal {
 public:
  // Both must outlive it.
  Disposal(ServerState& state, OffLoop& off_loop);
  Disposal(const Disposal&) = delete;
  Disposal& operator=(const Disposal&) = delete;
  ~Disposal();

 private:
  void Discard(std::shared_ptr<const void> garbage, std::size_t bytes);

  ServerState& state_;
  OffLoop& off_loop_;
  std::map<std::uint64_t, OffLoop::Ticket> under_way_;
  std::uint64_t next_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_DISPOSAL_H_
