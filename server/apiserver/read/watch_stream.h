// apiserver/read/watch_stream.h
//
// WatchStream: the response to a WATCH. Reads the objects of one version first, and then the event
// log.

#ifndef KINFORMER_APISERVER_READ_WATCH_STREAM_H_
#define KINFORMER_APISERVER_READ_WATCH_STREAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "apiserver/read/frame_maker.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/store/watch_hub.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

using internal::base::WorkSlice;

struct WatchPlan {
  Selection selection{};
  std::string selectors{};  // as text; equal texts are equal selections
  // The watch sends events after this version.
  std::int64_t resource_version = 0;
  bool initial_events = false;  // sends the objects at resource_version first, as ADDED
  bool mark_end = false;        // sends a bookmark after the initial events
  bool bookmarks = false;
  Duration timeout{0};
  std::optional<Error> error{};  // the watch sends only this error, and ends
};

// Holds a position and no events: a slow reader reads older entries of the log, and a reader behind
// the beginning of the log is ended cleanly, to resume at its last resourceVersion. Never skips an
// event. Frames are shared with all other watchers of the resource, and whole batches of frames
// with equal watches. Takes about 1 KB while idle.
class WatchStream final : public ResponseStream, private Watcher {
 public:
  // `frames` must outlive all reads.
  WatchStream(ServerState& state, FrameMaker& frames, ObjectEncoder encoder, WatchPlan plan);
  ~WatchStream() override;
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return group().headers; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override;
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
  [[nodiscard]] bool resumes_soon() const override { return elsewhere_ != nullptr; }

 private:
  void OnEvents() override { Wake(); }
  void OnClose() override;
  void OnExpire() override;
  void Wake();
  void ScheduleBookmark();
  void OnBookmarkDue();

  void ReadInitial(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  // Returns false if the stream has ended.
  bool ReadLog(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  // Send single events, or batches that equal watches share.
  void ReadEvents(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  void ReadBatches(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  [[nodiscard]] bool Batches() const;
  // Event as this watch sends it; null `stored`: not sent.
  struct Shown {
    EventType type = EventType::kAdded;
    StoredObjectPtr stored{};
    const StoreEvent* shared = nullptr;  // caches the encoded frame for other watches
  };
  [[nodiscard]] Shown ShownOf(const StoreEvent& event) const;
  // Returns false while the frame is being made; a later Read emits it.
  bool Emit(EventType type, const StoredObjectPtr& stored, const StoreEvent* event,
            std::vector<BodyChunk>& out);
  void EndFrame(std::vector<BodyChunk>& out);
  void EmitText(std::string text, std::vector<BodyChunk>& out);
  [[nodiscard]] bool CaughtUp() const { return sequence_ == store_->end_sequence(); }

  ServerState& state_;
  FrameMaker& frames_;
  ObjectEncoder encoder_;
  std::shared_ptr<ResourceStore> store_;
  const Selection selection_;
  const std::int64_t from_version_;
  const bool mark_end_;
  std::unique_ptr<const Error> error_;  // ends the watch; rarely set, so held by pointer
  std::function<void()> wake_;
  bool waiting_ = false;
  bool closed_ = false;

  std::unique_ptr<ResourceStore::Pin> pin_;  // set while initial events are being sent
  std::string next_key_;
  std::uint64_t sequence_ = 0;
  bool bookmark_due_ = false;
  bool frame_open_ = false;
  bool first_frame_ = true;
  std::size_t emitted_bytes_ = 0;
  FrameMaker::Ticket elsewhere_;  // of the frame being made
  FrameMaker::Frame made_;        // the finished frame of made_of_
  StoredObjectPtr made_of_;
  SteadyTime deadline_time_{};
  Deadlines::Id deadline_{};
  Deadlines::Id bookmark_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_WATCH_STREAM_H_
