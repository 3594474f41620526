#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/watcher_core.h"

#include "base/core/forked.h"
#include "client/contained_list_watch.h"
#include "client/retry_after.h"
#include "client/tools/watch_events.h"

namespace kinformer::internal {
namespace {

// Minimum time between the starts of two attempts.
constexpr Duration kMinRestartDelay = std::chrono::seconds(1);
// Number of waiting events at which the watch is closed, and at which it is opened again.
constexpr std::size_t kMostWaiting = 4096;
constexpr std::size_t kFewWaiting = kMostWaiting / 2;
// The requested time-out is between one and two times this value, as in a reflector. A watch that
// exceeds it has stalled.
constexpr std::int64_t kMinWatchSeconds = 300;

// The part that runs on the loop. Tasks on the loop keep it alive.
class Retries final : public WatchReceiver, public std::enable_shared_from_this<Retries> {
 public:
  Retries(Env& env, std::string resource_version, std::unique_ptr<ListerWatcher> source,
          std::shared_ptr<client::WatchEvents> events)
      : env_(env),
        source_(std::move(source)),
        contained_(env, *source_),
        events_(std::move(events)),
        last_(std::move(resource_version)) {}

  // ---- on the loop
  void Open() {
    if (ended_ || call_ != nullptr) return;
    paused_ = false;
    accepted_ = false;
    began_ = env_.Now();
    ListOptions options;
    options.resourceVersion = last_;
    options.allowWatchBookmarks = true;
    options.timeoutSeconds =
        kMinWatchSeconds + static_cast<std::int64_t>(RandomUnit(env_) * kMinWatchSeconds);
    call_ = contained_.Watch(options, *this);
  }
  void OpenSoon() { OpenAfter(Duration(0)); }
  void End() {
    ended_ = true;
    timer_ = Timer();
    call_.reset();
  }
  // Gives up the source, which the caller may own, to be destroyed on the thread that stops.
  std::unique_ptr<ListerWatcher> TakeSource() { return std::move(source_); }

  // ---- on any thread
  // Returns true once after the watch was closed for a full queue, when that has room again.
  bool TakesRoom() {
    return waits_for_room_.load(std::memory_order_acquire) && events_->size() <= kFewWaiting &&
           waits_for_room_.exchange(false, std::memory_order_acq_rel);
  }

 private:
  void OnStarted() override { accepted_ = true; }

  void OnEvent(const WatchEvent& event) override {
    if (ended_) return;
    if (event.resourceVersion.empty()) {
      return Fail(Error(Reason::kInternalError,
                        contained_.Describe() + ": an event of the watch has no resourceVersion, "
                                                "behind which the watch could be resumed"));
    }
    last_ = event.resourceVersion;
    if (event.type == WatchEventType::kBookmark) return;
    if (event.unreadable) {
      env_.log().Log(LogLevel::kWarning, "an object of a watch is unreadable and left out",
                     {{"watch", contained_.Describe()},
                      {"namespace", std::string(event.namespace_)},
                      {"name", std::string(event.name)},
                      {"err", event.why != nullptr ? event.why->ToString() : "not said"}});
      return;
    }
    const std::size_t waiting = events_->Push({event.type, event.object.object(), last_, false});
    if (waiting >= kMostWaiting && !std::exchange(paused_, true)) CloseSoon();
  }

  void OnDone(Result<void> result) override {
    call_.reset();
    if (ended_ || paused_) return;
    if (result) return OpenAfter(Duration(0));
    const Error& error = result.error();
    if (accepted_ && (error.http_status() == 410 || IsResourceExpired(error))) return Fail(error);
    const bool refused = IsForbidden(error) || IsUnauthorized(error);
    if (!accepted_ && refused) {
      return Fail(Error(error).WithContext(
          "watch of " + contained_.Describe() +
          " (see to valid credentials, and to the permission to watch the resource)"));
    }
    env_.log().Log(
        LogLevel::kInfo, "a watch failed and will be opened again",
        {{"watch", contained_.Describe()}, {"resourceVersion", last_}, {"err", error.ToString()}});
    OpenAfter(client::PauseAfter(env_, error, contained_.Describe()));
  }

  void OpenAfter(Duration delay) {
    if (ended_) return;
    const SteadyTime at = std::max(began_ + kMinRestartDelay, env_.Now() + delay);
    timer_ = env_.loop().RunAt(at, [weak = weak_from_this()] {
      if (const std::shared_ptr<Retries> self = weak.lock()) self->Open();
    });
  }
  void Fail(const Error& error) {
    ended_ = true;
    events_->Close(error);
    CloseSoon();
  }
  // Closes on the loop later: the caller may be inside a call of the watch itself.
  void CloseSoon() {
    env_.loop().Post([weak = weak_from_this()] {
      const std::shared_ptr<Retries> self = weak.lock();
      if (self == nullptr) return;
      self->call_.reset();
      if (self->ended_) return;
      self->waits_for_room_.store(true, std::memory_order_release);
      // The reader may have emptied the queue meanwhile.
      if (self->TakesRoom()) self->OpenSoon();
    });
  }

  Env& env_;
  std::unique_ptr<ListerWatcher> source_;
  client::ContainedListWatch contained_;
  const std::shared_ptr<client::WatchEvents> events_;
  std::string last_;  // the resourceVersion from which to watch
  SteadyTime began_{};
  bool accepted_ = false;
  bool paused_ = false;  // closed because too many events wait
  bool ended_ = false;
  std::atomic<bool> waits_for_room_{false};
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

class RetryWatcher final : public WatcherCore {
 public:
  RetryWatcher(Env& env, std::string resource_version, std::unique_ptr<ListerWatcher> source)
      : env_(env),
        events_(std::make_shared<client::WatchEvents>(env)),
        retries_(std::make_shared<Retries>(env, std::move(resource_version), std::move(source),
                                           events_)) {
    env_.loop().Post([retries = retries_] { retries->Open(); });
  }
  ~RetryWatcher() override {
    if (base::IsForkedOff(env_)) {
      base::LeaveToParent(retries_);
      return;
    }
    if (env_.loop().InThisExecutor()) {
      // Later: the stack may be inside the watch.
      env_.loop().Post([retries = retries_] { retries->End(); });
      return;
    }
    const std::shared_ptr<Monitor> monitor = env_.NewMonitor();
    const auto source = std::make_shared<std::unique_ptr<ListerWatcher>>();
    const auto done = std::make_shared<bool>(false);
    env_.loop().Post([retries = retries_, monitor, source, done] {
      retries->End();
      *source = retries->TakeSource();
      const MonitorLock lock(*monitor);
      *done = true;
      monitor->NotifyAll();
    });
    MonitorLock lock(*monitor);
    while (!*done) lock.Wait();
  }
  RetryWatcher(const RetryWatcher&) = delete;
  RetryWatcher& operator=(const RetryWatcher&) = delete;

  Result<std::optional<OwnedWatchEvent>> Next(const CallOptions& call) override {
    Result<std::optional<OwnedWatchEvent>> next = events_->Next(call);
    if (next && *next && retries_->TakesRoom()) {
      env_.loop().Post([weak = std::weak_ptr(retries_)] {
        if (const std::shared_ptr<Retries> retries = weak.lock()) retries->OpenSoon();
      });
    }
    return next;
  }
  void Stop() override {
    events_->Stop();
    if (base::IsForkedOff(env_)) return;
    env_.loop().Post([weak = std::weak_ptr(retries_)] {
      if (const std::shared_ptr<Retries> retries = weak.lock()) retries->End();
    });
  }
  [[nodiscard]] Env& env() const override { return env_; }

 private:
  Env& env_;
  const std::shared_ptr<client::WatchEvents> events_;
  const std::shared_ptr<Retries> retries_;
};

}  // namespace

Result<std::shared_ptr<WatcherCore>> NewRetryWatcherCore(
    Env& env, std::string resource_version, std::unique_ptr<ListerWatcher> lister_watcher) {
  if (resource_version.empty() || resource_version == "0") {
    return Error(Reason::kInvalidArgument, "a retry watcher cannot begin at resourceVersion \"" +
                                               resource_version +
                                               "\": list first, and give the list's");
  }
  return std::make_shared<RetryWatcher>(env, std::move(resource_version),
                                        std::move(lister_watcher));
}

}  // namespace kinformer::internal
