// apiserver/read/frame_maker.h
//
// FrameMaker: encodes watch frames of large objects off the loop.

#ifndef KINFORMER_APISERVER_READ_FRAME_MAKER_H_
#define KINFORMER_APISERVER_READ_FRAME_MAKER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/request/object_encoder.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/store/resource_store.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Loop-confined. Watches that need the same frame at the same time share it.
class FrameMaker {
 public:
  using Frame = std::shared_ptr<const std::string>;
  using Done = std::function<void(Frame)>;
  // Registration of a waiting watch; destroying it cancels the callback.
  using Ticket = std::shared_ptr<const Done>;

  // `off_loop` must outlive it.
  explicit FrameMaker(OffLoop& off_loop) : off_loop_(off_loop) {}
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  // Returns whether the object is large enough. Plain frames (ObjectEncoder) are never made here.
  [[nodiscard]] static bool TakesLong(const StoredObject& stored) {
    return stored.protobuf() == nullptr && OffLoop::IsMuch(stored.body().size());
  }

  // Makes encoder.Frame(type, stored, first). Calls `done` on the loop, never before returning.
  [[nodiscard]] Ticket Make(const ObjectEncoder& encoder, EventType type,
                            const StoredObjectPtr& stored, bool first, Done done);

 private:
  // The object, and ObjectEncoder::FrameKey.
  using Key = std::pair<StoredObjectPtr, std::string>;
  struct Job {
    OffLoop::Ticket under_way{};
    std::vector<std::weak_ptr<const Done>> waiting{};
  };

  void Start(const ObjectEncoder& encoder, EventType type, bool first, const Key& key);

  OffLoop& off_loop_;
  std::map<Key, Job> jobs_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_FRAME_MAKER_H_
