#include "client/list_gate.h"

#include <algorithm>
#include <utility>

#include "base/core/backoff.h"

namespace kinformer::internal::client {
namespace {

// Spreads requests that start at the same instant over a few milliseconds each; the first one
// starts at once.
constexpr Duration kJitterPerListAhead = std::chrono::milliseconds(10);

// Limits of the pause after a refusal.
constexpr Duration kLeastPause = std::chrono::milliseconds(500);
constexpr Duration kMostPause = std::chrono::seconds(2);
// Interval between requests while it is unknown whether the server accepts them.
constexpr Duration kOneByOne = std::chrono::seconds(1);

}  // namespace

ListGate::Ticket::~Ticket() {
  if (inside_) {
    --gate_->inside_;
    // The ends of earlier lists have spread this one already.
    gate_->Admit(true);
  } else {
    gate_->waiting_.erase(place_);
  }
}

std::unique_ptr<ListGate::Ticket> ListGate::Enter(std::function<void()> granted) {
  // Needs its place first, since the ticket's destructor releases the place.
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
  // Clients that were refused at the same time must not return at the same time.
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
  // The last reference may be released off the loop, so the timer must not hold one.
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
