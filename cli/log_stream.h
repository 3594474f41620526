// cli/log_stream.h
//
// LogStream: the log of one container, followed through cuts of the connection.

#ifndef KINFORMER_CLI_LOG_STREAM_H_
#define KINFORMER_CLI_LOG_STREAM_H_

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"

#include "cli/log_position.h"

namespace kinformer::cli {

struct LogSource {
  std::string namespace_{};
  std::string pod{};
  std::string container{};
};

// A line, valid during the call that gets it.
struct LogRecord {
  const LogSource& source;
  TimedLine line{};
};

// State of a container, as its pod's status says.
struct ContainerNow {
  enum class State { kWaiting, kRunning, kEnded, kGone } state = State::kWaiting;
  std::string id{};   // of the instance that runs, or ran last
  std::string end{};  // of one that has ended: "exit code 1, Error"
};
ContainerNow StateOf(const corev1::Pod& pod, std::string_view container);

// Functions that a LogStream calls.
struct LogStreamCalls {
  // Called on a thread of the pool, where it may block. False: no more.
  std::function<bool(const LogRecord& record)> on_line{};
  // Answers, on any thread, what the container does.
  std::function<void(std::function<void(ContainerNow now)> answer)> look_up{};
  // Called on the loop when a connection was cut, which will be tried again.
  std::function<void(const Error& error)> on_cut{};
  // Called on the loop, once, as the last one. An error: the log cannot be read.
  std::function<void(const Result<void>& end)> on_end{};
};

// Follows one instance of a container until that has ended. After a cut it reads on where it
// stopped: no line is lost, and none comes twice. A restart of the container is another instance;
// if it happens during a cut, what the earlier one still wrote is read before the end. Needs no
// thread of its own. Shared, since the loop's tasks keep it; thread-safe.
class LogStream : public std::enable_shared_from_this<LogStream> {
 public:
  // `id`: of the container's instance; empty if it is not known.
  LogStream(const Client& client, LogSource source, corev1::PodLogOptionsMutable options,
            std::string id, LogStreamCalls calls);
  void Start();
  // Ends it soon: on_end is then called without an error.
  void Stop();
  [[nodiscard]] const LogSource& source() const { return source_; }

  // A longer line is passed on in pieces.
  static constexpr std::size_t kLongestLine = std::size_t{4} << 20;
  // Pauses after cuts without a new line between them: the first, and the longest.
  static constexpr Duration kFirstPause = std::chrono::seconds(1);
  static constexpr Duration kLongestPause = std::chrono::seconds(30);

 private:
  void Open();
  bool Data(std::string_view data);
  bool Line(std::string_view text);
  // Passes on a last line without an end, and ends.
  void Finish();
  void Closed(Result<void> result);
  void Decide(const Result<void>& result, const ContainerNow& now);
  void Pause();
  void Reopen(const ContainerNow& now);
  // Whether it is the instance that is followed; true if that is not known.
  [[nodiscard]] bool IsSame(const ContainerNow& now) const;
  void End(const Result<void>& end);

  Env& env_;
  const Client client_;
  const LogSource source_;
  const corev1::PodLogOptionsMutable options_;
  const std::string id_;
  const LogStreamCalls calls_;
  std::stop_source stop_;
  // Touched by one task at a time: a stream's on the pool, or the loop's between two streams.
  LogPosition position_;
  std::string begun_;  // a line whose end has not come
  Duration pause_{kFirstPause};
  bool previous_ = false;  // the instance was replaced by another
  bool refused_ = false;   // by on_line
  // Members that only the loop touches.
  Timer timer_;
  bool pauses_ = false;
  bool ended_ = false;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LOG_STREAM_H_
