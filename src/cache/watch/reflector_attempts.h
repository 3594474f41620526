// cache/watch/reflector_attempts.h
//
// What a reflector knows of the list, the watch-list and the watch that is under way.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "kinformer/env.h"
#include "kinformer/list_options.h"

#include "client/page_tokens.h"

namespace kinformer::internal::cache {

// A LIST, page by page.
struct ListAttempt {
  std::string from{};  // the resourceVersion that it asks for
  std::int64_t limit = 0;
  SteadyTime begun{};             // when its first page was asked for
  std::string resourceVersion{};  // of the answer: that of the first page
  std::size_t items = 0;
  ListOptions page{};  // what was asked for last
  client::PageTokens tokens{};
  bool page_begun = false;    // and something of it has come
  bool paginated = false;     // it came in pages
  bool in_one_piece = false;  // its pages outlived their snapshot, so it is asked for as a whole
};

// A watch, from its request on. A watch-list is one, too, and goes on as the watch.
struct WatchAttempt {
  // Not the first after a list: if it tells of what is older than we know, the server went back.
  bool resumed = false;
  bool started = false;  // the server has accepted it
  bool open = false;     // its stream tells what happens
  bool broken = false;   // its connection is gone
  // The events so far came in the order of resourceVersions, so the last one's is the collection's.
  bool ordered = false;
  bool went_back = false;    // it has been logged that they did not
  bool bad_version = false;  // it has been logged that one has none
  bool progressed = false;   // events have come since the last chunk ended
  SteadyTime begun{};
  std::int64_t timeout_seconds = 0;  // after which the server ends it
  SteadyTime accepted{};
  std::size_t events = 0;

  // It has ended: as agreed, by a server that is there.
  [[nodiscard]] bool EndedAtItsTimeout(SteadyTime now) const {
    // The server began to count before its answer was here.
    constexpr Duration kOnItsWay = std::chrono::seconds(2);
    return started && !broken &&
           now - accepted >= std::chrono::seconds(timeout_seconds) - kOnItsWay;
  }
};

// How long to wait for the end of a watch-list's initial events. A server that streams, but never
// ends them, must not keep the informer from syncing.
struct WatchListPatience {
  static constexpr Duration kTick = std::chrono::seconds(10);

  int unfinished = 0;   // streams in a row that ended before their initial events did
  bool broken = false;  // one of them because its connection did
  int silent_ticks = 0;
  std::size_t events_at_tick = 0;
  Timer tick{};

  [[nodiscard]] bool TooManyUnfinished() const { return unfinished >= 3; }
  [[nodiscard]] bool SilentForTooLong() const { return silent_ticks >= 6; }
  // The last stream of such a row has ended.
  void Forget() {
    unfinished = 0;
    broken = false;
  }
  // A new stream.
  void Begin() {
    silent_ticks = 0;
    events_at_tick = 0;
  }
  // A tick has passed, and so many events have come in all. True: none during this tick.
  bool Tick(std::size_t events) {
    silent_ticks = events == events_at_tick ? silent_ticks + 1 : 0;
    events_at_tick = events;
    return silent_ticks > 0;
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_ATTEMPTS_H_
