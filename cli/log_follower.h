// cli/log_follower.h
//
// LogFollower: the logs of many pods at once, of those that come later and of containers that start
// again, too.

#ifndef KINFORMER_CLI_LOG_FOLLOWER_H_
#define KINFORMER_CLI_LOG_FOLLOWER_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/client/client.h"

#include "cli/log_stream.h"
#include "cli/name_pattern.h"

namespace kinformer::cli {

// Selects pods and containers by their names. An empty list of patterns means all.
struct LogFilter {
  std::vector<NamePattern> pods{};
  std::vector<NamePattern> containers{};
  std::vector<NamePattern> not_pods{};
  std::vector<NamePattern> not_containers{};
  [[nodiscard]] bool HasPod(std::string_view name) const;
  [[nodiscard]] bool HasContainer(std::string_view name) const;
};

// Something that happens to a stream, for the person who looks on.
struct LogNotice {
  enum class Kind { kBegins, kEnds, kCut, kFails, kWaits } kind;
  LogSource source{};
  std::string words{};  // why
};

struct LogFollowerOptions {
  LogFilter filter{};
  // tailLines, sinceSeconds and sinceTime are for containers that are there at the beginning; of
  // later ones the whole log is read.
  corev1::PodLogOptionsMutable log{};
  std::size_t max_streams = 50;  // further ones wait until one ends
};

// Gets what an informer of pods says, and keeps one LogStream for each container that matches. No
// thread belongs to a stream. Thread-safe, but for one caller of OnPod and OnPodGone at a time.
class LogFollower {
 public:
  // `on_line`: see LogStreamCalls; called by several threads. `on_notice` is called on the loop, or
  // inside OnPod, and must not call this.
  LogFollower(const Client& client, LogFollowerOptions options,
              std::function<bool(const LogRecord& record)> on_line,
              std::function<void(const LogNotice& notice)> on_notice);
  ~LogFollower();
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  // `initial`: the pod was there at the beginning.
  void OnPod(const corev1::Pod& pod, bool initial);
  void OnPodGone(const corev1::Pod& pod);
  // Ends all streams, and waits until they have ended. Not for the loop.
  void Stop();
  [[nodiscard]] std::size_t streams() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LOG_FOLLOWER_H_
