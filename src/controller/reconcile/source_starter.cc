#include "controller/reconcile/source_starter.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/inside.h"
#include "base/core/user_call.h"

namespace kinformer::internal {
namespace {

// Runs the threads that start sources, and collects their results.
class Starter {
 public:
  Starter(Env& env, std::string controller, std::vector<SourceToStart> sources, Duration timeout,
          std::stop_source stop, const void* core)
      : env_(env),
        controller_(std::move(controller)),
        sources_(std::move(sources)),
        timeout_(timeout),
        stop_(std::move(stop)),
        core_(core),
        monitor_(env.NewMonitor()),
        states_(sources_.size()) {}

  Result<bool> Run() {
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      threads.push_back(env_.NewThread("source" + std::to_string(i), [this, i] { StartOne(i); }));
    }
    const std::optional<std::size_t> culprit = WaitForAll();
    State then;
    if (culprit) {
      MonitorLock lock(*monitor_);
      then = states_[*culprit];
    }
    // If somebody else requested stop, sources may have ended without having synced.
    const bool stopped = culprit ? !stop_.request_stop() : stop_.stop_requested();
    for (const std::unique_ptr<Thread>& thread : threads) thread->Join();
    if (stopped) return false;
    if (culprit) return ErrorOf(*culprit, then);
    return true;
  }

 private:
  struct State {
    bool started = false;
    Result<void> result{};
    bool ended = false;
  };

  void StartOne(std::size_t i) {
    const base::Inside inside(whose_);
    const base::Inside inside_core(core_);
    source::AnySource& source = *sources_[i].source;
    Result<void> result = StartContained(env_, source, sources_[i].start, stop_.get_token());
    if (result) {
      {
        MonitorLock lock(*monitor_);
        states_[i].started = true;
      }
      result = base::CallUserForResult(
          env_, "WaitForSync of a source",
          [&] { return source.WaitForSync(stop_.get_token(), timeout_); },
          [&] { return DescribeContained(env_, source); });
    }
    MonitorLock lock(*monitor_);
    if (!result && !failed_) failed_ = i;
    states_[i].result = std::move(result);
    states_[i].ended = true;
    monitor_->NotifyAll();
  }

  // Returns the first source that failed or did not sync in time; nullopt if all have synced.
  std::optional<std::size_t> WaitForAll() {
    // The extra second lets sources report a more precise error for the same timeout.
    const SteadyTime deadline =
        base::After(base::After(env_.Now(), timeout_), std::chrono::seconds(1));
    MonitorLock lock(*monitor_);
    while (true) {
      if (failed_) return failed_;
      const auto open = std::ranges::find(states_, false, &State::ended);
      if (open == states_.end()) return std::nullopt;
      if (!lock.WaitUntil(deadline)) {
        return failed_ ? *failed_ : static_cast<std::size_t>(open - states_.begin());
      }
    }
  }

  // `then`: the state when the wait ended.
  [[nodiscard]] Error ErrorOf(std::size_t i, const State& then) const {
    const std::string source = DescribeContained(env_, *sources_[i].source);
    const bool started = then.started;
    if (!then.result) {
      const std::string what = started ? "failed to wait for " + controller_ + " caches to sync: "
                                       : "controller " + controller_ + " cannot start: ";
      return Error(then.result.error()).WithContext(what + source);
    }
    return {Reason::kDeadlineExceeded, "controller " + controller_ +
                                           ": timed out waiting for source " + source +
                                           (started ? " to sync" : " to Start")};
  }

  Env& env_;
  const std::string controller_;
  const std::vector<SourceToStart> sources_;
  const Duration timeout_;
  std::stop_source stop_;
  const void* const core_;
  const std::vector<const void*> whose_ = base::Inside::All();
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_ until the threads have ended.
  std::vector<State> states_;
  std::optional<std::size_t> failed_;  // the first one
};

}  // namespace

std::string DescribeContained(Env& env, const source::AnySource& source) {
  std::string text = "a source";
  (void)base::CallUser(env, "Source::Describe", [&] { text = source.Describe(); });
  return text;
}

void StopContained(Env& env, source::AnySource& source) {
  (void)base::CallUser(
      env, "Source::Stop", [&] { source.Stop(); }, [&] { return DescribeContained(env, source); });
}

Result<void> StartContained(Env& env, const source::AnySource& source,
                            const std::function<Result<void>(const std::stop_token&)>& start,
                            const std::stop_token& stop) {
  return base::CallUserForResult(
      env, "Start of a source", [&] { return start(stop); },
      [&] { return DescribeContained(env, source); });
}

Result<bool> StartAndSync(Env& env, const std::string& controller,
                          std::vector<SourceToStart> sources, Duration timeout,
                          std::stop_source stop, const void* core) {
  if (sources.empty()) return true;
  return Starter(env, controller, std::move(sources), timeout, std::move(stop), core).Run();
}

}  // namespace kinformer::internal
