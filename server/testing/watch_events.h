// testing/watch_events.h
//
// WatchEvents: what copies of a FakeWatch share. NewWatchAnswer: a watch that it answers.

#ifndef KINFORMER_TESTING_WATCH_EVENTS_H_
#define KINFORMER_TESTING_WATCH_EVENTS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"
#include "kinformer/testing/fake_watch.h"

namespace kinformer::internal::kit {

// Events for any number of readers. Thread-safe.
class WatchEvents {
 public:
  using Id = std::uint64_t;

  // Adds a reader, whose `wake` is called when Take has news, on the thread that makes them: it
  // must only post. After Remove has returned it is not called any more.
  Id Add(std::function<void()> wake);
  void Remove(Id id);
  // Takes the reader's events. Returns false if there will be no more.
  bool Take(Id id, std::deque<std::string>& frames);

  void Send(const std::string& frame);
  void Stop();
  void Reset();
  [[nodiscard]] int readers() const;

 private:
  struct Reader {
    std::function<void()> wake;
    std::deque<std::string> frames;
    bool ended = false;
  };

  mutable std::mutex mutex_;
  std::map<Id, Reader> readers_;
  std::deque<std::string> waiting_;  // while there is no reader
  bool stopped_ = false;
  Id next_ = 0;
};

[[nodiscard]] std::unique_ptr<HttpCall> NewWatchAnswer(Env& env, const testing::FakeWatch& watch,
                                                       Duration timeout,
                                                       ResponseReceiver& receiver);

}  // namespace kinformer::internal::kit

#endif  // KINFORMER_TESTING_WATCH_EVENTS_H_
