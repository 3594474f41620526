#include "cli/log_follower.h"

#include <utility>

#include "kinformer/client/pod_logs.h"

namespace kinformer::cli {

bool LogFilter::HasPod(std::string_view name) const {
  return (pods.empty() || MatchesAny(pods, name)) && !MatchesAny(not_pods, name);
}

bool LogFilter::HasContainer(std::string_view name) const {
  return (containers.empty() || MatchesAny(containers, name)) && !MatchesAny(not_containers, name);
}

struct LogFollower::State : std::enable_shared_from_this<LogFollower::State> {
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Entry {
    ContainerNow now{};
    std::string started{};  // the instance whose stream began last
    bool initial = false;
    bool waits = false;  // for another stream's end
    std::shared_ptr<LogStream> stream{};
  };

  State(const Client& c, LogFollowerOptions o, std::function<bool(const LogRecord&)> line,
        std::function<void(const LogNotice&)> notice)
      : client(c),
        options(std::move(o)),
        on_line(std::move(line)),
        on_notice(std::move(notice)),
        monitor(c.env().NewMonitor()) {}

  static LogSource SourceOf(const Key& key) {
    return {std::get<0>(key), std::get<1>(key), std::get<2>(key)};
  }

  // REQUIRES of those below: `monitor` is held.
  void Begin(const Key& key, Entry& entry) {
    if (stopped || entry.stream != nullptr || entry.waits || entry.now.id.empty() ||
        entry.now.id == entry.started) {
      return;
    }
    if (running >= options.max_streams) {
      entry.waits = true;
      waiting.push_back(key);
      on_notice({LogNotice::Kind::kWaits, SourceOf(key),
                 std::to_string(running) + " logs are followed already"});
      return;
    }
    corev1::PodLogOptionsMutable log = options.log;
    if (!entry.initial) {
      log.tailLines.reset();
      log.sinceSeconds.reset();
      log.sinceTime.reset();
    }
    entry.initial = false;
    entry.started = entry.now.id;
    const auto self = shared_from_this();
    LogStreamCalls calls;
    calls.on_line = on_line;
    calls.look_up = [self, key](const std::function<void(ContainerNow)>& answer) {
      answer(self->NowOf(key));
    };
    calls.on_cut = [self, key](const Error& error) {
      self->on_notice({LogNotice::Kind::kCut, SourceOf(key), error.message()});
    };
    calls.on_end = [self, key](const Result<void>& end) { self->Ended(key, end); };
    ++running;
    entry.stream = std::make_shared<LogStream>(client, SourceOf(key), std::move(log), entry.started,
                                               std::move(calls));
    on_notice({LogNotice::Kind::kBegins, SourceOf(key), {}});
    entry.stream->Start();
  }

  ContainerNow NowOf(const Key& key) {
    const MonitorLock lock(*monitor);
    const auto found = entries.find(key);
    return found == entries.end() ? ContainerNow{.state = ContainerNow::State::kGone}
                                  : found->second.now;
  }

  void Ended(const Key& key, const Result<void>& end) {
    const MonitorLock lock(*monitor);
    const auto found = entries.find(key);
    Entry& entry = found->second;
    entry.stream.reset();
    --running;
    if (!stopped) {
      if (end) {
        on_notice({LogNotice::Kind::kEnds, SourceOf(key), entry.now.end});
      } else {
        on_notice({LogNotice::Kind::kFails, SourceOf(key), end.error().message()});
      }
    }
    if (entry.now.state == ContainerNow::State::kGone) {
      entries.erase(found);
    } else {
      Begin(key, entry);
    }
    while (running < options.max_streams && !waiting.empty()) {
      const Key next = std::move(waiting.front());
      waiting.pop_front();
      const auto waiter = entries.find(next);
      if (waiter == entries.end()) continue;
      waiter->second.waits = false;
      Begin(next, waiter->second);
    }
    monitor->NotifyAll();
  }

  const Client client;
  const LogFollowerOptions options;
  const std::function<bool(const LogRecord&)> on_line;
  const std::function<void(const LogNotice&)> on_notice;
  const std::unique_ptr<Monitor> monitor;
  std::map<Key, Entry> entries;
  std::deque<Key> waiting;
  std::size_t running = 0;
  bool stopped = false;
};

LogFollower::LogFollower(const Client& client, LogFollowerOptions options,
                         std::function<bool(const LogRecord& record)> on_line,
                         std::function<void(const LogNotice& notice)> on_notice)
    : state_(std::make_shared<State>(client, std::move(options), std::move(on_line),
                                     std::move(on_notice))) {}

LogFollower::~LogFollower() { Stop(); }

void LogFollower::OnPod(const corev1::Pod& pod, bool initial) {
  const metav1::ObjectMeta meta = pod.metadata();
  if (!state_->options.filter.HasPod(meta.name())) return;
  const MonitorLock lock(*state_->monitor);
  for (const std::string& container : LogContainers(pod)) {
    if (!state_->options.filter.HasContainer(container)) continue;
    const State::Key key(meta.namespace_(), meta.name(), container);
    const auto [at, is_new] = state_->entries.try_emplace(key);
    if (is_new) at->second.initial = initial;
    at->second.now = StateOf(pod, container);
    state_->Begin(key, at->second);
  }
}

void LogFollower::OnPodGone(const corev1::Pod& pod) {
  const metav1::ObjectMeta meta = pod.metadata();
  const MonitorLock lock(*state_->monitor);
  for (const std::string& container : LogContainers(pod)) {
    const auto found = state_->entries.find(State::Key(meta.namespace_(), meta.name(), container));
    if (found == state_->entries.end()) continue;
    // Its stream reads what the kubelet still has.
    found->second.now = {.state = ContainerNow::State::kGone};
    if (found->second.stream == nullptr) state_->entries.erase(found);
  }
}

void LogFollower::Stop() {
  MonitorLock lock(*state_->monitor);
  state_->stopped = true;
  for (auto& [key, entry] : state_->entries) {
    if (entry.stream != nullptr) entry.stream->Stop();
  }
  while (state_->running != 0) lock.Wait();
}

std::size_t LogFollower::streams() const {
  const MonitorLock lock(*state_->monitor);
  return state_->running;
}

}  // namespace kinformer::cli
