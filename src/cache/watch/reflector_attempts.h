// cache/watch/reflector_attempts.h
//
// State of a reflector's current list, watch-list and watch.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/list_options.h"

#include "client/page_tokens.h"

namespace kinformer::internal::cache {

// A LIST, received page by page.
struct ListAttempt {
  std::string from{};  // the requested resourceVersion
  std::int64_t limit = 0;
  SteadyTime begun{};             // time of the request for its first page
  std::string resourceVersion{};  // version of the result, taken from the first page
  std::size_t items = 0;
  ListOptions page{};  // the last request
  client::PageTokens tokens{};
  bool page_begun = false;    // a part of the requested page has arrived
  bool paginated = false;     // the server has split it into pages
  bool in_one_piece = false;  // its pages outlived their snapshot, so it is requested as a whole
};

// A watch, from its request on. A watch-list counts as one, too, and continues as the watch.
struct WatchAttempt {
  // Not the first one after a list: older events than known then mean that the server went back.
  bool resumed = false;
  bool started = false;  // the server has accepted it
  bool open = false;     // its stream has started to send events
  bool broken = false;   // its connection is lost
  // The events so far were ordered by resourceVersion, so the last one is the collection's version.
  bool ordered = false;
  bool went_back = false;    // a wrong order was logged
  bool bad_version = false;  // a missing version was logged
  bool progressed = false;   // events have arrived since the end of the last chunk
  SteadyTime begun{};
  std::int64_t timeout_seconds = 0;  // time after which the server ends it
  SteadyTime accepted{};
  std::size_t events = 0;

  // Returns whether it ended at its time-out, so that the server is known to be up.
  [[nodiscard]] bool EndedAtItsTimeout(SteadyTime now) const {
    // The server starts its clock before its answer arrives here.
    constexpr Duration kOnItsWay = std::chrono::seconds(2);
    return started && !broken &&
           now - accepted >= std::chrono::seconds(timeout_seconds) - kOnItsWay;
  }
};

// Limits the wait for the end of a watch-list's initial events. A server that streams but never
// ends them must not keep the informer from syncing.
struct WatchListPatience {
  static constexpr Duration kTick = std::chrono::seconds(10);

  int unfinished = 0;   // consecutive streams that ended before their initial events did
  bool broken = false;  // one of them because of a lost connection
  int silent_ticks = 0;
  std::size_t events_at_tick = 0;
  Timer tick{};

  [[nodiscard]] bool TooManyUnfinished() const { return unfinished >= 3; }
  [[nodiscard]] bool SilentForTooLong() const { return silent_ticks >= 6; }
  // Forgets the row of unfinished streams.
  void Forget() {
    unfinished = 0;
    broken = false;
  }
  // A new stream starts.
  void Begin() {
    silent_ticks = 0;
    events_at_tick = 0;
  }
  // A tick has passed; `events`: all events so far. Returns true if none arrived during this tick.
  bool Tick(std::size_t events) {
    silent_ticks = events == events_at_tick ? silent_ticks + 1 : 0;
    events_at_tick = events;
    return silent_ticks > 0;
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_
