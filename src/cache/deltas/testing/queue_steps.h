// cache/deltas/testing/queue_steps.h
//
// The notation of the test tables for both queues: objects as name and number, contents of queues
// as text.

#ifndef KINFORMER_CACHE_DELTAS_TESTING_QUEUE_STEPS_H_
#define KINFORMER_CACHE_DELTAS_TESTING_QUEUE_STEPS_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/deltas/delta_queue.h"
#include "client/testing/test_pods.h"

namespace kinformer::internal::cache {

// Returns an object with that key and the number as its resourceVersion.
inline ObjectRef Obj(std::string_view name, int value) {
  return client::MakePod("", name, std::to_string(value));
}

class FakeKnown final : public KnownObjects {
 public:
  explicit FakeKnown(std::vector<ObjectRef> objects) : objects_(std::move(objects)) {}
  [[nodiscard]] ObjectRef Get(std::string_view, std::string_view name) const override {
    for (const ObjectRef& object : objects_) {
      if (object->name() == name) return object;
    }
    return {};
  }
  void ForEach(const std::function<void(ObjectRef)>& visit) const override {
    for (const ObjectRef& object : objects_) visit(object);
  }

 private:
  std::vector<ObjectRef> objects_;
};

inline std::string Text(const Delta& delta) {
  static const char* const kNames[] = {"Added", "Updated", "Deleted",  "Replaced",  "Sync",
                                       "All",   "SyncAll", "Bookmark", "Unreadable"};
  std::string text = kNames[static_cast<int>(delta.type)];
  if (delta.type == DeltaType::kDeleted && delta.final_state_unknown) text = "Tombstone";
  if (delta.object) {
    text += "(" + std::string(delta.object->name()) + " " +
            std::string(delta.object->resourceVersion()) + ")";
  }
  if (delta.extra != nullptr) {
    text += "[" + delta.extra->resourceVersion;
    for (const ObjectRef& object : delta.extra->objects) {
      text += " " + std::string(object->name()) + std::string(object->resourceVersion());
    }
    text += "]";
  }
  return text;
}

// Pops once and returns the deltas as one text.
inline std::string Pop(DeltaQueue& queue, std::size_t max, bool* initial = nullptr) {
  DeltaBatch batch;
  if (!queue.PopBatch(max, batch)) return "-";
  std::string text;
  for (const Delta& delta : batch.deltas) {
    if (!text.empty()) text += ",";
    text += Text(delta);
  }
  if (initial != nullptr) *initial = batch.is_in_initial_list;
  queue.BatchDone();
  return text;
}

inline std::vector<std::string> PopAll(DeltaQueue& queue, std::size_t max) {
  std::vector<std::string> all;
  while (true) {
    std::string text = Pop(queue, max);
    if (text == "-") return all;
    all.push_back(std::move(text));
  }
}

using Steps = std::function<void(DeltaQueue&)>;
using Objects = std::vector<ObjectRef>;

inline void Replace(DeltaQueue& queue, Objects objects) {
  queue.Replace(std::move(objects), {}, "rv");
}

inline Objects Known3() { return {Obj("foo", 5), Obj("bar", 6), Obj("baz", 7)}; }

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_TESTING_QUEUE_STEPS_H_
