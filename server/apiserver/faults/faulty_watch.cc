#include "apiserver/faults/faulty_watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/faults/event_frame.h"

namespace kinformer::apiserver {
namespace {

// Interval of kBookmarksOnly if the rule sets none.
constexpr Duration kBookmarkPeriod = std::chrono::seconds(1);

bool ConcernsEvents(FaultAction action) {
  switch (action) {
    case FaultAction::kEndWatch:
    case FaultAction::kWatchError:
    case FaultAction::kErrorObject:
    case FaultAction::kDuplicateEvents:
    case FaultAction::kLoseDeletes:
    case FaultAction::kForeignNamespace:
    case FaultAction::kWrongKind:
    case FaultAction::kNoBookmarks:
    case FaultAction::kNoInitialEnd:
    case FaultAction::kBookmarksOnly:
    case FaultAction::kOldBookmarks:
      return true;
    default:
      return false;
  }
}

// Reads the frames of the inner watch one by one, and decides what to send for each.
class FaultyWatch final : public ResponseStream {
 public:
  FaultyWatch(ServerState& state, ObjectEncoder encoder, std::int64_t start, FaultRule rule,
              ResponsePtr inner)
      : state_(state),
        encoder_(std::move(encoder)),
        protobuf_(encoder_.format().media == MediaType::kProtobuf),
        start_(start),
        rule_(std::move(rule)),
        inner_(std::move(inner)) {
    if (rule_.action == FaultAction::kEndWatch && rule_.after > Duration::zero()) {
      timed_ = true;
      timer_ = state_.deadlines.Add(state_.env.Now() + rule_.after, [this] {
        over_ = true;
        Wake();
      });
    }
    if (rule_.action == FaultAction::kBookmarksOnly) ScheduleBookmark();
  }
  ~FaultyWatch() override { state_.deadlines.Remove(timer_); }

  [[nodiscard]] int status() const override { return inner_->status(); }
  [[nodiscard]] const HttpHeaders& headers() const override { return inner_->headers(); }
  void SetWake(std::function<void()> wake) override {
    wake_ = std::move(wake);
    inner_->SetWake([this] { Wake(); });
  }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    waiting_ = false;
    text_.clear();
    if (!over_) over_ = Due();
    State state = State::kMore;
    while (!over_) {
      if (text_.size() >= max_bytes) {
        state = State::kMore;  // more whole frames may be left
        break;
      }
      if (auto frame = EventFrame::Take(held_, protobuf_)) {
        Pass(*frame);
        over_ = Due();
        continue;
      }
      if (state != State::kMore) break;
      if (end_) {
        state = *end_;
        break;
      }
      std::vector<BodyChunk> chunks;
      state = inner_->Read(max_bytes, chunks);
      for (const BodyChunk& chunk : chunks) held_ += chunk.bytes;
      if (state == State::kEnd || state == State::kAbort) end_ = state;
    }
    if (std::exchange(bookmark_due_, false)) text_ += encoder_.Bookmark(start_, false);
    if (over_) {
      text_ += LastWords();
      state = State::kEnd;
    }
    if (!text_.empty()) out.push_back(BodyChunk::Of(text_));
    waiting_ = state == State::kWait;
    return state;
  }

 private:
  void Wake() {
    if (std::exchange(waiting_, false) && wake_) wake_();
  }

  void ScheduleBookmark() {
    const Duration period = rule_.delay > Duration::zero() ? rule_.delay : kBookmarkPeriod;
    timer_ = state_.deadlines.Add(state_.env.Now() + period, [this] {
      bookmark_due_ = true;
      ScheduleBookmark();
      Wake();
    });
  }

  // Returns whether the watch must end now.
  [[nodiscard]] bool Due() const {
    switch (rule_.action) {
      case FaultAction::kEndWatch:
        return !timed_ && events_ >= rule_.after_events;
      case FaultAction::kWatchError:
      case FaultAction::kErrorObject:
        return events_ >= rule_.after_events;
      default:
        return false;
    }
  }

  [[nodiscard]] std::string LastWords() const {
    if (rule_.action == FaultAction::kErrorObject) {
      return EventFrame::Make("ERROR", rule_.text, protobuf_);
    }
    if (rule_.action != FaultAction::kWatchError) return {};
    Error error(rule_.status == 410 ? Reason::kExpired : Reason::kInternalError,
                rule_.text.empty() ? "injected fault" : rule_.text);
    error.WithHttpStatus(rule_.status);
    return encoder_.ErrorFrame(error);
  }

  void Pass(const EventFrame& frame) {
    const bool event = !frame.bookmark() && !frame.error();
    if (event) ++events_;
    switch (rule_.action) {
      case FaultAction::kDuplicateEvents:
        if (event) text_ += frame.bytes();
        break;
      case FaultAction::kLoseDeletes:
        if (frame.deleted()) return;
        break;
      case FaultAction::kNoBookmarks:
        if (frame.bookmark()) return;
        break;
      case FaultAction::kNoInitialEnd:
        if (frame.bookmark() && frame.ends_initial_events()) return;
        break;
      case FaultAction::kBookmarksOnly:
        if (frame.resource_version() > start_) return;
        break;
      case FaultAction::kForeignNamespace:
        if (event) {
          text_ += frame.bytes();
          text_ += frame.InNamespace(rule_.text.empty() ? "elsewhere" : rule_.text);
          return;
        }
        break;
      case FaultAction::kWrongKind:
        if (event) {
          text_ += frame.bytes();
          text_ += frame.OfKind(rule_.text.empty() ? "Intruder" : rule_.text);
          return;
        }
        break;
      case FaultAction::kOldBookmarks:
        if (event) {
          text_ += frame.bytes();
          text_ += encoder_.Bookmark(
              std::max<std::int64_t>(frame.resource_version() - rule_.versions, 1), false);
          return;
        }
        break;
      default:
        break;
    }
    text_ += frame.bytes();
  }

  ServerState& state_;
  const ObjectEncoder encoder_;
  const bool protobuf_;
  const std::int64_t start_;
  const FaultRule rule_;
  ResponsePtr inner_;
  std::function<void()> wake_;
  std::string held_;          // bytes of an incomplete frame
  std::string text_;          // output of this Read
  std::optional<State> end_;  // how the inner watch ended
  std::size_t events_ = 0;
  bool timed_ = false;
  bool over_ = false;
  bool waiting_ = false;
  bool bookmark_due_ = false;
  Deadlines::Id timer_{};
};

}  // namespace

ResponsePtr NewFaultyWatch(ServerState& state, ObjectEncoder encoder, std::int64_t start,
                           const FaultRule& rule, ResponsePtr inner) {
  if (!ConcernsEvents(rule.action)) return inner;
  return std::make_unique<FaultyWatch>(state, std::move(encoder), start, rule, std::move(inner));
}

}  // namespace kinformer::apiserver
