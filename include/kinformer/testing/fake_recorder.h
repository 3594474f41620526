// kinformer/testing/fake_recorder.h
//
// testing::FakeRecorder: keeps the events that the code under test records, and sends none.
//
//   auto recorder = std::make_shared<kinformer::testing::FakeRecorder>();
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//   std::cout << recorder->Events().back();  // Normal Printed two pages (Pod default/web-0)
//
// FakeEventsRecorder does the same for events of events.k8s.io/v1. matchers.h has HasEvent.
//
// Link kinformer::testing. Counterparts: record.FakeRecorder, events.FakeRecorder.

#ifndef KINFORMER_TESTING_FAKE_RECORDER_H_
#define KINFORMER_TESTING_FAKE_RECORDER_H_

#include <iosfwd>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/events/recorders.h"
#include "kinformer/object/object_name.h"

namespace kinformer::testing {

// An event as it was recorded, before any are combined or dropped.
struct RecordedEvent {
  std::string type{};
  std::string reason{};
  std::string action{};   // of events.k8s.io/v1 only
  std::string message{};  // or note
  std::string kind{};     // of the object
  ObjectName object{};
  std::map<std::string, std::string> annotations{};
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

// Prints "Normal Printed two pages (Pod default/web-0)".
std::ostream& operator<<(std::ostream& out, const RecordedEvent& event);

// The events of a recorder. Thread-safe; nothing blocks, however many events there are.
class RecordedEvents {
 public:
  // Returns the events in the order in which they were recorded.
  [[nodiscard]] std::vector<RecordedEvent> Events() const;
  void ClearEvents();

 protected:
  void Keep(RecordedEvent event);

 private:
  mutable std::mutex mutex_;
  std::vector<RecordedEvent> events_;
};

// Counterpart: record.FakeRecorder, whose channel of texts is Events() here.
class FakeRecorder final : public EventRecorder, public RecordedEvents {
 public:
  void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string message) override;
};

// Counterpart: events.FakeRecorder.
class FakeEventsRecorder final : public events::EventRecorder, public RecordedEvents {
 public:
  void AnnotatedEvent(const corev1::ObjectReferenceMutable& regarding,
                      const std::optional<corev1::ObjectReferenceMutable>& related,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string_view action, std::string note) override;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_FAKE_RECORDER_H_
