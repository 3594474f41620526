// kinformer/testing/fake_watch.h
//
// testing::FakeWatch: a watch whose events the test writes. A watch reactor of a Fake (fake.h)
// returns it.
//
//   kinformer::testing::FakeWatch events;
//   fake.PrependWatchReactor("pods", [events](kinformer::testing::Action&) { return events; });
//   events.Add(pod);
//   events.Error(Error(Reason::kExpired, "too old resource version"));

#ifndef KINFORMER_TESTING_FAKE_WATCH_H_
#define KINFORMER_TESTING_FAKE_WATCH_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/error.h"
#include "kinformer/internal/document_of.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::kit {
class WatchEvents;
class WatchAnswer;
}  // namespace kinformer::internal::kit

namespace kinformer::testing {

// Events for the watches that it answers. Copies are the same watch. Thread-safe; nothing blocks.
//
// Every watch that runs gets each event. Those sent while none runs wait for the next one. A
// FakeWatch refuses a watch that asks for the initial events, as servers do that cannot send them;
// informers then list first. Counterpart: watch.FakeWatcher.
class FakeWatch {
 public:
  FakeWatch();

  // Send an event about the object: a view, Ref, struct or json::Value. One that cannot be read
  // ends the process, with the reason.
  template <class T>
  void Add(const T& object) const {
    Send("ADDED", kinformer::internal::DocumentOf(object).OrExit());
  }
  template <class T>
  void Modify(const T& object) const {
    Send("MODIFIED", kinformer::internal::DocumentOf(object).OrExit());
  }
  template <class T>
  void Delete(const T& object) const {
    Send("DELETED", kinformer::internal::DocumentOf(object).OrExit());
  }
  template <class T>
  void Bookmark(const T& object) const {
    Send("BOOKMARK", kinformer::internal::DocumentOf(object).OrExit());
  }
  // Sends an ERROR event with the error's Status.
  void Error(const kinformer::Error& error) const;
  // Sends an event of any type. Counterpart: FakeWatcher.Action.
  void Send(std::string_view type, const json::Value& object) const;
  // Ends the watches that run, and at once those to come, until Reset.
  void Stop() const;
  void Reset() const;
  // Returns the number of watches that run.
  [[nodiscard]] int running() const;

 private:
  friend class kinformer::internal::kit::WatchAnswer;
  std::shared_ptr<kinformer::internal::kit::WatchEvents> events_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_FAKE_WATCH_H_
