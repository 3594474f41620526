#include "client/list_gate.h"

#include <algorithm>
#include <utility>

#include "base/core/backoff.h"

namespace kinformer::internal::client {
namespace {

// Spreads requests that start in the same instant over a few milliseconds each; the first one
// starts at once.
constexpr Duration kJitterPerListAhead = std::chrono::milliseconds(10);

// How long it is closed after a refusal.
constexpr Duration kLeastPause = std::chrono::milliseconds(500);
constexpr Duration kMostPause = std::chrono::seconds(2);
// Between two who enter while nobody knows whether they are welcome.
constexpr Duration kOneByOne = std::chrono::seconds(1);

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
  // The place comes first: a ticket without one could not give it up.
  std::list<Ticket*> place(1);
  std::unique_ptr<Ticket> ticket(new Ticket(shared_from_this(), std::move(granted)));
  place.front() = ticket.get();
  ticket->place_ = place.begin();
  waiting_.splice(waiting_.end(), place);
  Admit(false);
  return ticket;
}

void ListGate::AskedToWait(Duration pause) {
  one_by_one_ = true;
  // Clients that were refused together do not return together.
  const Duration own = base::Jitter(env_, std::clamp(pause, kLeastPause, kMostPause), 0.5);
  CloseUntil(std::max(closed_until_, env_.Now() + own));
}

void ListGate::Welcome() {
  if (!std::exchange(one_by_one_, false)) return;
  closed_until_ = {};
  opens_ = Timer();
  Admit(false);
}

void ListGate::CloseUntil(SteadyTime time) {
  closed_until_ = time;
  // The last who holds this may let go of it off the loop.
  opens_ = env_.loop().RunAt(time, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->opens_ = Timer();
    self->Admit(true);
  });
}

void ListGate::Admit(bool at_once) {
  while (inside_ < width_ && !waiting_.empty()) {
    if (env_.Now() < closed_until_) return;
    if (one_by_one_) CloseUntil(env_.Now() + kOneByOne);
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
