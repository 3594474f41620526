#include "kinformer/client/body_pipe.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "base/core/mutex.h"

namespace kinformer {
namespace {

constexpr std::size_t kRoom = std::size_t{256} << 10;

Error WrongSize(std::uint64_t size, const std::string& found) {
  return {Reason::kInvalidArgument, "the request's body was to have " + std::to_string(size) +
                                        " bytes, but it has " + found +
                                        ": correct its size, or leave it out"};
}

}  // namespace

struct BodyPipe::State {
  explicit State(std::optional<std::uint64_t> whole) : size(whole) {}

  [[nodiscard]] bool WantsMore() const KINFORMER_REQUIRES(mutex) {
    return !ended && !abandoned && waiting < kRoom;
  }
  // Returns the function to call once the lock is gone.
  std::function<void()> News() KINFORMER_REQUIRES(mutex) {
    return std::exchange(starved, false) ? wake : std::function<void()>();
  }
  void End(std::optional<Error> why) KINFORMER_REQUIRES(mutex) {
    ended = true;
    failed = std::move(why);
  }

  const std::optional<std::uint64_t> size;
  internal::base::Mutex mutex;
  std::deque<std::string> pieces KINFORMER_GUARDED_BY(mutex);
  std::size_t offset KINFORMER_GUARDED_BY(mutex) = 0;  // of the first piece: taken already
  std::size_t waiting KINFORMER_GUARDED_BY(mutex) = 0;
  std::uint64_t written KINFORMER_GUARDED_BY(mutex) = 0;
  bool ended KINFORMER_GUARDED_BY(mutex) = false;
  bool abandoned KINFORMER_GUARDED_BY(mutex) = false;
  bool starved KINFORMER_GUARDED_BY(mutex) = false;  // Take had nothing to give
  std::optional<Error> failed KINFORMER_GUARDED_BY(mutex);
  std::function<void()> room KINFORMER_GUARDED_BY(mutex);
  std::function<void()> wake KINFORMER_GUARDED_BY(mutex);
};

BodyPipe::BodyPipe(std::optional<std::uint64_t> size) : state_(std::make_unique<State>(size)) {}
BodyPipe::~BodyPipe() = default;

std::optional<std::uint64_t> BodyPipe::size() const { return state_->size; }

void BodyPipe::Write(std::string bytes) {
  std::function<void()> news;
  {
    const internal::base::MutexLock lock(state_->mutex);
    if (state_->ended || state_->abandoned || bytes.empty()) return;
    state_->written += bytes.size();
    if (state_->size && state_->written > *state_->size) {
      state_->End(WrongSize(*state_->size, "more"));
    } else {
      state_->waiting += bytes.size();
      state_->pieces.push_back(std::move(bytes));
    }
    news = state_->News();
  }
  if (news) news();
}

void BodyPipe::Close() {
  std::function<void()> news;
  {
    const internal::base::MutexLock lock(state_->mutex);
    if (state_->ended) return;
    const bool short_of = state_->size && state_->written < *state_->size;
    state_->End(
        short_of ? std::optional<Error>(WrongSize(*state_->size, std::to_string(state_->written)))
                 : std::nullopt);
    news = state_->News();
  }
  if (news) news();
}

void BodyPipe::Fail(Error why) {
  std::function<void()> news;
  {
    const internal::base::MutexLock lock(state_->mutex);
    if (state_->ended) return;
    state_->End(std::move(why));
    news = state_->News();
  }
  if (news) news();
}

bool BodyPipe::wants_more() const {
  const internal::base::MutexLock lock(state_->mutex);
  return state_->WantsMore();
}

void BodyPipe::SetRoom(std::function<void()> room) {
  const internal::base::MutexLock lock(state_->mutex);
  state_->room = std::move(room);
}

Result<BodyPipe::Taken> BodyPipe::Take(char* buffer, std::size_t size) {
  std::function<void()> room;
  Taken taken;
  State& state = *state_;
  {
    const internal::base::MutexLock lock(state.mutex);
    if (state.failed) return *state.failed;
    const bool was_full = !state.WantsMore();
    while (taken.bytes < size && !state.pieces.empty()) {
      const std::string& piece = state.pieces.front();
      const std::size_t part = std::min(size - taken.bytes, piece.size() - state.offset);
      std::copy_n(piece.data() + state.offset, part, buffer + taken.bytes);
      taken.bytes += part;
      state.offset += part;
      if (state.offset < piece.size()) break;
      state.pieces.pop_front();
      state.offset = 0;
    }
    state.waiting -= taken.bytes;
    taken.end = state.ended && state.pieces.empty();
    state.starved = taken.bytes == 0 && !taken.end;
    if (was_full && state.WantsMore()) room = state.room;
  }
  if (room) room();
  return taken;
}

void BodyPipe::SetWake(std::function<void()> wake) {
  const internal::base::MutexLock lock(state_->mutex);
  state_->wake = std::move(wake);
}

void BodyPipe::Abandon() {
  // The functions end outside of the lock, with all that they hold.
  std::function<void()> room;
  std::function<void()> wake;
  std::deque<std::string> pieces;
  {
    const internal::base::MutexLock lock(state_->mutex);
    state_->abandoned = true;
    room.swap(state_->room);
    wake.swap(state_->wake);
    pieces.swap(state_->pieces);
    state_->offset = 0;
    state_->waiting = 0;
  }
}

}  // namespace kinformer
