#include "kinformer/client/pod_logs.h"

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/core/mutex.h"
#include "client/patience.h"
#include "client/tools/line_splitter.h"

namespace kinformer {
namespace {

using Options = corev1::PodLogOptions::Mutable;
using OnLine = std::function<bool(const LogLine& line)>;

// The logs of one call of StreamLogLines.
class LogStreams {
 public:
  LogStreams(const ResourceClient<corev1::Pod>& pods, std::string_view pod, const Options& options,
             const OnLine& on_line, const CallOptions& call)
      : pods_(pods),
        pod_(pod),
        options_(options),
        on_line_(on_line),
        patience_(pods.env(), call, "the log"),
        chained_(call.stop, [this] { stop_.request_stop(); }) {}

  void InTurn(const std::vector<std::string>& containers) {
    for (const std::string& container : containers) {
      if (!Goes()) return;
      Read(container);
    }
  }
  void AtOnce(const std::vector<std::string>& containers) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (const std::string& container : containers) {
      threads.push_back(pods_.env().NewThread("log", [this, &container] { Read(container); }));
    }
    // Each thread is joined here.
  }
  Result<void> Outcome() {
    const internal::base::MutexLock lock(mutex_);
    if (thrown_) std::rethrow_exception(thrown_);
    if (ended_ || !error_) return {};
    return *error_;
  }

 private:
  bool Goes() {
    const internal::base::MutexLock lock(mutex_);
    return !ended_ && !error_ && !thrown_;
  }
  // Reads the log of one container to its end.
  void Read(const std::string& container) {
    internal::client::LineSplitter lines(
        [&](std::string_view text) { return Pass({.container = container, .text = text}); });
    Result<CallOptions> call = patience_.Left();
    Result<void> read = call ? Result<void>() : Result<void>(call.error());
    if (call) {
      Options options = options_;
      options.container = container;
      call->stop = stop_.get_token();
      read = GetLogs(pods_, pod_, options)
                 .Stream([&](std::string_view data) { return lines.Feed(data); }, *call);
    }
    static_cast<void>(Goes() && lines.Finish());
    if (read) return;
    {
      const internal::base::MutexLock lock(mutex_);
      if (ended_ || error_ || thrown_) return;  // ended by another one's end
      error_ = Error(read.error());
      if (!container.empty()) error_->WithContext("container " + container + " of pod " + pod_);
    }
    stop_.request_stop();
  }
  // Gives a line to the program; false: no more.
  bool Pass(const LogLine& line) {
    {
      const internal::base::MutexLock lock(mutex_);
      if (ended_ || error_ || thrown_) return false;
      try {
        ended_ = !on_line_(line);
      } catch (...) {
        thrown_ = std::current_exception();
      }
      if (!ended_ && !thrown_) return true;
    }
    stop_.request_stop();
    return false;
  }

  const ResourceClient<corev1::Pod>& pods_;
  const std::string pod_;
  const Options& options_;
  const OnLine& on_line_;
  const internal::client::Patience patience_;
  std::stop_source stop_;
  internal::base::Mutex mutex_;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;  // by the program
  std::optional<Error> error_ KINFORMER_GUARDED_BY(mutex_);
  std::exception_ptr thrown_ KINFORMER_GUARDED_BY(mutex_);
  std::stop_callback<std::function<void()>> chained_;
};

}  // namespace

RestRequest GetLogs(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                    const Options& options) {
  RestRequest request = RestClient(pods.core().client(), {.version = "v1"}).Get();
  request.Namespace(pods.namespace_()).Resource("pods").Name(pod).SubResource("log");
  return request.VersionedParams(options);
}

Result<void> StreamLogLines(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                            const std::vector<std::string>& containers, const Options& options,
                            const OnLine& on_line, const CallOptions& call) {
  LogStreams streams(pods, pod, options, on_line, call);
  if (containers.empty()) {
    streams.InTurn({options.container});
  } else if (options.follow && containers.size() > 1) {
    streams.AtOnce(containers);
  } else {
    streams.InTurn(containers);
  }
  return streams.Outcome();
}

std::vector<std::string> LogContainers(const corev1::Pod& pod) {
  std::vector<std::string> names;
  for (const auto& container : pod.spec().initContainers()) names.emplace_back(container.name());
  for (const auto& container : pod.spec().containers()) names.emplace_back(container.name());
  for (const auto& container : pod.spec().ephemeralContainers()) {
    names.emplace_back(container.name());
  }
  return names;
}

}  // namespace kinformer
