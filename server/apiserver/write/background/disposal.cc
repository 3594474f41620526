#include "apiserver/write/background/disposal.h"

#include <utility>

namespace kinformer::apiserver {

Disposal::Disposal(ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {
  state_.discard = [this](std::shared_ptr<const void> garbage, std::size_t bytes) {
    Discard(std::move(garbage), bytes);
  };
}

Disposal::~Disposal() { state_.discard = nullptr; }

void Disposal::Discard(std::shared_ptr<const void> garbage, std::size_t bytes) {
  if (!OffLoop::IsMuch(bytes)) return;
  const std::uint64_t id = next_++;
  under_way_[id] = off_loop_.Start([garbage = std::move(garbage)]() mutable { garbage.reset(); },
                                   [this, id] { under_way_.erase(id); });
}

}  // namespace kinformer::apiserver
