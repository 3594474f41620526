#include "client/list_gate.h"

namespace kinformer::internal::client {
namespace {

// Spreads requests that start in the same instant over a few milliseconds each; the first one
// starts at once.
constexpr Duration kJitterPerListAhead = std::chrono::milliseconds(10);

}  // namespace

ListGate::Ticket::~Ticket() {
  if (inside_) {
    --gate_->inside_;
    // The ends of the lists before it have spread it already.
    gate_->Admit(true);
  } else {
    gate_->waiting_.erase(place_);
  }
}

std::unique_ptr<ListGate::Ticket> ListGate::Enter(std::function<void()> granted) {
  std::unique_ptr<Ticket> ticket(new Ticket(shared_from_this(), std::move(granted)));
  waiting_.push_back(ticket.get());
  ticket->place_ = std::prev(waiting_.end());
  Admit(false);
  return ticket;
}

void ListGate::Admit(bool at_once) {
  while (inside_ < width_ && !waiting_.empty()) {
    Ticket* const ticket = waiting_.front();
    waiting_.pop_front();
    ticket->inside_ = true;
    const double ahead = at_once ? 0 : static_cast<double>(inside_);
    ++inside_;
    const auto delay =
        std::chrono::duration_cast<Duration>(RandomUnit(env_) * ahead * kJitterPerListAhead);
    ticket->jitter_ = env_.loop().RunAt(env_.Now() + delay, [ticket] { ticket->granted_(); });
  }
}

}  // namespace kinformer::internal::client
