// kinformer/internal/request_paces.h
//
// RequestPaces: when the requests of a controller may begin, by ControllerOptions::min_interval and
// settle_time.

#ifndef KINFORMER_INTERNAL_REQUEST_PACES_H_
#define KINFORMER_INTERNAL_REQUEST_PACES_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/fair_flows.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer::internal {

// Returns the name by which the program's functions are asked about a request.
template <class R>
ObjectName NameOfRequest(const R& request) {
  if constexpr (std::convertible_to<const R&, ObjectName>) {
    return request;
  } else {
    return {.name = TextOf(request)};
  }
}

// Returns the flows of a controller's queue.
template <class R>
std::optional<FairFlows<R>> FlowsFor(const std::optional<FairFlows<ObjectName>>& given) {
  if constexpr (std::same_as<R, ObjectName>) {
    return given;
  } else {
    if (!given) return std::nullopt;
    return FairFlows<R>{.flow_of = [flow_of = given->flow_of](const R& request) -> std::string {
                          const ObjectName name = NameOfRequest(request);
                          return flow_of ? flow_of(name) : name.namespace_;
                        },
                        .weight_of = given->weight_of};
  }
}

// The pace of each request, by a controller's options. Thread-safe.
class PaceRules {
 public:
  struct Limits {
    Duration interval{0};
    Duration settle{0};
    Duration settle_limit{0};
  };

  PaceRules(Env& env, const ControllerOptions& options);
  // Returns false if no request is ever held back.
  [[nodiscard]] bool any() const { return any_; }
  // Returns true if the program says the pace of each request.
  [[nodiscard]] bool asks() const { return static_cast<bool>(pace_of_); }
  // Returns the pace of requests of which the program says none.
  [[nodiscard]] const Limits& usual() const { return usual_limits_; }
  // Asks ControllerOptions::pace_of. Where that throws, the controller's own values count.
  [[nodiscard]] Limits Of(const ObjectName& request) const;
  [[nodiscard]] Env& env() const { return env_; }

 private:
  [[nodiscard]] Limits LimitsOf(const Pace& own) const;

  Env& env_;
  const Pace usual_;
  const Limits usual_limits_;
  const std::function<Pace(const ObjectName&)> pace_of_;
  const bool any_;
};

// Remembers the requests that began within their interval, or have events that are not reconciled
// yet. Forgets two that are neither at each begin, so it keeps at most about twice as many as there
// are. Thread-safe; costs nothing without a pace.
template <class R, class Hash = std::hash<R>>
class RequestPaces {
 public:
  RequestPaces(Env& env, const ControllerOptions& options) : rules_(env, options) {}

  // Notes an event of the request. Returns how long the request waits from now on; zero: not at
  // all.
  Duration Event(const R& request) {
    if (!rules_.any()) return Duration(0);
    const PaceRules::Limits limits = LimitsOf(request);
    const std::lock_guard lock(mutex_);
    const SteadyTime now = rules_.env().Now();
    if (limits.settle <= Duration(0)) return LeftLocked(request, now);
    Known& known = FindOrMakeLocked(request);
    known.first_event = std::min(known.first_event, now);
    known.settled_at = std::min(now + limits.settle, known.first_event + limits.settle_limit);
    return LeftOf(known, now);
  }
  // Returns how long the request waits from now on; zero: not at all.
  [[nodiscard]] Duration WaitOf(const R& request) const {
    if (!rules_.any()) return Duration(0);
    const std::lock_guard lock(mutex_);
    return LeftLocked(request, rules_.env().Now());
  }
  // Does the same, and if it waits no longer, takes its events as reconciled.
  Duration TakeUp(const R& request) {
    if (!rules_.any()) return Duration(0);
    const std::lock_guard lock(mutex_);
    const SteadyTime now = rules_.env().Now();
    const auto found = known_.find(request);
    if (found == known_.end()) return Duration(0);
    const Duration left = LeftOf(found->second, now);
    if (left == Duration(0)) {
      found->second.first_event = SteadyTime::max();
      found->second.settled_at = SteadyTime::min();
    }
    return left;
  }
  // Notes that the reconcile of the request begins now.
  void Began(const R& request) {
    if (!rules_.any()) return;
    const PaceRules::Limits limits = LimitsOf(request);
    const std::lock_guard lock(mutex_);
    const SteadyTime now = rules_.env().Now();
    if (limits.interval > Duration(0)) FindOrMakeLocked(request).next_at = now + limits.interval;
    ForgetSomeLocked(now);
  }

  // Returns the number of requests of which something is known.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
  }

 private:
  struct Known {
    SteadyTime next_at = SteadyTime::min();      // its interval is over
    SteadyTime first_event = SteadyTime::max();  // of those that are not reconciled yet
    SteadyTime settled_at = SteadyTime::min();   // those may be reconciled
  };

  [[nodiscard]] PaceRules::Limits LimitsOf(const R& request) const {
    return rules_.asks() ? rules_.Of(NameOfRequest(request)) : rules_.usual();
  }
  [[nodiscard]] static Duration LeftOf(const Known& known, SteadyTime now) {
    const SteadyTime at = std::max(known.next_at, known.settled_at);
    return at <= now ? Duration(0) : Duration(at - now);
  }
  [[nodiscard]] Duration LeftLocked(const R& request, SteadyTime now) const {
    const auto found = known_.find(request);
    return found == known_.end() ? Duration(0) : LeftOf(found->second, now);
  }
  Known& FindOrMakeLocked(const R& request) {
    const auto [it, made] = known_.try_emplace(request);
    if (made) oldest_.push_back(&it->first);
    return it->second;
  }
  void ForgetSomeLocked(SteadyTime now) {
    for (int i = 0; i < 2 && !oldest_.empty(); ++i) {
      const R* const request = oldest_.front();
      oldest_.pop_front();
      const auto found = known_.find(*request);
      if (found->second.next_at > now || found->second.first_event != SteadyTime::max()) {
        oldest_.push_back(request);
      } else {
        known_.erase(found);
      }
    }
  }

  const PaceRules rules_;
  mutable std::mutex mutex_;
  std::unordered_map<R, Known, Hash> known_;
  std::deque<const R*> oldest_;  // the keys of known_
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REQUEST_PACES_H_
