// kinformer/internal/held_requests.h
//
// HeldRequests: requests of a controller that a fight holds up.

#ifndef KINFORMER_INTERNAL_HELD_REQUESTS_H_
#define KINFORMER_INTERNAL_HELD_REQUESTS_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

// A request waits until then, unless the object that is fought over is deleted or made anew.
struct RequestHold {
  SteadyTime until{};
  const KindInfo* kind{};
  ObjectName object{};
  std::string uid{};

  // Whether the event shows that the object is another one by now, or gone.
  [[nodiscard]] bool EndsWith(const HandledEvent& event) const;
};

// Thread-safe.
template <class R, class Hash = std::hash<R>>
class HeldRequests {
 public:
  explicit HeldRequests(Env& env) : env_(env) {}

  // Returns false if no request is held: the other functions need not be called.
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_acquire); }
  // Takes the holds that the last reconcile of the request leaves, in the place of earlier ones.
  // Forgets those of other requests that are over.
  void Hold(const R& request, std::vector<RequestHold> holds) {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = env_.Now();
    std::erase_if(held_, [&](const auto& held) { return UntilOf(held.second) <= now; });
    held_.erase(request);
    if (!holds.empty()) held_[request] = std::move(holds);
    any_.store(!held_.empty(), std::memory_order_release);
  }
  // Lets the request go if the event that is handled on this thread says so.
  void Event(const R& request) {
    const HandledEvent* const event = HandledEvent::Current();
    if (event == nullptr) return;
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(request);
    if (found == held_.end()) return;
    std::erase_if(found->second, [&](const RequestHold& hold) { return hold.EndsWith(*event); });
    if (found->second.empty()) held_.erase(found);
    any_.store(!held_.empty(), std::memory_order_release);
  }
  // Returns how long the request waits from now on; zero: not at all.
  [[nodiscard]] Duration WaitOf(const R& request) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(request);
    return found == held_.end() ? Duration(0) : LeftOf(found->second);
  }
  // Does the same for a request that would begin now, and forgets its holds if they are over.
  [[nodiscard]] Duration TakeUp(const R& request) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(request);
    if (found == held_.end()) return Duration(0);
    const Duration left = LeftOf(found->second);
    if (left > Duration(0)) return left;
    held_.erase(found);
    any_.store(!held_.empty(), std::memory_order_release);
    return Duration(0);
  }

 private:
  static SteadyTime UntilOf(const std::vector<RequestHold>& holds) {
    SteadyTime until = SteadyTime::min();
    for (const RequestHold& hold : holds) until = std::max(until, hold.until);
    return until;
  }
  [[nodiscard]] Duration LeftOf(const std::vector<RequestHold>& holds) const {
    const SteadyTime until = UntilOf(holds);
    const SteadyTime now = env_.Now();
    return until <= now ? Duration(0) : Duration(until - now);
  }

  Env& env_;
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::unordered_map<R, std::vector<RequestHold>, Hash> held_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_HELD_REQUESTS_H_
