#include "cli/log_stream.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/pod_logs.h"

#include "cli/first_sync.h"

namespace kinformer::cli {
namespace {

std::string EndOf(const corev1::ContainerStateTerminated& ended) {
  std::string text = "exit code " + std::to_string(ended.exitCode());
  if (!ended.reason().empty()) text += ", " + std::string(ended.reason());
  return text;
}

// Returns the state if the status is the container's.
std::optional<ContainerNow> StateIn(const corev1::ContainerStatus& status,
                                    std::string_view container) {
  if (status.name() != container) return std::nullopt;
  ContainerNow now{.id = std::string(status.containerID())};
  const corev1::ContainerState state = status.state();
  if (state.running()) {
    now.state = ContainerNow::State::kRunning;
  } else if (const auto terminated = state.terminated()) {
    now.state = ContainerNow::State::kEnded;
    now.end = EndOf(*terminated);
  } else if (const auto last = status.lastState().terminated(); last && !now.id.empty()) {
    now.end = EndOf(*last);
  }
  return now;
}

}  // namespace

ContainerNow StateOf(const corev1::Pod& pod, std::string_view container) {
  const corev1::PodStatus status = pod.status();
  for (const auto& one : status.containerStatuses()) {
    if (auto now = StateIn(one, container)) return *std::move(now);
  }
  for (const auto& one : status.initContainerStatuses()) {
    if (auto now = StateIn(one, container)) return *std::move(now);
  }
  for (const auto& one : status.ephemeralContainerStatuses()) {
    if (auto now = StateIn(one, container)) return *std::move(now);
  }
  return {};
}

LogStream::LogStream(const Client& client, LogSource source, corev1::PodLogOptionsMutable options,
                     std::string id, LogStreamCalls calls)
    : env_(client.env()),
      client_(client),
      source_(std::move(source)),
      options_(std::move(options)),
      id_(std::move(id)),
      calls_(std::move(calls)) {}

void LogStream::Start() {
  env_.loop().Post([self = shared_from_this()] { self->Open(); });
}

void LogStream::Stop() {
  stop_.request_stop();
  env_.loop().Post([self = shared_from_this()] {
    if (!self->pauses_) return;  // a stream or a question ends by itself
    self->pauses_ = false;
    self->timer_.Cancel();
    self->End({});
  });
}

void LogStream::Open() {
  if (stop_.stop_requested()) return End({});
  corev1::PodLogOptionsMutable options = options_;
  options.container = source_.container;
  options.timestamps = true;
  options.follow = !previous_;
  options.previous = previous_;
  if (const std::optional<metav1::Time> since = position_.SinceTime()) {
    options.sinceTime = since;
    options.sinceSeconds.reset();
    options.tailLines.reset();
  }
  position_.Resume();
  begun_.clear();
  auto call = GetLogs(client_.For<corev1::Pod>(source_.namespace_), source_.pod, options)
                  .AsyncStream([self = shared_from_this()](std::string_view data) {
                    return self->Data(data);
                  })
                  .WithStop(stop_.get_token());
  // On the pool, where a slow terminal may keep it waiting.
  Spawn(env_, env_.pool(), std::move(call).AsTask(),
        [self = shared_from_this()](Result<void> result) {
          self->env_.loop().Post([self, result = std::move(result)] { self->Closed(result); });
        });
}

bool LogStream::Data(std::string_view data) {
  begun_ += data;
  std::size_t at = 0;
  for (std::size_t end = begun_.find('\n'); end != std::string::npos; end = begun_.find('\n', at)) {
    if (!Line(std::string_view(begun_).substr(at, end - at))) return false;
    at = end + 1;
  }
  begun_.erase(0, at);
  if (begun_.size() < kLongestLine) return true;
  const std::string piece = std::exchange(begun_, {});
  return Line(piece);
}

bool LogStream::Line(std::string_view text) {
  if (stop_.stop_requested()) return false;
  const TimedLine line = SplitTime(text);
  if (!position_.Take(line)) return true;
  pause_ = kFirstPause;
  refused_ = !calls_.on_line({.source = source_, .line = line});
  return !refused_;
}

void LogStream::Finish() {
  if (begun_.empty()) return End({});
  env_.pool().Post([self = shared_from_this()] {
    self->Line(std::exchange(self->begun_, {}));
    self->env_.loop().Post([self] { self->End({}); });
  });
}

void LogStream::Closed(Result<void> result) {
  if (stop_.stop_requested() || refused_) return End({});
  calls_.look_up([self = shared_from_this(), result = std::move(result)](ContainerNow now) {
    self->env_.loop().Post([self, result, now = std::move(now)] { self->Decide(result, now); });
  });
}

void LogStream::Decide(const Result<void>& result, const ContainerNow& now) {
  if (stop_.stop_requested()) return End({});
  const bool runs = now.state == ContainerNow::State::kRunning && IsSame(now);
  if (result && (!runs || previous_)) return Finish();
  if (!result) {
    if (now.state == ContainerNow::State::kGone) return End({});
    // An instance before the last one is kept nowhere.
    if (IsHopeless(result.error())) return End(previous_ ? Result<void>() : result);
    calls_.on_cut(result.error());
  }
  Pause();
}

void LogStream::Pause() {
  pauses_ = true;
  timer_ = env_.loop().RunAt(env_.Now() + pause_, [weak = weak_from_this()] {
    const std::shared_ptr<LogStream> self = weak.lock();
    if (self == nullptr) return;
    self->pauses_ = false;
    // The container may have been replaced meanwhile.
    self->calls_.look_up([self](const ContainerNow& now) {
      self->env_.loop().Post([self, now] { self->Reopen(now); });
    });
  });
  pause_ = std::min(pause_ * 2, kLongestPause);
}

bool LogStream::IsSame(const ContainerNow& now) const {
  return id_.empty() || now.id.empty() || now.id == id_;
}

void LogStream::Reopen(const ContainerNow& now) {
  if (now.state == ContainerNow::State::kGone) return End({});
  if (!IsSame(now)) previous_ = true;
  Open();
}

void LogStream::End(const Result<void>& end) {
  if (std::exchange(ended_, true)) return;
  calls_.on_end(end);
}

}  // namespace kinformer::cli
