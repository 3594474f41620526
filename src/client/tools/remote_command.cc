#include "kinformer/client/remote_command.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "base/core/mutex.h"
#include "client/client_core.h"
#include "client/rest_exchange.h"
#include "client/status.h"
#include "client/tools/command_input.h"
#include "client/tools/websocket_call.h"
#include "client/trace_context.h"
#include "transport/websocket_channels.h"

namespace kinformer {
namespace {

using internal::client::CommandInputState;
using internal::client::WebSocketCall;

using internal::transport::CommandChannel;
using internal::transport::kChannelsV4;
using internal::transport::kChannelsV5;
using internal::transport::kCloseChannel;
using internal::transport::kErrorChannel;
using internal::transport::kResizeChannel;
using internal::transport::kStderrChannel;
using internal::transport::kStdinChannel;
using internal::transport::kStdoutChannel;

// Output that may wait for the function that takes it. With more, the command has to wait.
constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
// Longest Status of a command's end.
constexpr std::size_t kMostStatus = std::size_t{64} << 10;

// Returns the exit code, if the command has ended with one; otherwise the error.
Result<int> ExitCodeOf(std::string_view status_text) {
  Result<json::Value> status = json::Parse(status_text);
  if (!status || (*status)["status"].StringOrEmpty().empty()) {
    return Error(Reason::kDecode, "the command's end has no Status that can be read: " +
                                      std::string(status_text.substr(0, 200)));
  }
  if ((*status)["status"].StringOrEmpty() == "Success") return 0;
  if ((*status)["reason"].StringOrEmpty() == "NonZeroExitCode") {
    for (const json::Value& cause : (*status)["details"]["causes"].items()) {
      if (cause["reason"].StringOrEmpty() != "ExitCode") continue;
      const Result<json::Value> code = json::Parse(cause["message"].StringOrEmpty());
      if (const auto number = code ? code->AsInt64() : std::nullopt) {
        return static_cast<int>(*number);
      }
    }
  }
  status->Set("kind", "Status");  // which kubelets leave out
  if (auto failure = internal::client::ErrorOfJsonStatus(status->Dump())) {
    return *std::move(failure);
  }
  return Error(Reason::kUnknown, "the command failed without a reason");
}

struct Output {
  CommandChannel channel;
  std::string text;
};

class CommandCall final : public WebSocketCall {
 public:
  CommandCall(const std::shared_ptr<internal::client::Engine>& engine,
              internal::ExchangeRequest request, std::shared_ptr<CommandInputState> input)
      : WebSocketCall(engine, std::move(request), {kChannelsV5, kChannelsV4}),
        input_(std::move(input)) {}

  // Takes what the command has written since the last time.
  std::vector<Output> Take() {
    std::vector<Output> taken;
    bool resumes = false;
    {
      const internal::base::MutexLock lock(mutex_);
      taken.swap(output_);
      waiting_ = 0;
      resumes = std::exchange(paused_, false);
    }
    if (resumes) OnLoop([](CommandCall& self) { self.SetPaused(false); });
    return taken;
  }
  // Makes the call look for input. Thread-safe.
  void WakeForInput() {
    OnLoop([](CommandCall& self) { self.PassInput(); });
  }
  // Returns how the command has ended. REQUIRES: the call has, with success.
  [[nodiscard]] Result<int> exit() const { return ExitCodeOf(status_); }

 private:
  template <class Do>
  void OnLoop(Do what) {
    env().loop().Post([weak = weak_from_this(), what] {
      if (const auto self = weak.lock()) what(static_cast<CommandCall&>(*self));
    });
  }
  void SetPaused(bool paused) {
    if (exchange() != nullptr) exchange()->SetPaused(paused);
  }

  void OnOpen(const std::string& protocol) override {
    ends_input_ = protocol == kChannelsV5;
    PassInput();
  }
  void OnSent() override { PassInput(); }
  void OnChannel(unsigned char channel, std::string_view bytes, bool /*ends*/) override {
    if (bytes.empty()) return;
    if (channel == kErrorChannel) {
      status_.append(bytes.substr(0, kMostStatus - std::min(kMostStatus, status_.size())));
    } else if (channel == kStdoutChannel || channel == kStderrChannel) {
      Keep(static_cast<CommandChannel>(channel), bytes);
    }
  }
  void Keep(CommandChannel channel, std::string_view bytes) {
    bool full = false;
    {
      const internal::base::MutexLock lock(mutex_);
      if (!output_.empty() && output_.back().channel == channel) {
        output_.back().text.append(bytes);
      } else {
        output_.push_back({channel, std::string(bytes)});
      }
      waiting_ += bytes.size();
      full = waiting_ > kMostWaiting && !paused_;
      if (full) paused_ = true;
    }
    if (full) SetPaused(true);
    Wake();
  }

  // A Status tells how the command ended, however the connection did then.
  Result<void> Judge(Result<void> end) override {
    if (!status_.empty()) return {};
    if (!end) return end;
    return Error(Reason::kUnexpectedEof,
                 "the server closed the connection without saying how the command ended");
  }
  void End() override {
    if (input_ != nullptr) input_->End();
    WebSocketCall::End();
  }

  void PassInput() {
    if (input_ == nullptr || !open() || exchange() == nullptr) return;
    if (const std::optional<TerminalSize> size = input_->TakeSize()) {
      SendMessage(kResizeChannel, "{\"Width\":" + std::to_string(size->width) +
                                      ",\"Height\":" + std::to_string(size->height) + "}");
    }
    SendFrom(input_->text(), kStdinChannel);
    if (!input_->TakeEnd()) return;
    if (ends_input_) {
      SendMessage(kCloseChannel, std::string(1, static_cast<char>(kStdinChannel)));
    } else {
      env().log().Log(LogLevel::kWarning,
                      "the server speaks only v4.channel.k8s.io, which has no way to end a "
                      "command's stdin; a command that reads to its end waits for ever",
                      {});
    }
  }
  const std::shared_ptr<CommandInputState> input_;  // null: no stdin and no terminal
  // Loop only.
  bool ends_input_ = false;
  std::string status_;

  internal::base::Mutex mutex_;
  std::vector<Output> output_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t waiting_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool paused_ KINFORMER_GUARDED_BY(mutex_) = false;
};

// Tells the input that nobody reads it, however the task ends.
class InputGuard {
 public:
  explicit InputGuard(std::shared_ptr<CommandInputState> input) : input_(std::move(input)) {}
  InputGuard(const InputGuard&) = delete;
  InputGuard& operator=(const InputGuard&) = delete;
  ~InputGuard() {
    if (input_ != nullptr) input_->End();
  }

 private:
  const std::shared_ptr<CommandInputState> input_;
};

Task<Result<int>> Run(internal::RequestParts parts, StreamOptions streams, CallOptions call) {
  const std::shared_ptr<CommandInputState> input = streams.input ? streams.input->state() : nullptr;
  const std::shared_ptr<internal::ClientCore> core = parts.client;
  Result<internal::ExchangeRequest> request = internal::client::ExchangeOf(std::move(parts));
  if (!request) co_return std::move(request).error();
  const Result<void> traced = internal::client::AddTraceHeaders(call, request->headers);
  if (!traced) co_return traced.error();
  const auto command = std::make_shared<CommandCall>(core->engine(), *std::move(request), input);
  if (input != nullptr) {
    const Result<void> attached = input->Attach([weak = std::weak_ptr(command)] {
      if (const auto self = weak.lock()) self->WakeForInput();
    });
    if (!attached) co_return attached.error();
  }
  const InputGuard guard(input);
  std::function<bool()> on_wake = [&command, &streams] {
    for (const Output& output : command->Take()) {
      const auto& take = output.channel == kStdoutChannel ? streams.on_stdout : streams.on_stderr;
      if (take) take(output.text);
    }
    return true;
  };
  const Result<void> ended =
      co_await internal::client::LoopCall::Run(command, std::move(call), std::move(on_wake));
  if (!ended) co_return ended.error();
  co_return command->exit();
}

template <class Options>
RestRequest RequestFor(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                       std::string_view subresource, Options& options,
                       const StreamOptions& streams) {
  options.stdin = streams.input.has_value();
  options.stdout = static_cast<bool>(streams.on_stdout);
  options.stderr = static_cast<bool>(streams.on_stderr) && !options.tty;
  RestRequest request = RestClient(pods.core().client(), {.version = "v1"}).Get();
  request.Namespace(pods.namespace_()).Resource("pods").Name(pod).SubResource(subresource);
  return request.VersionedParams(options);
}

// Fills the result of a command while it runs.
StreamOptions Gathering(Env& env, std::string_view input, ExecResult& result) {
  StreamOptions streams;
  if (!input.empty()) {
    streams.input.emplace(env);
    static_cast<void>(streams.input->Write(input));  // never waits: it is the first
    streams.input->Close();
  }
  streams.on_stdout = [&result](std::string_view text) { result.stdout_text += text; };
  streams.on_stderr = [&result](std::string_view text) { result.stderr_text += text; };
  return streams;
}

Task<Result<ExecResult>> Gather(ResourceClient<corev1::Pod> pods, std::string pod,
                                corev1::PodExecOptions::Mutable options, std::string input,
                                CallOptions call) {
  ExecResult result;
  StreamOptions streams = Gathering(pods.env(), input, result);
  const RestRequest request = RequestFor(pods, pod, "exec", options, streams);
  const Result<int> code = co_await Run(request.parts(), std::move(streams), std::move(call));
  if (!code) co_return code.error();
  result.exit_code = *code;
  co_return result;
}

}  // namespace

CommandInput::CommandInput(Env& env) : state_(std::make_shared<CommandInputState>(env)) {}

Result<void> CommandInput::Write(std::string_view text) { return state_->Write(text); }
void CommandInput::Close() { state_->Close(); }
void CommandInput::Resize(TerminalSize size) { state_->Resize(size); }

AsyncCall<int> RemoteExecutor::AsyncStream(StreamOptions streams) const {
  return {request_.env(), [parts = request_.parts(), streams = std::move(streams)](
                              CallOptions call) { return Run(parts, streams, std::move(call)); }};
}

Result<int> RemoteExecutor::Stream(const StreamOptions& streams, const CallOptions& call) const {
  return BlockOn(request_.env(), Run(request_.parts(), streams, call));
}

RemoteExecutor ExecIn(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                      corev1::PodExecOptions::Mutable options, const StreamOptions& streams) {
  return RemoteExecutor(RequestFor(pods, pod, "exec", options, streams));
}

RemoteExecutor AttachTo(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                        corev1::PodAttachOptions::Mutable options, const StreamOptions& streams) {
  return RemoteExecutor(RequestFor(pods, pod, "attach", options, streams));
}

Result<ExecResult> Exec(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                        const corev1::PodExecOptions::Mutable& options, std::string_view input,
                        const CallOptions& call) {
  ExecResult result;
  const StreamOptions streams = Gathering(pods.env(), input, result);
  const Result<int> code = ExecIn(pods, pod, options, streams).Stream(streams, call);
  if (!code) return code.error();
  result.exit_code = *code;
  return result;
}

AsyncCall<ExecResult> AsyncExec(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                const corev1::PodExecOptions::Mutable& options, std::string input) {
  return {pods.env(),
          [pods, pod = std::string(pod), options,
           input = std::move(input)](CallOptions call) -> Task<Result<ExecResult>> {
            return Gather(pods, pod, options, input, std::move(call));
          }};
}

}  // namespace kinformer
