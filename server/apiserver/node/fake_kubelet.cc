#include "kinformer/apiserver/fake_kubelet.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "base/core/mutex.h"
#include "base/loop/signal.h"
#include "base/text/number_in.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

using internal::base::MutexLock;
using internal::base::Signal;

struct Line {
  WallTime at{};
  std::string text{};
};

struct Log {
  std::vector<Line> lines{};
  bool ended = false;
};

// Returns the exit code of the command `exit N`.
std::optional<int> ExitCodeOf(const std::vector<std::string>& command) {
  if (command.size() != 2 || command[0] != "exit") return std::nullopt;
  return internal::base::NumberIn<int>(command[1]);
}

std::string TimeText(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count();
  std::string text;
  internal::AppendRfc3339(seconds.count(), text);
  const std::string digits = std::to_string(1'000'000'000 + nanos).substr(1);
  return text.substr(0, text.size() - 1) + "." + digits + "Z";
}

// Sends back what comes in, until it ends.
Task<Result<void>> Echo(StreamInput in, StreamOutput out) {
  for (;;) {
    Result<std::string> text = co_await in.Read();
    if (!text) co_return text.error();
    if (text->empty()) co_return Result<void>();
    Result<void> written = co_await out.Write(*std::move(text));
    if (!written) co_return written;
  }
}

}  // namespace

struct FakeKubelet::Logbook {
  using Key = std::pair<ObjectName, std::string>;

  void Notify() {
    std::vector<std::shared_ptr<Signal>> all;
    {
      const MutexLock lock(mutex);
      std::erase_if(followers, [&](const std::weak_ptr<Signal>& weak) {
        all.push_back(weak.lock());
        return all.back() == nullptr;
      });
    }
    for (const auto& signal : all) {
      if (signal != nullptr) signal->Notify();
    }
  }
  // Returns the lines from number `from` on, and moves it to the end.
  std::vector<Line> From(const Key& key, std::size_t& from, bool& ended) {
    const MutexLock lock(mutex);
    const Log& log = logs[key];
    ended = log.ended;
    std::vector<Line> lines(log.lines.begin() + static_cast<std::ptrdiff_t>(from), log.lines.end());
    from = log.lines.size();
    return lines;
  }
  std::shared_ptr<Signal> Follow() {
    auto signal = std::make_shared<Signal>();
    const MutexLock lock(mutex);
    followers.push_back(signal);
    return signal;
  }

  internal::base::Mutex mutex;
  std::map<Key, Log> logs KINFORMER_GUARDED_BY(mutex);
  std::vector<std::weak_ptr<Signal>> followers KINFORMER_GUARDED_BY(mutex);
};

FakeKubelet::FakeKubelet(Env& env) : env_(env), logs_(std::make_shared<Logbook>()) {}

FakeKubelet::~FakeKubelet() = default;

void FakeKubelet::AddLogLine(const ObjectName& pod, const std::string& container,
                             std::string line) {
  const WallTime now = env_.WallNow();
  {
    const MutexLock lock(logs_->mutex);
    logs_->logs[{pod, container}].lines.push_back({.at = now, .text = std::move(line)});
  }
  logs_->Notify();
}

void FakeKubelet::EndLog(const ObjectName& pod, const std::string& container) {
  {
    const MutexLock lock(logs_->mutex);
    logs_->logs[{pod, container}].ended = true;
  }
  logs_->Notify();
}

namespace {

// Turns lines into the text that a request asks for.
class LogText {
 public:
  LogText(const LogRequest& request, WallTime now) : request_(request) {
    if (request.since_seconds) {
      since_ = now - std::chrono::seconds(*request.since_seconds);
    } else if (const auto time = internal::ParseRfc3339(request.since_time)) {
      since_ =
          WallTime(std::chrono::seconds(time->seconds) + std::chrono::nanoseconds(time->nanos));
    }
  }
  // Leaves out all but the last lines that are wanted.
  void Choose(std::vector<Line>& lines) const {
    std::erase_if(lines, [&](const Line& line) { return since_ && line.at < *since_; });
    if (!request_.tail_lines) return;
    const auto most = static_cast<std::size_t>(*request_.tail_lines);
    if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<long>(most));
  }
  // Returns nothing once the limit of bytes is reached.
  std::string Of(const std::vector<Line>& lines) {
    std::string text;
    for (const Line& line : lines) {
      if (request_.timestamps) text += TimeText(line.at) + " ";
      text += line.text + "\n";
    }
    if (request_.limit_bytes) {
      const auto left = static_cast<std::size_t>(*request_.limit_bytes) - written_;
      text.resize(std::min(text.size(), left));
    }
    written_ += text.size();
    return text;
  }
  [[nodiscard]] bool full() const {
    return request_.limit_bytes && written_ >= static_cast<std::size_t>(*request_.limit_bytes);
  }

 private:
  const LogRequest& request_;
  std::optional<WallTime> since_{};
  std::size_t written_ = 0;
};

}  // namespace

Task<Result<void>> FakeKubelet::Logs(PodContainer container, LogRequest request, StreamOutput out) {
  const ObjectName& pod = container.pod.name;
  if (request.previous) {
    co_return BadRequestError("previous terminated container \"" + container.name + "\" in pod \"" +
                              pod.name + "\" not found");
  }
  const std::shared_ptr<Logbook> logs = logs_;
  const Logbook::Key key(pod, container.name);
  const std::shared_ptr<Signal> signal = logs->Follow();
  const internal::base::Limits limits(env_, signal, container.pod.stop, std::nullopt);
  LogText text(request, env_.WallNow());
  std::size_t from = 0;
  bool first = true;
  while (!container.pod.stop.stop_requested()) {
    bool ended = false;
    std::vector<Line> lines = logs->From(key, from, ended);
    if (std::exchange(first, false)) text.Choose(lines);
    std::string written = text.Of(lines);
    if (!written.empty()) {
      Result<void> taken = co_await out.Write(std::move(written));
      if (!taken) co_return taken;
    }
    if (!request.follow || ended || text.full()) break;
    co_await signal->Wait();
  }
  co_return Result<void>();
}

Task<Result<int>> FakeKubelet::Exec(PodContainer /*container*/, ExecRequest request,
                                    ContainerStreams streams) {
  if (const std::optional<int> code = ExitCodeOf(request.command)) co_return *code;
  if (request.has_stdin) {
    Result<void> echoed = co_await Echo(streams.in, streams.out);
    if (!echoed) co_return echoed.error();
    co_return 0;
  }
  std::string text;
  for (const std::string& word : request.command) text += (text.empty() ? "" : " ") + word;
  text += "\n";
  Result<void> written = co_await streams.out.Write(std::move(text));
  if (!written) co_return written.error();
  co_return 0;
}

Task<Result<int>> FakeKubelet::Attach(PodContainer /*container*/, ExecRequest /*request*/,
                                      ContainerStreams streams) {
  Result<void> echoed = co_await Echo(streams.in, streams.out);
  if (!echoed) co_return echoed.error();
  co_return 0;
}

Task<Result<void>> FakeKubelet::PortForward(PodPlace /*pod*/, std::uint16_t /*port*/,
                                            StreamInput in, StreamOutput out) {
  co_return co_await Echo(in, out);
}

}  // namespace kinformer::apiserver
