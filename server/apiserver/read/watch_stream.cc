#include "apiserver/read/watch_stream.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/status.h"
#include "base/core/deadline.h"

namespace kinformer::apiserver {
namespace {

// The last bookmark is sent this long before the deadline, so that the next watch resumes from a
// recent version.
constexpr Duration kBookmarkBeforeDeadline = std::chrono::seconds(2);

// Most objects or events visited in one Read, so that a turn of the loop ends even if nothing
// matches the selectors.
constexpr std::size_t kMaxVisits = 4096;

// Visits between two readings of the clock.
constexpr std::size_t kVisitsPerLook = 8;

constexpr std::string_view kFrameEnd = "}\n";

// Limits of one batch: events and bytes.
constexpr std::size_t kBatchVisits = 4096;
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;

std::string GroupKey(const ObjectEncoder& encoder, const std::string& selectors) {
  // Versions are compared by address, since a definition may change the encoding of its version.
  // Each watch keeps its version alive.
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(encoder.at().version.get()));
  return key + encoder.FrameKey(EventType::kAdded, false) + selectors;
}

}  // namespace

WatchStream::WatchStream(ServerState& state, FrameMaker& frames, ObjectEncoder encoder,
                         WatchPlan plan)
    : state_(state),
      frames_(frames),
      encoder_(std::move(encoder)),
      store_(encoder_.at().resource->store),
      selection_(std::move(plan.selection)),
      from_version_(plan.resource_version),
      mark_end_(plan.mark_end) {
  if (plan.error) error_ = std::make_unique<const Error>(*std::move(plan.error));
  if (plan.initial_events) {
    pin_ = std::make_unique<ResourceStore::Pin>(store_, from_version_);
  }
  sequence_ = store_->SequenceAfter(from_version_);
  encoder_.at().resource->watchers->Add(selection_.prefix(), GroupKey(encoder_, plan.selectors),
                                        *this);
  if (group().headers.size() == 0) {
    group().headers.Add("Content-Type", ContentTypeOf(encoder_.format(), true));
    group().headers.Add("Cache-Control", "no-cache, private");
  }
  deadline_time_ = internal::base::After(state_.env.Now(), plan.timeout);
  deadline_ = state_.deadlines.Add(deadline_time_, [this] { OnClose(); });
  if (plan.bookmarks) ScheduleBookmark();
}

WatchStream::~WatchStream() {
  encoder_.at().resource->watchers->Remove(*this);
  state_.deadlines.Remove(deadline_);
  state_.deadlines.Remove(bookmark_);
}

void WatchStream::Wake() {
  if (!std::exchange(waiting_, false)) return;
  if (wake_) wake_();
}

void WatchStream::OnClose() {
  closed_ = true;
  Wake();
}

void WatchStream::OnExpire() {
  error_ = std::make_unique<const Error>(
      TooOldResourceVersionError(from_version_, state_.resource_version));
  Wake();
}

void WatchStream::ScheduleBookmark() {
  const SteadyTime now = state_.env.Now();
  const SteadyTime last = deadline_time_ - kBookmarkBeforeDeadline;
  if (last <= now) return;
  const Duration interval = state_.options.bookmark_interval;
  const Duration jitter(static_cast<Duration::rep>(static_cast<double>(interval.count()) / 4 *
                                                   RandomUnit(state_.env)));
  bookmark_ =
      state_.deadlines.Add(std::min(now + interval - jitter, last), [this] { OnBookmarkDue(); });
}

void WatchStream::OnBookmarkDue() {
  bookmark_due_ = true;
  ScheduleBookmark();
  Wake();
}

ResponseStream::State WatchStream::Read(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  emitted_bytes_ = 0;
  if (elsewhere_ != nullptr) return State::kWait;
  if (encoder_.format().form == Form::kTable) encoder_.set_now(state_.env.WallNow());
  if (error_ != nullptr) {
    EmitText(encoder_.ErrorFrame(*error_), out);
    return State::kEnd;
  }
  bool alive = true;
  const WorkSlice turn(state_.env);
  if (pin_ != nullptr) ReadInitial(max_bytes, turn, out);
  if (pin_ == nullptr && emitted_bytes_ < max_bytes) alive = ReadLog(max_bytes, turn, out);
  EndFrame(out);
  if (!alive) return State::kEnd;
  if (elsewhere_ != nullptr) return State::kWait;
  if (pin_ != nullptr || !CaughtUp()) return State::kMore;
  if (std::exchange(bookmark_due_, false) && from_version_ <= state_.resource_version) {
    // Sent even without writes, to show that the watch is up to date. Other writes do not concern
    // it, so the reader knows the state up to this version.
    EmitText(encoder_.Bookmark(state_.resource_version, false), out);
  }
  if (closed_) return State::kEnd;
  waiting_ = true;
  encoder_.at().resource->watchers->Wait(*this);
  return State::kWait;
}

void WatchStream::ReadInitial(std::size_t max_bytes, const WorkSlice& turn,
                              std::vector<BodyChunk>& out) {
  bool done = true;
  std::size_t visits = 0;
  store_->Walk(
      selection_.prefix(), next_key_, pin_->resource_version(), [&](const StoredObjectPtr& stored) {
        if (selection_.single() && stored->key() != selection_.prefix()) return false;
        const bool pause = visits > 0 && visits % kVisitsPerLook == 0 && turn.over();
        if (!pause && emitted_bytes_ < max_bytes && visits++ != kMaxVisits &&
            (!selection_.Matches(*stored) || Emit(EventType::kAdded, stored, nullptr, out))) {
          return true;
        }
        next_key_ = stored->key();
        done = false;
        return false;
      });
  if (!done) return;
  pin_.reset();
  if (mark_end_) {
    EndFrame(out);
    EmitText(encoder_.Bookmark(from_version_, true), out);
  }
}

bool WatchStream::ReadLog(std::size_t max_bytes, const WorkSlice& turn,
                          std::vector<BodyChunk>& out) {
  if (sequence_ < store_->begin_sequence()) return false;
  if (Batches()) {
    ReadBatches(max_bytes, turn, out);
  } else {
    ReadEvents(max_bytes, turn, out);
  }
  return true;
}

// Returns whether batches can be shared with equal watches. Not for a Table, whose first row has
// the columns, and not while events are hidden because the watch began at a future version.
bool WatchStream::Batches() const {
  return group().shared() && encoder_.format().form != Form::kTable && !CaughtUp() &&
         store_->event(sequence_).resource_version > from_version_;
}

void WatchStream::ReadBatches(std::size_t max_bytes, const WorkSlice& turn,
                              std::vector<BodyChunk>& out) {
  EndFrame(out);  // of the initial events
  for (std::size_t visits = 0; !CaughtUp() && emitted_bytes_ < max_bytes && visits < kMaxVisits;) {
    if (elsewhere_ != nullptr || (visits > 0 && turn.over())) return;
    const EventBatch* batch = group().Find(sequence_);
    if (batch == nullptr) {
      EventBatch made{.begin = sequence_};
      std::vector<BodyChunk> pieces;
      const std::size_t before = std::exchange(emitted_bytes_, 0);
      ReadEvents(kBatchBytes, turn, pieces);
      EndFrame(pieces);
      if (sequence_ == made.begin) return;
      auto text = std::make_shared<std::string>();
      text->reserve(emitted_bytes_ + kFrameEnd.size());
      for (const BodyChunk& piece : pieces) text->append(piece.bytes);
      emitted_bytes_ = before;
      made.end = sequence_;
      made.text = std::move(text);
      batch = &group().Add(std::move(made));
    }
    visits += batch->end - batch->begin;
    sequence_ = batch->end;
    if (batch->text->empty()) continue;
    emitted_bytes_ += batch->text->size();
    out.push_back({.bytes = *batch->text, .owner = batch->text});
  }
}

void WatchStream::ReadEvents(std::size_t max_bytes, const WorkSlice& turn,
                             std::vector<BodyChunk>& out) {
  for (std::size_t visits = 0; !CaughtUp() && visits < kBatchVisits; ++visits) {
    if (emitted_bytes_ >= max_bytes) return;
    if (visits > 0 && visits % kVisitsPerLook == 0 && turn.over()) return;
    const StoreEvent& event = store_->event(sequence_);
    // The watch began at a future version.
    const bool hidden = event.resource_version <= from_version_;
    const Shown shown = hidden ? Shown() : ShownOf(event);
    if (shown.stored != nullptr && !Emit(shown.type, shown.stored, shown.shared, out)) return;
    ++sequence_;
  }
}

WatchStream::Shown WatchStream::ShownOf(const StoreEvent& event) const {
  if (!selection_.InScope(*event.current)) return {};
  const bool before = event.previous != nullptr && selection_.Matches(*event.previous);
  const bool after = event.type != EventType::kDeleted && selection_.Matches(*event.current);
  if (after) return {before ? EventType::kModified : EventType::kAdded, event.current, &event};
  if (!before) return {};
  if (event.type == EventType::kDeleted) return {EventType::kDeleted, event.current, &event};
  if (event.departed == nullptr) {
    event.departed = event.previous->AtResourceVersion(event.resource_version, /*tombstone=*/false);
  }
  return {EventType::kDeleted, event.departed, nullptr};
}

bool WatchStream::Emit(EventType type, const StoredObjectPtr& stored, const StoreEvent* event,
                       std::vector<BodyChunk>& out) {
  if (encoder_.plain()) {
    const auto& version = encoder_.at().version;
    const auto index = static_cast<std::size_t>(type);
    const std::string& start =
        frame_open_ ? version->frame_next[index] : version->frame_start[index];
    out.push_back({.bytes = start, .owner = version});
    out.push_back({.bytes = stored->body(), .owner = stored});
    frame_open_ = true;
    emitted_bytes_ += start.size() + stored->body().size();
    return true;
  }
  FrameMaker::Frame own;
  FrameMaker::Frame& frame =
      event == nullptr ? own : event->frames[encoder_.FrameKey(type, first_frame_)];
  if (frame == nullptr && made_of_ == stored) frame = made_;
  made_ = nullptr;
  made_of_ = nullptr;
  if (frame == nullptr && FrameMaker::TakesLong(*stored)) {
    elsewhere_ =
        frames_.Make(encoder_, type, stored, first_frame_, [this, stored](FrameMaker::Frame made) {
          elsewhere_ = nullptr;
          made_ = std::move(made);
          made_of_ = stored;
          if (wake_) wake_();
        });
    return false;
  }
  if (frame == nullptr) {
    frame = std::make_shared<const std::string>(encoder_.Frame(type, stored, first_frame_));
  }
  first_frame_ = false;
  out.push_back({.bytes = *frame, .owner = frame});
  emitted_bytes_ += frame->size();
  return true;
}

void WatchStream::EndFrame(std::vector<BodyChunk>& out) {
  if (std::exchange(frame_open_, false)) out.push_back({.bytes = kFrameEnd});
}

void WatchStream::EmitText(std::string text, std::vector<BodyChunk>& out) {
  emitted_bytes_ += text.size();
  out.push_back(BodyChunk::Of(std::move(text)));
}

}  // namespace kinformer::apiserver
