// apiserver/read/watch_stream.h
//
// WatchStream: the answer to a WATCH: a cursor, first over the objects of one version, then over
// the event log.

#ifndef KINFORMER_APISERVER_READ_WATCH_STREAM_H_
#define KINFORMER_APISERVER_READ_WATCH_STREAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/transport.h"

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
  std::string selectors{};  // as text: equal texts, equal selections
  // Events after this one are sent.
  std::int64_t resource_version = 0;
  bool initial_events = false;  // the objects at resource_version come first, as ADDED
  bool mark_end = false;        // a bookmark closes them
  bool bookmarks = false;
  Duration timeout{0};
  std::optional<Error> error{};  // says only that, and ends
};

// Holds no events, only its place: a reader that falls behind reads older entries of the log, and
// one that falls off its end is ended cleanly, to resume with its last resourceVersion. Never skips
// an event. Frames are pieces shared with all other watchers of the resource, and whole batches of
// them with those that watch the same. Idle it takes about 1 KB.
class WatchStream final : public ResponseStream, private Watcher {
 public:
  // `frames` must outlive its reads.
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
  void Wake();
  void ScheduleBookmark();
  void OnBookmarkDue();

  void ReadInitial(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  // False: the stream is over.
  bool ReadLog(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  // Events one by one; in batches that equal watches share.
  void ReadEvents(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  void ReadBatches(std::size_t max_bytes, const WorkSlice& turn, std::vector<BodyChunk>& out);
  [[nodiscard]] bool Batches() const;
  // What the watch is told of an event; null: nothing.
  struct Shown {
    EventType type = EventType::kAdded;
    StoredObjectPtr stored{};
    const StoreEvent* shared = nullptr;  // where others find the frame
  };
  [[nodiscard]] Shown ShownOf(const StoreEvent& event) const;
  // False: the frame is being made, and is to be emitted in a later Read.
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
  std::unique_ptr<const Error> error_;  // few watches have one
  std::function<void()> wake_;
  bool waiting_ = false;
  bool closed_ = false;

  std::unique_ptr<ResourceStore::Pin> pin_;  // while initial events are being sent
  std::string next_key_;
  std::uint64_t sequence_ = 0;
  std::int64_t sent_version_ = 0;  // everything up to here is known to the reader
  bool bookmark_due_ = false;
  bool last_bookmark_ = false;  // the one before the deadline is under way
  bool frame_open_ = false;
  bool first_frame_ = true;
  std::size_t emitted_bytes_ = 0;
  FrameMaker::Ticket elsewhere_;  // a frame that is being made
  FrameMaker::Frame made_;        // there, of that object
  StoredObjectPtr made_of_;
  SteadyTime deadline_time_{};
  Deadlines::Id deadline_{};
  Deadlines::Id bookmark_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_WATCH_STREAM_H_
