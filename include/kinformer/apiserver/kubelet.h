// kinformer/apiserver/kubelet.h
//
// Kubelet: what the embedded API server asks about running pods: logs, commands in containers, and
// connections to ports. A program gives one to the server (ApiServerOptions::kubelet), so that
// tests and demos can stream without a cluster. FakeKubelet (fake_kubelet.h) is a simple one.
//
//   class Echo final : public Kubelet {
//     Task<Result<int>> Exec(PodContainer container, ExecRequest request,
//                            ContainerStreams streams) override {
//       for (;;) {
//         Result<std::string> text = co_await streams.in.Read();
//         if (!text) co_return text.error();
//         if (text->empty()) co_return 0;
//         Result<void> written = co_await streams.out.Write(*std::move(text));
//         if (!written) co_return written.error();
//       }
//     }
//   };

#ifndef KINFORMER_APISERVER_KUBELET_H_
#define KINFORMER_APISERVER_KUBELET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/object/object_name.h"

namespace kinformer::apiserver {

class BytePipe;
class Terminal;

// The end of a stream that a kubelet reads: what a client sends. Copies are the same stream; for
// one reader at a time. Thread-safe.
class StreamInput {
 public:
  explicit StreamInput(std::shared_ptr<BytePipe> pipe) : pipe_(std::move(pipe)) {}
  // Awaits bytes, at least one; empty: the client has ended its stream, or never had one. While
  // nobody reads, the client has to wait once 256 KB are there. kStopped: the client is gone.
  [[nodiscard]] Task<Result<std::string>> Read() const;

 private:
  std::shared_ptr<BytePipe> pipe_;
};

// The end of a stream that a kubelet writes. Copies are the same stream; for one writer at a time.
// Thread-safe.
class StreamOutput {
 public:
  explicit StreamOutput(std::shared_ptr<BytePipe> pipe) : pipe_(std::move(pipe)) {}
  // Adds bytes. Completes once less than 256 KB wait for the client, so that a slow client holds
  // up the one who writes. kStopped: the client is gone. Drops the bytes of a stream that the
  // client has not requested.
  [[nodiscard]] Task<Result<void>> Write(std::string bytes) const;

 private:
  std::shared_ptr<BytePipe> pipe_;
};

// Size of a client's terminal in characters.
struct WindowSize {
  std::uint16_t width = 0;
  std::uint16_t height = 0;
  bool operator==(const WindowSize&) const = default;
};

// A pod, as the API server has it at the time of the request.
struct PodPlace {
  ObjectName name{};
  std::string uid{};
  std::string node{};  // spec.nodeName
  // Requested when the client goes, and when the server ends.
  std::stop_token stop{};
};

// A container of a pod, which the pod's spec has.
struct PodContainer {
  PodPlace pod{};
  std::string name{};
};

// Counterpart: PodLogOptions. All numbers are valid: not negative, or from 1 on.
struct LogRequest {
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> since_seconds{};
  std::string since_time{};  // RFC 3339; empty: none
  std::optional<std::int64_t> tail_lines{};
  std::optional<std::int64_t> limit_bytes{};
  std::string stream{};  // "All", "Stdout" or "Stderr"; empty: all
};

// Counterpart: PodExecOptions and PodAttachOptions.
struct ExecRequest {
  std::vector<std::string> command{};  // empty: attach
  bool tty = false;
  bool has_stdin = false;
  bool has_stdout = false;
  bool has_stderr = false;
};

// The streams of a command.
struct ContainerStreams {
  StreamInput in;
  StreamOutput out;
  StreamOutput err;
  // Awaits another size of the client's terminal than the last that was returned. kStopped: the
  // client is gone.
  [[nodiscard]] Task<Result<WindowSize>> NextSize() const;
  std::shared_ptr<Terminal> terminal{};
};

// The requests have been checked: the pod exists, and so does the container. Each function is a
// task of its own on env.pool(), so functions may run at once, and may block for a while. The
// server keeps the kubelet until its last task has ended. An error of a task reaches the client: as
// an answer if there is none yet, else in the way of the protocol. By default no function is
// supported.
class Kubelet {
 public:
  virtual ~Kubelet() = default;

  // Writes the log of a container. `request.limit_bytes` is the function's matter, too.
  virtual Task<Result<void>> Logs(PodContainer container, LogRequest request, StreamOutput out);
  // Runs a command. Returns its exit code.
  virtual Task<Result<int>> Exec(PodContainer container, ExecRequest request,
                                 ContainerStreams streams);
  // Joins what the container runs. Returns its exit code.
  virtual Task<Result<int>> Attach(PodContainer container, ExecRequest request,
                                   ContainerStreams streams);
  // Carries a connection to a port of the pod. The connection ends with the task.
  virtual Task<Result<void>> PortForward(PodPlace pod, std::uint16_t port, StreamInput in,
                                         StreamOutput out);
  // Returns whether it also runs pods without a node. Otherwise they are refused, as by a real
  // server. Called on the loop.
  [[nodiscard]] virtual bool RunsUnscheduledPods() const { return false; }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_KUBELET_H_
